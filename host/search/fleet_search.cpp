// FleetState's part that carries out a search.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "host/search/fleet_state.hpp"

namespace gpuminer {
namespace {

std::string seconds_text(std::chrono::milliseconds time) {
    return fmt::format("{} s", std::chrono::duration<double>(time).count());
}

}  // namespace

std::vector<DeviceReport> FleetState::carry_out(const std::shared_ptr<SearchContext>& context, const Joined& joined) {
    Lock lock(mutex_);
    context_ = context;
    ++search_;
    for (const MemberPointer& member : members_) {
        if (member->device && !member->worker && member->failure.empty()) recruit(member);
    }
    orders_.notify_all();
    try {
        work_until_over(lock, joined);
    } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        (void)end_search();
        throw;
    }
    const bool unfinished = !context->partition.stopped() && !context->partition.finished();
    std::vector<DeviceReport> reports = end_search();
    if (reports.empty() && unfinished) throw NoDeviceError(why_nobody());
    return reports;
}

void FleetState::work_until_over(Lock& lock, const Joined& joined) {
    auto next_tick = Clock::now() + times_.tick;
    std::optional<Clock::time_point> deadline;
    for (;;) {
        add_what_is_found();
        if (announce_one(lock, joined)) continue;  // much may have happened meanwhile
        cut_if_all_are_ready();
        if (over(deadline)) return;
        auto until = next_tick;
        if (deadline) until = std::min(until, *deadline);
        if (const auto begin = finder_ ? finder_->begin() : std::nullopt) until = std::min(until, *begin);
        news_.wait_until(lock, until);
        if (Clock::now() < next_tick) continue;
        next_tick = Clock::now() + times_.tick;
        count_tick();
    }
}

bool FleetState::announce_one(Lock& lock, const Joined& joined) {
    const auto part = std::ranges::find(parts_, false, &Part::announced);
    if (part == parts_.end()) return false;
    part->announced = true;
    const DeviceInfo info = part->worker->report().info;
    lock.unlock();
    if (joined) joined(info);
    lock.lock();
    return true;
}

/// Static pieces are cut once, among all that are to take part.
void FleetState::cut_if_all_are_ready() {
    if (context_->partition.is_cut() || more_to_open()) return;
    std::ranges::stable_sort(parts_, {}, [](const Part& part) { return part.member->rank; });
    std::vector<std::size_t> owners;
    for (const Part& part : parts_) owners.push_back(part.worker->index());
    context_->partition.cut(owners);
}

/// `deadline`: set here, once the search is over but for devices that are in their last batch.
bool FleetState::over(std::optional<Clock::time_point>& deadline) const {
    const bool ending = context_->partition.stopped() || context_->partition.finished();
    if (!somebody_at_work()) return ending || !somebody_expected();
    if (!ending) return false;
    if (!deadline) deadline = Clock::now() + times_.end;
    const auto may_be_left = [](const Part& part) { return part.ended || part.member->can_hang; };
    return Clock::now() >= *deadline && std::ranges::all_of(parts_, may_be_left);
}

/// The watchdog. It counts its own ticks: time in which the process was stopped is nobody's fault.
void FleetState::count_tick() {
    if (finder_) finder_->count_tick();
    for (const MemberPointer& member : members_) {
        if (!member->failure.empty()) continue;
        if (member->opening) {
            watch_opening(*member);
        } else if (member->can_hang) {
            watch_calls(*member);
        }
    }
}

void FleetState::watch_opening(Member& member) {
    member.unanswered += times_.tick;
    if (member.unanswered < times_.open) return;
    take_out(member, fmt::format("it did not open within {}", seconds_text(times_.open)));
    warn(fmt::format("{} is not used: {}", member.name, member.failure));
}

void FleetState::watch_calls(Member& member) {
    const std::uint64_t calls = member.device->calls();
    const bool in_the_same = calls % 2 == 1 && calls == member.seen_calls;
    member.seen_calls = calls;
    member.unanswered = in_the_same ? member.unanswered + times_.tick : std::chrono::milliseconds::zero();
    if (member.unanswered < times_.answer) return;
    take_out(member, fmt::format("it gave no answer for {}", seconds_text(times_.answer)));
    if (Part* part = part_of(member.worker)) {
        part->ended = true;
        part->worker->give_up(member.failure);
    } else {
        warn(fmt::format("{} is quarantined: {}", member.name, member.failure));
    }
}

std::vector<DeviceReport> FleetState::end_search() {
    context_->partition.stop();  // for those who come back late, and where the search ends by an exception
    std::ranges::stable_sort(parts_, {}, [](const Part& part) { return part.member->rank; });
    std::vector<DeviceReport> reports;
    for (const Part& part : parts_) {
        part.worker->abandon();
        reports.push_back(part.worker->report());
    }
    for (const MemberPointer& member : members_) {
        if (member->failure.empty() && !takes_part(*member))
            notices_.add(Severity::kDebug, member->name + " was not ready before the search ended");
    }
    if (finder_) {
        for (const std::string& name : finder_->unanswered())
            notices_.add(Severity::kDebug, name + " had not said what it has before the search ended");
    }
    context_.reset();
    parts_.clear();
    return reports;
}

void FleetState::recruit(const MemberPointer& member) {
    const std::size_t index = context_->partition.add_worker();
    if (member->paused) context_->partition.set_worker_paused(index, true);
    member->worker = std::make_shared<Worker>(context_, *member->device, index);
    member->search = search_;
    parts_.push_back({member, member->worker});
    news_.notify_all();
}

/// The worker's thread has come back from it, perhaps long after its search.
void FleetState::end_part(const MemberPointer& member, const std::shared_ptr<Worker>& worker) {
    member->worker.reset();
    Part* const part = part_of(worker);
    if (part != nullptr) part->ended = true;
    news_.notify_all();
    if (!member->failure.empty()) return;
    if (const std::string failure = worker->failure(); !failure.empty()) {
        take_out(*member, failure);
        if (finder_) finder_->failed(member->name);
        if (part == nullptr) warn(fmt::format("{} is quarantined: {}", member->name, failure));
    } else if (context_ && !takes_part(*member)) {
        recruit(member);
    }
}

// ----- questions -----

FleetState::Part* FleetState::part_of(const std::shared_ptr<Worker>& worker) {
    const auto part = std::ranges::find(parts_, worker, &Part::worker);
    return part != parts_.end() ? &*part : nullptr;
}

bool FleetState::more_to_open() const {
    const auto opening = [](const MemberPointer& member) { return member->opening && member->failure.empty(); };
    return (finder_ && finder_->pending()) || std::ranges::any_of(members_, opening);
}

bool FleetState::somebody_expected() const {
    const auto may_come = [this](const MemberPointer& m) { return m->failure.empty() && !takes_part(*m); };
    return (finder_ && finder_->pending()) || std::ranges::any_of(members_, may_come);
}

bool FleetState::somebody_at_work() const {
    return std::ranges::any_of(parts_, [](const Part& part) { return !part.ended; });
}

bool FleetState::waiting_for_devices() const {
    const Lock lock(mutex_);
    return context_ && (!context_->partition.is_cut() || (!somebody_at_work() && somebody_expected()));
}

}  // namespace gpuminer
