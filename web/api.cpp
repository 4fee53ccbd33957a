#include "web/api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/document.hpp"
#include "host/text/json_text.hpp"
#include "web/page.hpp"

namespace gpuminer::web {
namespace {

using Json = nlohmann::ordered_json;
using net::ServerReply;
using net::ServerRequest;

constexpr std::string_view kApi = "/api/v1/";
constexpr const char* kJsonType = "application/json";

ServerReply text_reply(unsigned status, const char* type, std::string text) {
    return {.status = status, .content_type = type, .body = std::make_shared<const std::string>(std::move(text))};
}

ServerReply json_reply(unsigned status, const Json& json) {
    return text_reply(status, kJsonType, json_text(json) + "\n");
}

/// Of what was done.
ServerReply done() { return json_reply(200, document("done", Json::object())); }

ServerReply error_reply(unsigned status, const std::string& sentence) {
    Json json = document_head("error");
    json["error"] = sentence;
    json["status"] = status;
    return json_reply(status, json);
}

ServerReply not_found() { return error_reply(404, "expected a path of this API (/api/v1/openapi.json lists them)"); }

ServerReply not_now() { return error_reply(503, "no search is running"); }

ServerReply paused_on_battery() {
    return error_reply(409, "paused on battery (--pause-on-battery): it resumes by itself on mains power");
}

ServerReply wrong_method(const char* allowed) {
    ServerReply reply = error_reply(405, fmt::format("expected the method {}", allowed));
    reply.headers.emplace_back("Allow", allowed);
    return reply;
}

ServerReply unauthorized() {
    ServerReply reply = error_reply(401, "expected the token of --http-token-file as \"Authorization: Bearer TOKEN\"");
    reply.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"gpuminer\"");
    return reply;
}

/// The documents. Those under kApi begin with a head that names them by the last word of their path.
struct Document {
    const char* path;
    Json (Monitor::*json)() const;
};
constexpr Document kDocuments[] = {{"/api/v1/summary", &Monitor::summary}, {"/api/v1/devices", &Monitor::devices},
                                   {"/api/v1/history", &Monitor::history}, {"/api/v1/shares", &Monitor::shares},
                                   {"/api/v1/blocks", &Monitor::blocks},   {"/api/v1/job", &Monitor::job},
                                   {"/api/v1/log", &Monitor::log},         {"/api/system/info", &Monitor::axeos_info}};

const Document* find_document(const std::string& path) {
    return std::ranges::find_if(kDocuments, [&](const Document& any) { return path == any.path; });
}

std::optional<std::size_t> number_of(const std::string& text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// "/api/v1/devices/3/pause" → "3"; empty: it is another path.
std::string number_in(const std::string& path, std::string_view before, std::string_view after) {
    const std::string begin = std::string(kApi) + std::string(before);
    if (!path.starts_with(begin) || !path.ends_with(after) || path.size() <= begin.size() + after.size()) return "";
    const std::string number = path.substr(begin.size(), path.size() - begin.size() - after.size());
    return number.find('/') == std::string::npos ? number : "";
}

bool is_change(const std::string& path) {
    constexpr std::string_view kPlain[] = {"/api/v1/pause", "/api/v1/resume", "/api/v1/pairing"};
    return std::ranges::find(kPlain, path) != std::end(kPlain) || !number_in(path, "devices/", "/pause").empty() ||
           !number_in(path, "devices/", "/resume").empty() || !number_in(path, "pools/", "/activate").empty();
}

/// The text that a request's JSON object has under this name; empty: there is none.
std::optional<std::string> text_in(const std::string& body, const char* name) {
    const Json json = Json::parse(body, nullptr, false);
    const Json text = json.is_object() ? json.value(name, Json()) : Json();
    return text.is_string() ? std::optional(text.get<std::string>()) : std::nullopt;
}

void add_headers(ServerReply& reply) {
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
    reply.headers.emplace_back("Referrer-Policy", "no-referrer");
    reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace

Api::Api(Monitor& monitor, AccessRules rules, std::function<PhoneAddress()> phone)
    : monitor_(monitor),
      access_(std::move(rules)),
      phone_(std::move(phone)),
      page_(std::make_shared<const std::string>(page_text())),
      description_(std::make_shared<const std::string>(api_description())),
      icon_(std::make_shared<const std::string>(touch_icon())),
      page_policy_(page_policy()) {}

void Api::offer(Controls controls) {
    const MutexLock lock(mutex_);
    controls_ = std::move(controls);
}

ServerReply Api::answer(const ServerRequest& request) {
    ServerReply reply = route(request);
    add_headers(reply);
    return reply;
}

ServerReply Api::route(const ServerRequest& request) {
    if (!access_.host_is_ours(request))
        return error_reply(403, "expected a Host that is this machine (--http-host adds names), and no other Origin");
    const bool is_get = request.method == "GET";
    if (request.path == "/health") {
        if (!is_get) return wrong_method("GET");
        return text_reply(200, "text/plain; charset=utf-8", "ok\n");
    }
    if (request.path == "/apple-touch-icon.png") {  // browsers ask for it without their cookies
        if (!is_get) return wrong_method("GET");
        return {.content_type = "image/png", .body = icon_};
    }
    if (request.path == "/api/v1/session") {
        if (request.method == "POST") return open_session(request);
        if (!is_get) return wrong_method("GET, POST");
        if (!access_.may_read(request)) return unauthorized();
        return json_reply(
            200, document("session", {{"unlocked", access_.knows_token(request)}, {"has_token", access_.has_token()}}));
    }
    if (request.path == "/api/v1/pair") return request.method == "POST" ? pair(request) : wrong_method("POST");
    if (is_change(request.path)) {
        if (!access_.knows_token(request)) return unauthorized();
        if (request.method != "POST") return wrong_method("POST");
        return change(request);
    }
    if (!access_.may_read(request)) {
        // The page has no data in it: it asks for the token, and then for the data.
        return request.path == "/" && is_get ? page(401) : unauthorized();
    }
    ServerReply reply = read(request.path);
    return reply.status == 404 || is_get ? reply : wrong_method("GET");
}

ServerReply Api::read(const std::string& path) {
    if (path == "/") return page(200);
    if (path == "/metrics")
        return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
                .body = cached(path, [this] { return monitor_.metrics(); })};
    if (path == "/api/v1/openapi.json") return {.content_type = kJsonType, .body = description_};
    if (path == "/api/v1/events")
        return {.content_type = "text/event-stream",
                .body = std::make_shared<const std::string>("retry: 2000\n\n"),
                .events = true};
    if (find_document(path) == std::end(kDocuments)) return not_found();
    return {.content_type = kJsonType, .body = cached(path, [&] { return document_text(path); })};
}

std::string Api::document_text(const std::string& path) const {
    Json json = (monitor_.*find_document(path)->json)();
    if (path.starts_with(kApi)) json = document(path.substr(kApi.size()).c_str(), json);
    return json_text(json) + "\n";
}

/// However often they are asked for, documents are made four times a second at most, and kept once for all readers.
std::shared_ptr<const std::string> Api::cached(const std::string& name, const std::function<std::string()>& text) {
    constexpr std::chrono::milliseconds kLongest{250};
    const net::SteadyTime now = net::steady_now();
    Cached& entry = cache_[name];
    if (!entry.text || now - entry.time > kLongest) entry = {now, std::make_shared<const std::string>(text())};
    return entry.text;
}

ServerReply Api::change(const ServerRequest& request) {
    cache_.clear();  // who asks next is to see it
    const std::string& path = request.path;
    if (const std::string device = number_in(path, "devices/", "/pause"); !device.empty())
        return pause_device(device, true);
    if (const std::string device = number_in(path, "devices/", "/resume"); !device.empty())
        return pause_device(device, false);
    if (const std::string pool = number_in(path, "pools/", "/activate"); !pool.empty()) return activate_pool(pool);
    if (path == "/api/v1/pairing") return begin_pairing();
    return pause(path == "/api/v1/pause");
}

ServerReply Api::pause(bool paused) {
    const MutexLock lock(mutex_);
    if (!controls_.pause) return not_now();
    if (!paused && monitor_.on_battery()) return paused_on_battery();
    controls_.pause(paused);
    monitor_.pausing(paused);
    return done();
}

ServerReply Api::pause_device(const std::string& number, bool paused) const {
    const std::vector<std::string> names = monitor_.device_names();
    const std::optional<std::size_t> index = number_of(number);
    if (!index || *index >= names.size())
        return error_reply(404, fmt::format("expected the number of one of the {} devices", names.size()));
    const MutexLock lock(mutex_);
    if (!controls_.pause_device) return not_now();
    controls_.pause_device(names[*index], paused);
    return done();
}

ServerReply Api::activate_pool(const std::string& number) const {
    const std::optional<std::size_t> index = number_of(number);
    const MutexLock lock(mutex_);
    if (!controls_.activate_pool || !index || !controls_.activate_pool(*index))
        return error_reply(404, "expected the number of a pool, from 0 in the order of the command line");
    return done();
}

ServerReply Api::open_session(const ServerRequest& request) const {
    const auto token = text_in(request.body, "token");
    if (!token) return error_reply(400, "expected a JSON object with the token: {\"token\": \"…\"}");
    return access_.is_token(*token) ? give_session() : unauthorized();
}

std::optional<PairingOffer> Api::offer_pairing() {
    if (!access_.has_token()) return std::nullopt;
    return PairingOffer{phone_(), pairing_.begin()};
}

ServerReply Api::begin_pairing() {
    const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    try {
        const std::optional<PairingOffer> offer = offer_pairing();
        if (!offer) return unauthorized();
        return json_reply(200, document("pairing", {{"address", or_null(offer->phone.url)},
                                                    {"reason", or_null(offer->phone.reason)},
                                                    {"secret", offer->secret.word},
                                                    {"digits", offer->secret.digits},
                                                    {"seconds", std::chrono::seconds(Pairing::kValidity).count()}}));
    } catch (const InputError& error) {
        return error_reply(503, error.what());
    }
}

ServerReply Api::pair(const ServerRequest& request) {
    if (!pairing_.is_valid()) return not_found();  // whatever the request says
    const auto secret = text_in(request.body, "secret");
    if (!secret) return error_reply(400, "expected a JSON object with the secret: {\"secret\": \"…\"}");
    switch (pairing_.try_secret(*secret)) {
        case Pairing::Answer::kNoneValid: return not_found();
        case Pairing::Answer::kRight: return give_session();
        case Pairing::Answer::kWrong: break;
    }
    return error_reply(401, "expected the one-time secret that the miner shows ({\"secret\": \"…\"})");
}

ServerReply Api::give_session() const {
    ServerReply reply = done();
    reply.headers.emplace_back("Set-Cookie", access_.cookie());
    return reply;
}

ServerReply Api::page(unsigned status) const {
    ServerReply reply{.status = status, .content_type = "text/html; charset=utf-8", .body = page_};
    reply.headers.emplace_back("Content-Security-Policy", page_policy_);
    if (status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"gpuminer\"");
    return reply;
}

}  // namespace gpuminer::web
