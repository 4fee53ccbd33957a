// Fuzzer of sha256d_messages(), against OpenSSL: by this CPU's plan, and by plans of any times, so that messages change
// from kernel to kernel. The first four bytes are the times' seed, then two for each length; the messages are the
// input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "cpu/batch/messages.hpp"
#include "cpu/batch/messages_kernels.hpp"
#include "cpu/machine/features.hpp"
#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;

namespace {

cpu::WidthPlan plan_by(std::mt19937& random) {
    static const cpu::Features features = cpu::detect_features();
    std::vector<cpu::TimedWidth> timed;
    for (const cpu::MessageKernel& kernel : cpu::message_kernels()) {
        const bool used = kernel.needs == nullptr || (kernel.usable(features) && random() % 2 == 0);
        timed.push_back({kernel.width, used ? 1.0 + random() % 64 : std::numeric_limits<double>::infinity()});
    }
    return cpu::WidthPlan(timed);
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kSeed = 4, kMost = 300;
    if (size < kSeed) return 0;
    const std::span bytes(data, size);
    std::mt19937 random(load_be32(bytes, 0));
    std::vector<Message> messages;
    for (std::size_t at = kSeed; at + 1 < size && messages.size() < kMost; at += 2) {
        const std::size_t length = std::min(std::size_t{bytes[at]} << 8 | bytes[at + 1], size);
        messages.push_back({data + (size - length), length});
    }
    std::vector<std::uint8_t> expected;
    for (const Message& message : messages) {
        const Digest digest = double_sha256_digest({message.data, message.size});
        expected.insert(expected.end(), digest.begin(), digest.end());
    }
    std::vector<std::uint8_t> hashes(expected.size());
    sha256d_messages(hashes.data(), messages);
    fuzz::demand(hashes == expected, "the hashes are OpenSSL's");
    std::fill(hashes.begin(), hashes.end(), std::uint8_t{0});
    cpu::hash_messages({plan_by(random), plan_by(random)}, hashes.data(), messages);
    fuzz::demand(hashes == expected, "the hashes are the same by any plan");
    return 0;
}
