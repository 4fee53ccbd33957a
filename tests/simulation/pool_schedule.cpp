#include "tests/simulation/pool_schedule.hpp"

#include <deque>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "host/block/checker.hpp"
#include "host/text/text.hpp"
#include "net/journal/journal.hpp"
#include "net/pool/options.hpp"
#include "net/pool/supervisor.hpp"
#include "tests/simulation/pool_model.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/share_ledger.hpp"

namespace gpuminer::simulation {
namespace {

using net::StratumJob;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct JudgedWorld final : PoolWorld {
    JudgedWorld(std::uint64_t seed, Tally& counts) : PoolWorld(seed, counts, ledger), ledger(*this) {}
    ShareLedger ledger;
};

class PoolSchedule {
public:
    PoolSchedule(std::uint64_t seed, Tally& tally, const PoolPace& pace) : pace_(pace), world_(seed, tally) {}

    void plant(ClientFault fault) { world_.planted.kind = fault; }

    void run(PoolVersions versions) {
        const auto pools = random().one_in(3) ? random().between(2, 3) : 1;
        while (world_.pools.size() < pools) {
            const bool v2 = versions == PoolVersions::kV2 && (pools == 1 || !random().one_in(4));
            world_.pools.push_back(std::make_unique<PoolModel>(
                world_, world_.pools.size(), v2 ? PoolTraits::draw_v2(random()) : PoolTraits::draw(random())));
        }
        world_.lines_until_cut = pace_.lines_until_cut;
        choose_options();
        start_client();
        for (const auto& pool : world_.pools) let_live(*pool);
        find_some();
        if (random().one_in(4)) kill_some_time();
        end_ = world_.time.now() + some_time(random(), pace_.shortest, pace_.longest);
        while (world_.time.now() < end_) go_on(end_);
        world_.calm = true;
        settle(0);
        if (world_.pools.size() > 1) {  // and what waits for the next one
            world_.pools[0]->shut_down_for_good();
            settle(1);
        }
        client_.reset();
    }

private:
    /// A run of the client; gone, it was killed.
    struct Client {
        Client(const net::PoolOptions& options, const net::PoolTiming& timing, net::WorkCallbacks functions)
            : callbacks(std::move(functions)),
              journal(options.journal,
                      {.say = {},
                       .changed = [this, post = loop.poster()] { post([this] { supervisor.journal_changed(); }); },
                       .stopped = {}},
                      timing.journal),
              stats(options),
              supervisor(loop, options, callbacks, timing, journal, stats, [] {}) {
            supervisor.start();
        }
        const net::WorkCallbacks callbacks;
        net::EventLoop loop;
        net::Journal journal;
        net::PoolStats stats;
        net::PoolSupervisor supervisor;
    };

    Random& random() { return world_.random; }

    void choose_options() {
        for (const auto& pool : world_.pools) {
            const char* const scheme = pool->v2() ? "stratum2+tcp" : "stratum+tcp";
            options_.pools.push_back(
                {net::parse_pool_url(fmt::format("{}://pool{}.example.com:3333", scheme, pool->number())),
                 "user.worker", "x"});
        }
        options_.journal = "journal";
        options_.agent = "gpuminer/test";
        options_.retry_pause = 1;
        if (random().one_in(2)) options_.suggest_difficulty = 0.001;
        options_.single_submit = world_.ledger.single_submit = random().one_in(6);
        timing_.wait_for_answer = seconds(20);
        timing_.wait_for_traffic = seconds(60);
        timing_.retry_better_pool = seconds(20);
        timing_.wait_for_reply = world_.ledger.wait_for_reply = seconds(5);
        timing_.trust_after = seconds(3);
    }

