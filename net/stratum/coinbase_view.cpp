#include "net/stratum/coinbase_view.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace gpuminer::net {
namespace {

constexpr std::uint64_t kCoin = 100'000'000;                            // satoshi
constexpr std::uint64_t kMaxMoney = std::uint64_t{21'000'000} * kCoin;  // Bitcoin's MAX_MONEY

// Takes bytes from the front; after the first that is missing, `good` is false and all that comes is zero.
class Cursor {
public:
    explicit Cursor(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] std::size_t left() const { return rest_.size(); }
    std::span<const std::uint8_t> take(std::uint64_t count) {
        if (count > rest_.size()) {
            good_ = false;
            rest_ = {};
            return {};
        }
        const auto taken = rest_.first(static_cast<std::size_t>(count));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }
    std::uint64_t little_endian(std::size_t bytes) {
        std::uint64_t value = 0;
        const auto taken = take(bytes);
        for (std::size_t i = taken.size(); i-- > 0;) value = value << 8 | taken[i];
        return value;
    }
    std::uint64_t compact_size() {
        const std::uint64_t first = little_endian(1);
        if (first < 0xfd) return first;
        return little_endian(std::size_t{2} << (first - 0xfd));
    }

private:
    std::span<const std::uint8_t> rest_;
    bool good_ = true;
};

// Version and the one input, which spends nothing; gives its script.
std::span<const std::uint8_t> take_input(Cursor& cursor) {
    (void)cursor.take(4);
    if (cursor.compact_size() != 1) return cursor.take(std::numeric_limits<std::uint64_t>::max());
    (void)cursor.take(36);
    const auto script = cursor.take(cursor.compact_size());
    (void)cursor.take(4);
    return script;
}

std::string coins(std::uint64_t satoshi) {
    std::string text = fmt::format("{}.{:08}", satoshi / kCoin, satoshi % kCoin);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text + " BTC";
}

}  // namespace

std::optional<std::uint64_t> coinbase_height(std::span<const std::uint8_t> transaction) {
    Cursor cursor(transaction);
    const auto script = take_input(cursor);
    if (!cursor.good() || script.empty()) return std::nullopt;
    Cursor push(script);
    const std::uint64_t operation = push.little_endian(1);
    if (operation == 0) return 0;                                         // OP_0
    if (operation >= 0x51 && operation <= 0x60) return operation - 0x50;  // OP_1 to OP_16
    if (operation > 5) return std::nullopt;
    const std::uint64_t height = push.little_endian(operation);
    return push.good() ? std::optional(height) : std::nullopt;
}

std::vector<CoinbaseOutput> coinbase_outputs(std::span<const std::uint8_t> transaction) {
    Cursor cursor(transaction);
    (void)take_input(cursor);
    const std::uint64_t count = cursor.compact_size();
    std::vector<CoinbaseOutput> outputs;
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < count && cursor.good(); ++i) {
        CoinbaseOutput output;
        output.value = cursor.little_endian(8);
        const auto script = cursor.take(cursor.compact_size());
        output.script.assign(script.begin(), script.end());
        total += output.value;
        if (output.value > kMaxMoney || total > kMaxMoney) return {};
        outputs.push_back(std::move(output));
    }
    (void)cursor.take(4);  // lock time
    if (!cursor.good() || cursor.left() != 0) return {};
    return outputs;
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
