#include "cli/options/view_options.hpp"

#include <fmt/format.h>

#include "cli/options/secrets.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/url.hpp"

namespace gpuminer {
namespace {

std::vector<std::string> host_names(const Arguments& arguments) {
    std::vector<std::string> names;
    for (const std::string& text : arguments.texts("--http-host"))
        names.push_back(net::parse_host_name("--http-host", text));
    return names;
}

std::optional<HttpOptions> read_http(const Arguments& arguments) {
    const auto address = arguments.text("--http");
    const auto token_file = arguments.text("--http-token-file");
    if (!address) {
        if (token_file || !arguments.texts("--http-host").empty())
            throw InputError("--http-token-file and --http-host need --http ADDRESS");
        return std::nullopt;
    }
    if (token_file == "") throw InputError("--http-token-file: expected a file name, got nothing");
    HttpOptions options{.address = net::parse_listen_address("--http", *address),
                        .token_file = token_file.value_or(""),
                        .hosts = host_names(arguments)};
    if (!options.address.is_local() && options.token_file.empty())
        throw InputError(fmt::format("--http {} needs --http-token-file, as other machines can reach it",
                                     quoted_text(*address, 100)));
    if (!options.hosts.empty() && !options.address.is_unix() && options.token_file.empty())
        throw InputError("--http-host needs --http-token-file, as a proxy may pass on requests of other machines");
    return options;
}

HookCommands read_hooks(const Arguments& arguments) {
    using Kind = web::Alert::Kind;
    HookCommands hooks;
    for (const Kind kind : {Kind::kBlock, Kind::kBest, Kind::kStall, Kind::kDeviceError, Kind::kHot}) {
        const std::string option = fmt::format("--on-{}", web::name_of(kind));
        const auto command = arguments.text(option);
        if (command == "") throw InputError(fmt::format("{}: expected a command, got nothing", option));
        if (command && command->size() > kLongestHookCommand)
            throw InputError(fmt::format("{}: expected a command of at most {} bytes, got {}", option,
                                         kLongestHookCommand, command->size()));
        if (command) hooks[kind] = *command;
    }
    return hooks;
}

}  // namespace

ViewOptions read_view(const Arguments& arguments) {
    ViewOptions options{.http = read_http(arguments), .hooks = read_hooks(arguments), .webhooks = {}};
    for (const std::string& url : arguments.texts("--webhook")) options.webhooks.push_back(web::parse_webhook_url(url));
    return options;
}

web::MinerAddress read_miner_address(const Arguments& arguments) {
    constexpr std::string_view kHttps = "https://";
    constexpr std::uint16_t kHttpsPort = 443;
    const auto text = arguments.text("--http");
    if (!text) throw InputError("expected --http ADDRESS, on which the miner listens, here or in a configuration file");
    web::MinerAddress miner;
    miner.token_file = arguments.text("--http-token-file").value_or("");
    if (text->starts_with(kHttps)) {
        const net::UrlParts parts = net::split_url(*text);
        const auto port = parts.port ? net::parse_port(*parts.port) : std::optional(kHttpsPort);
        if (!parts.flaw.empty() || parts.login || (!parts.rest.empty() && parts.rest != "/") || parts.host.empty() ||
            !net::host_flaw(parts.host).empty() || !port)
            throw InputError(fmt::format("--http: expected https://HOST[:PORT], got {}",
                                         quoted_text(without_secrets("--http", *text), 100)));
        miner.host = parts.host;
        miner.port = *port;
        miner.tls = true;
        return miner;
    }
    const net::ListenAddress address = net::parse_listen_address("--http", *text);
    if (!address.is_unix() && address.port == 0)
        throw InputError(fmt::format("--http: expected the port of a running miner, got {}", quoted_text(*text, 100)));
    // Where a miner listens on all addresses, loopback is one of them.
    miner.host = address.host == "0.0.0.0" ? "127.0.0.1" : address.host == "::" ? "::1" : address.host;
    miner.port = address.port;
    miner.unix_path = address.path;
    return miner;
}

}  // namespace gpuminer
