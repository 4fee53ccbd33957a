// Lines to outputs that do not accept them: nobody waits, memory is bounded, and lost lines are counted.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/run/events.hpp"
#include "cli/terminal/line_file.hpp"
#include "cli/terminal/line_writer.hpp"
#include "cli/terminal/log_sinks.hpp"
#include "host/abandonable_thread.hpp"
#include "host/mutex.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/waiting.hpp"

using gpuminer::Condition;
using gpuminer::LineWriter;
using gpuminer::Mutex;
using gpuminer::MutexLock;
using gpuminer::OutLine;
using gpuminer::Taken;
using namespace gpuminer::test;

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
    void wait_for_calls(int number) {
        const MutexLock lock(mutex);
        changed.wait(mutex, [this, number]() GPUMINER_REQUIRES(mutex) { return calls >= number; });
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
    return [receiver](const OutLine& line) {
        receiver->take(line);
        return Taken::kDone;
    };
}

constexpr auto kLong = 60s;

/// Of a pipe, which it has open from the beginning.
class Reader {
public:
    explicit Reader(const std::string& pipe) : descriptor_(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
    ~Reader() { ::close(descriptor_); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// What is there.
    [[nodiscard]] std::string read() const {
        std::string text(std::size_t{1} << 20, '\0');
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(descriptor_, text.data(), text.size()), 0)));
        return text;
    }

private:
    const int descriptor_;
};

/// Waits for it.
std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    wait_until([&] {
        text.clear();
        text << std::ifstream(file).rdbuf();
        return !text.str().empty();
    });
    return text.str();
}

/// What a log file of this name, which nobody can write to, does with a message once it is opened anew.
void check_reopened(const std::filesystem::path& pipe) {
    gpuminer::FileSink log(pipe);
    log.log({"test", spdlog::level::info, "a message"});
    CHECK_FALSE(log.wait(1ms));
    std::filesystem::remove(pipe);
    log.reopen();
    CHECK_THAT(text_of(pipe), Catch::Matchers::ContainsSubstring("a message"));
}

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
    receiver->wait_for_calls(1);
    for (const char* text : {"1", "2", "3"}) writer.add({OutLine::Kind::kLive, text});
    writer.add({OutLine::Kind::kText, "b"});
    for (const char* text : {"4", "5"}) writer.add({OutLine::Kind::kLive, text});
    CHECK_FALSE(writer.wait(1ms));
    receiver->set_open(true);
    CHECK(writer.wait(kLong));
    CHECK(receiver->all() == std::vector<std::string>{"a", "live 3", "b", "live 5"});
}

TEST_CASE("patience is with each line, not with all of them together") {
    LineWriter writer("a test", [](const OutLine&) {
        pass_time(100ms);
        return Taken::kDone;
    });
    for (int i = 0; i < 30; ++i) writer.add({OutLine::Kind::kText, "a"});
    CHECK(writer.wait(2s));
}

TEST_CASE("writers that hang are waited for together, and once") {
    const auto receiver = std::make_shared<Receiver>();
    receiver->set_open(false);
    std::vector<std::unique_ptr<LineWriter>> writers;
    for (int i = 1; i <= 100; ++i) {
        writers.push_back(std::make_unique<LineWriter>("a test", to(receiver)));
        writers.back()->add({OutLine::Kind::kText, "a"});
        receiver->wait_for_calls(i);
    }
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& writer : writers) CHECK_FALSE(writer->wait(200ms));
    writers.clear();
    CHECK(std::chrono::steady_clock::now() - begin < 20s);  // 40 s where each is waited for twice
    receiver->set_open(true);
}

TEST_CASE("what has no room is left out, and the number of it is told") {
    const auto receiver = std::make_shared<Receiver>();
    LineWriter writer("a test", to(receiver));
    receiver->set_open(false);
    writer.add({OutLine::Kind::kText, "a"});
    receiver->wait_for_calls(1);
    const std::string text(LineWriter::kMostBytes / 4, 'x');
    for (int i = 0; i < 7; ++i) writer.add({OutLine::Kind::kText, text});
    receiver->set_open(true);
    CHECK(writer.wait(kLong));
    const std::vector<std::string> lines = receiver->all();
    REQUIRE(lines.size() == 6);
    CHECK(lines.back() == "3 messages were lost: a test did not accept them");
}

