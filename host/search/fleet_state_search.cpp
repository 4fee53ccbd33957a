// FleetState: one search, from its first worker to the reports of all, and the watchdog.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "host/search/fleet_state.hpp"

namespace gpuminer {
namespace {

std::string seconds_text(std::chrono::milliseconds time) {
    return fmt::format("{} s", std::chrono::duration<double>(time).count());
}

}  // namespace

std::vector<DeviceReport> FleetState::run(const std::shared_ptr<SearchContext>& context, const Joined& joined,
                                          const Complete& complete) {
    const MutexLock lock(mutex_);
    context_ = context;
    ++search_;
    for (const SlotPointer& slot : slots_) {
        if (slot->device && !slot->worker && slot->failure.empty()) assign_worker(slot);
    }
    work_available_.notify_all();
    try {
        wait_until_over(joined, complete);
    } catch (...) {
        (void)end_search();
        throw;
    }
    const bool unfinished = !context->partition.stopped() && !context->partition.finished();
    std::vector<DeviceReport> reports = end_search();
    if (reports.empty() && unfinished) throw NoDeviceError(no_device_reason());
    return reports;
}

void FleetState::wait_until_over(const Joined& joined, Complete complete) {
    auto next_tick = Clock::now() + times_.tick;
    std::optional<Clock::time_point> deadline;
    for (;;) {
        add_found();
        if (announce_one(joined)) continue;  // much may have happened meanwhile
        if (complete && !any_to_open()) {
            call_unlocked(std::exchange(complete, nullptr));
            continue;
        }
        cut_if_all_are_ready();
        if (over(deadline)) return;
        auto until = next_tick;
        // Once it is over, those that cannot hang are waited for; they notify.
        if (deadline && *deadline > Clock::now()) until = std::min(until, *deadline);
        if (const auto begin = finder_ ? finder_->begin() : std::nullopt) until = std::min(until, *begin);
        changed_.wait_until(mutex_, until);
        if (Clock::now() < next_tick) continue;
        next_tick = Clock::now() + times_.tick;
        count_tick();
    }
}

bool FleetState::announce_one(const Joined& joined) {
    const auto participation = std::ranges::find(participations_, false, &Participation::announced);
    if (participation == participations_.end()) return false;
    participation->announced = true;
    const DeviceInfo info = participation->worker->report().info;
    if (joined) call_unlocked([&] { joined(info); });
    return true;
}

void FleetState::call_unlocked(const std::function<void()>& action) {
    mutex_.unlock();
    try {
        action();
    } catch (...) {
        mutex_.lock();
        throw;
    }
    mutex_.lock();
}

/// Static pieces are cut once, among all that are to take part.
void FleetState::cut_if_all_are_ready() {
    if (context_->partition.is_cut() || any_to_open()) return;
    std::ranges::stable_sort(participations_, {},
                             [](const Participation& participation) { return participation.slot->rank; });
    std::vector<std::size_t> owners;
    for (const Participation& participation : participations_) owners.push_back(participation.worker->index());
    context_->partition.cut(owners);
}

/// `deadline`: set here, once the search is over but for devices that are in their last batch.
bool FleetState::over(std::optional<Clock::time_point>& deadline) const {
    const bool ending = context_->partition.stopped() || context_->partition.finished();
    if (!any_at_work()) return ending || !may_gain_devices();
    if (!ending) return false;
    if (!deadline) deadline = Clock::now() + times_.end;
    const auto may_be_abandoned = [](const Participation& participation) {
        return participation.ended || participation.slot->can_hang;
    };
    return Clock::now() >= *deadline && std::ranges::all_of(participations_, may_be_abandoned);
}

/// The watchdog. It counts its own ticks: time in which the process was stopped does not count.
void FleetState::count_tick() {
    if (finder_) finder_->count_tick();
    for (const SlotPointer& slot : slots_) {
        if (!slot->failure.empty()) continue;
        if (slot->opening) {
            watch_opening(*slot);
        } else if (slot->can_hang) {
            watch_calls(*slot);
        }
    }
}

void FleetState::watch_opening(Slot& slot) {
    slot.unanswered += times_.tick;
    if (slot.unanswered < times_.open) return;
    exclude(slot, fmt::format("it did not open within {}", seconds_text(times_.open)));
    warn(fmt::format("{} is not used: {}", slot.name, slot.failure));
}

void FleetState::watch_calls(Slot& slot) {
    const std::uint64_t calls = slot.device->calls();
    const bool in_the_same = calls % 2 == 1 && calls == slot.seen_calls;
    slot.seen_calls = calls;
    slot.unanswered = in_the_same ? slot.unanswered + times_.tick : std::chrono::milliseconds::zero();
    if (slot.unanswered < times_.answer) return;
    exclude(slot, fmt::format("it did not respond for {}", seconds_text(times_.answer)));
    if (Participation* participation = participation_of(slot.worker)) {
        participation->ended = true;
        participation->worker->give_up(slot.failure);
    } else {
        warn(fmt::format("{} is quarantined: {}", slot.name, slot.failure));
    }
}

std::vector<DeviceReport> FleetState::end_search() {
    context_->partition.stop();  // for devices that return late, and where the search ends by an exception
    std::ranges::stable_sort(participations_, {},
                             [](const Participation& participation) { return participation.slot->rank; });
    std::vector<DeviceReport> reports;
    for (const Participation& participation : participations_) {
        participation.worker->abandon();
        reports.push_back(participation.worker->report());
    }
    note_missing();
    context_.reset();
    participations_.clear();
    return reports;
}

/// What the search has ended without: for the log, and for whoever has named it.
void FleetState::note_missing() {
    const auto severity_of = [this](const std::string& name) GPUMINER_REQUIRES(mutex_) {
        const bool named = devices_named_ ||
                           std::ranges::find(named_backends_, name.substr(0, name.find(':'))) != named_backends_.end();
        return named ? Severity::kInfo : Severity::kDebug;
    };
    for (const SlotPointer& slot : slots_) {
        if (slot->failure.empty() && !takes_part(*slot))
            notices_.add(severity_of(slot->name), slot->name + " was not ready before the search ended");
    }
    if (finder_) {
        for (const std::string& name : finder_->unanswered())
            notices_.add(severity_of(name), name + " was still being probed when the search ended");
    }
}

void FleetState::assign_worker(const SlotPointer& slot) {
    const std::size_t index = context_->partition.add_worker();
    if (slot->paused != 0) context_->partition.set_worker_paused(index, true);
    slot->worker = std::make_shared<Worker>(context_, *slot->device, index);
    slot->search = search_;
    participations_.push_back({slot, slot->worker});
    changed_.notify_all();
}

/// The slot's thread has left the worker's run(), perhaps long after its search.
void FleetState::end_participation(const SlotPointer& slot, const std::shared_ptr<Worker>& worker) {
    slot->worker.reset();
    Participation* const participation = participation_of(worker);
    if (participation != nullptr) participation->ended = true;
    changed_.notify_all();
    if (!slot->failure.empty()) return;
    if (const std::string failure = worker->failure(); !failure.empty()) {
        exclude(*slot, failure);
        if (finder_) finder_->failed(slot->name);
        if (participation == nullptr) warn(fmt::format("{} is quarantined: {}", slot->name, failure));
    } else if (context_ && !takes_part(*slot)) {
        assign_worker(slot);
    }
}

// ----- questions -----

FleetState::Participation* FleetState::participation_of(const std::shared_ptr<Worker>& worker) {
    const auto participation = std::ranges::find(participations_, worker, &Participation::worker);
    return participation != participations_.end() ? &*participation : nullptr;
}

bool FleetState::any_to_open() const {
    const auto opening = [](const SlotPointer& slot) { return slot->opening && slot->failure.empty(); };
    return (finder_ && finder_->pending()) || std::ranges::any_of(slots_, opening);
}

bool FleetState::may_gain_devices() const {
    const auto may_come = [this](const SlotPointer& slot)
                              GPUMINER_REQUIRES(mutex_) { return slot->failure.empty() && !takes_part(*slot); };
    return (finder_ && finder_->pending()) || std::ranges::any_of(slots_, may_come);
}

bool FleetState::any_at_work() const {
    return std::ranges::any_of(participations_,
                               [](const Participation& participation) { return !participation.ended; });
}

bool FleetState::every_device_paused() const {
    const MutexLock lock(mutex_);
    const auto at_work = [](const Participation& any) { return !any.ended && any.slot->paused == 0; };
    return any_at_work() && std::ranges::none_of(participations_, at_work);
}

bool FleetState::waiting_for_devices() const {
    const MutexLock lock(mutex_);
    return context_ && (!context_->partition.is_cut() || (!any_at_work() && may_gain_devices()));
}

}  // namespace gpuminer
