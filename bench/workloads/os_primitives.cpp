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
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>
#include <thread>

#include "bench/workloads/timing.hpp"
#include "bench/workloads/workload.hpp"
#include "host/errors.hpp"

namespace gpuminer::bench {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

void go_on(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Interrupted{};
}

/// Joins what it holds.
class Threads {
public:
    explicit Threads(std::size_t count) { threads_.reserve(count); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() { join(); }

    void create() {
        threads_.emplace_back([] {});
    }
    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

private:
    std::vector<std::thread> threads_;
};

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

/// A new folder, with files named by numbers.
class NumberedFiles {
public:
    explicit NumberedFiles(const std::filesystem::path& parent) : path_((parent / "gpuminer-bench-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr)
            throw InputError(fmt::format("expected a folder for files in {}: {}", parent.string(), reason(errno)));
        folder_length_ = path_.size();
        path_ += "/00000000";
    }
    NumberedFiles(const NumberedFiles&) = delete;
    NumberedFiles& operator=(const NumberedFiles&) = delete;
    ~NumberedFiles() {
        remove_files();
        path_.resize(folder_length_);
        (void)rmdir(path_.c_str());
    }

    void create() {
        static constexpr std::array<char, 32> kContent{};
        std::FILE* const file = std::fopen(path_of(count_), "wb");
        bool written = file != nullptr;
        if (file != nullptr) {
            ++count_;
            written = std::fwrite(kContent.data(), 1, kContent.size(), file) == kContent.size();
            written = std::fclose(file) == 0 && written;
        }
        if (!written) {
            const int error = errno;
            throw InputError(fmt::format("expected room for more than {} small files in {}: {}", count_,
                                         path_.substr(0, folder_length_), reason(error)));
        }
    }

    void remove_files() {
        while (count_ != 0) (void)unlink(path_of(--count_));
    }

private:
    const char* path_of(std::size_t number) {
        for (std::size_t i = 1; i <= 8; ++i, number >>= 4)
            path_[folder_length_ + 9 - i] = "0123456789abcdef"[number & 15];
        return path_.c_str();
    }

    std::string path_;
    std::size_t folder_length_ = 0;
    std::size_t count_ = 0;
};

/// Async-signal-safe.
int become(const char* program, const sigset_t& nothing_blocked) {
    constexpr int kCannotExecute = 126;
    pthread_sigmask(SIG_SETMASK, &nothing_blocked, nullptr);
    execl(program, program, static_cast<char*>(nullptr));
    return kCannotExecute;
}

}  // namespace

double create_threads(std::size_t count, const std::stop_token& stop) {
    Threads threads(count);
    return seconds_of([&] {
        for (std::size_t i = 0; i < count; ++i) {
            go_on(stop);
            try {
                threads.create();
            } catch (const std::system_error& error) {
                throw InputError(
                    fmt::format("{} threads are needed, but only {} started: {}", count, i, error.code().message()));
            }
        }
        threads.join();
    });
}

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

FileSeconds create_files(const std::filesystem::path& parent, std::size_t count, const std::stop_token& stop,
                         double longest) {
    FileSeconds seconds{};
    while (seconds.files < count && seconds.creating < longest) {
        const std::size_t end = std::min(count, seconds.files + kFilesAtATime);
        NumberedFiles files(parent);
        const auto start = std::chrono::steady_clock::now();
        double taken = 0;
        do {
            go_on(stop);
            files.create();
            ++seconds.files;
            taken = seconds_since(start);
        } while (seconds.files < end && seconds.creating + taken < longest);
        seconds.creating += taken;
        seconds.deleting += seconds_of([&] { files.remove_files(); });
    }
    return seconds;
}

std::filesystem::path folder_for_files() {
    const char* const folder = std::getenv("TMPDIR");
    return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

std::string file_system_of(const std::filesystem::path& folder) {
    struct statfs facts {};
    if (statfs(folder.c_str(), &facts) != 0)
        throw InputError(fmt::format("expected a folder for files, got {}: {}", folder.string(), reason(errno)));
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
        throw InputError(fmt::format("expected a folder for files, got {}: {}", folder.string(), reason(errno)));
    // A file takes an inode (file systems that have no fixed number of them say 0) and a block.
    const auto blocks = static_cast<double>(facts.f_bavail);
    return facts.f_files == 0 ? blocks : std::min(blocks, static_cast<double>(facts.f_favail));
}

double allocate_blocks(std::vector<void*>& blocks, const std::stop_token& stop) {
    constexpr std::size_t kSizes = 32, kStep = 4;  // 4, 8, … 128 bytes
    std::size_t allocated = 0;
    // A block that nobody reads may not be allocated at all: the compiler must not know who reads it.
    const double seconds = seconds_of([&] {
        while (allocated < blocks.size()) {
            void* const block = std::malloc(kStep * (allocated % kSizes + 1));
            if (block == nullptr) break;
            *static_cast<volatile char*>(block) = 1;
            asm volatile("" : : "r"(block) : "memory");
            blocks[allocated++] = block;
        }
        for (std::size_t i = 0; i < allocated; ++i) std::free(blocks[i]);
    });
    go_on(stop);
    if (allocated < blocks.size())
        throw InputError(fmt::format("expected memory for {} small blocks, got {}", blocks.size(), allocated));
    return seconds;
}

}  // namespace gpuminer::bench
