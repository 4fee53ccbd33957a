#include "mpi/loops.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace gpuminer::mpi {
namespace {

/// Between two looks for messages. Rank 0 looks often: others' access to its memory comes forward only meanwhile.
constexpr std::chrono::microseconds kPauseOfFirst{100};
constexpr std::chrono::microseconds kPauseOfOthers{1000};

}  // namespace

void lead(Communicator& communicator, RankWorker& worker, Coordinator& coordinator,
          const std::function<Coordinator::Wish()>& wish, const std::function<void()>& heard) {
    while (!coordinator.ended()) {
        while (auto message = communicator.poll())
            coordinator.take(static_cast<unsigned>(message->from), news_of(message->bytes));
        if (auto news = worker.step(RankWorker::Clock::now(), false)) coordinator.take(0, std::move(*news));
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

void follow(Communicator& communicator, RankWorker& worker, const std::function<bool()>& told_to_stop) {
    while (!worker.ended()) {
        while (auto message = communicator.poll()) worker.obey(orders_of(message->bytes));
        if (auto news = worker.step(RankWorker::Clock::now(), told_to_stop())) communicator.send(0, to_bytes(*news));
        std::this_thread::sleep_for(kPauseOfOthers);
    }
}

}  // namespace gpuminer::mpi
