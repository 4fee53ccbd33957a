// Parts of hashing messages of any length: their states, their ends with padding, their order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>

#include "cpu/batch/messages.hpp"
#include "cpu/batch/messages_kernels.hpp"
#include "kernel/sha256.hpp"

namespace gpuminer::cpu {

inline constexpr std::size_t kBlockBytes = 64;
inline constexpr std::size_t kChunk = 4096;  ///< messages that are ordered together

using State = std::array<std::uint32_t, 8>;

inline constexpr std::array<std::uint8_t, 8> kShaNiPlaces = {3, 2, 7, 6, 1, 0, 5, 4};  ///< of A … H

/// The words of a message's state, A first, wherever they are.
template <class Do>
inline __attribute__((always_inline)) void for_each_word(std::uint32_t* words, const MessageKernel& kernel,
                                                         std::size_t message, Do act) {
    switch (kernel.layout) {
        case StateLayout::kLanes:
            for (std::size_t i = 0; i < 8; ++i) act(i, words[i * kernel.width + message]);
            return;
        case StateLayout::kShaNi:
            for (std::size_t i = 0; i < 8; ++i) act(i, words[8 * message + kShaNiPlaces[i]]);
            return;
        case StateLayout::kSha2:
            for (std::size_t i = 0; i < 8; ++i) act(i, words[8 * message + i]);
            return;
    }
}

inline void set_state(std::uint32_t* words, const MessageKernel& kernel, std::size_t message, const State& state) {
    for_each_word(words, kernel, message, [&](std::size_t i, std::uint32_t& word) { word = state[i]; });
}
inline State state_of(std::uint32_t* words, const MessageKernel& kernel, std::size_t message) {
    State state;
    for_each_word(words, kernel, message, [&](std::size_t i, std::uint32_t word) { state[i] = word; });
    return state;
}

/// In vectors where that is possible: what is stored word by word must wait until it can be loaded as a vector.
inline void set_initial_state(std::uint32_t* words, const MessageKernel& kernel, std::size_t message) {
    static constexpr State kForShaNi = [] {
        State state{};
        for (std::size_t i = 0; i < 8; ++i) state[kShaNiPlaces[i]] = sha256::kInitialState[i];
        return state;
    }();
    switch (kernel.layout) {
        case StateLayout::kLanes: return set_state(words, kernel, message, sha256::kInitialState);
        case StateLayout::kShaNi: std::memcpy(words + 8 * message, kForShaNi.data(), sizeof(State)); return;
        case StateLayout::kSha2: std::memcpy(words + 8 * message, sha256::kInitialState.data(), sizeof(State)); return;
    }
}

using Four = std::uint32_t __attribute__((vector_size(16)));

inline __attribute__((always_inline)) void store_swapped(std::uint8_t* out, Four words) {
    const Four bytes = words << 24 | (words & 0xff00) << 8 | (words >> 8 & 0xff00) | words >> 24;
    std::memcpy(out, &bytes, sizeof bytes);
}

/// In vectors, as above: it is hashed next.
inline void store_digest(std::uint8_t* out, std::uint32_t* words, const MessageKernel& kernel, std::size_t message) {
    std::array<Four, 2> halves;
    if (kernel.layout == StateLayout::kLanes) {
        const State state = state_of(words, kernel, message);
        std::memcpy(halves.data(), state.data(), sizeof halves);
    } else {
        std::memcpy(halves.data(), words + 8 * message, sizeof halves);
    }
    const auto [first, second] = halves;
    const bool is_mixed = kernel.layout == StateLayout::kShaNi;
    store_swapped(out, is_mixed ? Four{first[3], first[2], second[3], second[2]} : first);
    store_swapped(out + sizeof(Four), is_mixed ? Four{first[1], first[0], second[1], second[0]} : second);
}

inline std::size_t blocks_of(const Message& message) {
    const std::size_t rest = message.size % kBlockBytes;
    return message.size / kBlockBytes + (rest < kBlockBytes - 8 ? 1 : 2);
}

/// A message's last blocks with the padding. Of a short message these are all, so that messages of as many blocks each
/// go through a kernel in one call.
class Tail {
public:
    static constexpr std::size_t kShort = 4;  ///< blocks

    /// Returns how many blocks are left to be read where the message is: all whole ones where there are more than
    /// `copied`, at most kShort.
    std::size_t write(const Message& message, std::size_t copied = kShort) {
        const std::size_t full = message.size / kBlockBytes, all = blocks_of(message);
        const std::size_t first = all <= copied ? 0 : full, bytes = message.size - kBlockBytes * first;
        count_ = all - first;
        std::uint8_t* const start = bytes_.data() + kBlockBytes;
        std::uint8_t* const end = start + kBlockBytes * count_;
#pragma GCC unroll 8
        for (std::size_t i = 1; i <= 2 * kBlockBytes / sizeof(Four); ++i) {  // memset() would be `rep stos`: 30 cycles
            const Four zeros{};
            std::memcpy(end - i * sizeof(Four), &zeros, sizeof zeros);
        }
        for (std::size_t i = first; i < full; ++i)
            std::memcpy(start + kBlockBytes * (i - first), message.data + kBlockBytes * i, kBlockBytes);
        // Where there is a whole block before the message's end, it is copied, so that the number of bytes is constant.
        if (message.size >= kBlockBytes)
            std::memcpy(start + bytes - kBlockBytes, message.data + (message.size - kBlockBytes), kBlockBytes);
        else if (bytes != 0)
            std::memcpy(start, message.data, bytes);
        start[bytes] = 0x80;
        const std::uint64_t bits = __builtin_bswap64(std::uint64_t{message.size} * 8);
        std::memcpy(end - sizeof bits, &bits, sizeof bits);
        return first;
    }
    [[nodiscard]] const std::uint8_t* blocks() const { return bytes_.data() + kBlockBytes; }
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    std::array<std::uint8_t, (1 + kShort) * kBlockBytes> bytes_;  // the first is for what is copied too much
    std::size_t count_;
};

/// Indices of messages, those of the most blocks first.
class Order {
public:
    explicit Order(std::span<const Message> messages) {
        const auto longer = [messages](std::uint16_t x, std::uint16_t y) {
            return blocks_of(messages[x]) > blocks_of(messages[y]);
        };
        if (messages.size() <= kFew) {
            std::iota(begin(), begin() + messages.size(), std::uint16_t{0});
            std::sort(begin(), begin() + messages.size(), longer);
            return;
        }
        // Class 0 has the longest, of different lengths; the others one number of blocks each.
        const auto class_of = [](const Message& message) { return kClasses - std::min(blocks_of(message), kClasses); };
        std::array<std::uint16_t, kClasses + 1> ends{};
        for (const Message& message : messages) ++ends[class_of(message) + 1];
        const std::size_t longest = ends[1];
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        for (std::size_t i = 0; i < messages.size(); ++i)
            indices_[ends[class_of(messages[i])]++] = static_cast<std::uint16_t>(i);
        std::sort(begin(), begin() + longest, longer);
    }
    [[nodiscard]] std::size_t operator[](std::size_t i) const { return indices_[i]; }

private:
    static constexpr std::size_t kFew = 16, kClasses = 256;
    std::uint16_t* begin() { return indices_.data(); }
    std::array<std::uint16_t, kChunk> indices_;
};

}  // namespace gpuminer::cpu
