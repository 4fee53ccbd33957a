// Substitutes for net/transport/http_client.cpp and net/transport/off_loop.cpp: calls to simulated nodes, and
// computations that take some virtual time.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/transport/http_client.hpp"
#include "net/transport/off_loop.hpp"
#include "tests/net/node/node_block.hpp"
#include "tests/simulation/solo_world.hpp"

namespace gpuminer::net {

using nlohmann::json;
using simulation::NodeReply;
using simulation::SoloWorld;
using simulation::some_time;
using std::chrono::milliseconds;

/// One call at a time. Calls take their time, are refused by a node that is down, and now and then lose their reply.
class HttpClient::Exchange : public std::enable_shared_from_this<Exchange> {
public:
    explicit Exchange(const HttpOptions& options)
        : host_(options.channel.host), silent_(options.silent), silence_(options.silence) {
        const auto place = std::ranges::find(world_.nodes, host_, [](const auto& node) { return node->host(); });
        if (place != world_.nodes.end()) node_ = place->get();
    }

    void post(const HttpRequest& request, milliseconds time_limit, Done done) {
        const json call = json::parse(request.body);
        method_ = call.at("method");
        params_ = call.at("params");
        long_poll_ = method_ == "getblocktemplate" && params_.at(0).contains("longpollid");
        done_ = std::move(done);
        const std::uint64_t number = ++number_;
        world_.trace(fmt::format("{} is asked {}", host_, method_));
        if (world_.judged) tell_of_call();
        if (silent_) {
            world_.time.after(silence_, [self = shared_from_this(), number] {
                if (number == self->number_ && self->done_) self->silent_();
            });
        }
        world_.time.after(time_limit,
                          [self = shared_from_this(), number] { self->fail(number, HttpFailure::kTimeout); });
        world_.time.after(way(), [self = shared_from_this(), number, method = method_, params = params_] {
            self->arrive(number, method, params);
        });
    }

    void cancel() {
        if (done_) end();
        done_ = nullptr;
    }

private:
    std::chrono::nanoseconds way() { return some_time(world_.random, milliseconds(1), milliseconds(20)); }

    void end() {
        ++number_;
        if (of_sender_) world_.ledger.sender_call_ends(node_->number());
    }

    void tell_of_call() {
        if (method_ == "submitblock") {
            sends_blocks_ = true;
            world_.ledger.sent(node_->number(), test::hash_of_block(params_.at(0)));
        }
        if (method_ == "getblocktemplate" && !long_poll_) gives_templates_ = true;
        of_sender_ = !gives_templates_ && !long_poll_;
        if (of_sender_) world_.ledger.sender_call_begins(node_->number());
        if (gives_templates_ && method_ != "getbestblockhash")
            world_.ledger.asks_in_round(method_ == "getblocktemplate");
    }

