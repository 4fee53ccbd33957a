// Tests with the server's side of every recorded conversation, played to the client. Each real pool takes its login and
// gives it work, and nothing that a pool said upsets it.
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "net/pool/client.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/transport/scripted_server.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

struct Recording {
    std::map<std::string, std::deque<json>> replies;  // by the request's method, in order
    std::vector<json> notifications;
    int jobs = 0;
    bool logged_in = false;
};

// The first connection of the file.
Recording load(const std::filesystem::path& path) {
    Recording recording;
    std::map<std::string, std::string> methods;  // by id
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const json entry = json::parse(line);
        if (entry.value("conn", 1) != 1 || !entry.contains("msg") || !entry["msg"].is_object()) continue;
        const json& message = entry["msg"];
        const std::string id = message.value("id", json()).dump();
        if (entry["dir"] == "c2s") {
            methods[id] = message.value("method", "");
        } else if (entry["dir"] == "s2c" && message.contains("method")) {
            recording.notifications.push_back(message);
            if (message["method"] == "mining.notify") ++recording.jobs;
        } else if (entry["dir"] == "s2c") {
            const std::string method = methods[id];
            recording.replies[method].push_back(message);
            if (method == "mining.authorize" && message["result"] == json(true)) recording.logged_in = true;
        }
    }
    return recording;
}

}  // namespace

TEST_CASE("the client gets work from every recorded pool", "[pool_replay]") {
    int played = 0;
    for (const auto& file : std::filesystem::directory_iterator("tests/data/stratum")) {
        if (file.path().extension() != ".jsonl") continue;
        const Recording recording = load(file.path());
        if (!recording.logged_in || recording.jobs == 0) continue;
        INFO(file.path().string());
        ++played;
        std::atomic<bool> all_sent = false;
        ScriptedServer server([&](Peer& peer, int) {
            auto replies = recording.replies;
            while (const auto line = peer.read_line()) {
                const json request = json::parse(*line);
                auto& waiting = replies[request["method"]];
                if (!waiting.empty()) {
                    json reply = waiting.front();
                    reply["id"] = request["id"];
                    peer.send_line(reply.dump());
                    waiting.pop_front();
                } else if (request["method"] == "mining.configure") {  // the recorded client did not ask
                    peer.send_line(
                        json({{"id", request["id"]}, {"result", nullptr}, {"error", {20, "Unknown", nullptr}}}).dump());
                }
                if (request["method"] != "mining.authorize") continue;
                for (const json& notification : recording.notifications) peer.send_line(notification.dump());
                all_sent = true;
            }
        });
        const Folder folder;
        PoolOptions options = pool_options(folder, {server.place()});
        options.redirect = false;
        PoolMiner miner(options);
        REQUIRE(eventually([&] { return all_sent && miner.jobs() > 0; }));
        std::shared_ptr<const MiningJob> job;  // some of the recorded pools end it soon
        REQUIRE(eventually([&] { return (job = miner.job()) != nullptr; }));
        REQUIRE(job->header(0) != job->header(1));
        REQUIRE(job->target() > Hash256{});
        REQUIRE(miner->status().details["pools"][0]["connects"] >= 1);
    }
    REQUIRE(played >= 10);
}
