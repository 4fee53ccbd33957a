// One-time secrets that let a browser in without the token: in a link, as a QR code shows it, and as digits to type.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/mutex.hpp"
#include "net/steady_time.hpp"
#include "net/transport/listen_address.hpp"

namespace gpuminer::web {

/// From any thread.
class Pairing {
public:
    static constexpr std::chrono::minutes kValidity{2};
    static constexpr int kMostWrong = 5;

    using Clock = net::SteadyTime (*)();
    explicit Pairing(Clock now = net::steady_now) : now_(now) {}

    struct Secret {
        std::string word;    ///< 128 bits as 22 characters of base64url (RFC 4648, section 5)
        std::string digits;  ///< eight
    };
    /// A new secret in place of the last, for one browser. Throws InputError where the system provides no random
    /// numbers.
    [[nodiscard]] Secret begin();

    /// Whether one is.
    [[nodiscard]] bool is_valid();

    enum class Answer { kNoneValid, kWrong, kRight };
    /// `secret`: in either form. The right one ends it, and so does the last of kMostWrong.
    [[nodiscard]] Answer try_secret(std::string_view secret);

private:
    const Clock now_;
    Mutex mutex_;
    std::optional<Secret> secret_ GPUMINER_GUARDED_BY(mutex_);
    net::SteadyTime end_ GPUMINER_GUARDED_BY(mutex_);
    int wrong_ GPUMINER_GUARDED_BY(mutex_) = 0;
};

/// Where another device finds the page.
struct PhoneAddress {
    std::string url;     ///< "http://192.168.1.7:8080/"; empty: there is none to tell
    std::string reason;  ///< why there is none
};
/// `place`: HttpServer's. `hosts`: --http-host's. `in_container`: the address of this machine is not the one that
/// others use.
[[nodiscard]] PhoneAddress phone_address(const net::ListenAddress& address, const std::string& place,
                                         const std::vector<std::string>& hosts, bool in_container);
/// As far as container managers say so: by a file of Docker's or Podman's, or the variable `container`.
[[nodiscard]] bool runs_in_container();

/// What a person needs to let a browser in.
struct PairingOffer {
    PhoneAddress phone;
    Pairing::Secret secret;
};

}  // namespace gpuminer::web
