#include "net/stratum/coinbase_view.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "net/bitcoin/amount.hpp"
#include "net/bitcoin/opcodes.hpp"
#include "net/bitcoin/serialization.hpp"

namespace gpuminer::net {
namespace {

std::string coins(std::uint64_t satoshi) {
    std::string text = fmt::format("{}.{:08}", satoshi / kCoin, satoshi % kCoin);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text + " BTC";
}

/// Throws NetworkError where the transaction is not whole; empty where its numbers make no sense.
std::vector<CoinbaseOutput> read_outputs(ByteReader reader) {
    reader.skip(4);  // version
    if (reader.compact_size() != 1) return {};
    reader.skip(36);  // the input's outpoint, which is none
    reader.skip_counted();
    reader.skip(4);  // sequence
    std::vector<CoinbaseOutput> outputs;
    std::uint64_t total = 0;
    for (std::uint64_t count = reader.compact_size(); count > 0; --count) {
        CoinbaseOutput output;
        output.value = reader.little_endian(8);
        const auto script = reader.take_counted();
        output.script.assign(script.begin(), script.end());
        total += output.value;
        if (output.value > kMaxMoney || total > kMaxMoney) return {};
        outputs.push_back(std::move(output));
    }
    reader.skip(4);  // lock time
    if (reader.left() != 0) return {};
    return outputs;
}

}  // namespace

std::vector<CoinbaseOutput> coinbase_outputs(std::span<const std::uint8_t> transaction) {
    try {
        return read_outputs(ByteReader(transaction));
    } catch (const NetworkError&) {
        return {};
    }
}

std::optional<std::uint32_t> coinbase_height(std::span<const std::uint8_t> transaction) {
    constexpr unsigned kMostByOpcode = 16;
    constexpr std::size_t kMostHeightBytes = 4;
    try {
        ByteReader reader(transaction);
        reader.skip(4);  // version
        if (reader.compact_size() != 1) return std::nullopt;
        reader.skip(36);  // the input's outpoint, which is none
        const auto script = reader.take_counted();
        if (script.empty()) return std::nullopt;
        const std::uint8_t first = script.front();
        if (first >= kOp1 && first < kOp1 + kMostByOpcode) return first - kOp1 + 1U;
        if (first == 0 || first > kMostHeightBytes || script.size() <= first) return std::nullopt;
        std::uint32_t height = 0;
        for (std::size_t i = first; i > 0; --i) height = height << 8U | script[i];
        return height >> 31U == 0 ? std::optional(height) : std::nullopt;  // the highest bit is the sign
    } catch (const NetworkError&) {
        return std::nullopt;
    }
}

std::string coinbase_payment(std::span<const std::uint8_t> transaction, std::span<const std::uint8_t> script) {
    std::uint64_t paid = 0;
    std::uint64_t total = 0;
    for (const CoinbaseOutput& output : coinbase_outputs(transaction)) {
        total += output.value;
        if (std::equal(output.script.begin(), output.script.end(), script.begin(), script.end())) paid += output.value;
    }
    if (paid == 0) return {};
    return fmt::format("{} of {}", coins(paid), coins(total));
}

}  // namespace gpuminer::net