TEST_CASE("a thread that hangs in a write is abandoned, and the process knows it") {
    const auto receiver = std::make_shared<Receiver>();
    receiver->set_open(false);
    {
        LineWriter writer("a test", to(receiver));
        writer.add({OutLine::Kind::kText, "a"});
        receiver->wait_for_calls(1);
    }
    CHECK(gpuminer::any_abandoned_threads());
    receiver->set_open(true);
    wait_until([&] { return !receiver->all().empty(); });
    CHECK(receiver->all() == std::vector<std::string>{"a"});
}

TEST_CASE("a pipe that nobody reads yet is open at once, and written to when somebody does") {
    const gpuminer::test::TemporaryFolder folder;
    const std::string pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    gpuminer::LineFile file(pipe, gpuminer::Existing::kContinued);
    CHECK(file.error() == 0);
    CHECK(file.write("a line\n") == Taken::kNobody);
    const Reader reader(pipe);
    CHECK(file.write("a line\n") == Taken::kDone);
    CHECK(reader.read() == "a line\n");

    CHECK(gpuminer::LineFile(folder.path(), gpuminer::Existing::kContinued).error() == EISDIR);
    CHECK(gpuminer::LineFile(folder.path() / "none" / "file", gpuminer::Existing::kContinued).error() == ENOENT);
    gpuminer::LineFile full("/dev/full", gpuminer::Existing::kContinued);
    CHECK(full.write("a line\n") == Taken::kDone);
    CHECK(full.error() == ENOSPC);
}

TEST_CASE("a line that a pipe has no room for goes on where it stopped, and is whole in the next file") {
    const gpuminer::test::TemporaryFolder folder;
    const std::string pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const Reader reader(pipe);
    gpuminer::LineFile file(pipe, gpuminer::Existing::kContinued);
    const std::string line = std::string(100'000, 'a') + std::string(200'000, 'b') + "\n";
    std::string read;
    for (int i = 0; i < 100 && file.write(line) == Taken::kNotYet; ++i) read += reader.read();
    CHECK(read + reader.read() == line);

    CHECK(file.write(line) == Taken::kNotYet);
    std::filesystem::remove(pipe);
    CHECK(file.reopen() == 0);
    CHECK(file.write(line) == Taken::kDone);
    CHECK(text_of(pipe) == line);
}

TEST_CASE("a log that waits for a pipe's reader, or for room, is opened anew all the same") {
    const gpuminer::test::TemporaryFolder folder;
    const std::string pipe = folder.path() / "pipe", full = folder.path() / "full";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    check_reopened(pipe);

    REQUIRE(::mkfifo(full.c_str(), 0600) == 0);
    const Reader reader(full);
    gpuminer::LineFile other(full, gpuminer::Existing::kContinued);
    REQUIRE(other.write(std::string(1'000'000, 'x')) == Taken::kNotYet);
    check_reopened(full);
}

TEST_CASE("what nobody reads at the end is not waited for") {
    const gpuminer::test::TemporaryFolder folder;
    const std::string pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    gpuminer::detail::thread_abandoned = false;
    {
        gpuminer::EventStream events(pipe, {}, false);
        events.end([](std::size_t) { return "{}"; });
    }
    CHECK_FALSE(gpuminer::any_abandoned_threads());

    const auto writer = std::make_unique<LineWriter>("a test", [](const OutLine&) { return Taken::kNobody; });
    writer->add({OutLine::Kind::kText, "a"});
    CHECK_FALSE(writer->wait(24h));
}

TEST_CASE("events wait for their reader, and an event tells how many had no room") {
    const gpuminer::test::TemporaryFolder folder;
    const std::string pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::string text;
    {
        gpuminer::EventStream events(pipe, {}, false);
        for (std::size_t bytes = 0; bytes < 2 * LineWriter::kMostBytes; bytes += 1000)
            events.notice({gpuminer::Severity::kInfo, std::string(1000, 'x')});
        const Reader reader(pipe);
        wait_until([&] {
            text += reader.read();
            return text.find(" messages were lost") != std::string::npos;
        });
    }
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    REQUIRE(lines.size() > 2);
    CHECK(nlohmann::json::parse(lines.front()).at("event") == "start");
    const auto last = nlohmann::json::parse(lines.back());
    CHECK(last.at("event") == "notice");
    CHECK(last.at("severity") == "warning");
    CHECK_THAT(last.at("text").get<std::string>(),
               Catch::Matchers::ContainsSubstring(" messages were lost: the events did not accept them"));
}
