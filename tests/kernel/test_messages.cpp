// Tests of sha256d_messages(): every kernel, and the choice among them, against OpenSSL.
#include "cpu/batch/messages.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cpu/batch/messages_kernels.hpp"
#include "gpuminer_every_batch.hpp"
#include "host/block/checker.hpp"
#include "random_headers.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Random messages of given lengths, each in memory of just its size, so that AddressSanitizer sees each byte too many
/// that is read, and OpenSSL's hashes of them.
class Messages {
public:
    Messages(const std::vector<std::size_t>& lengths, std::uint32_t seed) : expected(lengths.size() * 32) {
        Random random(seed);
        for (const std::size_t length : lengths) {
            const std::size_t offset = random() % 16;
            bytes_.push_back(std::make_unique<std::uint8_t[]>(offset + length));
            std::uint8_t* const data = bytes_.back().get() + offset;
            for (std::size_t i = 0; i < length; ++i) data[i] = static_cast<std::uint8_t>(random() >> 24);
            const Hash256 displayed = double_sha256(std::span(data, length));
            std::copy(displayed.bytes.rbegin(), displayed.bytes.rend(),
                      expected.begin() + static_cast<std::ptrdiff_t>(32 * messages.size()));
            messages.push_back({length == 0 && offset % 2 == 0 ? nullptr : data, length});
        }
    }

    std::vector<Message> messages;
    Bytes expected;

private:
    std::vector<std::unique_ptr<std::uint8_t[]>> bytes_;
};

std::vector<std::size_t> random_lengths(std::size_t count, std::uint32_t seed, std::size_t longest) {
    Random random(seed);
    std::vector<std::size_t> lengths(count);
    for (std::size_t& length : lengths) length = random() % (longest + 1);
    return lengths;
}

Bytes hashes_of(const cpu::MessagePlan& plan, const Messages& given) {
    Bytes hashes(given.messages.size() * 32);
    cpu::hash_messages(plan, hashes.data(), given.messages);
    return hashes;
}

/// What all plans have to hash, made once.
const std::vector<Messages>& cases() {
    static const std::vector<Messages> made = [] {
        std::vector<Messages> result;
        std::vector<std::size_t> all(301);
        std::iota(all.begin(), all.end(), 0);
        result.emplace_back(all, 1);
        std::shuffle(all.begin(), all.end(), Random(2));
        result.emplace_back(all, 3);
        for (const std::size_t length : {0, 1, 55, 56, 63, 64, 65, 119, 120, 128})
            result.emplace_back(std::vector<std::size_t>(35, static_cast<std::size_t>(length)), 4);
        for (std::uint32_t count = 0; count <= 40; ++count)
            result.emplace_back(random_lengths(count, 100 + count, 300), count);
        // Of more blocks than are sorted by counting.
        std::vector<std::size_t> long_ones = random_lengths(50, 5, 40'000);
        long_ones.push_back(1'000'000);
        long_ones.insert(long_ones.begin() + 7, 1'000'003);
        result.emplace_back(long_ones, 6);
        std::vector<std::size_t> one_long = random_lengths(200, 7, 130);
        one_long[90] = 1'000'000;
        result.emplace_back(one_long, 8);
        result.emplace_back(random_lengths(std::size_t{2} * 4096 + 37, 9, 140), 10);
        return result;
    }();
    return made;
}

void check(const cpu::MessagePlan& plan) {
    for (const Messages& given : cases()) {
        INFO(given.messages.size() << " messages");
        REQUIRE(hashes_of(plan, given) == given.expected);
    }
}

/// A plan as it might be on some CPU: any times, for those that this one can run.
cpu::WidthPlan random_plan(Random& random) {
    const cpu::Features here = cpu::detect_features();
    std::vector<cpu::TimedWidth> timed;
    for (const cpu::MessageKernel& kernel : cpu::message_kernels()) {
        const bool used = kernel.needs == nullptr || (kernel.usable(here) && random() % 3 != 0);
        timed.push_back({kernel.width, used ? 1.0 + random() % 64 : std::numeric_limits<double>::infinity()});
    }
    return cpu::WidthPlan(timed);
}

}  // namespace

