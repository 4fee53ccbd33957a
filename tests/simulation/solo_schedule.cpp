#include "tests/simulation/solo_schedule.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "host/block/checker.hpp"
#include "net/solo/template_job.hpp"
#include "tests/simulation/solo_world.hpp"

namespace gpuminer::simulation {
namespace {

using net::TemplateJob;
using std::chrono::milliseconds;
using std::chrono::seconds;

class SoloSchedule {
public:
    SoloSchedule(std::uint64_t seed, Tally& tally, const SoloPace& pace) : pace_(pace), world_(seed, tally) {}

    void run() {
        for (auto nodes = random().one_in(2) ? random().between(2, 3) : 1; nodes > 0; --nodes) {
            const NodeTraits traits{.is_btcd = random().one_in(3)};
            world_.nodes.push_back(std::make_unique<NodeModel>(world_, world_.nodes.size(), traits));
            options_.nodes.push_back(world_.nodes.back()->url());
        }
        options_.chain = "regtest";
        options_.coinbase_address = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
        options_.journal = "journal";
        options_.retry_pause = 1;
        start_client();
        for (const auto& node : world_.nodes) let_live(*node);
        find_some();
        if (random().one_in(4)) kill_some_time();
        const net::SteadyTime end = world_.time.now() + some_time(random(), pace_.shortest, pace_.longest);
        while (world_.time.now() < end) go_on(end);
        if (random().one_in(4)) return stop();
        world_.calm = true;
        for (const auto& node : world_.nodes) node->calm_down();
        settle();
        client_.reset();
    }

private:
    Random& random() { return world_.random; }

    void start_client() {
        client_.reset();
        ++world_.run;
        late_ = nullptr;
        net::WorkCallbacks callbacks;
        callbacks.new_job = [this](std::shared_ptr<const MiningJob> job) {
            if (world_.ledger.job()) late_ = world_.ledger.job();
            world_.ledger.new_job(std::dynamic_pointer_cast<const TemplateJob>(std::move(job)));
            const auto& now = world_.ledger.job();
            world_.trace(now ? "the job is on " + now->block_template().previous_hash.hex() : "there is no job");
        };
        callbacks.say = [this](Severity, const std::string& text) { world_.trace(text); };
        callbacks.over = [this](net::Outcome, const std::string& sentence) {
            world_.fail("the client gives up: " + sentence);
        };
        client_ = std::make_unique<SoloRun>(options_, net::find_nodes(options_), std::move(callbacks), random().next());
        client_->supervisor.start();
    }

    void kill_some_time() {
        world_.time.after(some_time(random(), milliseconds(100), pace_.longest), [this] {
            if (world_.calm) return;
            ++world_.tally["kills"];
            world_.trace("the client is killed");
            start_client();
            kill_some_time();
        });
    }

    void let_live(NodeModel& node) {
        world_.time.after(some_time(random(), milliseconds(10), pace_.events), [this, &node] {
            if (world_.calm) return;
            node.live();
            let_live(node);
        });
    }

    // ----- the miner -----

    void find_some() {
        world_.time.after(some_time(random(), milliseconds(10), pace_.blocks), [this] {
            if (world_.calm) return;
            // Now and then of a job that was just replaced: a device may be late.
            const bool late = late_ && random().one_in(8);
            if (const auto job = late ? std::exchange(late_, nullptr) : world_.ledger.job()) find_one(job);
            find_some();
        });
    }

    void find_one(const std::shared_ptr<const TemplateJob>& job) {
        const std::uint64_t index = next_index_++;
        const BlockHeader header = job->header(index);
        for (std::uint32_t nonce = 0;; ++nonce) {
            JobHit hit{job, index, {header.version(), nonce, {}, header.with_nonce(nonce)}};
            const Checked checked = check(hit.hit.header, job->target());
            if (checked.verdict != Verdict::hit) continue;
            hit.hit.hash = checked.hash;
            world_.trace(fmt::format("found block {} on {}", checked.hash.hex(), header.previous_hash().hex()));
            world_.ledger.found(checked.hash.hex(), job);
            client_->supervisor.take(hit);
            return;
        }
    }

    // ----- the end -----

    void go_on(net::SteadyTime last) {
        world_.time.run_next(last);
        if (world_.failure()) throw std::runtime_error(*world_.failure());
    }

    /// The program ends: what was found and answered until then is in the journal.
    void stop() {
        world_.trace("the program ends");
        world_.ledger.search_ends();
        client_->supervisor.stop();
        const net::SteadyTime last = world_.time.now() + seconds(10);
        while (!client_->supervisor.assembled() && world_.time.now() < last) go_on(last);
        if (!client_->supervisor.assembled()) world_.fail("a block that was found is not in the journal in time");
        if (const std::string unsettled = world_.ledger.unsettled(); !unsettled.empty()) world_.fail(unsettled);
        if (world_.failure()) throw std::runtime_error(*world_.failure());
        client_.reset();
    }

    /// With nodes that run, every block is answered, and the search is on the best chain.
    void settle() {
        const net::SteadyTime last = world_.time.now() + std::chrono::minutes(10);
        for (;;) {
            const std::string unanswered = world_.ledger.unanswered();
            const auto& job = world_.ledger.job();
            const bool on_a_tip = job && std::ranges::any_of(world_.nodes, [&](const auto& node) {
                                      return node->tip() == job->block_template().previous_hash.hex();
                                  });
            if (unanswered.empty() && on_a_tip && client_->supervisor.idle()) return;
            if (world_.time.now() >= last) {
                throw std::runtime_error(
                    fmt::format("ten minutes after the last fault: {}", !unanswered.empty() ? unanswered
                                                                        : on_a_tip ? "the client waits for an answer"
                                                                                   : "no job is on a tip"));
            }
            go_on(last);
        }
    }

    const SoloPace pace_;
    SoloWorld world_;
    net::SoloOptions options_;
    std::unique_ptr<SoloRun> client_;
    std::shared_ptr<const TemplateJob> late_;  // the job before the current one
    std::uint64_t next_index_ = 0;
};

}  // namespace

void run_solo_schedule(std::uint64_t seed, Tally& tally, const SoloPace& pace) {
    SoloSchedule(seed, tally, pace).run();
}

}  // namespace gpuminer::simulation
