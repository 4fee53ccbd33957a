#include "net/stratum/values.hpp"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {

using nlohmann::json;

Extranonce read_extranonce(const char* where, const json& extranonce1, const json& extranonce2_size) {
    if (!extranonce1.is_string()) throw ProtocolError(fmt::format("{}: expected a text as extranonce1", where));
    const auto& digits = extranonce1.get_ref<const std::string&>();
    if (digits.size() > 2 * kLongestExtranonce || digits.size() % 2 != 0 || !is_hex(digits)) {
        throw ProtocolError(fmt::format("{}: expected 0 to {} bytes in hex as extranonce1, got {}", where,
                                        kLongestExtranonce, quoted_text(digits)));
    }
    const std::optional<std::int64_t> size = whole_number(extranonce2_size);
    if (!size || *size < 0 || *size > std::int64_t{kLongestExtranonce}) {
        throw ProtocolError(fmt::format("{}: expected 0 to {} as the size of extranonce2, got {}", where,
                                        kLongestExtranonce, quoted_json(extranonce2_size)));
    }
    Extranonce extranonce;
    extranonce.extranonce1.resize(digits.size() / 2);
    decode_hex(digits, extranonce.extranonce1);
    extranonce.extranonce2_size = static_cast<unsigned>(*size);
    return extranonce;
}

std::optional<std::uint32_t> read_mask(const json& value) {
    if (!value.is_string()) return std::nullopt;
    return parse_hex32(value.get_ref<const std::string&>());
}

}  // namespace gpuminer::net
