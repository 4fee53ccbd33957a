// Tests of sha256d64(): every kernel, and the choice among them, against OpenSSL.
#include "cpu/batch/sha256d64.hpp"

#include <functional>
#include <numeric>
#include <set>

#include "cpu/batch/sha256d64_kernels.hpp"
#include "gpuminer_every_batch.hpp"
#include "random_headers.hpp"
#include "scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

Bytes random_bytes(std::size_t size, std::uint32_t seed) {
    Random random(seed);
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() >> 24);
    return bytes;
}

/// OpenSSL's hashes, in the order of their bytes.
Bytes expected(std::span<const std::uint8_t> inputs) {
    Bytes hashes;
    for (std::size_t at = 0; at < inputs.size(); at += 64) {
        const Hash256 displayed = double_sha256(inputs.subspan(at, 64));
        hashes.insert(hashes.end(), displayed.bytes.rbegin(), displayed.bytes.rend());
    }
    return hashes;
}

/// All counts up to two groups of the widest kernel, and those around one and two blocks of vectors: a block is 256
/// inputs, whatever their width.
std::vector<std::size_t> counts() {
    std::vector<std::size_t> result(36);
    std::iota(result.begin(), result.end(), 0);
    for (const std::size_t middle : {48, 256, 272, 512, 1024})
        result.insert(result.end(), {middle - 1, middle, middle + 1});
    return result;
}

/// What hashes a batch: a kernel or the dispatcher.
using Hash = std::function<void(std::uint8_t* out, const std::uint8_t* in, std::size_t count)>;

void check_counts(const Hash& hash) {
    for (const std::size_t count : counts()) {
        const Bytes inputs = random_bytes(count * 64, 100 + static_cast<std::uint32_t>(count));
        // Vectors of the exact size: AddressSanitizer sees each byte too many that is read or written.
        Bytes given = inputs, hashes(count * 32);
        hash(hashes.data(), given.data(), count);
        INFO(count << " inputs");
        REQUIRE(hashes == expected(inputs));
        REQUIRE(given == inputs);
    }
}

void check_in_place(const Hash& hash) {
    for (const std::size_t count : counts()) {
        Bytes bytes = random_bytes(count * 64, 200 + static_cast<std::uint32_t>(count));
        const Bytes hashes = expected(bytes);
        const Bytes rest(bytes.begin() + static_cast<std::ptrdiff_t>(count * 32), bytes.end());
        hash(bytes.data(), bytes.data(), count);
        INFO(count << " inputs");
        REQUIRE(std::equal(hashes.begin(), hashes.end(), bytes.begin()));
        REQUIRE(std::equal(rest.begin(), rest.end(), bytes.begin() + static_cast<std::ptrdiff_t>(count * 32)));
    }
}

void check_alignments(const Hash& hash) {
    constexpr std::size_t kCount = 19, kGuard = 64;
    for (std::size_t offset = 0; offset < 64; ++offset) {
        const Bytes inputs = random_bytes(kCount * 64, 300 + static_cast<std::uint32_t>(offset));
        Bytes in(offset + inputs.size() + kGuard), out(kCount * 32 + 2 * kGuard, 0xa5);
        std::copy(inputs.begin(), inputs.end(), in.begin() + static_cast<std::ptrdiff_t>(offset));
        const std::size_t out_offset = offset * 7 % 64;
        hash(&out[out_offset], &in[offset], kCount);
        Bytes wanted(out.size(), 0xa5);
        const Bytes hashes = expected(inputs);
        std::copy(hashes.begin(), hashes.end(), wanted.begin() + static_cast<std::ptrdiff_t>(out_offset));
        INFO("input at offset " << offset << ", output at " << out_offset);
        REQUIRE(out == wanted);
    }
}

