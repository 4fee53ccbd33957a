// Searches over ranks in one process, without MPI: workers and rank 0's coordinator, messages by hand.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi/coordinator.hpp"
#include "mpi/rank_worker.hpp"
#include "mpi/search_ledger.hpp"
#include "tests/host/search/search_tools.hpp"

namespace gpuminer::test {

using namespace gpuminer::mpi;

using Behaviours = std::vector<std::vector<Behaviour>>;  // of each rank

/// So few that every rank gets some of a short search.
inline constexpr std::uint64_t kFirstHashes = 32;

struct Rank {
    Rank(const RankStart& start, const std::vector<Behaviour>& behaviours, unsigned ranks, const RankWorker::Take& take)
        : devices([&behaviours] { return std::make_unique<Fleet>(devices_of(behaviours)); }),
          search(start.request, start.record.group_size, devices),
          worker(search, start, ranks, take, kFirstHashes) {}

    RankDevices devices;
    RankSearch search;
    RankWorker worker;
};

struct Outcome {
    WorkResult result;
    SearchRecord record;
    bool failed = false;
    std::vector<Notice> notices;
};

/// A search over ranks, look by look; messages go through their bytes. The clock is the test's.
class Job {
public:
    Job(const SearchRequest& request, const SearchRecord& earlier, const Behaviours& devices)
        : record_(RequestSource(request, earlier).record()),
          ledger_(request, record_),
          coordinator_(ledger_, static_cast<unsigned>(devices.size()),
                       request.partition == PartitionMode::kStatic ? Coordinator::Take(take_) : Coordinator::Take()) {
        RankStart start{request, record_, ledger_.bound()};
        start.record.hits.clear();
        start = start_of(to_bytes(start));
        for (const auto& behaviours : devices)
            ranks_.push_back(std::make_unique<Rank>(start, behaviours, static_cast<unsigned>(devices.size()), take_));
    }

    /// Every rank looks once, then rank 0 answers.
    void look(std::chrono::milliseconds taking = 20ms, bool stopped = false) {
        now_ += taking;
        for (unsigned i = 0; i < ranks_.size(); ++i) {
            if (auto news = ranks_[i]->worker.step(now_, 0)) {
                ++heard_;
                coordinator_.take(i, news_of(to_bytes(*news)));
            }
        }
        coordinator_.book();
        for (auto& [rank, orders] : coordinator_.due({.paused = false, .stopped = stopped})) {
            if (orders.piece) pieces_.emplace_back(rank, *orders.piece);
            ranks_[rank]->worker.obey(orders_of(to_bytes(orders)));
        }
    }
    /// Until devices have done all that their ranks have taken: then ranks take by their own rates, however busy the
    /// machine is.
    void wait_for_devices() {
        for (const auto& rank : ranks_)
            wait_until([&search = rank->search] {
                const bool is_done = search.has_had_a_device() && search.partition().backlog() == 0;
                return is_done || search.partition().stopped() || search.without_devices();
            });
    }

    [[nodiscard]] bool ended() const { return coordinator_.ended(); }
    [[nodiscard]] unsigned heard() const { return heard_; }  ///< messages of ranks
    /// By rank: its own of what was left (static).
    [[nodiscard]] const std::vector<std::pair<unsigned, Interval>>& pieces() const { return pieces_; }
    [[nodiscard]] const SearchLedger& ledger() const { return ledger_; }
    [[nodiscard]] Outcome outcome() {
        const SearchRecord at_the_end = ledger_.record();
        return {ledger_.result(), at_the_end, coordinator_.failed(), coordinator_.take_notices()};
    }

private:
    std::uint64_t cursor_ = 0;
    const RankWorker::Take take_ = [this](std::uint64_t count) { return std::exchange(cursor_, cursor_ + count); };
    const SearchRecord record_;
    SearchLedger ledger_;
    Coordinator coordinator_;
    std::vector<std::unique_ptr<Rank>> ranks_;
    RankWorker::Clock::time_point now_ = RankWorker::Clock::now();
    unsigned heard_ = 0;
    std::vector<std::pair<unsigned, Interval>> pieces_;
};

/// A whole search. `stop_after`: messages of ranks, 0: never; `killed`: then nothing more is heard of them.
inline Outcome run(const SearchRequest& request, const SearchRecord& earlier, const Behaviours& devices,
                   unsigned stop_after = 0, bool killed = false) {
    Job job(request, earlier, devices);
    while (!job.ended()) {
        const bool stopped = stop_after > 0 && job.heard() >= stop_after;
        if (stopped && killed) break;
        job.look(20ms, stopped);
        pass_time(100us);
    }
    return job.outcome();
}

/// Between two looks of run_static(): more than half of a group's time, so that groups grow slowly and there is
/// something left to be cut.
inline constexpr std::chrono::milliseconds kSlowLook{200};

/// The same, with --partition static; every rank waits for its devices before it looks.
inline Outcome run_static(SearchRequest request, const SearchRecord& earlier, const Behaviours& devices,
                          const std::function<void(const Job&)>& looked = {}) {
    request.partition = PartitionMode::kStatic;
    Job job(request, earlier, devices);
    while (!job.ended()) {
        job.look(kSlowLook);
        if (looked) looked(job);
        job.wait_for_devices();
    }
    return job.outcome();
}

inline SearchRequest request_of_16_versions(Goal goal) {
    SearchRequest request = request_of(PartitionMode::kDynamic, goal, 1000, 3999);
    request.version_mask = kWideMask;
    return request;
}

inline std::vector<Key> keys(const WorkResult& result) {
    SearchReport report;
    report.hits = result.hits;
    return keys_of(report);
}

inline Behaviours alike(std::size_t ranks, std::size_t devices, const Behaviour& behaviour) {
    return Behaviours(ranks, std::vector<Behaviour>(devices, behaviour));
}

}  // namespace gpuminer::test
