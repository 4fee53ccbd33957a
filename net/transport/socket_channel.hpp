// Channel over a Boost.Asio socket; for channel.cpp and channel_tls.cpp only.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/transport/channel.hpp"
#include "net/transport/proxy.hpp"
#include "net/transport/resolver.hpp"

namespace gpuminer::net {

class SocketChannel : public Channel, public std::enable_shared_from_this<SocketChannel> {
public:
    SocketChannel(EventLoop& loop, const ChannelOptions& options);

    void open(Opened opened, Failed failed, std::function<void()> accepted) override;
    void close() override;
    void read(std::span<char> buffer, Done done) override;
    void write(std::string_view bytes, Done done) override;
    void shut_down(std::function<void()> done) override;
    bool quiet() override;

private:
    struct Tls;
    using Step = ChannelFailure;  // what the channel fails with while the step is under way

    [[nodiscard]] bool opening() const { return failed_ != nullptr; }
    void begin_step(Step step, const std::string& what_is_late);
    void step_is_late(const std::string& sentence);
    void take_addresses(const Resolved& resolved);
    void connect_next(const std::string& failure);
    void connected(const boost::system::error_code& error);
    void talk_to_proxy();
    void write_to_proxy();
    void read_from_proxy();
    void take_proxy_reply();
    void after_proxy();
    void prepare_tls();
    void start_tls();
    void end_handshake(const boost::system::error_code& error);
    void finish();
    void fail(const std::string& sentence) { fail(step_, sentence); }
    void fail(ChannelFailure why, const std::string& sentence);
    void close_socket();

    EventLoop& loop_;
    const ChannelOptions options_;
    const std::string place_;  // "host:port"
    std::string hop_;          // where the socket goes, for messages: the place or the proxy
    std::string hop_host_;
    std::uint16_t hop_port_ = 0;
    Opened opened_;
    Failed failed_;  // null: it is not opening
    std::function<void()> accepted_;

    boost::asio::ip::tcp::socket socket_;
    std::shared_ptr<Tls> tls_;  // null: plain TCP
    boost::asio::steady_timer timer_;
    Step step_ = Step::kName;
    std::uint64_t step_number_ = 0;  // whose time limit runs

    bool connecting_ = false;
    bool resolving_ = false;
    std::string timed_out_;
    std::vector<boost::asio::ip::tcp::endpoint> addresses_;
    std::size_t next_address_ = 0;
    std::unique_ptr<ProxyHandshake> handshake_;
    std::string to_proxy_;
    std::array<char, 4096> buffer_{};
    std::string received_;
};

}  // namespace gpuminer::net
