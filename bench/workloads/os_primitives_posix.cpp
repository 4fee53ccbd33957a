#include "bench/workloads/os_primitives.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "bench/workloads/os_primitives_system.hpp"
#include "bench/workloads/timing.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

/// Waits for what it holds.
class Children {
public:
    explicit Children(std::size_t count) { pids_.reserve(count); }
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;
    ~Children() { (void)wait(); }

    /// `child` runs in the new process, in which nothing but async-signal-safe functions may be called: another thread
    /// may have held any lock. It returns the exit code.
    template <class Child>
    void create(Child child) {
        const pid_t pid = fork();
        if (pid == 0) _exit(child());
        if (pid < 0) {
            throw InputError(fmt::format("{} processes are needed, but only {} started: {}", pids_.capacity(),
                                         pids_.size(), reason(errno)));
        }
        pids_.push_back(pid);
    }

    /// Waits until all have ended. Returns whether each exit code was 0. (Unknown where the program was started with
    /// SIGCHLD ignored.)
    [[nodiscard]] bool wait() {
        bool success = true;
        for (const pid_t pid : pids_) {
            int status = 0;
            pid_t ended = 0;
            while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
            }
            if (ended == pid && status != 0) success = false;
        }
        pids_.clear();
        return success;
    }

private:
    std::vector<pid_t> pids_;
};

/// Async-signal-safe.
int become(const char* program, const sigset_t& nothing_blocked) {
    constexpr int kCannotExecute = 126;
    pthread_sigmask(SIG_SETMASK, &nothing_blocked, nullptr);
    execl(program, program, static_cast<char*>(nullptr));
    return kCannotExecute;
}

}  // namespace

const char* const kProcessesText = "processes and programs from the first fork to the last end";
const char* const kNoTrivialProgram = "there is no program \"true\" in the folders of PATH";

double create_processes(std::size_t count, const std::stop_token& stop) {
    Children children(count);
    return seconds_of([&] {
        for (std::size_t i = 0; i < count; ++i) {
            go_on(stop);
            children.create([] { return 0; });
        }
        (void)children.wait();
    });
}

double launch_programs(const std::string& program, std::size_t count, const std::stop_token& stop) {
    sigset_t nothing_blocked;
    sigemptyset(&nothing_blocked);
    Children children(count);
    bool success = false;
    const double seconds = seconds_of([&] {
        for (std::size_t i = 0; i < count; ++i) {
            go_on(stop);
            children.create([&] { return become(program.c_str(), nothing_blocked); });
        }
        success = children.wait();
    });
    go_on(stop);  // its signal may have ended the children
    if (!success) throw InputError(fmt::format("expected exit code 0 of {}, got another one", program));
    return seconds;
}

std::optional<std::string> find_program(const std::string& name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
            return candidate.string();
    }
    return std::nullopt;
}

std::optional<std::string> trivial_program() { return find_program("true"); }

std::filesystem::path new_folder_in(const std::filesystem::path& parent) {
    std::string path = parent / "gpuminer-bench-XXXXXX";
    if (mkdtemp(path.data()) == nullptr)
        throw InputError(
            fmt::format("expected a folder for files in {}: {}", quoted_text(parent.string(), 100), reason(errno)));
    return path;
}

std::FILE* new_file(const char* path) { return std::fopen(path, "wb"); }
void delete_file(const char* path) { (void)unlink(path); }
void delete_folder(const char* path) { (void)rmdir(path); }

std::filesystem::path folder_for_files() {
    const char* const folder = std::getenv("TMPDIR");
    return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

std::string file_system_of(const std::filesystem::path& folder) {
    struct statfs facts {};
    if (statfs(folder.c_str(), &facts) != 0)
        throw InputError(
            fmt::format("expected a folder for files, got {}: {}", quoted_text(folder.string(), 100), reason(errno)));
    struct Name {
        std::uint32_t number;
        const char* name;
    };
    constexpr std::array kNames = {
        Name{0x0000ef53, "ext4"},  // ext2 and ext3 have the same number
        Name{0x01021994, "tmpfs"}, Name{0x794c7630, "overlayfs"}, Name{0x58465342, "xfs"},
        Name{0x9123683e, "btrfs"}, Name{0x2fc12fc1, "zfs"},       Name{0xf2f52010, "f2fs"},
        Name{0x00006969, "nfs"},   Name{0xff534d42, "cifs"},      Name{0x65735546, "fuse"},
        Name{0x01021997, "9p"},    Name{0x858458f6, "ramfs"},     Name{0xca451a4e, "bcachefs"},
    };
    const auto number = static_cast<std::uint32_t>(facts.f_type);
    const auto* const found = std::ranges::find(kNames, number, &Name::number);
    return found != kNames.end() ? found->name : fmt::format("{:#x}", number);
}

double room_for_files(const std::filesystem::path& folder) {
    struct statvfs facts {};
    if (statvfs(folder.c_str(), &facts) != 0)
        throw InputError(
            fmt::format("expected a folder for files, got {}: {}", quoted_text(folder.string(), 100), reason(errno)));
    // A file takes an inode (file systems that have no fixed number of them say 0) and a block.
    const auto blocks = static_cast<double>(facts.f_bavail);
    return facts.f_files == 0 ? blocks : std::min(blocks, static_cast<double>(facts.f_favail));
}

}  // namespace gpuminer::bench
