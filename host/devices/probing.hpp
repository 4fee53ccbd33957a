// Probing of backends for their devices, each in a thread of its own: a driver may take a second, or never return.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "host/abandonable_thread.hpp"
#include "host/backend.h"

namespace gpuminer {

class Probing {
public:
    struct Answer {
        const Backend* backend = nullptr;
        std::vector<Probe> probes;  ///< what a backend throws is an unusable probe with that reason
    };

    /// `answered` is called on other threads whenever there is something new to take.
    Probing(const std::vector<const Backend*>& backends, const DeviceOptions& options,
            std::function<void()> answered = {});
    /// Waits for no driver: threads that are still inside one are abandoned.
    ~Probing();
    Probing(const Probing&) = delete;
    Probing& operator=(const Probing&) = delete;

    /// Waits for something to take, `longest` at most; false: there was nothing.
    bool wait(std::chrono::milliseconds longest);
    /// Those since the last call.
    [[nodiscard]] std::vector<Answer> take();
    /// Whether a backend's answer has neither come nor been given up.
    [[nodiscard]] bool pending() const;
    /// Unusable probes for those that have not answered; their answers do not count any more.
    [[nodiscard]] std::vector<Answer> give_up(std::chrono::milliseconds waited);
    [[nodiscard]] std::vector<const Backend*> unanswered() const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    std::vector<AbandonableThread> threads_;  ///< one for each backend, in the same order
};

/// A backend's only line where it has no device: named like it.
[[nodiscard]] Probe unusable_backend(const char* name, const std::string& reason);

}  // namespace gpuminer
