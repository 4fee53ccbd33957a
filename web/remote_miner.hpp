// Requests to the API of a miner that runs already.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::web {

struct MinerAddress {
    std::string host;  ///< a name or an IP address; empty: a Unix socket
    std::uint16_t port = 0;
    std::string unix_path;
    bool tls = false;
    std::string token_file;  ///< empty: none
};

/// "host:port", or the path.
[[nodiscard]] std::string place_of(const MinerAddress& miner);

/// The document that answers "GET /api/v1/PATH", with the token where it may be sent: nobody on the way can read it.
/// Throws InputError where the miner asks for a token that there is none of, and NetworkError where nobody answers, or
/// something else than a document, or a refusal.
[[nodiscard]] nlohmann::ordered_json read_from_miner(const MinerAddress& miner, const std::string& path);
/// The same for "POST", which takes the token. Throws InputError where there is none, or it may not be sent there.
[[nodiscard]] nlohmann::ordered_json post_to_miner(const MinerAddress& miner, const std::string& path);

}  // namespace gpuminer::web
