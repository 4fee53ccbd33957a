#include "mpi/loops.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace gpuminer::mpi {
namespace {

/// Between two looks for messages and at the rank's own devices. Over TCP others' access to rank 0's memory comes
/// forward only while it looks; they have work for 0.15 s when they ask. (Every 0.5 ms took 3 % of a processor.)
constexpr std::chrono::milliseconds kPause{2};

}  // namespace

void lead(Communicator& communicator, RankWorker& worker, Coordinator& coordinator,
          const std::function<Coordinator::Wish()>& wish, const std::function<void()>& heard) {
    while (!coordinator.ended()) {
        while (auto message = communicator.poll()) {
            coordinator.take(static_cast<unsigned>(message->from), news_of(message->bytes));
        }
        if (auto news = worker.step(RankWorker::Clock::now(), 0)) coordinator.take(0, std::move(*news));
        heard();
        for (auto& [rank, orders] : coordinator.due(wish())) {
            if (rank == 0) {
                worker.obey(orders);
            } else {
                communicator.send(static_cast<int>(rank), to_bytes(orders));
            }
        }
        std::this_thread::sleep_for(kPause);
    }
}

void follow(Communicator& communicator, RankWorker& worker, const std::function<int()>& stop_signal) {
    while (!worker.ended()) {
        while (auto message = communicator.poll()) worker.obey(orders_of(message->bytes));
        if (auto news = worker.step(RankWorker::Clock::now(), stop_signal())) communicator.send(0, to_bytes(*news));
        std::this_thread::sleep_for(kPause);
    }
}

}  // namespace gpuminer::mpi
