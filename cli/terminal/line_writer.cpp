#include "cli/terminal/line_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <system_error>
#include <utility>

#include "host/abandonable_thread.hpp"
#include "host/mutex.hpp"

namespace gpuminer {
namespace {

constexpr std::chrono::milliseconds kPatienceAtEnd{200};
// Ticks, not time: on a busy machine, or one that stood still, the thread may just not have had its turn.
constexpr std::chrono::milliseconds kWriteTick{10};
constexpr std::uint64_t kMostWriteTicks = 1000;     ///< however many lines there are
constexpr std::chrono::milliseconds kNextTry{100};  ///< of a pipe that nobody reads

}  // namespace

struct LineWriter::State {
    State(std::string destination, Write function) : name(std::move(destination)), write(std::move(function)) {}

    void run();
    [[nodiscard]] std::optional<OutLine> next();
    [[nodiscard]] bool again(Taken taken);
    [[nodiscard]] bool idle() const GPUMINER_REQUIRES(mutex) { return queue.empty() && !writing; }
    [[nodiscard]] bool has_reopen() const GPUMINER_REQUIRES(mutex) {
        return std::ranges::find(queue, OutLine::Kind::kReopen, &OutLine::kind) != queue.end();
    }
    /// Waits for that; false: writing one line has taken longer than `patience`.
    template <typename Predicate>
    [[nodiscard]] bool wait(std::chrono::milliseconds patience, Predicate predicate) GPUMINER_REQUIRES(mutex);

    /// That anybody in this process has waited for any writer. Writers that hang at the same time are waited for
    /// together so, and none twice.
    static inline std::atomic<std::uint64_t> ticks = 0;

    const std::string name;
    const Write write;
    Mutex mutex;
    Condition changed;
    AbandonableThread thread GPUMINER_GUARDED_BY(mutex);
    std::deque<OutLine> queue GPUMINER_GUARDED_BY(mutex);
    std::size_t bytes GPUMINER_GUARDED_BY(mutex) = 0;
    std::uint64_t left_out GPUMINER_GUARDED_BY(mutex) = 0;
    bool writing GPUMINER_GUARDED_BY(mutex) = false;
    std::uint64_t begun GPUMINER_GUARDED_BY(mutex) = 0;  ///< tick in which the line came that is being written
    // Who waits has a line that nobody reads tried once more.
    std::uint64_t asked GPUMINER_GUARDED_BY(mutex) = 0;    ///< by how many
    std::uint64_t trying GPUMINER_GUARDED_BY(mutex) = 0;   ///< of these, when the last try began
    std::uint64_t in_vain GPUMINER_GUARDED_BY(mutex) = 0;  ///< of these, where nobody reads
    bool closing GPUMINER_GUARDED_BY(mutex) = false;
    bool ended GPUMINER_GUARDED_BY(mutex) = false;
};

/// Empty: it is closing, and all is written.
std::optional<OutLine> LineWriter::State::next() {
    const MutexLock lock(mutex);
    writing = false;
    changed.notify_all();
    changed.wait(mutex, [this]() GPUMINER_REQUIRES(mutex) { return closing || !queue.empty() || left_out > 0; });
    if (queue.empty() && left_out == 0) {
        ended = true;
        changed.notify_all();
        return std::nullopt;
    }
    writing = true;
    begun = ticks;
    trying = asked;
    if (queue.empty()) {
        return OutLine{OutLine::Kind::kLeftOut,
                       fmt::format("{} messages were lost: {} did not accept them", std::exchange(left_out, 0), name)};
    }
    OutLine line = std::move(queue.front());
    queue.pop_front();
    bytes -= line.text.size();
    return line;
}

/// Before a line that is not done is tried again. False: it is closing, and nobody reads.
bool LineWriter::State::again(Taken taken) {
    bool reopen = false;
    {
        const MutexLock lock(mutex);
        reopen = std::erase_if(queue, [](const OutLine& line) { return line.kind == OutLine::Kind::kReopen; }) > 0;
        if (!reopen && taken == Taken::kNobody) {
            in_vain = trying;
            ended = closing && in_vain == asked;
            changed.notify_all();
            if (ended) return false;
            changed.wait_for(mutex, kNextTry,
                             [this]() GPUMINER_REQUIRES(mutex) { return asked > in_vain || has_reopen(); });
        }
        trying = asked;
    }
    if (reopen) (void)write({OutLine::Kind::kReopen, ""});
    return true;
}

template <typename Predicate>
bool LineWriter::State::wait(std::chrono::milliseconds patience, Predicate predicate) {
    const std::uint64_t of_one = std::max<std::uint64_t>(patience / kWriteTick, 1);
    const std::uint64_t most = std::max(of_one, kMostWriteTicks);
    for (std::uint64_t waited = 0; waited < most; ++waited, ++ticks) {
        const bool hangs = writing && ticks - begun >= of_one;
        if (changed.wait_for(mutex, hangs ? std::chrono::milliseconds(0) : kWriteTick, predicate)) return true;
        if (hangs) break;
    }
    return false;
}

void LineWriter::State::run() {
    while (const auto line = next()) {
        for (Taken taken = write(*line); taken != Taken::kDone; taken = write(*line)) {
            if (!again(taken)) return;
        }
    }
}

LineWriter::LineWriter(std::string name, Write write)
    : state_(std::make_shared<State>(std::move(name), std::move(write))) {}

LineWriter::~LineWriter() {
    AbandonableThread thread;
    bool ended = false;
    {
        const MutexLock lock(state_->mutex);
        state_->closing = true;
        ++state_->asked;
        state_->changed.notify_all();
        thread = std::move(state_->thread);
        if (!thread.joinable()) return;
        ended = state_->wait(kPatienceAtEnd, [this]() GPUMINER_REQUIRES(state_->mutex) { return state_->ended; });
    }
    thread.end(ended);
}

void LineWriter::add(OutLine line) {
    State& state = *state_;
    {
        const MutexLock lock(state.mutex);
        if (line.kind == OutLine::Kind::kLive && !state.queue.empty() && state.queue.back().kind == line.kind) {
            state.bytes -= state.queue.back().text.size();
            state.queue.pop_back();
        } else if (state.bytes > 0 && state.bytes + line.text.size() > kMostBytes) {
            ++state.left_out;
            return;
        }
        if (!state.thread.joinable() && !state.closing) {
            try {
                state.thread = AbandonableThread([shared = state_] { shared->run(); });
            } catch (const std::system_error&) {
            }
        }
        if (state.thread.joinable()) {
            state.bytes += line.text.size();
            state.queue.push_back(std::move(line));
            state.changed.notify_all();
            return;
        }
    }
    (void)state.write(line);
}

bool LineWriter::wait(std::chrono::milliseconds patience) {
    State& state = *state_;
    const MutexLock lock(state.mutex);
    const std::uint64_t asked = ++state.asked;
    state.changed.notify_all();
    (void)state.wait(
        patience, [&state, asked]() GPUMINER_REQUIRES(state.mutex) { return state.idle() || state.in_vain >= asked; });
    return state.idle();
}

}  // namespace gpuminer
