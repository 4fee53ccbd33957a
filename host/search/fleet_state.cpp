// FleetState: slots, their threads, and finding of GPUs. (Searches: fleet_state_search.cpp.)
#include "host/search/fleet_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>

namespace gpuminer {

void FleetState::add(unsigned rank, std::unique_ptr<Device> device) {
    const auto slot = std::make_shared<Slot>();
    slot->rank = rank;
    slot->name = device->info().name;
    slot->can_hang = device->can_hang();
    slot->device = std::make_shared<WatchedDevice>(std::move(device));
    const MutexLock lock(mutex_);
    start(slot, {});
}

void FleetState::add(const ListedDevice& device, const DeviceOptions& options) {
    const MutexLock lock(mutex_);
    add_locked(device, options);
}

void FleetState::add_locked(const ListedDevice& device, const DeviceOptions& options) {
    const auto slot = std::make_shared<Slot>();
    slot->rank = device.rank;
    slot->name = device.probe.info.name;
    slot->opening = true;
    start(slot, [backend = device.backend, probe = device.probe, options] { return backend->open(probe, options); });
}

void FleetState::start(SlotPointer slot, Opening opening) {
    try {
        slot->thread = AbandonableThread(
            [self = shared_from_this(), slot, opening = std::move(opening)] { self->serve(slot, opening); });
    } catch (const std::system_error& error) {
        exclude(*slot, fmt::format("no thread could be started for it: {}", error.what()));
        return warn(fmt::format("{} is not used: {}", slot->name, slot->failure));
    }
    slots_.push_back(std::move(slot));
    std::ranges::stable_sort(slots_, {}, [](const auto& any) { return any->rank; });
}

void FleetState::exclude(Slot& slot, const std::string& reason) {
    slot.failure = reason;
    problems_ += fmt::format("; {}: {}", slot.name, reason);
}

void FleetState::note_problem(const std::string& name, const std::string& reason) {
    const MutexLock lock(mutex_);
    problems_ += fmt::format("; {}: {}", name, reason);
}

void FleetState::serve(const SlotPointer& slot, const Opening& opening) {
    if (opening) open(slot, opening);
    MutexLock lock(mutex_);
    for (;;) {
        work_available_.wait(
            mutex_, [&]() GPUMINER_REQUIRES(mutex_) { return closing_ || !slot->failure.empty() || slot->worker; });
        if (closing_ || !slot->failure.empty()) break;
        const std::shared_ptr<Worker> worker = slot->worker;
        lock.unlock();
        worker->run();
        lock.lock();
        end_participation(slot, worker);
    }
    slot->worker.reset();
    auto device = std::exchange(slot->device, nullptr);
    lock.unlock();
    device.reset();  // by the thread that used it; this may take its time
    lock.lock();
    slot->ended = true;
    changed_.notify_all();
}

void FleetState::open(const SlotPointer& slot, const Opening& opening) {
    std::unique_ptr<Device> device;
    std::string reason = "it failed without giving a reason";
    try {
        device = opening();
    } catch (const std::exception& error) {
        reason = error.what();
    } catch (...) {
    }
    const MutexLock lock(mutex_);
    slot->opening = false;
    changed_.notify_all();
    if (closing_ || !slot->failure.empty()) return;  // too late; the device is closed after the lock
    if (!device) {
        exclude(*slot, reason);
        if (finder_) finder_->failed(slot->name);
        return warn(fmt::format("{} is not used: {}", slot->name, reason));
    }
    slot->can_hang = device->can_hang();
    slot->device = std::make_shared<WatchedDevice>(std::move(device));
    if (context_) assign_worker(slot);
}

void FleetState::close() {
    MutexLock lock(mutex_);
    closing_ = true;
    work_available_.notify_all();
    auto finder = std::move(finder_);
    lock.unlock();
    finder.reset();  // it joins threads that may be waiting for the lock
    lock.lock();
    // What opens or searches now is not waited for.
    changed_.wait_until(mutex_, Clock::now() + times_.close, [this]() GPUMINER_REQUIRES(mutex_) {
        return std::ranges::all_of(slots_, [](const auto& m) { return m->ended || m->opening || m->worker; });
    });
    std::vector<std::pair<SlotPointer, bool>> slots;
    for (const SlotPointer& slot : slots_) slots.emplace_back(slot, slot->ended || !slot->can_hang);
    slots_.clear();
    lock.unlock();
    for (const auto& [slot, will_end] : slots) slot->thread.end(will_end);
}

std::vector<DeviceInfo> FleetState::ready() const {
    const MutexLock lock(mutex_);
    std::vector<DeviceInfo> infos;
    for (const SlotPointer& slot : slots_) {
        if (slot->device && slot->failure.empty()) infos.push_back(slot->device->info());
    }
    return infos;
}

void FleetState::pause_device(const std::string& name, PauseReason reason, bool paused) {
    const MutexLock lock(mutex_);
    for (const SlotPointer& slot : slots_) {
        if (slot->name != name) continue;
        const auto bit = static_cast<unsigned>(reason);
        slot->paused = paused ? slot->paused | bit : slot->paused & ~bit;
        if (participation_of(slot->worker) != nullptr)
            context_->partition.set_worker_paused(slot->worker->index(), slot->paused != 0);
    }
}

std::vector<DeviceStatus> FleetState::devices() const {
    const MutexLock lock(mutex_);
    std::vector<DeviceStatus> devices;
    for (const SlotPointer& slot : slots_) {  // participations are in the order in which devices joined
        const auto has_slot = [&](const Participation& any) { return any.slot == slot; };
        const auto found = std::ranges::find_if(participations_, has_slot);
        if (found == participations_.end()) continue;
        const auto paused_for = [&](PauseReason reason) { return (slot->paused & static_cast<unsigned>(reason)) != 0; };
        devices.push_back(
            {found->worker->report(), paused_for(PauseReason::kUser), paused_for(PauseReason::kTemperature)});
    }
    return devices;
}

// ----- finding GPUs -----

void FleetState::note_named(const DeviceSelection& selection) {
    const MutexLock lock(mutex_);
    devices_named_ = !selection.devices.empty();
    named_backends_ = selection.backends;
}

void FleetState::find_gpus(Backends backends, const DeviceSelection& selection,
                           const std::vector<const Backend*>& asked) {
    constexpr std::chrono::milliseconds kLongest{300};  // signals wait as long
    const MutexLock lock(mutex_);
    const auto now = Clock::now();
    const auto answered = [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->wake();
    };
    finder_ = std::make_unique<DeviceFinder>(backends, selection, asked, slots_.empty() ? now : now + times_.head_start,
                                             times_, answered);
    changed_.wait_until(mutex_, now + kLongest, [this]() GPUMINER_REQUIRES(mutex_) {
        add_found();
        return !slots_.empty() || !finder_->pending();
    });
}

void FleetState::add_found() {
    if (!finder_) return;
    for (const ListedDevice& device : finder_->next()) add_locked(device, finder_->options());
    for (Notice& notice : finder_->take_notices()) notices_.add(notice.severity, std::move(notice.text));
}

void FleetState::require_devices() {
    const MutexLock lock(mutex_);
    add_found();  // a GPU that has failed already may be reached through another API
    const auto usable = [](const SlotPointer& slot) { return slot->failure.empty(); };
    if (std::ranges::any_of(slots_, usable) || any_to_open()) return;
    throw NoDeviceError(no_device_reason());
}

std::string FleetState::no_device_reason() const {
    return "no usable device" + problems_ + (finder_ ? finder_->problems() : "");
}

void FleetState::wake() {
    const MutexLock lock(mutex_);
    changed_.notify_all();
}

}  // namespace gpuminer
