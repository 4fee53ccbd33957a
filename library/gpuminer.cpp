// The library's C interface: arguments are checked here, and no exception gets out.
#include "library/include/gpuminer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <span>
#include <thread>
#include <vector>

#include "baremetal/checker.hpp"
#include "cpu/batch/merkle.hpp"
#include "cpu/batch/messages.hpp"
#include "cpu/batch/sha256d64.hpp"
#include "library/header_search.hpp"
#include "library/memory_ranges.hpp"

using namespace gpuminer;
using library::check_ranges;
using library::MemoryRange;

namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::uint64_t kLongestMessage = (std::uint64_t{1} << 61) - 1;  // its length in bits has 64 (FIPS 180-4)
constexpr std::uint32_t kMostThreads = 1024;

/// What `function` returns, or the code for what it throws.
template <typename Function>
int without_exceptions(const Function& function) noexcept {
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return GM_ERROR_MEMORY;
    } catch (...) {
        return GM_ERROR_INTERNAL;
    }
}

/// Null or not, of its size, apart from the hashes.
gm_error check_message(const MemoryRange& out, const void* data, std::size_t size) {
    if (size > kLongestMessage) return GM_ERROR_SIZE;
    return check_ranges(out, MemoryRange(data, size, 1));
}

gm_error check_messages(std::uint8_t* out, const std::uint8_t* const* messages, const std::size_t* sizes,
                        std::size_t count) {
    const MemoryRange hashes(out, count, kHashBytes);
    for (const MemoryRange& array :
         {MemoryRange(messages, count, sizeof *messages), MemoryRange(sizes, count, sizeof *sizes)}) {
        if (const gm_error error = check_ranges(hashes, array); error != GM_OK) return error;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (const gm_error error = check_message(hashes, messages[i], sizes[i]); error != GM_OK) return error;
    }
    return GM_OK;
}

/// Calls `of_level(hashes, count)` for each level of the tree but the root's, and returns the root.
template <typename OfLevel>
std::array<std::uint8_t, kHashBytes> climb(const std::uint8_t* hashes, std::size_t count, const OfLevel& of_level) {
    std::vector<std::uint8_t> room((count / 2 + count % 2) * kHashBytes);
    while (count > 1) {
        of_level(hashes, count);
        count = next_merkle_level(room.data(), hashes, count);
        hashes = room.data();
    }
    std::array<std::uint8_t, kHashBytes> root{};
    std::copy_n(hashes, kHashBytes, root.begin());
    return root;
}

gm_error check_search(const gm_search& search) {
    if (search.first > search.last || search.threads > kMostThreads) return GM_ERROR_VALUE;
    return std::isfinite(search.seconds) && search.seconds >= 0 ? GM_OK : GM_ERROR_VALUE;
}

/// False where the search has none.
bool read_target(const gm_search& search, baremetal::Number256& target) {
    if (search.target != nullptr) {
        std::reverse_copy(search.target, search.target + sizeof target.bytes, target.bytes);
        return true;
    }
    baremetal::Header header;
    std::memcpy(header.bytes, search.header, sizeof header.bytes);
    const std::uint32_t nbits = search.nbits != 0 ? search.nbits : header.nbits();
    return target_of_nbits(nbits, target) && !target.at_most(baremetal::Number256{});
}

}  // namespace

#define GM_TEXT_OF(number) #number
#define GM_DOTTED(major, minor, patch) GM_TEXT_OF(major) "." GM_TEXT_OF(minor) "." GM_TEXT_OF(patch)

const char* gm_version() noexcept { return GM_DOTTED(GM_VERSION_MAJOR, GM_VERSION_MINOR, GM_VERSION_PATCH); }

const char* gm_error_text(int code) noexcept {
    switch (code) {
        case GM_OK: return "no error";
        case GM_ERROR_NULL: return "a pointer is null";
        case GM_ERROR_SIZE: return "no memory can have this size";
        case GM_ERROR_OVERLAP: return "what is written overlaps what is read";
        case GM_ERROR_VALUE: return "a number is out of its range";
        case GM_ERROR_TARGET: return "these nBits are not a target";
        case GM_ERROR_MEMORY: return "there is not enough memory";
        case GM_ERROR_CHECK: return "the checker disagrees: this machine computes wrongly";
        case GM_ERROR_INTERNAL: return "an unexpected error";
        default: return "an unknown error";
    }
}

int gm_sha256d(std::uint8_t* out, const void* data, std::size_t size) noexcept {
    if (const gm_error error = check_message(MemoryRange(out, 1, kHashBytes), data, size); error != GM_OK) return error;
    const Message message{static_cast<const std::uint8_t*>(data), size};
    sha256d_messages(out, {&message, 1});
    return GM_OK;
}

