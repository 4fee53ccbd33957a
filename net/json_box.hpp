// A JSON value behind a pointer: a header that declares a member of this type needs no JSON library.
#pragma once

#include <memory>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::net {

/// A value of its own: copies are deep. Null at first. After it was moved from, it can only be assigned to.
class JsonBox {
public:
    JsonBox();
    ~JsonBox();
    JsonBox(const JsonBox& other);
    JsonBox(JsonBox&& other) noexcept;
    JsonBox& operator=(const JsonBox& other);
    JsonBox& operator=(JsonBox&& other) noexcept;
    JsonBox& operator=(nlohmann::json value);

    [[nodiscard]] nlohmann::json& operator*() { return *value_; }
    [[nodiscard]] const nlohmann::json& operator*() const { return *value_; }
    [[nodiscard]] nlohmann::json* operator->() { return value_.get(); }
    [[nodiscard]] const nlohmann::json* operator->() const { return value_.get(); }
    /// The member of an object; made where it is missing (a null value becomes an object).
    [[nodiscard]] nlohmann::json& operator[](const char* name);
    /// Throws nlohmann::json's error where there is no such member.
    [[nodiscard]] const nlohmann::json& operator[](const char* name) const;

private:
    std::unique_ptr<nlohmann::json> value_;
};

}  // namespace gpuminer::net
