#include "net/transport/own_address.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/udp.hpp>

namespace gpuminer::net {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

/// The unspecified one where it is none; without a zone, and an IPv4 address in IPv6's form as such.
ip::address to_address(const std::string& text) {
    error_code error;
    const ip::address address = ip::make_address(text.substr(0, text.find('%')), error);
    const bool is_mapped = address.is_v6() && address.to_v6().is_v4_mapped();
    return is_mapped ? ip::address(ip::make_address_v4(ip::v4_mapped, address.to_v6())) : address;
}

bool is_link_local(const ip::address& address) {
    constexpr unsigned kLinkLocal = 0xa9fe;  // 169.254.0.0/16 (RFC 3927)
    return address.is_v4() ? address.to_v4().to_uint() >> 16U == kLinkLocal : address.to_v6().is_link_local();
}

/// To the machine's own containers and virtual machines, by the names that their managers give.
bool is_bridge(std::string_view interface_name) {
    constexpr std::string_view kBeginnings[] = {"docker", "br-",     "veth",    "virbr", "podman", "cni",      "lxc",
                                                "lxdbr",  "incusbr", "flannel", "cali",  "vmnet",  "vEthernet"};
    return std::ranges::any_of(kBeginnings,
                               [&](std::string_view beginning) { return interface_name.starts_with(beginning); });
}

bool serves(const InterfaceAddress& any) {
    const ip::address address = to_address(any.address);
    return !address.is_unspecified() && !address.is_loopback() && !is_link_local(address) &&
           !is_bridge(any.interface_name);
}

/// What a packet to the Internet would have as its source. The destinations are documentation's (RFC 5737, RFC 3849).
std::vector<std::string> default_sources() {
    std::vector<std::string> sources;
    for (const char* const destination : {"192.0.2.1", "2001:db8::1"}) {
        boost::asio::io_context context;
        ip::udp::socket socket(context);
        error_code error;
        constexpr unsigned short kDiscard = 9;
        socket.connect({ip::make_address(destination), kDiscard}, error);  // names a route, and sends nothing
        if (error) continue;
        const auto source = socket.local_endpoint(error);
        if (!error) sources.push_back(source.address().to_string());
    }
    return sources;
}

}  // namespace

std::string choose_address(const std::vector<std::string>& preferred, const std::vector<InterfaceAddress>& all) {
    std::vector<InterfaceAddress> good;
    std::ranges::copy_if(all, std::back_inserter(good), serves);
    for (const std::string& address : preferred) {
        if (std::ranges::find(good, address, &InterfaceAddress::address) != good.end()) return address;
    }
    for (const bool is_v4 : {true, false}) {
        const auto found =
            std::ranges::find(good, is_v4, [](const auto& any) { return to_address(any.address).is_v4(); });
        if (found != good.end()) return found->address;
    }
    return "";
}

std::string address_for_others(const std::string& host) {
    const ip::address listener = to_address(host);
    std::vector<InterfaceAddress> all = interface_addresses();
    if (!listener.is_unspecified()) {
        std::erase_if(all, [&](const auto& any) { return to_address(any.address) != listener; });
        return choose_address({}, all);
    }
    if (listener.is_v4()) std::erase_if(all, [](const auto& any) { return !to_address(any.address).is_v4(); });
    return choose_address(default_sources(), all);
}

bool is_own_address(const std::string& host) {
    const ip::address address = to_address(host);
    return std::ranges::any_of(interface_addresses(),
                               [&](const auto& any) { return to_address(any.address) == address; });
}

std::string host_name() {
    error_code error;
    std::string name = ip::host_name(error);
    return error || name.empty() ? "this machine" : name;
}

}  // namespace gpuminer::net
