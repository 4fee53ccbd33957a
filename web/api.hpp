// The answers of the web server: from a request to a reply, without a socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/mutex.hpp"
#include "net/steady_time.hpp"
#include "net/transport/http_server.hpp"
#include "web/access.hpp"
#include "web/controls.hpp"
#include "web/monitor.hpp"
#include "web/pairing.hpp"

namespace gpuminer::web {

/// Whoever asks is checked first; unknown paths are answered like all others, so that nothing is told to a stranger.
class Api {
public:
    /// `phone`: where others find the page, as of now; called by offer_pairing(), on its thread.
    Api(Monitor& monitor, AccessRules rules, std::function<PhoneAddress()> phone);

    /// Replaces the controls; {} withdraws them. On return, no earlier control is still running. From any thread.
    void offer(Controls controls);
    /// Lets one browser in for the next two minutes; empty: there is no token, and thus no session to give. From any
    /// thread. Throws InputError where the system provides no random numbers.
    [[nodiscard]] std::optional<PairingOffer> offer_pairing();
    /// Whether a browser may still be let in so. From any thread.
    [[nodiscard]] bool is_pairing() { return pairing_.is_valid(); }
    /// On the server's thread.
    [[nodiscard]] net::ServerReply answer(const net::ServerRequest& request);

private:
    [[nodiscard]] net::ServerReply route(const net::ServerRequest& request);
    [[nodiscard]] net::ServerReply read(const std::string& path);
    [[nodiscard]] std::string document_text(const std::string& path) const;
    [[nodiscard]] std::shared_ptr<const std::string> cached(const std::string& name,
                                                            const std::function<std::string()>& text);
    [[nodiscard]] net::ServerReply change(const net::ServerRequest& request);
    [[nodiscard]] net::ServerReply pause(bool paused);
    [[nodiscard]] net::ServerReply pause_device(const std::string& number, bool paused) const;
    [[nodiscard]] net::ServerReply activate_pool(const std::string& number) const;
    [[nodiscard]] net::ServerReply open_session(const net::ServerRequest& request) const;
    [[nodiscard]] net::ServerReply pair(const net::ServerRequest& request);
    [[nodiscard]] net::ServerReply begin_pairing();
    [[nodiscard]] net::ServerReply give_session() const;
    [[nodiscard]] net::ServerReply page(unsigned status) const;

    Monitor& monitor_;
    struct Cached {
        net::SteadyTime time;
        std::shared_ptr<const std::string> text;
    };
    std::map<std::string, Cached> cache_;  ///< documents, by name
    mutable Mutex mutex_;                  ///< held while a control is called
    Controls controls_ GPUMINER_GUARDED_BY(mutex_);
    const Access access_;
    const std::function<PhoneAddress()> phone_;
    Pairing pairing_;
    const std::shared_ptr<const std::string> page_, description_, icon_;
    const std::string page_policy_;  ///< Content-Security-Policy
};

}  // namespace gpuminer::web
