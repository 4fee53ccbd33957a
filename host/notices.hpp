// Lines for the user from any thread, kept until the thread that watches the search prints them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/mutex.hpp"

namespace gpuminer {

enum class Severity { kDebug, kInfo, kWarning };

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
