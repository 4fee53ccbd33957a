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

/// The document that answers "GET /api/v1/PATH", of this format ("gpuminer summary"); with the token where the miner
/// asks for it. Throws NetworkError where nobody answers, or with something else, or with a refusal; InputError where
/// there is no token, or it may not be sent there, as somebody on the way could read it.
[[nodiscard]] nlohmann::ordered_json read_from_miner(const MinerAddress& miner, const std::string& path,
                                                     const char* format);
/// The same for "POST", which takes the token.
[[nodiscard]] nlohmann::ordered_json post_to_miner(const MinerAddress& miner, const std::string& path,
                                                   const char* format);

}  // namespace gpuminer::web
