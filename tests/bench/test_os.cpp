// Tests of the workload os. Each primitive does what it says, leaves nothing behind however it ends, and says plainly
// what the system does not allow. The system's speed decides nothing here.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

#include "bench/workloads/os.hpp"
#include "bench/workloads/os_primitives.hpp"
#include "bench_setting.hpp"
#include "host/errors.hpp"
#include "no_room.hpp"
#include "tests/catch.hpp"
#include "tests/environment.hpp"
#include "tests/host/files/temporary_folder.hpp"

using namespace gpuminer;
using namespace gpuminer::bench;
using namespace gpuminer::test;

namespace {

std::stop_token stopped() {
    std::stop_source source;
    source.request_stop();
    return source.get_token();
}

/// No child of this process is left, alive or as a zombie.
bool childless() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

void write_script(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
    folder.write(name, text);
    std::filesystem::permissions(folder.path() / name, std::filesystem::perms::owner_all);
}

constexpr OsAmounts kFew{3, 3, 3, 20, 100};

}  // namespace

TEST_CASE("os: threads, processes and programs come and go") {
    CHECK(create_threads(3, {}) > 0);
    CHECK(create_processes(3, {}) > 0);
    CHECK(childless());

    const TemporaryFolder folder;
    write_script(folder, "mark", "#!/bin/sh\nmktemp \"${0%/*}/ran-XXXXXX\" >/dev/null\n");
    CHECK(launch_programs(folder.path() / "mark", 4, {}) > 0);
    CHECK(childless());
    const auto runs = std::count_if(std::filesystem::directory_iterator(folder.path()), {}, [](const auto& entry) {
        return entry.path().filename().string().rfind("ran-", 0) == 0;
    });
    CHECK(runs == 4);
}

TEST_CASE("os: a program is launched with no signal blocked, although all are blocked here") {
    const TemporaryFolder folder;
    write_script(folder, "mask", "#!/bin/sh\nexec grep -q '^SigBlk:[[:space:]]*0000000000000000$' /proc/self/status\n");
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    CHECK_NOTHROW(launch_programs(folder.path() / "mask", 1, {}));
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, &old, &now);
    CHECK(sigismember(&now, SIGINT) == 1);  // here they still are
}

TEST_CASE("os: a program that fails, or is none, ends the measurement with one sentence and no zombie") {
    const TemporaryFolder folder;
    write_script(folder, "fail", "#!/bin/sh\nexit 3\n");
    folder.write("text", "no program");
    for (const char* const name : {"fail", "text", "missing"}) {
        INFO(name);
        CHECK_THROWS_AS(launch_programs(folder.path() / name, 3, {}), InputError);
        CHECK(childless());
    }
}

TEST_CASE("os: programs are looked for in the folders of PATH, in their order") {
    const TemporaryFolder folder;
    write_script(folder, "second/true", "");
    write_script(folder, "third/true", "");
    folder.write("first/true", "not executable");
    std::filesystem::create_directories(folder.path() / "zeroth/true");
    std::string path = "/nowhere";
    for (const char* const name : {"zeroth", "first", "second", "third"}) path += ":" + (folder.path() / name).string();
    const Environment environment("PATH", path.c_str());
    CHECK(find_program("true") == (folder.path() / "second/true").string());
    CHECK_FALSE(find_program("no-such-program"));
    const Environment none("PATH", nullptr);
    CHECK_FALSE(find_program("true"));
}

