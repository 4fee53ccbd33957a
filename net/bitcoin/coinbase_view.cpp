#include "net/bitcoin/coinbase_view.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "net/bitcoin/coinbase.hpp"
#include "net/bitcoin/constants.hpp"
#include "net/bitcoin/serialization.hpp"
#include "net/bitcoin/transaction.hpp"

namespace gpuminer::net {
namespace {

std::string coins(std::uint64_t satoshi) {
    std::string text = fmt::format("{}.{:08}", satoshi / kCoin, satoshi % kCoin);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text + " BTC";
}

struct ReadCoinbase {
    std::span<const std::uint8_t> script;  // of the input
    std::uint32_t sequence = 0, lock_time = 0;
    std::vector<CoinbaseOutput> outputs;
};

/// The reader stands behind the input's script. Empty where there are several inputs. Throws NetworkError where the
/// transaction ends before.
std::optional<std::span<const std::uint8_t>> read_script(ByteReader& reader) {
    reader.skip(4);  // version
    if (reader.compact_size() != 1) return std::nullopt;
    reader.skip(kOutpointSize);
    return reader.take_counted();
}

/// Also of a transaction that is not whole behind it. Empty where it cannot be read.
std::optional<std::span<const std::uint8_t>> script_of(std::span<const std::uint8_t> transaction) {
    try {
        ByteReader reader(transaction);
        return read_script(reader);
    } catch (const NetworkError&) {
        return std::nullopt;
    }
}

/// Throws NetworkError where the transaction is not whole; empty where its numbers make no sense.
std::optional<ReadCoinbase> read_coinbase(ByteReader reader) {
    const auto script = read_script(reader);
    if (!script) return std::nullopt;
    ReadCoinbase coinbase{
        .script = *script, .sequence = static_cast<std::uint32_t>(reader.little_endian(4)), .outputs = {}};
    std::uint64_t total = 0;
    for (std::uint64_t count = reader.compact_size(); count > 0; --count) {
        CoinbaseOutput output;
        output.value = reader.little_endian(8);
        const auto paid_to = reader.take_counted();
        output.script.assign(paid_to.begin(), paid_to.end());
        total += output.value;
        if (output.value > kMaxMoney || total > kMaxMoney) return std::nullopt;
        coinbase.outputs.push_back(std::move(output));
    }
    coinbase.lock_time = static_cast<std::uint32_t>(reader.little_endian(4));
    if (reader.left() != 0) return std::nullopt;
    return coinbase;
}

std::optional<ReadCoinbase> parsed(std::span<const std::uint8_t> transaction) {
    try {
        return read_coinbase(ByteReader(transaction));
    } catch (const NetworkError&) {
        return std::nullopt;
    }
}

/// The number that the script pushes first, if in the one form that BIP 34 permits.
std::optional<std::uint32_t> height_in(std::span<const std::uint8_t> script) {
    constexpr unsigned kMostByOpcode = 16;
    constexpr std::size_t kMostHeightBytes = 4;
    if (script.empty()) return std::nullopt;
    const std::uint8_t first = script.front();
    if (first >= kOp1 && first < kOp1 + kMostByOpcode) return first - kOp1 + 1U;
    if (first == 0 || first > kMostHeightBytes || script.size() <= first) return std::nullopt;
    std::uint32_t height = 0;
    for (std::size_t i = first; i > 0; --i) height = height << 8U | script[i];
    const Bytes permitted = script_number(height);  // neither longer nor negative
    const bool is_permitted =
        std::equal(permitted.begin(), permitted.end(), script.begin(), script.begin() + first + 1);
    return is_permitted ? std::optional(height) : std::nullopt;
}

}  // namespace

std::vector<CoinbaseOutput> coinbase_outputs(std::span<const std::uint8_t> transaction) {
    auto coinbase = parsed(transaction);
    return coinbase ? std::move(coinbase->outputs) : std::vector<CoinbaseOutput>();
}

std::optional<std::uint32_t> coinbase_height(std::span<const std::uint8_t> transaction) {
    const auto script = script_of(transaction);
    return script ? height_in(*script) : std::nullopt;
}

std::optional<std::size_t> coinbase_script_size(std::span<const std::uint8_t> transaction) {
    const auto script = script_of(transaction);
    return script ? std::optional(script->size()) : std::nullopt;
}

std::optional<bool> follows_bip54(std::span<const std::uint8_t> transaction) {
    constexpr std::uint32_t kFinal = 0xffffffff;
    const auto coinbase = parsed(transaction);
    if (!coinbase) return std::nullopt;
    const auto height = height_in(coinbase->script);
    if (!height || *height == 0) return std::nullopt;
    return coinbase->lock_time == *height - 1 && coinbase->sequence != kFinal;
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
