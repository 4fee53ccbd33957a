#include "host/devices/probing.hpp"

#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <utility>

#include "host/mutex.hpp"

namespace gpuminer {
namespace {

std::vector<Probe> probe(const Backend& backend, const DeviceOptions& options) {
    std::string reason = "it failed without giving a reason";
    try {
        return backend.probe(options);
    } catch (const std::exception& error) {
        reason = error.what();
    } catch (...) {
    }
    return {unusable_backend(backend.name, reason)};
}

}  // namespace

Probe unusable_backend(const char* name, const std::string& reason) {
    Probe probe;
    probe.info.name = probe.info.backend = name;
    probe.usable = probe.used_by_default = false;
    probe.reason = reason;
    return probe;
}

/// What the threads use; they may outlive the Probing.
struct Probing::Shared {
    enum class State { kAsked, kAnswered, kTaken, kGivenUp };
    struct Question {
        Answer answer;
        State state = State::kAsked;
        bool ended = false;  ///< its driver has returned
    };

    void ask(const Backend& backend, std::size_t number);
    [[nodiscard]] bool any(State state) const GPUMINER_REQUIRES(mutex) {
        for (const Question& question : questions) {
            if (question.state == state) return true;
        }
        return false;
    }

    DeviceOptions options;
    std::function<void()> answered;

    Mutex mutex;  ///< a leaf: no other mutex is locked while it is held
    Condition changed;
    std::vector<Question> questions GPUMINER_GUARDED_BY(mutex);
};

void Probing::Shared::ask(const Backend& backend, std::size_t number) {
    std::vector<Probe> probes = probe(backend, options);
    {
        const MutexLock lock(mutex);
        Question& question = questions[number];
        question.ended = true;
        if (question.state != State::kAsked) return;
        question.answer.probes = std::move(probes);
        question.state = State::kAnswered;
        changed.notify_all();
    }
    if (answered) answered();
}

Probing::Probing(const std::vector<const Backend*>& backends, const DeviceOptions& options,
                 std::function<void()> answered)
    : shared_(std::make_shared<Shared>()) {
    shared_->options = options;
    shared_->answered = std::move(answered);
    for (const Backend* backend : backends) shared_->questions.push_back({{backend, {}}});
    for (std::size_t i = 0; i < backends.size(); ++i) {
        try {
            threads_.emplace_back([shared = shared_, backend = backends[i], i] { shared->ask(*backend, i); });
        } catch (const std::system_error& error) {
            threads_.emplace_back();
            const MutexLock lock(shared_->mutex);
            auto& question = shared_->questions[i];
            question.answer.probes = {unusable_backend(
                backends[i]->name, fmt::format("no thread could be started for it: {}", error.what()))};
            question.state = Shared::State::kAnswered;
        }
    }
}

Probing::~Probing() {
    std::vector<bool> ended;
    {
        const MutexLock lock(shared_->mutex);
        for (auto& question : shared_->questions) {
            ended.push_back(question.ended);
            question.state = Shared::State::kGivenUp;
        }
    }
    for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i].end(ended[i]);
}

bool Probing::wait(std::chrono::milliseconds longest) {
    Shared& shared = *shared_;
    const MutexLock lock(shared.mutex);
    return shared.changed.wait_for(shared.mutex, longest, [&shared]() GPUMINER_REQUIRES(shared.mutex) {
        return shared.any(Shared::State::kAnswered);
    });
}

std::vector<Probing::Answer> Probing::take() {
    const MutexLock lock(shared_->mutex);
    std::vector<Answer> answers;
    for (auto& question : shared_->questions) {
        if (question.state != Shared::State::kAnswered) continue;
        question.state = Shared::State::kTaken;
        answers.push_back(std::move(question.answer));
    }
    return answers;
}

bool Probing::pending() const {
    const MutexLock lock(shared_->mutex);
    return shared_->any(Shared::State::kAsked) || shared_->any(Shared::State::kAnswered);
}

std::vector<const Backend*> Probing::unanswered() const {
    const MutexLock lock(shared_->mutex);
    std::vector<const Backend*> backends;
    for (const auto& question : shared_->questions) {
        if (question.state == Shared::State::kAsked) backends.push_back(question.answer.backend);
    }
    return backends;
}

std::vector<Probing::Answer> Probing::give_up(std::chrono::milliseconds waited) {
    const MutexLock lock(shared_->mutex);
    std::vector<Answer> answers;
    for (auto& question : shared_->questions) {
        if (question.state != Shared::State::kAsked) continue;
        question.state = Shared::State::kGivenUp;
        const char* name = question.answer.backend->name;
        const std::string reason =
            fmt::format("its driver did not respond for {} s; restart the machine, or exclude it with --backend",
                        std::chrono::duration<double>(waited).count());
        answers.push_back({question.answer.backend, {unusable_backend(name, reason)}});
    }
    return answers;
}

}  // namespace gpuminer
