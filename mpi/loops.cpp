#include "mpi/loops.hpp"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace gpuminer::mpi {
namespace {

/// Between two looks for messages and at the rank's own devices. Over TCP others' access to rank 0's memory comes
/// forward only while it looks; they have work for 0.15 s when they ask. (Every 0.5 ms took 3 % of a processor.)
constexpr std::chrono::milliseconds kPause{2};

/// Of booking what ranks have told, between two looks; and in all once they are told to stop.
constexpr std::chrono::milliseconds kBooking{50}, kBookingAtTheEnd{150};

using Clock = Coordinator::Clock;

std::optional<RankNews> next_news(RankWorker& worker, int stop_signal, const std::function<std::string()>& report) {
    std::optional<RankNews> news = worker.step(RankWorker::Clock::now(), stop_signal);
    if (news && news->last) news->report = report();
    return news;
}

}  // namespace

bool lead(Communicator& communicator, RankWorker& worker, Coordinator& coordinator, const LeaderActions& actions) {
    std::optional<Clock::time_point> over;
    Clock::duration booking_left = kBookingAtTheEnd;
    while (!coordinator.ended()) {
        while (auto message = communicator.poll())
            coordinator.take(static_cast<unsigned>(message->from), news_of(message->bytes));
        if (auto news = next_news(worker, 0, actions.report)) coordinator.take(0, std::move(*news));
        const Clock::time_point before = Clock::now();
        if (over && before > *over + Communicator::kPatience) return false;
        coordinator.book(before + (over ? booking_left : kBooking));
        if (over) booking_left -= Clock::now() - before;
        if (booking_left <= Clock::duration::zero()) coordinator.forget();
        actions.heard();
        for (auto& [rank, orders] : coordinator.due(actions.wish())) {
            if (rank == 0) {
                worker.obey(orders);
            } else {
                communicator.send(static_cast<int>(rank), to_bytes(orders));
            }
        }
        if (!over && coordinator.told_over()) over = Clock::now();
        std::this_thread::sleep_for(kPause);
    }
    return true;
}

void follow(Communicator& communicator, RankWorker& worker, const std::function<int()>& stop_signal,
            const std::function<std::string()>& report) {
    while (!worker.ended()) {
        while (auto message = communicator.poll()) worker.obey(orders_of(message->bytes));
        if (auto news = next_news(worker, stop_signal(), report)) communicator.send(0, to_bytes(*news));
        std::this_thread::sleep_for(kPause);
    }
}

}  // namespace gpuminer::mpi
