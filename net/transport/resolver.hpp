// Name look-up on a thread of its own: neither the client's thread nor the end of the program waits for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

struct Resolved {
    std::vector<boost::asio::ip::tcp::endpoint> addresses;  ///< in the order in which to try them, eight at most
    std::string failure;                                    ///< the system's reason; empty: there are addresses
};

/// As call_apart(). (Where no name server answers, the system's resolver takes half a minute.)
void resolve(const EventLoop& loop, const std::string& host, std::uint16_t port,
             const std::function<void(Resolved)>& done);

}  // namespace gpuminer::net
