// Tests of the API: access, changes, and a complete description.
#include "web/api.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/web/sample.hpp"
#include "web/page.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::web;
using Document = nlohmann::json;

namespace {

const std::string kApiToken = "0123456789abcdef-token";

/// An API and what was asked of the search.
struct Fixture {
    explicit Fixture(bool open_reads = true, const std::string& token = kApiToken)
        : api(monitor, {.token = token, .open_reads = open_reads, .extra_hosts = {}}, [] { return PhoneAddress{}; }) {
        monitor.sample(pool_sample());
        offer();
    }
    void offer() {
        api.offer({.pause = [this](bool paused) { said += paused ? "pause;" : "resume;"; },
                   .pause_device = [this](const std::string& device,
                                          bool paused) { said += device + (paused ? " pause;" : " resume;"); },
                   .activate_pool =
                       [this](std::size_t pool) {
                           said += "pool " + std::to_string(pool) + ";";
                           return pool < 2;
                       }});
    }
    [[nodiscard]] net::ServerReply ask(const std::string& method, const std::string& path, bool with_token = false,
                                       const std::string& body = "") {
        net::ServerRequest request;
        request.method = method;
        request.path = path;
        request.host = "127.0.0.1:8080";
        request.body = body;
        if (with_token) request.authorization = "Bearer " + kApiToken;
        return api.answer(request);
    }
    [[nodiscard]] unsigned status(const std::string& method, const std::string& path, bool with_token = false) {
        return ask(method, path, with_token).status;
    }

    Monitor monitor{{.command = "pool", .has_server = true}};
    Api api;
    std::string said;
};

std::optional<std::string> header(const net::ServerReply& reply, const std::string& name) {
    for (const auto& [any, value] : reply.headers) {
        if (any == name) return value;
    }
    return std::nullopt;
}

constexpr const char* kReads[] = {"/",
                                  "/metrics",
                                  "/api/v1/summary",
                                  "/api/v1/devices",
                                  "/api/v1/history",
                                  "/api/v1/shares",
                                  "/api/v1/blocks",
                                  "/api/v1/job",
                                  "/api/v1/log",
                                  "/api/v1/openapi.json",
                                  "/api/v1/events",
                                  "/api/v1/session",
                                  "/api/system/info"};
constexpr const char* kWrites[] = {"/api/v1/pause",
                                   "/api/v1/resume",
                                   "/api/v1/devices/0/pause",
                                   "/api/v1/devices/1/resume",
                                   "/api/v1/pools/1/activate",
                                   "/api/v1/pairing"};

}  // namespace

TEST_CASE("on this machine everybody reads, and nobody changes anything without the token") {
    Fixture fixture;
    CHECK(fixture.status("GET", "/health") == 200);
    for (const char* path : kReads) CHECK(fixture.status("GET", path) == 200);
    for (const char* path : kWrites) {
        CHECK(fixture.status("POST", path) == 401);
        CHECK(fixture.status("GET", path) == 401);
    }
    CHECK(fixture.said.empty());
    for (const char* path : kWrites) {
        CHECK(fixture.status("POST", path, true) == 200);
        CHECK(fixture.status("GET", path, true) == 405);
    }
    CHECK(fixture.said == "pause;resume;cpu:avx2#0 pause;cuda:sm_90#0 resume;pool 1;");
    for (const char* path : {"/api/v1/devices/2/pause", "/api/v1/devices/-1/pause", "/api/v1/devices/x/pause",
                             "/api/v1/devices/99999999999999999999/pause", "/api/v1/pools/2/activate"})
        CHECK(fixture.status("POST", path, true) == 404);
    for (const char* path : kReads) {
        if (std::string(path) != "/api/v1/session") CHECK(fixture.status("POST", path) == 405);
    }
    for (const char* path :
         {"/nothing", "/api/v1/", "/api/v1/devices/0", "/api/v1/devices/0/0/pause", "/api/v2/summary", "//",
          "/api/v1/summary/", "/api/system/", "/api/v1/axeos_info", "/../etc/passwd"})
        CHECK(fixture.status("GET", path, true) == 404);
    CHECK(header(fixture.ask("DELETE", "/api/v1/summary"), "Allow") == "GET");
}

