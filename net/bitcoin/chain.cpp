#include "net/bitcoin/chain.hpp"

namespace gpuminer::net {
namespace {

constexpr std::string_view short_name(Chain chain) {
    switch (chain) {
        case Chain::kMain: return "main";
        case Chain::kTest: return "test";
        case Chain::kTestnet4: return "testnet4";
        case Chain::kTestnet5: return "testnet5";
        case Chain::kSignet: return "signet";
        case Chain::kRegtest: return "regtest";
        case Chain::kSimnet: return "simnet";
    }
    return "";
}

/// Whether GPUMINER_CHAIN_NAMES is the list of them.
constexpr bool names_are_complete() {
    std::string_view rest = GPUMINER_CHAIN_NAMES;
    for (const Chain chain : kAllChains) {
        if (!rest.starts_with(short_name(chain))) return false;
        rest.remove_prefix(short_name(chain).size());
        if (chain == kAllChains.back()) break;
        if (!rest.starts_with(", ")) return false;
        rest.remove_prefix(2);
    }
    return rest.empty();
}
static_assert(names_are_complete());

}  // namespace

std::string_view name_of(Chain chain) { return short_name(chain); }

std::string_view description_of(Chain chain) {
    if (chain == Chain::kMain) return "the main network";
    if (chain == Chain::kTest) return "testnet3";
    return name_of(chain);
}

std::optional<Chain> chain_from_name(std::string_view name) {
    if (name == "mainnet") return Chain::kMain;
    if (name == "testnet" || name == "testnet3") return Chain::kTest;
    for (const Chain chain : kAllChains) {
        if (name == name_of(chain)) return chain;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> easiest_bits(Chain chain) {
    switch (chain) {
        case Chain::kTest:
        case Chain::kTestnet4: return 0x1d00ffff;
        case Chain::kSimnet: return 0x207fffff;
        default: return std::nullopt;
    }
}

}  // namespace gpuminer::net
