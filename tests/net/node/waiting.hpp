// An event loop on a thread of its own, and calls on it that are waited for.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "net/node/node.hpp"
#include "net/node/rpc.hpp"
#include "net/node/rpc_reply.hpp"
#include "net/transport/event_loop.hpp"
#include "net/transport/off_loop.hpp"

namespace gpuminer::test {

class LoopThread {
public:
    LoopThread() : thread_([this] { loop.run(); }) {}
    ~LoopThread() { end(); }
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;
    void end() {
        loop.stop();
        if (thread_.joinable()) thread_.join();
    }

    /// Waits for the answer of the call that `start` makes. Throws what it throws.
    template <typename T>
    T wait_for(const std::function<void(net::OnAnswer<T>)>& start) {
        const auto promise = std::make_shared<std::promise<net::Answer<T>>>();
        loop.post([=] { start([=](net::Answer<T> answer) { promise->set_value(std::move(answer)); }); });
        return promise->get_future().get().take();
    }

    net::EventLoop loop;

private:
    std::thread thread_;
};

/// RpcClient, with calls that wait and throw.
class WaitingRpc {
public:
    explicit WaitingRpc(const net::NodeAccess& access) : client_(thread_.loop, access) {}
    ~WaitingRpc() { thread_.end(); }

    nlohmann::json call(const std::string& method, const nlohmann::json& params = nlohmann::json::array(),
                        const net::CallLimits& limits = {}) {
        const auto raw = thread_.wait_for<net::RawReply>([&](net::OnAnswer<net::RawReply> done) {
            client_.call_raw(method, params.dump(), limits, std::move(done));
        });
        return net::parse_rpc_reply(raw.status, raw.body, {client_.url().text(), method, limits.values});
    }
    void start(const std::string& method, net::OnAnswer<nlohmann::json> done) {
        thread_.loop.post([this, method, done = std::move(done)] { client_.call(method, done); });
    }
    void cancel() {
        thread_.loop.post([this] { client_.cancel(); });
    }

private:
    LoopThread thread_;
    net::RpcClient client_;
};

}  // namespace gpuminer::test
