// Lines for the user that come up while devices work, from any thread. Whoever watches the search prints them.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

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
        const std::lock_guard lock(mutex_);
        notices_.push_back({severity, std::move(text)});
    }
    /// Those since the last call.
    [[nodiscard]] std::vector<Notice> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(notices_, {});
    }

private:
    std::mutex mutex_;
    std::vector<Notice> notices_;
};

}  // namespace gpuminer