TEST_CASE("os: files are created and deleted again") {
    const TemporaryFolder folder;
    const FileSeconds seconds = create_files(folder.path(), 300, {});
    CHECK(seconds.creating > 0);
    CHECK(seconds.deleting > 0);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("os: when the user stops it in the middle, no file is left") {
    const TemporaryFolder folder;
    std::stop_source stop;
    bool seen = false;
    std::thread user([&] {  // stops when a file is complete
        while (!seen) {
            try {
                for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
                    seen = entry.is_regular_file() && entry.file_size() == 32;
                    if (seen) break;
                }
            } catch (const std::filesystem::filesystem_error&) {  // gone in this moment
            }
        }
        stop.request_stop();
    });
    CHECK_THROWS_AS(create_files(folder.path(), 1'000'000'000, stop.get_token()), Interrupted);
    user.join();
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("os: where no file can be created the reason is said, and the folder is gone") {
    const TemporaryFolder folder;
    std::string message;
    try {
        const NoRoom limit;
        (void)create_files(folder.path(), 10, {});
    } catch (const InputError& error) {
        message = error.what();
    }
    CHECK(message.find("File too large") != std::string::npos);
    CHECK(std::filesystem::is_empty(folder.path()));
    CHECK_THROWS_AS(create_files("/proc", 1, {}), InputError);
    CHECK_THROWS_AS(room_for_files("/nowhere"), InputError);
    CHECK_THROWS_AS(file_system_of("/nowhere"), InputError);
}

TEST_CASE("os: the file system has its name, or its number") {
    CHECK(file_system_of("/proc") == "0x9fa0");  // PROC_SUPER_MAGIC in linux/magic.h
    if (std::filesystem::exists("/dev/shm")) CHECK(file_system_of("/dev/shm") == "tmpfs");
    const Environment folder("TMPDIR", "/nowhere");
    CHECK(folder_for_files() == "/nowhere");
    const Environment empty("TMPDIR", "");
    CHECK(folder_for_files() == "/tmp");
}

TEST_CASE("os: blocks are allocated one by one and freed") {
    std::vector<void*> blocks(64);
    CHECK(allocate_blocks(blocks, {}) > 0);
    std::sort(blocks.begin(), blocks.end());
    CHECK(std::adjacent_find(blocks.begin(), blocks.end()) == blocks.end());  // all were there at the same time
    CHECK(blocks.front() != nullptr);
}

TEST_CASE("os: once stopped nothing begins, and nothing is left") {
    const TemporaryFolder folder;
    std::vector<void*> blocks(10);
    CHECK_THROWS_AS(create_threads(3, stopped()), Interrupted);
    CHECK_THROWS_AS(create_processes(3, stopped()), Interrupted);
    CHECK_THROWS_AS(launch_programs("/nowhere", 3, stopped()), Interrupted);
    CHECK_THROWS_AS(create_files(folder.path(), 3, stopped()), Interrupted);
    CHECK_THROWS_AS(allocate_blocks(blocks, stopped()), Interrupted);
    CHECK(childless());
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("os: a row for each primitive, with its unit") {
    BenchSetting bench;
    const Rows rows = os_rows(bench.setting, kFew);
    std::vector<std::string> rows_and_units;
    for (const Row& row : rows.rows) {
        CHECK(row.better == Better::kLower);
        CHECK(row.measure(1) > 0);
        CHECK(row.measure(1) > 0);
        rows_and_units.push_back(row.name + ": " + row.unit);
    }
    CHECK(rows_and_units == std::vector<std::string>{"create thread: µs per thread", "create process: µs per process",
                                                     "launch program: µs per launch", "create file: µs per file",
                                                     "allocate memory: ns per block"});
    const Json file = row_named(rows, "create file").details();
    CHECK(file["file_system"].is_string());
    CHECK(file["microseconds_to_delete"].get<double>() > 0);
    CHECK(file["per_round"] == 20);
    CHECK(row_named(rows, "launch program").details()["program"].get<std::string>().find("/true") != std::string::npos);
}

TEST_CASE("os: what the system lacks is left out with the reason") {
    BenchSetting bench;
    const Environment no_path("PATH", "/nowhere");
    const Environment no_folder("TMPDIR", "/nowhere");
    CHECK(os_rows(bench.setting, kFew).rows.size() == 3);
    REQUIRE(bench.notes.size() == 2);
    CHECK(bench.notes[0] == "os: launch program is not measured: there is no program \"true\" in the folders of PATH");
    CHECK(bench.notes[1] ==
          "os: create file is not measured: expected a folder for files, got '/nowhere': No such file or directory");
}
