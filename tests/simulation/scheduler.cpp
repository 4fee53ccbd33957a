#include "tests/simulation/scheduler.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gpuminer::simulation {
namespace {

Scheduler* current_scheduler = nullptr;

}  // namespace

class Scheduler::Task {
public:
    explicit Task(std::function<void()> body) : fiber(std::move(body)) {}

    Fiber fiber;
    bool waits = false;
    const void* object = nullptr;  // that it waits for; null: the time alone
    std::optional<Time> until;
    bool ended = false;
    unsigned in_vain = 0;  // waits in a row that were over before they began
};

Scheduler::Scheduler(std::uint64_t seed, const Limits& limits)
    : limits_(limits), random_(seed), pass_rarely_(random_.one_of(1, 1, 2, 8, 64)) {
    if (std::exchange(current_scheduler, this) != nullptr) std::abort();
}

Scheduler::~Scheduler() {
    // After a failure some have not ended. What their stacks refer to stays as it is.
    static auto& left = *new std::vector<std::vector<std::shared_ptr<Task>>>;
    if (!tasks_.empty()) left.push_back(std::move(tasks_));
    current_scheduler = nullptr;
}

Scheduler& Scheduler::current() {
    if (current_scheduler == nullptr) std::abort();
    return *current_scheduler;
}

void Scheduler::run(std::function<void()> first) {
    (void)start(std::move(first));
    Task* const next = choose_next();
    running_ = next;
    outside_.switch_to(next->fiber);
    running_ = nullptr;
    ended_.clear();
    if (!failure_ && !tasks_.empty())
        failure_ = "a deadlock: all threads that are left wait, and none of them for a time";
    if (failure_) throw Failure(*failure_);
}

std::shared_ptr<Scheduler::Task> Scheduler::start(std::function<void()> body) {
    auto task = std::make_shared<Task>([this, body = std::move(body)]() mutable {
        try {
            std::exchange(body, nullptr)();  // what it holds ends with it
        } catch (const std::exception& error) {
            fail(std::string("a thread ended by an exception: ") + error.what());
        }
        const auto self = std::ranges::find_if(tasks_, [this](const auto& any) { return any.get() == running_; });
        (*self)->ended = true;
        wake_all(running_);
        ended_.push_back(std::move(*self));
        tasks_.erase(self);
        Task* const next = choose_next();
        Task* const last = std::exchange(running_, next);
        last->fiber.end(next != nullptr ? next->fiber : outside_);
    });
    tasks_.push_back(task);
    return task;
}

void Scheduler::join(const std::shared_ptr<Task>& task) {
    if (!task->ended) wait(task.get());
}

void Scheduler::pass() {
    if (running_ == nullptr) return;
    // A little time goes by, so that what is due comes while others are at work.
    if (random_.one_in(16)) now_ += std::chrono::microseconds(random_.below(50));
    if (!random_.one_in(pass_rarely_)) return;
    Task* const next = choose_next();
    if (next != running_) go_on_with(*next);
}

bool Scheduler::wait(const void* object, std::optional<Time> until) {
    Task& self = *running_;
    self.in_vain = until && *until <= now_ ? self.in_vain + 1 : 0;
    if (self.in_vain > 100) fail("a thread waits for a time that has passed, again and again");
    self.waits = true;
    self.object = object;
    self.until = until;
    Task* const next = choose_next();
    if (next == nullptr) fail("a deadlock: all threads wait, and none of them for a time");
    if (next != &self) go_on_with(*next);
    // Whoever woke it has cleared `waits`; the clock does not.
    return !std::exchange(self.waits, false);
}

void Scheduler::wake_all(const void* object) {
    for (const auto& task : tasks_) {
        if (task->waits && task->object == object) task->waits = false;
    }
}

void Scheduler::wake_one(const void* object) {
    std::vector<Task*> waiting;
    for (const auto& task : tasks_) {
        if (task->waits && task->object == object) waiting.push_back(task.get());
    }
    if (!waiting.empty()) waiting[random_.below(waiting.size())]->waits = false;
}

bool Scheduler::awaited(const void* object) const {
    return std::ranges::any_of(tasks_, [&](const auto& task) { return task->waits && task->object == object; });
}

void Scheduler::fail(const std::string& why) {
    failure_ = why;
    if (running_ == nullptr) throw Failure(why);
    Task* const self = running_;
    self->fiber.switch_to(outside_);
    std::abort();  // nothing goes on after a failure
}

void Scheduler::go_on_with(Task& next) {
    if (++switches_ > limits_.switches) fail("it does not end: too many switches between its threads");
    Task* const self = std::exchange(running_, &next);
    self->fiber.switch_to(next.fiber);
}

/// Null: all have ended, or wait for what never comes.
Scheduler::Task* Scheduler::choose_next() {
    do {
        ready_.clear();
        for (const auto& task : tasks_) {
            if (!task->waits || (task->until && *task->until <= now_)) ready_.push_back(task.get());
        }
    } while (ready_.empty() && advance_time());
    return ready_.empty() ? nullptr : ready_[random_.below(ready_.size())];
}

std::optional<Time> Scheduler::next_time() const {
    std::optional<Time> next;
    for (const auto& task : tasks_) {
        if (task->waits && task->until) next = std::min(next.value_or(*task->until), *task->until);
    }
    return next;
}

bool Scheduler::advance_time() {
    const std::optional<Time> next = next_time();
    if (!next) return false;
    now_ = *next;
    if (now_ > Time{} + std::chrono::hours(1) + limits_.time) fail("it does not end: too much time has passed");
    return true;
}

}  // namespace gpuminer::simulation
