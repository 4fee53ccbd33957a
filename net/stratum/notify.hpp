// Parameters of mining.notify, in any dialect, and the reader that takes them one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "host/block/digest.hpp"
#include "host/text/bytes.hpp"

namespace gpuminer::net {

struct StratumNotify {
    std::string id;
    Digest previous_hash{};  ///< as in the header
    std::uint32_t version = 0;
    std::uint32_t nbits = 0;
    std::uint32_t time = 0;
    bool clean = false;  ///< shares of older jobs are stale
    // Sentences about what is unusual and has been passed over; empty: nothing.
    std::string odd_flag;
    std::string surplus;  ///< parameters that nobody knows

    virtual ~StratumNotify() = default;
    /// The same headers come from both: all but the id and the clean flag is equal.
    [[nodiscard]] virtual bool same_work(const StratumNotify& other) const = 0;

protected:
    StratumNotify() = default;
    StratumNotify(const StratumNotify&) = default;
    StratumNotify& operator=(const StratumNotify&) = default;

    [[nodiscard]] bool same_fields(const StratumNotify& other) const {
        return previous_hash == other.previous_hash && version == other.version && nbits == other.nbits &&
               time == other.time;
    }
};

/// Each parameter has a name for messages. Functions throw ProtocolError naming the parameter that is wrong.
class NotifyReader {
public:
    /// `params` outlive the object.
    explicit NotifyReader(const nlohmann::json& params) : params_(params) {}

    /// The next parameter, which has this name in messages; null where there is none.
    [[nodiscard]] const nlohmann::json& next(const char* name);
    [[noreturn]] void fail(std::string_view expected) const;

    // Of the parameter that next() gave last.
    [[nodiscard]] const std::string& text(const nlohmann::json& value) const;
    [[nodiscard]] Bytes bytes(const nlohmann::json& value) const;  ///< hex
    [[nodiscard]] Digest hash(const nlohmann::json& value) const;  ///< 64 hex digits, in the order in which they come
    [[nodiscard]] Bytes word(const nlohmann::json& value) const;   ///< 8 hex digits: four bytes
    /// A number: 1 to 8 hex digits, as some pools leave out leading zeros.
    [[nodiscard]] std::uint32_t number(const nlohmann::json& value) const;

    // The next parameter:
    [[nodiscard]] std::string read_id();
    /// Nothing but shares of older jobs depends on it: what cannot be read as false, as 0, "", "0", "no" or "false"
    /// can, counts as true, with a sentence in `oddity` where it is no truth value.
    [[nodiscard]] bool read_clean(std::string& oddity);

    /// After the last one: a sentence about those behind it; empty: there are none.
    [[nodiscard]] std::string surplus() const;

private:
    const nlohmann::json& params_;
    std::size_t at_ = 0;
    const char* name_ = "";
};

}  // namespace gpuminer::net
