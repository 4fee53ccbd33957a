// Fuzzer of HTTP requests and their replies. However the bytes are divided, the same requests result; nobody changes
// anything without the token, and a foreign host gets nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "net/transport/http_request.hpp"
#include "tests/fuzz/property.hpp"
#include "web/api.hpp"
#include "web/monitor.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

const std::string kToken = "0123456789abcdef";

/// The requests in the text, which comes in pieces of that size, up to one that is refused.
std::vector<ReadRequest> requests_in(const std::string& text, std::size_t piece) {
    std::vector<ReadRequest> requests;
    std::string received;
    RequestReader reader({.head = 512, .body = 64});
    for (std::size_t at = 0; at < text.size(); at += piece) {
        received += text.substr(at, piece);
        while (auto request = reader.take(received)) {
            requests.push_back(std::move(*request));
            if (requests.back().refusal != 0) return requests;
            reader = RequestReader({.head = 512, .body = 64});
            if (received.empty()) break;
        }
    }
    return requests;
}

void check_answer(ServerRequest request) {
    static web::Monitor monitor({.command = "pool", .has_server = true});
    static bool changed = false;
    static web::Api api(monitor, {.token = kToken, .open_reads = true, .extra_hosts = {}},
                        [] { return web::PhoneAddress{}; });
    static const bool offered = [] {
        api.offer({.pause = [](bool) { changed = true; },
                   .pause_device = [](const std::string&, bool) { changed = true; },
                   .activate_pool = [](std::size_t) { return changed = true; }});
        return true;
    }();
    demand(offered, "controls are offered");
    changed = false;
    request.local_address = "127.0.0.1";
    const ServerReply reply = api.answer(request);
    demand(reply.status >= 200 && reply.status < 600, "a status");
    demand(reply.body != nullptr && !reply.headers.empty(), "a body, and headers");
    const bool has_token = request.authorization.find(kToken) != std::string::npos || !request.cookie.empty();
    demand(!changed || (has_token && request.method == "POST"), "nothing is changed without the token");
    demand(reply.status != 200 || !request.is_forwarded || has_token || request.method != "GET" ||
               request.path == "/health" || request.path == "/apple-touch-icon.png",
           "nothing but /health is read through a proxy without the token");
    if (request.host.find("evil") != std::string::npos) demand(reply.status == 403, "a foreign host gets nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::vector<ReadRequest> whole = requests_in(text, std::max<std::size_t>(size, 1));
    const auto complete = [](std::vector<ReadRequest> requests) {  // what is refused may be so before it is complete
        std::erase_if(requests, [](const ReadRequest& read) { return read.refusal != 0; });
        return requests;
    };
    const std::vector<ReadRequest> expected = complete(whole);
    for (const std::size_t piece : {1, 7, 64}) {
        const std::vector<ReadRequest> cut = complete(requests_in(text, piece));
        demand(cut.size() == expected.size(), "as many requests, however they are cut");
        for (std::size_t i = 0; i < cut.size(); ++i) {
            demand(cut[i].request.path == expected[i].request.path && cut[i].request.body == expected[i].request.body &&
                       cut[i].request.host == expected[i].request.host &&
                       cut[i].request.cookie == expected[i].request.cookie,
                   "the same requests");
        }
    }
    for (const ReadRequest& read : whole) {
        if (read.refusal != 0) {
            demand(!read.sentence.empty() && read.refusal >= 400, "a refusal has a reason");
        } else {
            check_answer(read.request);
        }
    }
    return 0;
}