TEST_CASE("elsewhere the token is needed for all but /health, and the page asks for it") {
    Fixture fixture(false);
    CHECK(fixture.status("GET", "/health") == 200);
    for (const char* path : kReads) {
        CHECK(fixture.status("GET", path) == 401);
        CHECK(fixture.status("GET", path, true) == 200);
    }
    CHECK(fixture.status("GET", "/nothing") == 401);
    const net::ServerReply page = fixture.ask("GET", "/");
    CHECK(page.content_type == "text/html; charset=utf-8");
    CHECK(header(page, "WWW-Authenticate"));
    CHECK(contains(*page.body, "token-form"));
}

TEST_CASE("home screens get an icon without the token") {
    Fixture fixture(false);
    const net::ServerReply icon = fixture.ask("GET", "/apple-touch-icon.png");
    CHECK(icon.status == 200);
    CHECK(icon.content_type == "image/png");
    CHECK(icon.body->starts_with("\x89PNG\r\n\x1a\n"));
    CHECK(icon.body->ends_with("IEND\xae\x42\x60\x82"));
    CHECK(icon.body->size() < 4'000);
    CHECK(fixture.status("POST", "/apple-touch-icon.png") == 405);
}

TEST_CASE("the token for a cookie") {
    Fixture fixture(false);
    const auto session = [&](const std::string& body) { return fixture.ask("POST", "/api/v1/session", false, body); };
    CHECK(session("").status == 400);
    CHECK(session("[]").status == 400);
    CHECK(session(R"({"token": 7})").status == 400);
    CHECK(session(R"({"token": ""})").status == 401);
    CHECK(session(R"({"token": "0123456789abcdef-wrong"})").status == 401);
    const net::ServerReply reply = session(R"({"token": ")" + kApiToken + R"("})");
    CHECK(reply.status == 200);
    const std::string cookie = header(reply, "Set-Cookie").value_or("");
    net::ServerRequest request;
    request.method = "GET";
    request.path = "/api/v1/session";
    request.host = "localhost";
    request.cookie = cookie.substr(0, cookie.find(';'));
    const Document told = Document::parse(*fixture.api.answer(request).body);
    CHECK(told["unlocked"] == true);
    CHECK(told["has_token"] == true);
}

TEST_CASE("without a token nothing can be changed") {
    Fixture fixture(true, "");
    for (const char* path : kWrites) CHECK(fixture.status("POST", path, true) == 401);
    CHECK(fixture.ask("POST", "/api/v1/session", false, R"({"token": ""})").status == 401);
    const Document session = Document::parse(*fixture.ask("GET", "/api/v1/session").body);
    CHECK(session["unlocked"] == false);
    CHECK(session["has_token"] == false);
}

TEST_CASE("a foreign Host or Origin gets nothing, whatever it knows") {
    Fixture fixture;
    for (const char* path : {"/", "/health", "/metrics", "/api/v1/summary", "/api/v1/pause", "/nothing"}) {
        net::ServerRequest request;
        request.method = "POST";
        request.path = path;
        request.authorization = "Bearer " + kApiToken;
        request.host = "evil.example";
        CHECK(fixture.api.answer(request).status == 403);
        request.host = "localhost";
        request.origin = "http://evil.example";
        CHECK(fixture.api.answer(request).status == 403);
    }
    CHECK(fixture.said.empty());
}

TEST_CASE("between searches nothing can be changed") {
    Fixture fixture;
    fixture.api.offer({});
    CHECK(fixture.status("POST", "/api/v1/pause", true) == 503);
    CHECK(fixture.status("POST", "/api/v1/devices/0/pause", true) == 503);
    CHECK(fixture.status("POST", "/api/v1/pools/0/activate", true) == 404);
    fixture.offer();
    CHECK(fixture.status("POST", "/api/v1/pause", true) == 200);
}

TEST_CASE("a summary right after a pause says it, and from the next sample on what that says") {
    Fixture fixture;
    const auto paused = [&] {
        const bool axeos = Document::parse(*fixture.ask("GET", "/api/system/info").body)["miningPaused"].get<bool>();
        const bool own = Document::parse(*fixture.ask("GET", "/api/v1/summary").body)["paused"].get<bool>();
        CHECK(axeos == own);
        return own;
    };
    const auto at_work = [&] {  // the rate, or why there is none
        const Document summary = Document::parse(*fixture.ask("GET", "/api/v1/summary").body);
        return std::pair(summary["hash_rate"].get<double>(), summary["idle"]);
    };
    CHECK(paused() == false);
    CHECK(fixture.status("POST", "/api/v1/resume", true) == 200);  // which changes nothing
    CHECK(at_work() == std::pair(1e6, Document()));
    CHECK(fixture.status("POST", "/api/v1/pause", true) == 200);
    CHECK(paused() == true);
    CHECK(at_work() == std::pair(0.0, Document("paused")));
    CHECK(fixture.status("POST", "/api/v1/resume", true) == 200);
    CHECK(paused() == false);
    CHECK(at_work() == std::pair(0.0, Document()));
    CHECK(fixture.status("POST", "/api/v1/pause", true) == 200);
    fixture.monitor.sample(pool_sample());  // somebody has resumed it by a signal
    CHECK(fixture.status("POST", "/api/v1/devices/0/pause", true) == 200);
    CHECK(paused() == false);
}

TEST_CASE("on the battery nothing is resumed, and a pause of the user's own lasts") {
    Fixture fixture;
    RunSample sample = pool_sample();
    sample.progress.paused = sample.progress.on_battery = true;
    fixture.monitor.sample(sample);
    const net::ServerReply reply = fixture.ask("POST", "/api/v1/resume", true);
    CHECK(reply.status == 409);
    CHECK(contains(*reply.body, "paused on battery"));
    CHECK(fixture.said.empty());
    CHECK(Document::parse(*fixture.ask("GET", "/api/v1/summary").body)["paused"] == true);
    CHECK(fixture.status("POST", "/api/v1/pause", true) == 200);
    fixture.monitor.sample(pool_sample());
    CHECK(fixture.status("POST", "/api/v1/resume", true) == 200);
    CHECK(fixture.said == "pause;resume;");
}

TEST_CASE("a document begins with the fields of all, but for the one in AxeOS' form") {
    Fixture fixture;
    CHECK(Document::parse(*fixture.ask("GET", "/api/v1/summary").body)["format"] == "gpuminer summary");
    const Document info = Document::parse(*fixture.ask("GET", "/api/system/info").body);
    CHECK_FALSE(info.contains("format"));
    CHECK(info["sharesAccepted"] == 12);
}

TEST_CASE("every answer forbids what browsers would do with it") {
    Fixture fixture;
    for (const char* path : {"/", "/health", "/metrics", "/api/v1/summary", "/nothing"}) {
        const net::ServerReply reply = fixture.ask("GET", path);
        CHECK(header(reply, "Cache-Control") == "no-store");
        CHECK(header(reply, "X-Content-Type-Options") == "nosniff");
    }
    const std::string policy = header(fixture.ask("GET", "/"), "Content-Security-Policy").value_or("");
    CHECK(policy == page_policy());
    CHECK(contains(policy, "default-src 'none'; script-src 'sha256-"));
    CHECK_FALSE(contains(policy, "unsafe"));
    CHECK_FALSE(contains(policy, "http"));
}

TEST_CASE("the page is whole, loads nothing, and has no script in an attribute") {
    const std::string page = page_text();
    CHECK_FALSE(contains(page, "#include"));
    CHECK_FALSE(contains(page, " src=\""));
    CHECK_FALSE(contains(page, " onclick"));
    CHECK_FALSE(contains(page, " style=\""));
    CHECK(page.size() < 160'000);
}

TEST_CASE("the description names every path that there is") {
    Fixture fixture;
    const Document description = Document::parse(api_description());
    CHECK(description["openapi"] == "3.1.0");
    CHECK(description["info"]["version"] != "@VERSION@");
    const Document& paths = description["paths"];
    for (const char* path : kReads) CHECK(paths[path].contains("get"));
    CHECK(paths.contains("/health"));
    for (const char* path : kWrites) {
        std::string name = path;
        for (const char* number : {"/0/", "/1/"}) {
            if (const std::size_t at = name.find(number); at != std::string::npos) name.replace(at, 3, "/{number}/");
        }
        CHECK(paths[name].contains("post"));
    }
    CHECK(paths.contains("/api/v1/pair"));
    CHECK(paths.contains("/apple-touch-icon.png"));
    CHECK(paths.size() == std::size(kReads) + std::size(kWrites) + 3);
}
