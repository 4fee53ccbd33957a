// The searching processors: all but the boot processor, started through the firmware's MP Services; if there is no
// other, the boot processor alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "baremetal/console.hpp"
#include "baremetal/firmware.hpp"
#include "baremetal/search.hpp"

namespace gpuminer::baremetal {

/// What a worker is asked to do, on its own processor, with vector registers enabled.
struct Task {
    void (*function)(Worker& worker, void* argument, const Pause& pause) = nullptr;
    void* argument = nullptr;
};

class Team {
public:
    Team(const Firmware& firmware, const Console& console);

    /// At most `threads` workers, and as many as there are. Says which processors are left out, and why. False: there
    /// is not enough memory.
    [[nodiscard]] bool gather(std::size_t threads);

    [[nodiscard]] std::size_t processors() const { return processors_; }  ///< of the machine
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Worker& operator[](std::size_t i) const { return reinterpret_cast<Worker*>(memory_.data())[i]; }
    [[nodiscard]] bool boot_processor_works() const { return services_ == nullptr; }

    /// Returns when all workers are back, or when there is no use in waiting: `pause`, called about ten times a second
    /// on the boot processor, says so, or, where the boot processor waits inside the firmware as there is no `pause` or
    /// the firmware wants it so, `limit_s` seconds are over. Workers that are not back have failed then.
    [[nodiscard]] uefi::Status run(const Task& task, const Pause& pause, std::uint64_t limit_s);

    /// A processor may still run: the memory of the workers stays theirs, this object and all that the task was given
    /// have to stay, too, and the machine cannot go on without a restart.
    [[nodiscard]] bool lost() const { return lost_; }

private:
    static constexpr std::size_t kStack = std::size_t{512} << 10;  ///< bytes for each worker

    /// What a processor needs to find its work. Not on a stack: one that starts late may look at it at any time.
    struct Call {
        const Team* team = nullptr;
        Task task;
        Pause pause;  ///< for the boot processor, where it works
        std::size_t worker = 0;
    };
    static void on_this_processor(void* call);
    static void on_own_stack(void* call);

    [[nodiscard]] bool allocate(std::size_t workers);
    [[nodiscard]] std::size_t number_workers(std::size_t threads, bool count_only);
    [[nodiscard]] bool is_usable(std::size_t number, const uefi::ProcessorInformation& information, bool say) const;
    [[nodiscard]] std::uint8_t* stack_top(std::size_t worker) const;
    [[nodiscard]] uefi::Status run_on_others(const Pause& pause, std::uint64_t limit_s);
    void find_the_lost();

    const Firmware& firmware_;
    const Console& console_;
    uefi::MpServices* services_;  ///< null: the boot processor works
    Pages memory_;                ///< workers, then stacks
    std::size_t processors_ = 1, size_ = 0;
    bool lost_ = false;
    Call call_;
};

}  // namespace gpuminer::baremetal
