#include "net/journal_entries.hpp"

#include <ctime>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr double kRecent = 2.0 * 24 * 3600;  // seconds

}  // namespace

std::string text_in(const json& entry, const char* name) {
    const auto it = entry.find(name);
    return it != entry.end() && it->is_string() ? it->get<std::string>() : std::string();
}

bool is_recent_block(const json& entry) {
    const auto time = entry.find("time");
    return time != entry.end() && time->is_number() &&
           time->get<double>() > static_cast<double>(std::time(nullptr)) - kRecent;
}

std::vector<json> open_shares(const std::vector<json>& entries) {
    std::set<std::string> closed;
    std::map<std::pair<std::string, std::string>, const json*> sessions;  // the last of each pool and user
    for (const json& entry : entries) {
        const std::string event = text_in(entry, "event");
        if (event == "reply" || event == "dropped") closed.insert(text_in(entry, "share"));
        if (event == "session") sessions[{text_in(entry, "pool"), text_in(entry, "user")}] = &entry;
    }
    std::vector<json> open;
    for (const auto& [pool, session] : sessions) open.push_back(*session);
    for (const json& entry : entries) {
        if (text_in(entry, "event") == "share" && closed.count(text_in(entry, "id")) == 0) open.push_back(entry);
    }
    return open;
}

std::vector<json> open_blocks(const std::vector<json>& entries) {
    std::set<std::string> answered;
    for (const json& entry : entries) {
        if (text_in(entry, "event") == "submitted") answered.insert(text_in(entry, "hash"));
    }
    std::vector<json> open;
    std::set<std::string> kept;
    for (const json& entry : entries) {
        const std::string event = text_in(entry, "event");
        const std::string hash = text_in(entry, "hash");
        if (event == "block" && (answered.count(hash) == 0 || is_recent_block(entry))) {
            open.push_back(entry);
            kept.insert(hash);
        } else if (event == "submitted" && kept.count(hash) != 0) {
            open.push_back(entry);
        }
    }
    return open;
}

}  // namespace gpuminer::net
