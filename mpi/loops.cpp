#include "mpi/loops.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace gpuminer::mpi {
namespace {

/// Between two looks for messages. Rank 0 looks more often: over TCP others' access to its memory comes forward only
/// meanwhile. (They have work for 0.15 s when they ask; looking every 0.1 ms took 4 % of a processor.)
constexpr std::chrono::microseconds kPauseOfFirst{500};
constexpr std::chrono::microseconds kPauseOfOthers{1000};
/// Between two looks at the rank's own devices, which cost more.
constexpr std::chrono::microseconds kPauseOfWork{1000};

}  // namespace

void lead(Communicator& communicator, RankWorker& worker, Coordinator& coordinator,
          const std::function<Coordinator::Wish()>& wish, const std::function<void()>& heard) {
    RankWorker::Clock::time_point looked;
    while (!coordinator.ended()) {
        bool any = false;
        while (auto message = communicator.poll()) {
            coordinator.take(static_cast<unsigned>(message->from), news_of(message->bytes));
            any = true;
        }
        const RankWorker::Clock::time_point now = RankWorker::Clock::now();
        if (!any && now - looked < kPauseOfWork) {
            std::this_thread::sleep_for(kPauseOfFirst);
            continue;
        }
        looked = now;
        if (auto news = worker.step(now, 0)) coordinator.take(0, std::move(*news));
        heard();
        for (auto& [rank, orders] : coordinator.due(wish())) {
            if (rank == 0) {
                worker.obey(orders);
            } else {
                communicator.send(static_cast<int>(rank), to_bytes(orders));
            }
        }
        std::this_thread::sleep_for(kPauseOfFirst);
    }
}

void follow(Communicator& communicator, RankWorker& worker, const std::function<int()>& stop_signal) {
    while (!worker.ended()) {
        while (auto message = communicator.poll()) worker.obey(orders_of(message->bytes));
        if (auto news = worker.step(RankWorker::Clock::now(), stop_signal())) communicator.send(0, to_bytes(*news));
        std::this_thread::sleep_for(kPauseOfOthers);
    }
}

}  // namespace gpuminer::mpi
