#include "net/pool/share_sums.hpp"

#include <nlohmann/json.hpp>

namespace gpuminer::net {

nlohmann::json ShareSums::entry() const {
    return {{"event", "shares"},  {"shares", shares},   {"accepted", accepted},
            {"refused", refused}, {"dropped", dropped}, {"accepted_difficulty", accepted_difficulty}};
}

}  // namespace gpuminer::net
