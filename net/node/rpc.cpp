#include "net/node/rpc.hpp"

#include <cerrno>
#include <fstream>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/block/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr std::size_t kLongestReply = 64U << 20U;  // bytes; a template of a full block has about 10 MB
constexpr auto kConnectLimit = std::chrono::seconds(5);
constexpr std::size_t kLongestCookie = 512;

/// The socket of the connection, kept under a number of our own, so that it can be shut down from another thread
/// whatever the HTTP library does with it, even while it is connecting.
class Socket {
public:
    ~Socket() { forget(); }
    void remember(int descriptor) {
        forget();
        const std::lock_guard lock(mutex_);
        descriptor_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
        ++opened_;
        if (cancelled_) shutdown(descriptor, SHUT_RDWR);
    }
    void forget() {
        const std::lock_guard lock(mutex_);
        if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
    }
    void cancel() {
        const std::lock_guard lock(mutex_);
        cancelled_ = true;
        if (descriptor_ >= 0) shutdown(descriptor_, SHUT_RDWR);
    }
    [[nodiscard]] bool cancelled() const {
        const std::lock_guard lock(mutex_);
        return cancelled_;
    }
    /// How many sockets there have been.
    [[nodiscard]] unsigned opened() const {
        const std::lock_guard lock(mutex_);
        return opened_;
    }

private:
    mutable std::mutex mutex_;
    int descriptor_ = -1;
    unsigned opened_ = 0;
    bool cancelled_ = false;
};

std::string system_reason() { return std::generic_category().message(errno); }

}  // namespace

struct RpcClient::Impl {
    explicit Impl(NodeAccess a) : access(std::move(a)), node(access.url.text()) {
        const NodeUrl& url = access.url;
        const char* const form = url.host.find(':') == std::string::npos ? "{}://{}:{}" : "{}://[{}]:{}";
        http.emplace(fmt::format(fmt::runtime(form), url.tls ? "https" : "http", url.host, url.port));
        http->set_keep_alive(true);
        http->set_tcp_nodelay(true);
        http->set_connection_timeout(kConnectLimit);
        http->set_socket_options([this](socket_t s) { socket.remember(s); });
        http->set_path_encode(false);
        if (access.insecure) http->enable_server_certificate_verification(false);
        if (!access.ca_file.empty()) {
            if (std::ifstream file(access.ca_file); !file) {
                throw InputError(fmt::format("cannot read the certificate file {}: {}",
                                             quoted_text(access.ca_file, 200), system_reason()));
            }
            http->set_ca_cert_path(access.ca_file);
        }
    }

    /// True where it is another one than before. Throws RpcError.
    bool read_login() {
        std::string login = access.url.user + ":" + access.url.password;
        if (access.url.user.empty() && access.url.password.empty() && !access.cookie_file.empty()) {
            std::ifstream file(access.cookie_file);
            login.assign(kLongestCookie, '\0');
            if (!file || !file.read(login.data(), kLongestCookie).eof()) {
                const std::string reason = file ? "it is too long" : system_reason();
                throw RpcError(RpcFailure::kUnreachable,
                               fmt::format("cannot read {}, the cookie of {} ({}); is the node running?",
                                           quoted_text(access.cookie_file.string(), 200), node, reason));
            }
            login.resize(static_cast<std::size_t>(file.gcount()));
            login.erase(login.find_last_not_of("\r\n") + 1);
        }
        if (std::exchange(used_login, login) == login) return false;
        const auto colon = login.find(':');
        http->set_basic_auth(login.substr(0, colon), colon == std::string::npos ? "" : login.substr(colon + 1));
        return true;
    }

