// JSON as the bytes of a message: CBOR (RFC 8949).
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace gpuminer::mpi {

[[nodiscard]] inline std::string to_cbor(const nlohmann::json& json) {
    std::string bytes;
    nlohmann::json::to_cbor(json, bytes);
    return bytes;
}

/// The same of one whose names keep their order.
[[nodiscard]] inline std::string ordered_to_cbor(const nlohmann::ordered_json& json) {
    std::string bytes;
    nlohmann::ordered_json::to_cbor(json, bytes);
    return bytes;
}

}  // namespace gpuminer::mpi
