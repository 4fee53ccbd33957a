// An environment variable for as long as a test needs it.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace gpuminer::test {

class Environment {
public:
    /// Null: the variable is not set.
    Environment(const char* name, const char* value) : name_(name) {
        if (const char* const old = std::getenv(name)) old_ = old;
        set(value);
    }
    ~Environment() { set(old_ ? old_->c_str() : nullptr); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    void set(const char* value) const {
        if (value == nullptr) {
            ::unsetenv(name_);
        } else {
            ::setenv(name_, value, 1);
        }
    }

    const char* name_;
    std::optional<std::string> old_;
};

}  // namespace gpuminer::test
