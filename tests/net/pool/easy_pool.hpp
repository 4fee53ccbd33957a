// The least that a pool says, over a socket and with threads: it takes every login and every share.
#pragma once

#include <atomic>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/net/transport/scripted_server.hpp"

namespace gpuminer::test {

class EasyPool {
public:
    explicit EasyPool(SSL_CTX* tls = nullptr) : server_([this](Peer& peer, int) { serve(peer); }, tls) {}

    std::atomic<int> logins = 0;
    std::atomic<int> shares = 0;         ///< that came
    std::atomic<int> replies = 0;        ///< to shares
    std::atomic<bool> answering = true;  ///< else shares, and what comes after them, wait for a reply
    [[nodiscard]] std::string place() const { return server_.place(); }

private:
    void serve(Peer& peer) {
        using nlohmann::json;
        while (const auto line = peer.read_line()) {
            const json message = json::parse(*line);
            const std::string method = message["method"];
            json result = true;
            if (method == "mining.configure") result = json::object();
            if (method == "mining.subscribe")
                result = json::array({json::array({json::array({"mining.notify", "cafe01"})}), "0a0b0c0d", 4});
            if (method == "mining.submit") {
                ++shares;
                eventually([this] { return answering.load(); });
            }
            peer.send_line(json({{"id", message["id"]}, {"result", result}, {"error", nullptr}}).dump());
            if (method == "mining.submit") ++replies;
            if (method != "mining.authorize") continue;
            ++logins;
            peer.send_line(R"({"id":null,"method":"mining.set_difficulty","params":[1e-9]})");
            const json work = {"job",      std::string(64, '1'), "01000000", "00000000", json::array(),
                               "20000000", "1d00ffff",           "65000000", true};
            peer.send_line(json({{"id", nullptr}, {"method", "mining.notify"}, {"params", work}}).dump());
        }
    }

    ScriptedServer server_;
};

}  // namespace gpuminer::test