/// Single bits, and their complements: each input is another's neighbour in some lane, so a swap shows.
void check_structured(const Hash& hash) {
    Bytes inputs((512 + 1) * 64 * 2);
    for (std::size_t bit = 0; bit < 512; ++bit) inputs[bit * 64 + bit / 8] = static_cast<std::uint8_t>(0x80 >> bit % 8);
    const auto half = static_cast<std::ptrdiff_t>(inputs.size() / 2);
    std::transform(inputs.begin(), inputs.begin() + half, inputs.begin() + half,
                   [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
    Bytes hashes(inputs.size() / 2);
    hash(hashes.data(), inputs.data(), inputs.size() / 64);
    REQUIRE(hashes == expected(inputs));
}

void check_all(const Hash& hash) {
    check_counts(hash);
    check_in_place(hash);
    check_alignments(hash);
    check_structured(hash);
}

std::vector<const cpu::BatchKernel*> kernels_of(const std::string& isa) {
    std::vector<const cpu::BatchKernel*> kernels;
    for (const cpu::BatchKernel& kernel : cpu::batch_kernels()) {
        if (kernel.isa == isa) kernels.push_back(&kernel);
    }
    return kernels;
}

}  // namespace

TEST_CASE("batch kernels are of ISAs of the search, and the widest is as wide as the dispatcher knows") {
    std::set<std::string> isas, searched;
    std::size_t width = 1;
    for (const cpu::BatchKernel& kernel : cpu::batch_kernels()) {
        isas.insert(kernel.isa);
        CHECK(kernel.width >= width);  // the narrowest first
        width = kernel.width;
        CHECK((kernel.needs == nullptr) == std::string(kernel.missing).empty());
    }
    for (const cpu::Isa& isa : cpu::isas()) searched.insert(isa.name);
    CHECK(std::ranges::includes(searched, isas));
    CHECK(isas == names<GPUMINER_EVERY_BATCH>());
    CHECK(width == cpu::kWidestBatchKernel);
}

TEMPLATE_TEST_CASE("each batch kernel gives OpenSSL's hashes", "", GPUMINER_EVERY_BATCH) {
    const auto kernels = kernels_of(TestType::kName);
    REQUIRE_FALSE(kernels.empty());
    for (const cpu::BatchKernel* kernel : kernels) {
        if (!kernel->usable(cpu::detect_features())) {
            std::cout << "SKIPPED " << kernel->isa << ": " << kernel->missing << std::endl;
            return;
        }
        INFO(kernel->isa << ", " << kernel->width << " at a time");
        check_all([&](std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
            cpu::run_batch(*kernel, out, in, count);
        });
    }
}

TEST_CASE("sha256d64() gives OpenSSL's hashes") {
    check_all(sha256d64);
    sha256d64(nullptr, nullptr, 0);
    const Bytes inputs = random_bytes(std::size_t{5003} * 64, 1);
    Bytes hashes(inputs.size() / 2);
    sha256d64(hashes.data(), inputs.data(), inputs.size() / 64);
    CHECK(hashes == expected(inputs));
}

TEST_CASE("in place, level by level, a list of transactions becomes the merkle root of its block") {
    // Block 100000, in display order as block explorers print them.
    Bytes level;
    for (const char* const id : {"8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87",
                                 "fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4",
                                 "6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4",
                                 "e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d"}) {
        const Hash256 displayed = hash256_from_hex(id, "a txid");
        level.insert(level.end(), displayed.bytes.rbegin(), displayed.bytes.rend());
    }
    for (; level.size() > 32; level.resize(level.size() / 2)) sha256d64(level.data(), level.data(), level.size() / 64);
    Hash256 root;
    std::copy(level.rbegin(), level.rend(), root.bytes.begin());
    CHECK(root.hex() == "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766");
}

TEST_CASE("with every subset of this CPU's features the dispatcher uses what there is, and no more") {
    const cpu::Features here = cpu::detect_features();
    std::vector<bool cpu::Features::*> flags;  // those that a kernel needs
    for (const cpu::BatchKernel& kernel : cpu::batch_kernels()) {
        if (kernel.needs != nullptr && std::find(flags.begin(), flags.end(), kernel.needs) == flags.end())
            flags.push_back(kernel.needs);
    }
    REQUIRE(flags.size() >= 2);
    for (unsigned set = 0; set < 1u << flags.size(); ++set) {
        cpu::Features features;
        for (std::size_t i = 0; i < flags.size(); ++i) features.*flags[i] = (set >> i & 1) != 0 && here.*flags[i];
        const cpu::BatchPlan plan = cpu::measured_batch_plan(features);
        REQUIRE(plan.bulk().usable(features));
        for (std::size_t left = 1; left < plan.bulk().width; ++left) REQUIRE(plan.next(left).usable(features));
        const Bytes inputs = random_bytes(std::size_t{47} * 64, set);
        for (std::size_t count = 0; count <= 47; ++count) {
            Bytes hashes(count * 32);
            plan.run(hashes.data(), inputs.data(), count);
            REQUIRE(hashes == expected(std::span(inputs).first(count * 64)));
        }
    }
}

TEST_CASE("the plan is the cheapest way, and never dearer than one input at a time") {
    const auto kernels = cpu::batch_kernels();
    Random random(5);
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<cpu::TimedKernel> timed;
        for (const cpu::BatchKernel& kernel : kernels) {
            // Scalar always; the others now and then, at any speed.
            if (kernel.needs == nullptr || random() % 3 != 0) timed.push_back({&kernel, 1.0 + random() % 64});
        }
        const cpu::BatchPlan plan{timed};
        const auto seconds = [&](const cpu::BatchKernel& kernel) {
            return std::find_if(timed.begin(), timed.end(), [&](const auto& t) { return t.kernel == &kernel; })
                ->seconds;
        };
        for (const auto& [kernel, time] : timed) {
            const double per_input = time / static_cast<double>(kernel->width);
            REQUIRE(seconds(plan.bulk()) / static_cast<double>(plan.bulk().width) <= per_input);
        }
        std::vector<double> cost = {0};
        for (std::size_t left = 1; left < plan.bulk().width; ++left) {
            const cpu::BatchKernel& chosen = plan.next(left);
            cost.push_back(seconds(chosen) + cost[left - std::min(left, chosen.width)]);
            for (const auto& [kernel, time] : timed) {
                REQUIRE(cost[left] <= time + cost[left - std::min(left, kernel->width)]);
            }
            REQUIRE(cost[left] <= static_cast<double>(left) * cost[1]);
        }
    }
}
