// Rate limit for messages to the user: a pool may cause any number of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/notices.hpp"
#include "net/steady_time.hpp"
#include "net/token_bucket.hpp"

namespace gpuminer::net {

/// Rate-limits messages per severity: a burst, then so many per second. The next message let through is preceded by the
/// number of suppressed ones.
class MessageLimit {
public:
    using Say = std::function<void(Severity, std::string)>;
    MessageLimit(double most, double per_second, Say say)
        : say_(std::move(say)), debug_{{most, per_second}}, info_{{most, per_second}}, warning_{{most, per_second}} {}

    void say(Severity severity, const std::string& sentence, SteadyTime now);

private:
    struct Lane {
        TokenBucket bucket;
        std::uint64_t left_out = 0;  // since the last that passed
    };
    const Say say_;
    Lane debug_, info_, warning_;
};

}  // namespace gpuminer::net
