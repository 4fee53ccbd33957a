// Access to the members of a node's JSON object, with checks of type and bounds.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "net/bitcoin/transaction.hpp"

namespace gpuminer::net {

/// Each function throws NetworkError: what of the object was expected to be what, and what came.
class TemplateFields {
public:
    /// `what`: the object in a message ("the node's block template"). It has to outlive this.
    TemplateFields(const nlohmann::json& object, std::string what);

    /// There, and not null.
    [[nodiscard]] bool has(const char* name) const;
    /// The member; throws where it is missing.
    [[nodiscard]] const nlohmann::json& at(const char* name) const;
    /// A whole number within these bounds.
    [[nodiscard]] std::int64_t number(const char* name, std::int64_t least, std::int64_t most) const;
    [[nodiscard]] std::string text(const char* name, std::size_t longest) const;
    /// Hex digits, two a byte.
    [[nodiscard]] Bytes bytes(const char* name, std::size_t longest) const;
    /// 64 hex digits, display order.
    [[nodiscard]] Hash256 hash(const char* name) const;
    [[nodiscard]] const nlohmann::json& array(const char* name, std::size_t longest) const;
    [[nodiscard]] const nlohmann::json& object(const char* name, std::size_t longest) const;

    [[noreturn]] void fail(const char* name, std::string_view expected, const nlohmann::json& came) const;

private:
    const nlohmann::json& object_;
    std::string what_;
};

/// A JSON value as a message may show it: shortened, without unprintable characters.
[[nodiscard]] std::string shown_json(const nlohmann::json& value);

}  // namespace gpuminer::net