    /// The HTTP status; its body goes to `body`. Throws RpcError.
    int post(const std::string& request, std::string& body, std::chrono::milliseconds time_limit,
             const std::string& method) {
        const auto start = steady_clock::now();
        http->set_max_timeout(time_limit);
        http->set_read_timeout(time_limit);
        http->set_write_timeout(time_limit);
        for (int attempt = 1;; ++attempt) {
            body.clear();
            const unsigned opened = socket.opened();
            bool too_long = false;
            const auto receive = [&](const char* data, std::size_t size) {
                too_long = body.size() + size > kLongestReply;
                if (!too_long) body.append(data, size);
                return !too_long;
            };
            const auto reply =
                http->Post(access.url.path, httplib::Headers{}, request, "application/json", receive, nullptr);
            if (reply) return reply->status;
            if (socket.cancelled()) throw RpcError(RpcFailure::kCancelled, "the call is cancelled");
            if (too_long) {
                throw RpcError(RpcFailure::kMalformed, fmt::format("the reply of {} to {} is longer than {} MiB", node,
                                                                   method, kLongestReply >> 20U));
            }
            const bool none_opened = socket.opened() == opened;
            const auto elapsed = steady_clock::now() - start;
            // The node had closed a connection that nobody had used for a while.
            if (attempt == 1 && none_opened && elapsed < std::chrono::seconds(1)) continue;
            const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed);
            if (none_opened && reply.error() == httplib::Error::Connection) {  // it had no address to try
                throw RpcError(RpcFailure::kUnreachable, fmt::format("{} cannot be reached: the name {} is not known",
                                                                     node, quoted_text(access.url.host, 100)));
            }
            throw_transport_error(reply.error(), spent >= time_limit - std::chrono::milliseconds(50), method);
        }
    }

    [[noreturn]] void throw_transport_error(httplib::Error error, bool late, const std::string& method) const {
        using E = httplib::Error;
        switch (error) {
            case E::Connection:
            case E::ConnectionTimeout:
                throw RpcError(
                    RpcFailure::kUnreachable,
                    fmt::format("{} cannot be reached; is the node running, and is this its RPC port?", node));
            case E::SSLConnection:
                throw RpcError(RpcFailure::kUnreachable, node + " does not speak TLS; write http:// in its address");
            case E::SSLLoadingCerts:
                throw RpcError(RpcFailure::kUnverified, "the certificate file " + quoted_text(access.ca_file, 200) +
                                                            " cannot be used: it has to be in PEM form");
            case E::SSLServerVerification:
            case E::SSLServerHostnameVerification:
                throw RpcError(
                    RpcFailure::kUnverified,
                    fmt::format("the certificate of {} {}; --cert FILE names one to trust (btcd's rpc.cert)", node,
                                error == E::SSLServerVerification ? "is not one that this computer trusts"
                                                                  : "is for another host"));
            default: break;
        }
        if (late || error == E::Timeout) {
            throw RpcError(RpcFailure::kTimeout, fmt::format("{} does not answer {} in time", node, method));
        }
        throw RpcError(RpcFailure::kUnreachable, fmt::format("the connection to {} broke during {}", node, method));
    }

    NodeAccess access;
    std::string node;  ///< for messages
    Socket socket;     // outlives http, which calls it
    std::optional<httplib::Client> http;
    std::optional<std::string> used_login;
    std::uint64_t id = 0;
};

RpcClient::RpcClient(NodeAccess access) : impl_(std::make_unique<Impl>(std::move(access))) {}
RpcClient::~RpcClient() = default;

json RpcClient::call(const std::string& method, const json& params, std::chrono::milliseconds time_limit) {
    if (impl_->socket.cancelled()) throw RpcError(RpcFailure::kCancelled, "the call is cancelled");
    // "1.0" in every request: btcd answers with an empty body without it.
    const json request = {{"jsonrpc", "1.0"}, {"id", ++impl_->id}, {"method", method}, {"params", params}};
    const std::string text = request.dump();
    std::string body;
    if (!impl_->used_login) impl_->read_login();
    int status = impl_->post(text, body, time_limit, method);
    // The node may have been started again since, with a new cookie.
    if (status == 401 && impl_->read_login()) status = impl_->post(text, body, time_limit, method);
    return parse_rpc_reply(status, body, impl_->node, method);
}

void RpcClient::cancel() { impl_->socket.cancel(); }

const NodeUrl& RpcClient::url() const { return impl_->access.url; }

}  // namespace gpuminer::net
