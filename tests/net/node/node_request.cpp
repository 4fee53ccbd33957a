#include "tests/net/node/node_request.hpp"

namespace gpuminer::test {

std::optional<NodeRequest> read_node_request(Peer& peer) {
    constexpr double kKeepAlive = 60;  // seconds
    const auto first = peer.next_byte(kKeepAlive);
    if (!first) return std::nullopt;
    if (*first != 'P') {  // not "POST", but a TLS handshake
        peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        peer.wait_for_close();
        return std::nullopt;
    }
    if (peer.read_line() != "POST / HTTP/1.1\r") return std::nullopt;
    NodeRequest request;
    std::size_t length = 0;
    for (auto line = peer.read_line(); line != "\r"; line = peer.read_line()) {
        if (!line) return std::nullopt;
        const std::size_t colon = line->find(": ");
        const std::string name = line->substr(0, colon);
        const std::string value = colon == std::string::npos ? "" : line->substr(colon + 2, line->size() - colon - 3);
        if (name == "Authorization") request.authorization = value;
        if (name == "Content-Length") length = std::stoul(value);
    }
    request.body = peer.read_bytes(length);
    if (request.body.size() != length) return std::nullopt;
    return request;
}

}  // namespace gpuminer::test
