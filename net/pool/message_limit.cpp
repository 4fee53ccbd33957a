#include "net/pool/message_limit.hpp"

#include <utility>

#include <fmt/format.h>

namespace gpuminer::net {

void MessageLimit::say(Severity severity, const std::string& sentence, SteadyTime now) {
    if (!say_) return;
    Lane& lane = severity == Severity::kDebug ? debug_ : severity < Severity::kWarning ? info_ : warning_;
    if (!lane.bucket.take(now)) {
        ++lane.left_out;
        return;
    }
    if (const auto left_out = std::exchange(lane.left_out, 0); left_out > 0) {
        say_(severity, fmt::format("{} messages suppressed here: too many at once", left_out));
    }
    say_(severity, sentence);
}

}  // namespace gpuminer::net
