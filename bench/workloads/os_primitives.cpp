// Primitives that are the same calls everywhere.
#include "bench/workloads/os_primitives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "bench/workloads/os_primitives_system.hpp"
#include "bench/workloads/timing.hpp"
#include "bench/workloads/workload.hpp"
#include "host/errors.hpp"
#include "host/files/path_text.hpp"

namespace gpuminer::bench {
namespace {

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

/// A new folder, with files named by numbers.
class NumberedFiles {
public:
    explicit NumberedFiles(const std::filesystem::path& parent) : path_(new_folder_in(parent).native()) {
        folder_length_ = path_.size();
        path_.push_back(std::filesystem::path::preferred_separator);
        path_.append(kDigits, '0');
    }
    NumberedFiles(const NumberedFiles&) = delete;
    NumberedFiles& operator=(const NumberedFiles&) = delete;
    ~NumberedFiles() {
        remove_files();
        path_.resize(folder_length_);
        delete_folder(path_.c_str());
    }

    void create() {
        static constexpr std::array<char, 32> kContent{};
        std::FILE* const file = new_file(path_of(count_));
        bool written = file != nullptr;
        if (file != nullptr) {
            ++count_;
            written = std::fwrite(kContent.data(), 1, kContent.size(), file) == kContent.size();
            written = std::fclose(file) == 0 && written;
        }
        if (!written) {
            const int error = errno;
            throw InputError(fmt::format("expected room for more than {} small files in {}: {}", count_,
                                         path_text(path_.substr(0, folder_length_)),
                                         std::generic_category().message(error)));
        }
    }

    void remove_files() {
        while (count_ != 0) delete_file(path_of(--count_));
    }

private:
    const std::filesystem::path::value_type* path_of(std::size_t number) {
        for (std::size_t i = 0; i < kDigits; ++i, number >>= 4)
            path_[path_.size() - 1 - i] =
                static_cast<std::filesystem::path::value_type>("0123456789abcdef"[number & 15]);
        return path_.c_str();
    }

    static constexpr std::size_t kDigits = 8;
    std::filesystem::path::string_type path_;  ///< that the system takes as it is: nothing but its own work is timed
    std::size_t folder_length_ = 0;
    std::size_t count_ = 0;
};

}  // namespace

void go_on(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Interrupted{};
}

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