TEMPLATE_TEST_CASE("each kernel for messages gives OpenSSL's hashes, whatever their lengths, number and order", "",
                   GPUMINER_EVERY_BATCH) {
    bool any = false;
    for (std::size_t i = 0; i < cpu::message_kernels().size(); ++i) {
        const cpu::MessageKernel& kernel = cpu::message_kernels()[i];
        const cpu::BatchKernel& again = cpu::digest_kernels()[i];
        CHECK(again.isa == std::string(kernel.isa));
        CHECK(again.width == kernel.width);
        CHECK((kernel.alone != nullptr) == (kernel.width == 1));
        if (kernel.isa != std::string(TestType::kName)) continue;
        any = true;
        if (!kernel.usable(cpu::detect_features())) {
            std::cout << "SKIPPED " << kernel.isa << ": " << kernel.missing << std::endl;
            return;
        }
        INFO(kernel.isa << ", " << kernel.width << " at a time");
        check(cpu::plan_with(i));
    }
    CHECK(any);
}

TEST_CASE("messages side by side need no other features of the CPU than sha256d64()'s inputs do") {
    for (const cpu::MessageKernel& kernel : cpu::message_kernels()) {
        if (kernel.width == 1) continue;
        const auto like = std::ranges::find_if(cpu::batch_kernels(), [&](const cpu::BatchKernel& batch) {
            return batch.isa == std::string(kernel.isa) && batch.width == kernel.width;
        });
        INFO(kernel.isa << ", " << kernel.width << " at a time");
        REQUIRE(like != cpu::batch_kernels().end());
        CHECK(kernel.needs == like->needs);
    }
}

TEST_CASE("sha256d_messages() gives OpenSSL's hashes, and none of no messages") {
    sha256d_messages(nullptr, {});
    for (const Messages& given : cases()) {
        Bytes hashes(given.messages.size() * 32);
        sha256d_messages(hashes.data(), given.messages);
        INFO(given.messages.size() << " messages");
        REQUIRE(hashes == given.expected);
    }
}

TEST_CASE("messages that change from kernel to kernel as others end give the same hashes") {
    Random random(12);
    for (std::uint32_t trial = 0; trial < 200; ++trial) {
        const cpu::MessagePlan plan = {random_plan(random), random_plan(random)};
        const Messages given(random_lengths(random() % 50, trial, trial % 2 == 0 ? 300 : 3000), trial);
        INFO("trial " << trial << ", " << given.messages.size() << " messages");
        REQUIRE(hashes_of(plan, given) == given.expected);
    }
}

TEST_CASE("with every subset of this CPU's features messages are hashed by what there is, and no more") {
    const cpu::Features here = cpu::detect_features();
    std::vector<bool cpu::Features::*> flags;
    for (const cpu::MessageKernel& kernel : cpu::message_kernels()) {
        if (kernel.needs != nullptr && std::find(flags.begin(), flags.end(), kernel.needs) == flags.end())
            flags.push_back(kernel.needs);
    }
    const Messages given(random_lengths(47, 13, 300), 13);
    for (unsigned set = 0; set < 1u << flags.size(); ++set) {
        cpu::Features features;
        for (std::size_t i = 0; i < flags.size(); ++i) features.*flags[i] = (set >> i & 1) != 0 && here.*flags[i];
        const cpu::MessagePlan plan = cpu::measured_message_plan(features);
        const cpu::MessageKernel& bulk = cpu::message_kernels()[plan.messages.bulk()];
        REQUIRE(bulk.usable(features));
        REQUIRE(cpu::digest_kernels()[plan.digests.bulk()].usable(features));
        for (std::size_t left = 1; left < bulk.width; ++left)
            REQUIRE(cpu::message_kernels()[plan.messages.next(left)].usable(features));
        REQUIRE(hashes_of(plan, given) == given.expected);
    }
}
