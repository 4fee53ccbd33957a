// The files, pipes and mappings of the workload `input`, which each system has its own calls for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace gpuminer::bench {

// Files are descriptors. Where the system refuses, all throw InputError.

/// "what: reason", by errno.
[[noreturn]] void refuse_input(const std::string& what);

/// Empty, for reading and writing; it goes with its descriptor. On Windows it has a name, and the system keeps it in
/// memory as long as it can.
[[nodiscard]] int new_file_in_memory();
/// The end to read from, and the end to write to.
[[nodiscard]] std::array<int, 2> new_pipe();
void close_input(int file);
/// To be closed by itself.
[[nodiscard]] std::FILE* stream_of(int file);

/// How many; 0: there are no more.
[[nodiscard]] std::size_t read_bytes(int file, std::span<std::uint8_t> into);
/// False: nobody reads them.
[[nodiscard]] bool write_bytes(int file, std::span<const std::uint8_t> bytes);
/// Until there are some, or will be none.
void wait_for_bytes(int pipe);
void begin_again(int file);

/// A file's first bytes, mapped.
class Mapping {
public:
    Mapping(int file, std::size_t size);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    [[nodiscard]] std::span<const std::uint8_t> bytes() const {
        return {static_cast<const std::uint8_t*>(start_), size_};
    }

private:
    void* start_ = nullptr;
    const std::size_t size_;
};

}  // namespace gpuminer::bench
