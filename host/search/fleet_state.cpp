// FleetState's part that concerns members and their threads; fleet_search.cpp has the other.
#include "host/search/fleet_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>

#include "host/abandoned_threads.hpp"

namespace gpuminer {

void FleetState::add(unsigned rank, std::unique_ptr<Device> device) {
    const auto member = std::make_shared<Member>();
    member->rank = rank;
    member->name = device->info().name;
    member->can_hang = device->can_hang();
    member->device = std::make_shared<WatchedDevice>(std::move(device));
    const Lock lock(mutex_);
    start(member, {});
}

void FleetState::add(const ListedDevice& device, const DeviceOptions& options) {
    const Lock lock(mutex_);
    add_locked(device, options);
}

void FleetState::add_locked(const ListedDevice& device, const DeviceOptions& options) {
    const auto member = std::make_shared<Member>();
    member->rank = device.rank;
    member->name = device.probe.info.name;
    member->opening = true;
    start(member, [backend = device.backend, probe = device.probe, options] { return backend->open(probe, options); });
}

void FleetState::start(MemberPointer member, Opening opening) {
    try {
        member->thread = std::thread(
            [self = shared_from_this(), member, opening = std::move(opening)] { self->serve(member, opening); });
    } catch (const std::system_error& error) {
        take_out(*member, fmt::format("no thread could be started for it: {}", error.what()));
        return warn(fmt::format("{} is not used: {}", member->name, member->failure));
    }
    members_.push_back(std::move(member));
    std::ranges::stable_sort(members_, {}, [](const auto& any) { return any->rank; });
}

void FleetState::take_out(Member& member, const std::string& reason) {
    member.failure = reason;
    problems_ += fmt::format("; {}: {}", member.name, reason);
}

void FleetState::note_problem(const std::string& name, const std::string& reason) {
    const Lock lock(mutex_);
    problems_ += fmt::format("; {}: {}", name, reason);
}

void FleetState::serve(const MemberPointer& member, const Opening& opening) {
    if (opening) open(member, opening);
    Lock lock(mutex_);
    for (;;) {
        orders_.wait(lock, [&] { return closing_ || !member->failure.empty() || member->worker; });
        if (closing_ || !member->failure.empty()) break;
        const std::shared_ptr<Worker> worker = member->worker;
        lock.unlock();
        worker->run();
        lock.lock();
        end_part(member, worker);
    }
    member->worker.reset();
    auto device = std::exchange(member->device, nullptr);
    lock.unlock();
    device.reset();  // by the thread that used it; this may take its time
    lock.lock();
    member->ended = true;
    news_.notify_all();
}

void FleetState::open(const MemberPointer& member, const Opening& opening) {
    std::unique_ptr<Device> device;
    std::string reason = "it failed without saying why";
    try {
        device = opening();
    } catch (const std::exception& error) {
        reason = error.what();
    } catch (...) {
    }
    const Lock lock(mutex_);
    member->opening = false;
    news_.notify_all();
    if (closing_ || !member->failure.empty()) return;  // too late; the device is closed after the lock
    if (!device) {
        take_out(*member, reason);
        if (finder_) finder_->failed(member->name);
        return warn(fmt::format("{} is not used: {}", member->name, reason));
    }
    member->can_hang = device->can_hang();
    member->device = std::make_shared<WatchedDevice>(std::move(device));
    if (context_) recruit(member);
}

void FleetState::close() {
    Lock lock(mutex_);
    closing_ = true;
    orders_.notify_all();
    auto finder = std::move(finder_);
    lock.unlock();
    finder.reset();  // it joins threads that may be waiting for the lock
    lock.lock();
    // Those that are in a driver by now have had their time.
    news_.wait_until(lock, Clock::now() + times_.close, [this] {
        return std::ranges::all_of(members_, [](const auto& m) { return m->ended || m->opening || m->worker; });
    });
    std::vector<MemberPointer> waiting_for;
    for (const MemberPointer& member : members_) {
        if (member->can_hang && !member->ended) {
            member->thread.detach();
            note_abandoned_thread();
        } else {
            waiting_for.push_back(member);
        }
    }
    members_.clear();
    lock.unlock();
    for (const MemberPointer& member : waiting_for) member->thread.join();
}

std::vector<DeviceInfo> FleetState::ready() const {
    const Lock lock(mutex_);
    std::vector<DeviceInfo> infos;
    for (const MemberPointer& member : members_) {
        if (member->device && member->failure.empty()) infos.push_back(member->device->info());
    }
    return infos;
}

void FleetState::pause(const std::string& name, bool paused) {
    const Lock lock(mutex_);
    for (const MemberPointer& member : members_) {
        if (member->name != name) continue;
        member->paused = paused;
        if (const Part* part = part_of(member->worker))
            context_->partition.set_worker_paused(part->worker->index(), paused);
    }
}

// ----- finding GPUs -----

void FleetState::look_for(Backends backends, const DeviceSelection& selection,
                          const std::vector<const Backend*>& asked) {
    constexpr std::chrono::milliseconds kFirst{300};  // less than a signal may wait
    Lock lock(mutex_);
    const auto now = Clock::now();
    const auto answered = [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->wake();
    };
    finder_ = std::make_unique<DeviceFinder>(backends, selection, asked,
                                             members_.empty() ? now : now + times_.head_start, times_, answered);
    add_what_is_found();
    while (members_.empty() && finder_->pending() &&
           news_.wait_until(lock, now + kFirst) == std::cv_status::no_timeout) {
        add_what_is_found();
    }
}

void FleetState::add_what_is_found() {
    if (!finder_) return;
    for (const ListedDevice& device : finder_->next()) add_locked(device, finder_->options());
    for (Notice& notice : finder_->take_notices()) notices_.add(notice.severity, std::move(notice.text));
}

void FleetState::require_somebody() {
    const Lock lock(mutex_);
    add_what_is_found();  // a GPU that has failed already may be reached through another API
    const auto usable = [](const MemberPointer& member) { return member->failure.empty(); };
    if (std::ranges::any_of(members_, usable) || more_to_open()) return;
    throw NoDeviceError(why_nobody());
}

std::string FleetState::why_nobody() const {
    return "no usable device" + problems_ + (finder_ ? finder_->problems() : "");
}

void FleetState::wake() {
    const Lock lock(mutex_);
    news_.notify_all();
}

}  // namespace gpuminer