int gm_sha256d_messages(std::uint8_t* out, const std::uint8_t* const* messages, const std::size_t* sizes,
                        std::size_t count) noexcept {
    if (const gm_error error = check_messages(out, messages, sizes, count); error != GM_OK) return error;
    std::array<Message, 4096> chunk;  // as many as sha256d_messages() sorts at a time
    for (std::size_t done = 0; done < count;) {
        const std::size_t now = std::min(count - done, chunk.size());
        for (std::size_t i = 0; i < now; ++i) chunk[i] = {messages[done + i], sizes[done + i]};
        sha256d_messages(out + done * kHashBytes, std::span(chunk).first(now));
        done += now;
    }
    return GM_OK;
}

int gm_sha256d64(std::uint8_t* out, const std::uint8_t* in, std::size_t count) noexcept {
    const gm_error error = check_ranges(MemoryRange(out, count, kHashBytes), MemoryRange(in, count, 2 * kHashBytes));
    if (error != GM_OK && !(error == GM_ERROR_OVERLAP && out == in)) return error;
    return without_exceptions([&] {
        sha256d64(out, in, count);
        return GM_OK;
    });
}

int gm_merkle_root(std::uint8_t* out, const std::uint8_t* hashes, std::size_t count) noexcept {
    if (count == 0) return GM_ERROR_VALUE;
    const gm_error error = check_ranges(MemoryRange(out, 1, kHashBytes), MemoryRange(hashes, count, kHashBytes));
    if (error != GM_OK) return error;
    return without_exceptions([&] {
        const auto root = climb(hashes, count, [](const std::uint8_t*, std::size_t) {});
        std::ranges::copy(root, out);
        return GM_OK;
    });
}

std::size_t gm_merkle_depth(std::size_t count) noexcept { return count <= 1 ? 0 : std::bit_width(count - 1); }

int gm_merkle_branch(std::uint8_t* branch, const std::uint8_t* hashes, std::size_t count, std::size_t index) noexcept {
    if (index >= count) return GM_ERROR_VALUE;
    const gm_error error =
        check_ranges(MemoryRange(branch, gm_merkle_depth(count), kHashBytes), MemoryRange(hashes, count, kHashBytes));
    if (error != GM_OK) return error;
    return without_exceptions([&] {
        (void)climb(hashes, count, [&](const std::uint8_t* level, std::size_t size) {
            const std::size_t beside = std::min(index ^ 1, size - 1);  // itself, where it is last of an odd number
            std::copy_n(level + beside * kHashBytes, kHashBytes, branch);
            branch += kHashBytes;
            index /= 2;
        });
        return GM_OK;
    });
}

int gm_merkle_root_of_branch(std::uint8_t* out, const std::uint8_t* hash, const std::uint8_t* branch, std::size_t depth,
                             std::size_t index) noexcept {
    if (index != 0 && static_cast<std::size_t>(std::bit_width(index)) > depth) return GM_ERROR_VALUE;
    const MemoryRange root(out, 1, kHashBytes);
    for (const MemoryRange& read : {MemoryRange(hash, 1, kHashBytes), MemoryRange(branch, depth, kHashBytes)}) {
        if (const gm_error error = check_ranges(root, read); error != GM_OK) return error;
    }
    return without_exceptions([&] {
        std::array<std::uint8_t, 2 * kHashBytes> pair{};
        std::array<std::uint8_t, kHashBytes> at{};
        std::copy_n(hash, kHashBytes, at.begin());
        for (std::size_t level = 0; level < depth; ++level, index /= 2) {
            const std::size_t own = index % 2 * kHashBytes;
            std::ranges::copy(at, &pair[own]);
            std::copy_n(branch + level * kHashBytes, kHashBytes, &pair[kHashBytes - own]);
            sha256d64(at.data(), pair.data(), 1);
        }
        std::ranges::copy(at, out);
        return GM_OK;
    });
}

int gm_search_header(const gm_search* search, gm_search_result* result) noexcept {
    if (const gm_error error =
            check_ranges(MemoryRange(result, 1, sizeof *result), MemoryRange(search, 1, sizeof *search));
        error != GM_OK)
        return error;
    if (const gm_error error = check_search(*search); error != GM_OK) return error;
    if (const gm_error error = check_ranges(MemoryRange(result, 1, sizeof *result),
                                            MemoryRange(search->target, search->target == nullptr ? 0 : 1, kHashBytes));
        error != GM_OK)
        return error;
    const MemoryRange cancel(const_cast<const int*>(search->cancel), search->cancel == nullptr ? 0 : 1, sizeof(int));
    if (const gm_error error = check_ranges(MemoryRange(result, 1, sizeof *result), cancel); error != GM_OK)
        return error;
    baremetal::Number256 target;
    if (!read_target(*search, target)) return GM_ERROR_TARGET;
    gm_search request = *search;
    if (request.threads == 0) request.threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
    return without_exceptions([&] { return library::HeaderSearch(request, target).run(*result); });
}
