// Lines on their way to a terminal, a pipe or a file, written by a thread of its own: callers never wait for a disk
// that does not respond or a pipe that nobody reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace gpuminer {

struct OutLine {
    enum class Kind {
        kText,
        kLeftOut,  ///< of the writer's own: how many lines were left out
        kLive,     ///< replaced by the next one of its kind
        kPinned,   ///< the same, above kLive; its `lines` are asked for whenever they are drawn
        kReopen,   ///< a file: under its name, which may be another one's by now; a terminal: others have written there
    };
    Kind kind = Kind::kText;
    std::string text;
    std::function<std::string()> lines = {};  ///< of kPinned; empty: there are none any more
};

enum class Taken {
    kDone,    ///< written, or lost
    kNotYet,  ///< it has waited for room long enough to look whether there is something else to do
    kNobody,  ///< a pipe that nobody reads yet
};

class LineWriter {
public:
    /// Called for one line at a time, in their order, and again with a line that is not done; may take for ever. In
    /// between, a kReopen that waits comes first. Throws nothing.
    using Write = std::function<Taken(const OutLine&)>;
    /// Of text that waits; more is left out, and said. The only line that waits may have any length.
    static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

    /// `name`: of what it writes to, for the line that tells how many were left out.
    LineWriter(std::string name, Write write);
    /// Waits a moment for what is still to be written; what nobody reads by now is lost. A thread that hangs is
    /// abandoned (host/abandonable_thread.hpp).
    ~LineWriter();
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    // From any thread:

    /// The first one starts the thread. (Where no thread can be had, it is written at once.)
    void add(OutLine line);
    /// Until all is written; false: nobody reads, or one line is not after so long a wait for this writer or others.
    [[nodiscard]] bool wait(std::chrono::milliseconds patience);

private:
    struct State;
    const std::shared_ptr<State> state_;
};

}  // namespace gpuminer