    void arrive(std::uint64_t number, const std::string& method, const json& params) {
        if (node_ == nullptr || !node_->up()) return fail(number, HttpFailure::kConnect);
        const bool stormy = !world_.calm;
        if (stormy && world_.random.one_in(150)) return;  // neither a reply nor an end
        const bool lost = stormy && world_.random.one_in(40);
        const auto more = stormy && world_.random.one_in(60)
                              ? some_time(world_.random, milliseconds(100), milliseconds(40'000))
                              : way();
        node_->serve(method, params, [self = shared_from_this(), number, lost, more](const NodeReply& reply) {
            self->world_.time.after(more, [self, number, lost, reply] {
                lost ? self->fail(number, HttpFailure::kBroken) : self->complete(number, reply);
            });
        });
    }

    void complete(std::uint64_t number, const NodeReply& reply) {
        if (number != number_ || !done_) return;
        world_.trace(fmt::format("{} replies to {}: {}", host_, method_, reply.body.substr(0, 150)));
        if (world_.judged) tell_of(reply);
        HttpResult result;
        result.status = reply.status;
        result.body = reply.body;
        end();
        std::exchange(done_, nullptr)(std::move(result));
    }

    void fail(std::uint64_t number, HttpFailure failure) {
        if (number != number_ || !done_) return;
        ++world_.tally["calls without a reply"];
        world_.trace(fmt::format("{} does not reply to {}", host_, method_));
        if (world_.judged) tell_of_failure();
        HttpResult result;
        result.failure = failure;
        result.sentence = "the connection broke";
        end();
        std::exchange(done_, nullptr)(std::move(result));
    }

    void tell_of_failure() {
        if (method_ == "submitblock")
            world_.ledger.answered(node_->number(), test::hash_of_block(params_.at(0)), std::nullopt);
        hear_of_failure();
    }

    void hear_of_failure() {
        if (!sends_blocks_ && !long_poll_) world_.ledger.hears_of_failure();
    }

    void tell_of(const NodeReply& reply) {
        simulation::BlockLedger& ledger = world_.ledger;
        if (reply.status == 503) ledger.hears_of_busy_node();
        const json body = json::parse(reply.body, nullptr, false);
        const bool is_reply = body.is_object() && body.contains("error");
        const bool is_error = is_reply && !body.at("error").is_null();
        const json result = is_reply ? body.value("result", json()) : json();
        const bool is_usable = is_reply && !is_error && !(result.is_object() && result.value("chain", json()) == 7);
        if (method_ == "submitblock") {
            const bool final = is_reply && !is_error;
            if (!final) hear_of_failure();
            ledger.answered(node_->number(), test::hash_of_block(params_.at(0)),
                            final ? std::optional(result) : std::nullopt);
        } else if (method_ == "getblocktemplate") {
            if (long_poll_) return;
            is_usable ? ledger.hears_of_tip(result.at("previousblockhash"), true) : hear_of_failure();
        } else if (method_ == "getbestblockhash" && gives_templates_ && is_usable) {
            ledger.hears_of_tip(result, false);
        } else if (method_ == "getblockheader" && is_error && body.at("error").at("code") == -5) {
            ledger.hears_of_place(node_->number(), params_.at(0), true);
        } else if (method_ == "getblockheader" && is_reply && !is_error && !is_usable && !sends_blocks_) {
            // It tells nothing; but the block is looked up because the node's tip is another.
            ledger.hears_of_place(node_->number(), params_.at(0), false);
        } else if (!is_usable && method_ != "version") {
            hear_of_failure();
        } else if (method_ == "getblockheader") {
            looked_up_ = params_.at(0);
            if (result.at("confirmations") < 0) ledger.hears_of_place(node_->number(), looked_up_, false);
        } else if (method_ == "getblockhash" && result != looked_up_) {
            ledger.hears_of_place(node_->number(), looked_up_, false);
        }
    }

    SoloWorld& world_ = SoloWorld::current();
    const std::string host_;
    simulation::NodeModel* node_ = nullptr;  // null: there is none of this name
    const std::function<void()> silent_;
    const milliseconds silence_;
    std::uint64_t number_ = 0;  // of the call in flight
    std::string method_;
    json params_;
    bool long_poll_ = false;
    bool gives_templates_ = false;  // what it is used for; neither: not known yet
    bool sends_blocks_ = false;
    bool of_sender_ = false;  // the call in flight may be a sender's
    std::string looked_up_;   // by getblockheader, the last time
    Done done_;
};

HttpClient::HttpClient(EventLoop&, HttpOptions options) : exchange_(std::make_shared<Exchange>(options)) {}
HttpClient::~HttpClient() { cancel(); }
void HttpClient::send(const HttpRequest& request, milliseconds time_limit, Done done) {
    exchange_->post(request, time_limit, std::move(done));
}
void HttpClient::cancel() { exchange_->cancel(); }

// ----- net/transport/off_loop.cpp -----

struct OffLoop::Impl {
    std::shared_ptr<bool> alive = std::make_shared<bool>(true);
};

OffLoop::OffLoop(EventLoop&) : impl_(std::make_unique<Impl>()) {}
OffLoop::~OffLoop() = default;

void OffLoop::run(const Computation& computation) {
    SoloWorld& world = SoloWorld::current();
    const auto time = some_time(world.random, milliseconds(1), milliseconds(500));
    world.time.after(time, [weak = std::weak_ptr(impl_->alive), computation] {
        if (!weak.lock()) return;
        const EventLoop::Task task = computation({});
        SoloWorld::current().time.after({}, [weak, task] {
            if (weak.lock()) task();
        });
    });
}

}  // namespace gpuminer::net
