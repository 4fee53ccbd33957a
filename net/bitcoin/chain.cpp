#include "net/bitcoin/chain.hpp"

namespace gpuminer::net {

std::string_view name_of(Chain chain) {
    switch (chain) {
        case Chain::kMain: return "main";
        case Chain::kTest: return "test";
        case Chain::kTestnet4: return "testnet4";
        case Chain::kSignet: return "signet";
        case Chain::kRegtest: return "regtest";
        case Chain::kSimnet: return "simnet";
    }
    return "";
}

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

}  // namespace gpuminer::net
