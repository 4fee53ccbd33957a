#include "host/checkpoint/checkpoint_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "host/errors.hpp"
#include "host/mutex.hpp"
#include "host/threads.hpp"

namespace gpuminer {

CheckpointWriter::CheckpointWriter(CheckpointFile file, std::function<Checkpoint()> snapshot,
                                   std::function<void(Severity, std::string)> say, const CheckpointTimes& times)
    : file_(std::move(file)),
      snapshot_(std::move(snapshot)),
      say_(std::move(say)),
      times_(times),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void CheckpointWriter::run(const std::stop_token& stop) {
    Mutex mutex;  // guards nothing: there is nothing but the stop to wait for
    Condition never;
    threads::Clock::duration pause = times_.first;
    while (!stop.stop_requested()) {
        {
            const MutexLock lock(mutex);
            never.wait_until(mutex, stop, threads::Clock::now() + pause, [] { return false; });
        }
        if (stop.stop_requested()) return;  // finish() writes
        const threads::Clock::time_point before = threads::Clock::now();
        write_or_say();
        pause =
            std::max<threads::Clock::duration>(times_.next, times_.most_of_the_time * (threads::Clock::now() - before));
    }
}

void CheckpointWriter::write_or_say() {
    try {
        write();
        if (std::exchange(failed_, false))
            say_(Severity::kInfo, fmt::format("checkpoints are written again to {}", shown_path(file_.path())));
    } catch (const InputError& error) {
        if (!std::exchange(failed_, true)) say_(Severity::kWarning, fmt::format("{}; retrying", error.what()));
    }
}

void CheckpointWriter::write() {
    const std::string text = checkpoint_text(snapshot_());
    constexpr std::size_t kChecksumLine = 64;
    std::string checksum = text.substr(text.size() - kChecksumLine);
    if (checksum == written_) return;
    file_.write(text);
    written_ = std::move(checksum);
}

void CheckpointWriter::finish() {
    thread_.request_stop();
    thread_.join();
    write();
}

}  // namespace gpuminer
