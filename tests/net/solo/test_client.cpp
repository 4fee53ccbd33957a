// The solo client's threads, on a node behind a socket. What the client does is tested on virtual time, in the other
// files.
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>

#include "net/solo/client.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/net/journal/journal_files.hpp"
#include "tests/net/node/rpc_server.hpp"
#include "tests/net/solo/solo_miner.hpp"
#include "tests/net/transport/scripted_server.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// The scripted node, whose virtual time goes on as calls come.
class SocketNode {
public:
    [[nodiscard]] std::string url() const { return server_.url(); }
    template <typename Action>
    auto with_node(Action action) {
        const auto lock = server_.lock();
        return action(node_);
    }
    unsigned calls(const std::string& method) {
        return with_node([&](ScriptedNode& node) { return node.calls(method); });
    }

private:
    ScriptedWorld world_;
    ScriptedNode& node_ = world_.add_node(regtest_template());
    RpcServer server_{[this](const std::string& method, const json& params, const auto& reply) {
        node_.serve(method, params, reply);
        world_.pass(std::chrono::milliseconds(20));
    }};
};

/// A client, and its last job.
class ThreadedMiner {
public:
    explicit ThreadedMiner(const SoloOptions& options) : ThreadedMiner(options, find_nodes(options)) {}
    ThreadedMiner(const SoloOptions& options, const SoloNodes& nodes) {
        WorkCallbacks callbacks;
        callbacks.new_job = [this](std::shared_ptr<const MiningJob> job) {
            const std::lock_guard lock(mutex_);
            job_ = std::dynamic_pointer_cast<const TemplateJob>(std::move(job));
        };
        client = make_solo_client(options, nodes, callbacks);
    }
    ~ThreadedMiner() { client.reset(); }  // before what its callbacks use
    ThreadedMiner(const ThreadedMiner&) = delete;
    ThreadedMiner& operator=(const ThreadedMiner&) = delete;

    std::shared_ptr<const TemplateJob> job() {
        const std::lock_guard lock(mutex_);
        return job_;
    }
    std::shared_ptr<const TemplateJob> wait_for_job() {
        REQUIRE(eventually([this] { return job() != nullptr; }));
        return job();
    }

    std::unique_ptr<WorkClient> client;

private:
    std::mutex mutex_;
    std::shared_ptr<const TemplateJob> job_;
};

SoloOptions options_in(const TemporaryFolder& folder, const SocketNode& node) {
    SoloOptions options = options_for({node.url()});
    options.journal = folder.path() / "solo.jsonl";
    return options;
}

}  // namespace

TEST_CASE("blocks found by another thread are counted from then on, submitted and journalled") {
    const TemporaryFolder folder;
    SocketNode node;
    ThreadedMiner miner(options_in(folder, node));
    const auto first = miner.wait_for_job();
    miner.client->found(solve(first));
    const WorkStatus status = miner.client->status();
    CHECK(status.unanswered + status.accepted == 1);
    REQUIRE(eventually([&] { return miner.job() && miner.job() != first; }));
    miner.client->found(solve(miner.job()));
    CHECK(miner.client->finish(std::chrono::minutes(1)));
    CHECK(miner.client->status().accepted == 2);
    CHECK(eventually([&] { return entries_of(folder.path() / "solo.jsonl").size() == 4; }));
    CHECK(miner.client->end().unanswered == 0);
}

TEST_CASE("a block that is found while a template is parsed is submitted before the parse ends") {
    const TemporaryFolder folder;
    SocketNode node;
    const SoloOptions options = options_in(folder, node);
    SoloNodes nodes = find_nodes(options);
    std::promise<void> parsing, end;
    std::atomic<unsigned> parses = 0, ended = 0;
    nodes.access.front().before_parse = [&] {
        if (++parses != 2) return;
        parsing.set_value();
        end.get_future().wait();
        ++ended;
    };
    ThreadedMiner miner(options, nodes);
    const auto job = miner.wait_for_job();
    node.with_node([](ScriptedNode& model) { model.extend(); });  // so that it is asked for another template
    parsing.get_future().wait();
    miner.client->found(solve(job));
    CHECK(eventually([&] { return node.calls("submitblock") == 1; }));
    CHECK(ended == 0);
    end.set_value();
    CHECK(eventually([&] { return miner.job() && miner.job()->block_template().height == 129; }));
}

TEST_CASE("miners with the same address have different work") {
    const TemporaryFolder folder, other_folder;
    SocketNode node;
    ThreadedMiner one(options_in(folder, node)), other(options_in(other_folder, node));
    CHECK_FALSE(one.wait_for_job()->header(0).merkle_root() == other.wait_for_job()->header(0).merkle_root());
}

TEST_CASE("a client can be ended while its node says nothing") {
    const TemporaryFolder folder;
    SocketNode node;
    const auto hold = [&](const char* method) { node.with_node([&](ScriptedNode& model) { model.hold(method); }); };
    SECTION("from the beginning") {
        hold("getblockchaininfo");
        const ThreadedMiner miner(options_in(folder, node));
        CHECK(eventually([&] { return node.calls("getblockchaininfo") == 1; }));
    }
    SECTION("with a block under way") {
        ThreadedMiner miner(options_in(folder, node));
        const auto job = miner.wait_for_job();
        hold("submitblock");
        miner.client->found(solve(job));
        CHECK_FALSE(miner.client->finish(std::chrono::milliseconds(50)));
        CHECK(miner.client->status().unanswered == 1);
    }
}