    void start_client() {
        client_.reset();
        ++world_.run;
        world_.connections = 0;
        headers_.clear();
        jobs_.clear();  // devices end with the client
        take_job(nullptr);
        timing_.seed = random().next();
        net::WorkCallbacks callbacks;
        callbacks.new_job = [this](std::shared_ptr<const MiningJob> job) {
            take_job(std::dynamic_pointer_cast<const StratumJob>(std::move(job)));
        };
        callbacks.hash_rate = [] { return 1e6; };
        callbacks.over = [this](net::Outcome, const std::string& sentence) {
            world_.fail("the client gives up: " + sentence);
        };
        client_ = std::make_unique<Client>(options_, timing_, std::move(callbacks));
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

    void let_live(PoolModel& pool) {
        world_.time.after(world_.calm ? seconds(15) : some_time(random(), milliseconds(10), pace_.events),
                          [this, &pool] {
                              world_.calm ? pool.live_quietly() : pool.live();
                              let_live(pool);
                          });
    }

    // ----- the miner -----

    void take_job(std::shared_ptr<const StratumJob> job) {
        world_.ledger.in_use(job ? std::optional(ConnectionId{world_.run, job->origin().connection}) : std::nullopt);
        pool_in_use_ = job ? std::optional(job->origin().pool) : std::nullopt;
        const bool goes_on = job && !jobs_.empty() && jobs_.back().first == job;  // it has headers again
        if (job && !goes_on) jobs_.push_back({std::move(job), 0});
        if (jobs_.size() > 3) jobs_.pop_front();
    }

    void find_some() {
        world_.time.after(some_time(random(), milliseconds(20), pace_.shares), [this] {
            if (world_.calm) return;
            find_one();
            find_some();
        });
    }

    /// Of the current job; now and then of one before it, as a device may be late.
    void find_one() {
        if (jobs_.empty()) return;
        const bool late = random().one_in(8) && jobs_.size() > 1;
        auto& [job, next] = late ? jobs_.front() : jobs_.back();
        if (job->difficulty() > 0x1p-20) return;  // the pool has not said how easy it is to be
        // Of a job with one header a second, a device that is late goes on with the one that it has.
        const bool has_one = late && job->parameters().bound_to_clock() && next > 0;
        if (!has_one && !job->has_header(next)) return;  // not in this second
        const std::uint64_t index = has_one ? next - 1 : next++;
        const BlockHeader header = job->header(index);
        world_.trace(fmt::format("header {} of job {}, extranonce2 {}", index, job->id(), job->extranonce2(index)));
        const bool is_new = headers_.insert(header.with_version(0).hex()).second;
        if (!is_new && !has_one) world_.fail("a header is searched twice");
        for (int attempt = 0; attempt < 200; ++attempt) {
            JobHit hit{job, index, {}};
            hit.hit.nonce = next_nonce_++;
            hit.hit.version = header.version() | (static_cast<std::uint32_t>(random().next()) & job->version_mask());
            hit.hit.header = header.with_version(hit.hit.version).with_nonce(hit.hit.nonce);
            const Checked checked = check(hit.hit.header, job->target());
            if (checked.verdict != Verdict::hit) continue;
            hit.hit.hash = checked.hash;
            hand_over(hit, *job);
            break;
        }
    }

    void hand_over(const JobHit& hit, const StratumJob& job) {
        FoundShare share;
        share.pool = job.origin().pool;
        share.origin = {world_.run, job.origin().connection};
        share.job = job.id();
        share.extranonce1 = job.extranonce1();
        share.hash = hit.hit.hash.hex();
        share.solves_block = hit.hit.hash <= job.block_target();
        share.found = world_.time.now();
        ++world_.tally["found"];
        world_.trace(fmt::format("found a share of job {} of pool {}, {}", share.job, share.pool, hex8(hit.hit.nonce)));
        world_.ledger.found(hit.hit.nonce, std::move(share));
        client_->supervisor.take(hit);
        world_.ledger.handed_over(hit.hit.nonce);
    }

    // ----- the end -----

    void go_on(net::SteadyTime last) {
        world_.time.run_next(last);
        if (world_.failure()) throw std::runtime_error(*world_.failure());
        if (world_.time.tasks() > next_look_) {
            world_.ledger.forget_settled();
            headers_.clear();
            next_look_ += 100'000;
        }
    }

    /// With pools that run, this one is in use again, as it should be, and has answered all shares.
    void settle(std::size_t pool) {
        const net::SteadyTime last = world_.time.now() + std::chrono::minutes(30);
        net::SteadyTime patience = world_.time.now() + std::chrono::minutes(1);
        while (pool_in_use_ != pool || !world_.ledger.settled(pool)) {
            if (world_.time.now() >= last)
                throw std::runtime_error(
                    fmt::format("half an hour after the last fault {}, pool {}",
                                pool_in_use_ ? fmt::format("pool {} is in use", *pool_in_use_) : "no pool is in use",
                                pool) +
                    " in use; not settled: " + world_.ledger.unsettled(pool));
            go_on(last);
            // A share whose reply the pool forgot is sent again only on another connection.
            if (pool_in_use_ != pool || world_.time.now() < patience) continue;
            world_.pools[pool]->cut_all();
            patience = last;
        }
    }

    const PoolPace pace_;
    JudgedWorld world_;
    net::PoolOptions options_;
    net::PoolTiming timing_;
    std::unique_ptr<Client> client_;
    std::deque<std::pair<std::shared_ptr<const StratumJob>, std::uint64_t>> jobs_;  // with the next header's number
    std::set<std::string> headers_;                                                 // searched in this run
    std::optional<std::size_t> pool_in_use_;
    std::uint32_t next_nonce_ = 1;
    net::SteadyTime end_{};
    std::uint64_t next_look_ = 100'000;
};

}  // namespace

void run_pool_schedule(std::uint64_t seed, Tally& tally, const PoolPace& pace, PoolVersions versions,
                       ClientFault planted) {
    PoolSchedule schedule(seed, tally, pace);
    schedule.plant(planted);
    schedule.run(versions);
}

}  // namespace gpuminer::simulation
