// Lines for the user from any thread, kept until the thread that watches the search prints them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/mutex.hpp"

namespace gpuminer {

/// From the least to the most important. kSuccess and kRefusal: what a pool or node made of a share or block.
enum class Severity { kDebug, kInfo, kSuccess, kWarning, kRefusal };

/// As documents have it: "debug", "info", "warning".
[[nodiscard]] constexpr const char* severity_name(Severity severity) {
    switch (severity) {
        case Severity::kDebug: return "debug";
        case Severity::kInfo:
        case Severity::kSuccess: return "info";
        case Severity::kWarning:
        case Severity::kRefusal: return "warning";
    }
    return "";
}

struct Notice {
    Severity severity = Severity::kWarning;
    std::string text;

    friend bool operator==(const Notice&, const Notice&) = default;
};

class Notices {
public:
    void add(Severity severity, std::string text) {
        const MutexLock lock(mutex_);
        notices_.push_back({severity, std::move(text)});
    }
    /// The notices added since the last call.
    [[nodiscard]] std::vector<Notice> take() {
        const MutexLock lock(mutex_);
        return std::exchange(notices_, {});
    }

private:
    Mutex mutex_;
    std::vector<Notice> notices_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
