// Answer: the outcome of an asynchronous call, a value or an exception.
#pragma once

#include <exception>
#include <functional>
#include <utility>
#include <variant>

namespace gpuminer::net {

template <typename T>
class Answer {
public:
    Answer(T value) : outcome_(std::move(value)) {}
    Answer(std::exception_ptr failure) : outcome_(std::move(failure)) {}
    /// What `read` returns or throws.
    template <typename Read>
    [[nodiscard]] static Answer of(const Read& read) {
        try {
            return Answer(read());
        } catch (...) {
            return Answer(std::current_exception());
        }
    }
    /// The value, once. Throws the exception.
    [[nodiscard]] T take() {
        if (failure()) std::rethrow_exception(failure());
        return std::move(std::get<T>(outcome_));
    }

    /// Null: there is a value.
    [[nodiscard]] std::exception_ptr failure() const {
        const auto* const failure = std::get_if<std::exception_ptr>(&outcome_);
        return failure == nullptr ? nullptr : *failure;
    }

private:
    std::variant<T, std::exception_ptr> outcome_;
};

/// Called once, later, on the event loop's thread.
template <typename T>
using OnAnswer = std::function<void(Answer<T>)>;

}  // namespace gpuminer::net
