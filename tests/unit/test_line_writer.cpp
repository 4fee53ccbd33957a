// Lines to what does not take them: nobody waits, memory is bounded, and what is left out is told.
#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/events.hpp"
#include "cli/line_file.hpp"
#include "cli/line_writer.hpp"
#include "host/abandoned_threads.hpp"
#include "host/mutex.hpp"
#include "tests/catch.hpp"
#include "tests/unit/temporary_folder.hpp"

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
    CHECK(lines.back() == "3 messages are left out, as a test did not take them");
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

TEST_CASE("a pipe that nobody reads yet is open at once, and written to when somebody does") {
    const gpuminer::test::TemporaryFolder folder;
    const std::string pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    gpuminer::LineFile file(pipe, O_APPEND);
    CHECK(file.error() == 0);
    auto read = std::async(std::launch::async, [&] {
        std::string line;
        std::getline(std::ifstream(pipe), line);
        return line;
    });
    CHECK(file.write("a line\n") == 0);
    CHECK(read.get() == "a line");

    CHECK(gpuminer::LineFile(folder.path(), O_APPEND).error() == EISDIR);
    CHECK(gpuminer::LineFile(folder.path() / "none" / "file", O_APPEND).error() == ENOENT);
    CHECK(gpuminer::LineFile("/dev/full", O_APPEND).write("a line\n") == ENOSPC);
}

TEST_CASE("events wait for their reader, and an event tells how many had no room") {
    const gpuminer::test::TemporaryFolder folder;
    const std::string pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::future<std::vector<std::string>> read;
    {
        gpuminer::EventStream events(pipe, {});
        events.start();
        for (std::size_t bytes = 0; bytes < 2 * LineWriter::kMostBytes; bytes += 1000)
            events.notice({gpuminer::Severity::kInfo, std::string(1000, 'x')});
        read = std::async(std::launch::async, [&] {
            std::ifstream stream(pipe);
            std::vector<std::string> lines;
            for (std::string line; std::getline(stream, line);) lines.push_back(line);
            return lines;
        });
    }
    const std::vector<std::string> lines = read.get();
    REQUIRE(lines.size() > 2);
    CHECK(nlohmann::json::parse(lines.front()).at("event") == "start");
    const auto last = nlohmann::json::parse(lines.back());
    CHECK(last.at("event") == "notice");
    CHECK(last.at("severity") == "warning");
    CHECK_THAT(last.at("text").get<std::string>(),
               Catch::Matchers::ContainsSubstring(" messages are left out, as the events did not take them"));
}
