// Lines to what does not take them: nobody waits, memory is bounded, and what is left out is told.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/line_writer.hpp"
#include "host/abandoned_threads.hpp"
#include "host/mutex.hpp"
#include "tests/catch.hpp"

using gpuminer::Condition;
using gpuminer::LineWriter;
using gpuminer::Mutex;
using gpuminer::MutexLock;
using gpuminer::OutLine;
using namespace std::chrono_literals;

namespace {

/// Keeps what it gets; while it is shut, it takes nothing.
struct Receiver {
    void take(const OutLine& line) {
        const MutexLock lock(mutex);
        ++calls;
        changed.notify_all();
        changed.wait(mutex, [this]() GPUMINER_REQUIRES(mutex) { return open; });
        lines.push_back((line.kind == OutLine::Kind::kLive ? "live " : "") + line.text);
    }
    void set_open(bool value) {
        const MutexLock lock(mutex);
        open = value;
        changed.notify_all();
    }
    void wait_for_call() {
        const MutexLock lock(mutex);
        changed.wait(mutex, [this]() GPUMINER_REQUIRES(mutex) { return calls > 0; });
    }
    std::vector<std::string> all() {
        const MutexLock lock(mutex);
        return lines;
    }

    Mutex mutex;
    Condition changed;
    bool open GPUMINER_GUARDED_BY(mutex) = true;
    int calls GPUMINER_GUARDED_BY(mutex) = 0;
    std::vector<std::string> lines GPUMINER_GUARDED_BY(mutex);
};

LineWriter::Write to(const std::shared_ptr<Receiver>& receiver) {
    return [receiver](const OutLine& line) { receiver->take(line); };
}

constexpr auto kLong = 60s;

}  // namespace

TEST_CASE("lines are written in their order") {
    const auto receiver = std::make_shared<Receiver>();
    {
        LineWriter writer("a test", to(receiver));
        for (int i = 0; i < 100; ++i) writer.add({OutLine::Kind::kText, std::to_string(i)});
        CHECK(writer.wait(kLong));
        CHECK(receiver->all().size() == 100);
        writer.add({OutLine::Kind::kText, "last"});
    }
    REQUIRE(receiver->all().size() == 101);
    CHECK((receiver->all().at(42) == "42" && receiver->all().back() == "last"));
}

TEST_CASE("of live lines that wait the last one is shown") {
    const auto receiver = std::make_shared<Receiver>();
    LineWriter writer("a test", to(receiver));
    receiver->set_open(false);
    writer.add({OutLine::Kind::kText, "a"});
    receiver->wait_for_call();
    for (const char* text : {"1", "2", "3"}) writer.add({OutLine::Kind::kLive, text});
    writer.add({OutLine::Kind::kText, "b"});
    for (const char* text : {"4", "5"}) writer.add({OutLine::Kind::kLive, text});
    CHECK_FALSE(writer.wait(1ms));
    receiver->set_open(true);
    CHECK(writer.wait(kLong));
    CHECK(receiver->all() == std::vector<std::string>{"a", "live 3", "b", "live 5"});
}

TEST_CASE("patience is with each line, not with all of them together") {
    LineWriter writer("a test", [](const OutLine&) { std::this_thread::sleep_for(100ms); });
    for (int i = 0; i < 30; ++i) writer.add({OutLine::Kind::kText, "a"});
    CHECK(writer.wait(2s));
}

TEST_CASE("what has no room is left out, and the number of it is told") {
    const auto receiver = std::make_shared<Receiver>();
    LineWriter writer("a test", to(receiver));
    receiver->set_open(false);
    writer.add({OutLine::Kind::kText, "a"});
    receiver->wait_for_call();
    const std::string text(LineWriter::kMostBytes / 4, 'x');
    for (int i = 0; i < 7; ++i) writer.add({OutLine::Kind::kText, text});
    receiver->set_open(true);
    CHECK(writer.wait(kLong));
    const std::vector<std::string> lines = receiver->all();
    REQUIRE(lines.size() == 6);
    CHECK(lines.back() == "gpuminer: warning: 3 messages are left out, as a test did not take them");
}

TEST_CASE("a thread that hangs in a write is abandoned, and the process knows it") {
    const auto receiver = std::make_shared<Receiver>();
    receiver->set_open(false);
    {
        LineWriter writer("a test", to(receiver));
        writer.add({OutLine::Kind::kText, "a"});
        receiver->wait_for_call();
    }
    CHECK(gpuminer::any_abandoned_threads());
    receiver->set_open(true);
    for (int i = 0; i < 6000 && receiver->all().empty(); ++i) std::this_thread::sleep_for(10ms);
    CHECK(receiver->all() == std::vector<std::string>{"a"});
}
