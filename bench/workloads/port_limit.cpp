#include "bench/workloads/port_limit.hpp"

#include "kernel/print.hpp"
#include "kernel/program.hpp"

namespace gpuminer::bench {
namespace {

constexpr double kShaRoundInstructions = 62;  ///< sha256rnds2 per hash: two times 62 rounds, two at a time

unsigned lanes_of(std::string_view isa) { return isa == "avx512" ? 16 : isa == "avx2" ? 8 : isa == "sse41" ? 4 : 1; }

}  // namespace

std::optional<double> operations_per_hash(std::string_view isa, unsigned versions) {
    if (isa == "shani") return kShaRoundInstructions;
    if (lanes_of(isa) == 1) return std::nullopt;
    const kernel::Program program = kernel::make_search_program(versions);
    const auto count = [&](kernel::StageName name) {
        const kernel::Stage& stage = program.stage(name);
        return static_cast<double>(isa == "avx512" ? kernel::avx512_operations(stage) : kernel::avx2_operations(stage));
    };
    constexpr double kTest = 1;  // whether any lane is a candidate
    const double per_vector = count(kernel::StageName::kNonce) / versions + count(kernel::StageName::kHash1) +
                              count(kernel::StageName::kHash2) + kTest;
    return per_vector / lanes_of(isa);
}

std::string isa_of(const DeviceInfo& info) {
    const std::size_t colon = info.name.find(':') + 1;
    return info.name.substr(colon, info.name.find('#') - colon);
}

}  // namespace gpuminer::bench
