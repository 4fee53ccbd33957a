// The thread that writes a search's checkpoint now and then.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "host/checkpoint/checkpoint.hpp"
#include "host/checkpoint/checkpoint_file.hpp"
#include "host/checkpoint/times.hpp"
#include "host/notices.hpp"

namespace gpuminer {

/// From its construction to finish().
class CheckpointWriter {
public:
    /// `snapshot` and `say` are called on the thread; `say`: where a checkpoint cannot be written (which is tried
    /// again), and where one can be again.
    CheckpointWriter(CheckpointFile file, std::function<Checkpoint()> snapshot,
                     std::function<void(Severity, std::string)> say, const CheckpointTimes& times = {});

    /// Once the search has ended: the last checkpoint, on the calling thread. Throws InputError where it cannot be
    /// written. To be called once.
    void finish();

private:
    void run(const std::stop_token& stop);
    void write_or_say();
    void write();

    CheckpointFile file_;  // as what follows, the thread's alone until it has ended
    const std::function<Checkpoint()> snapshot_;
    const std::function<void(Severity, std::string)> say_;
    const CheckpointTimes times_;
    std::string written_;  ///< the end of the latest text, which says all of it: its checksum
    bool failed_ = false;  ///< to write it

    std::jthread thread_;
};

}  // namespace gpuminer
