#include "web/best_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

namespace gpuminer::web {
namespace {

using Json = nlohmann::ordered_json;

bool is_hash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

void BestShares::add(BestShare share) {
    if (!(share.difficulty > 0) || std::ranges::find(shares_, share.hash, &BestShare::hash) != shares_.end()) return;
    const auto behind =
        std::ranges::find_if(shares_, [&](const BestShare& other) { return other.difficulty < share.difficulty; });
    shares_.insert(behind, std::move(share));
    if (shares_.size() > kMost) shares_.pop_back();
}

Json BestShares::json() const {
    Json json = Json::array();
    for (const BestShare& share : shares_)
        json.push_back({{"time", share.time},
                        {"share_difficulty", share.difficulty},
                        {"hash", share.hash},
                        {"server", share.server}});
    return json;
}

void BestShares::restore(const Json& json) {
    if (!json.is_array()) return;
    for (const Json& entry : json) {
        if (!entry.is_object()) continue;
        const Json time = entry.value("time", Json()), difficulty = entry.value("share_difficulty", Json()),
                   hash = entry.value("hash", Json()), server = entry.value("server", Json());
        if (!time.is_number_integer() || !difficulty.is_number() || !std::isfinite(difficulty.get<double>()) ||
            !hash.is_string() || !is_hash(hash.get<std::string>()) || !server.is_string())
            continue;
        add({time.get<std::int64_t>(), difficulty.get<double>(), hash.get<std::string>(), server.get<std::string>()});
    }
}

}  // namespace gpuminer::web
