#include "baremetal/team.hpp"

#include "baremetal/processor.hpp"

namespace gpuminer::baremetal {

using namespace uefi;

Team::Team(const Firmware& firmware, const Console& console)
    : firmware_(firmware), console_(console), services_(firmware.locate<MpServices>()), memory_(firmware) {}

bool Team::gather(std::size_t threads) {
    std::size_t enabled = 0;
    if (services_ == nullptr) {
        console_.line("note: this firmware has no MP Services, so that the boot processor works alone");
    } else if (const Status status = services_->get_number_of_processors(services_, &processors_, &enabled);
               failed(status)) {
        services_ = nullptr;
        Line note;
        note.add("note: the firmware does not say how many processors there are, so that one works alone: ");
        add_status(note, status);
        console_.line(note);
    }
    const std::size_t others = services_ != nullptr ? number_workers(threads, true) : 0;
    if (others == 0) services_ = nullptr;
    if (!allocate(others == 0 ? 1 : others)) return false;
    return others == 0 || number_workers(threads, false) == others;
}

bool Team::is_usable(std::size_t number, const ProcessorInformation& information, bool say) const {
    if ((information.status & kBootProcessor) != 0) return false;
    constexpr std::uint32_t kUsable = kProcessorEnabled | kProcessorHealthy;
    if ((information.status & kUsable) == kUsable) return true;
    if (say) {
        Line note;
        note.add("note: processor ").number(number).add(" is left out, as the firmware calls it ");
        console_.line(note.add((information.status & kProcessorHealthy) == 0 ? "unhealthy" : "disabled"));
    }
    return false;
}

/// Gives workers the processors' numbers, or counts them only and says which are left out. As under Linux
/// (cpu/machine/topology.hpp), a second hardware thread of a core is taken once each core has one.
std::size_t Team::number_workers(std::size_t threads, bool count_only) {
    std::size_t workers = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t number = 0; number < processors_ && workers < threads; ++number) {
            ProcessorInformation information{};
            if (failed(services_->get_processor_info(services_, number, &information))) continue;
            if ((information.thread == 0) != (pass == 0) || !is_usable(number, information, count_only)) continue;
            if (!count_only) (*this)[workers].processor = number;
            ++workers;
        }
    }
    return workers;
}

bool Team::allocate(std::size_t workers) {
    size_ = workers;
    const std::size_t size_of_workers = (workers * sizeof(Worker) + kPageSize - 1) / kPageSize * kPageSize;
    if (!memory_.allocate(size_of_workers + workers * kStack)) return false;
    for (std::size_t i = 0; i < workers; ++i) (*this)[i] = Worker();
    return true;
}

std::uint8_t* Team::stack_top(std::size_t worker) const {
    const std::size_t size_of_workers = (size_ * sizeof(Worker) + kPageSize - 1) / kPageSize * kPageSize;
    return memory_.data() + size_of_workers + (worker + 1) * kStack;
}

void Team::on_own_stack(void* argument) {
    const auto& call = *static_cast<const Call*>(argument);
    Worker& worker = (*call.team)[call.worker];
    worker.reach(Stage::kWorking);
    enable_vector_registers();
    call.task.function(worker, call.task.argument, call.pause);
    worker.reach(Stage::kBack);
}

/// The same argument for all processors: each looks up which one it is.
void Team::on_this_processor(void* argument) {
    Call call = *static_cast<const Call*>(argument);
    std::size_t number = 0;
    if (failed(call.team->services_->who_am_i(call.team->services_, &number))) return;
    for (call.worker = 0; call.worker < call.team->size(); ++call.worker) {
        if ((*call.team)[call.worker].processor != number) continue;
        call_on_stack(on_own_stack, &call, call.team->stack_top(call.worker));
        return;
    }
}

Status Team::run(const Task& task, const Pause& pause, std::uint64_t limit_s) {
    for (std::size_t i = 0; i < size_; ++i) (*this)[i].reach(Stage::kWaiting);
    call_ = {this, task, {}, 0};
    Status status = kSuccess;
    if (boot_processor_works()) {
        call_.pause = pause;
        call_on_stack(on_own_stack, &call_, stack_top(0));
    } else {
        status = run_on_others(pause, limit_s);
    }
    if (!failed(status) || status == kTimeout) find_the_lost();
    return status;
}

Status Team::run_on_others(const Pause& pause, std::uint64_t limit_s) {
    constexpr std::uint64_t kMicroseconds = 1000000;
    Event done = nullptr;
    if (pause.function != nullptr && failed(firmware_.boot().create_event(0, 0, nullptr, nullptr, &done)))
        done = nullptr;
    const auto start = [&](Event event) {
        return services_->start_all(services_, on_this_processor, false, event,
                                    event != nullptr ? 0 : limit_s * kMicroseconds, &call_, nullptr);
    };
    Status status = start(done);
    if (done == nullptr) return status;
    if (status == kUnsupported) {
        // After the event ReadyToBoot firmware may refuse to start processors without waiting for them (PI 1.7).
        status = start(nullptr);
    } else if (!failed(status)) {
        while (firmware_.boot().check_event(done) == kNotReady) {
            if (!pause.function(pause.argument)) return kTimeout;  // the event stays: firmware may still signal it
        }
    }
    (void)firmware_.boot().close_event(done);
    return status;
}

/// After a run: who is not back.
void Team::find_the_lost() {
    for (std::size_t i = 0; i < size_; ++i) {
        Worker& worker = (*this)[i];
        const Stage stage = worker.reached();
        if (stage == Stage::kBack) continue;
        worker.failure = stage == Stage::kWorking ? Failure::kLost : Failure::kNotStarted;
        lost_ = true;
    }
    if (lost_) memory_.keep();
}

}  // namespace gpuminer::baremetal
