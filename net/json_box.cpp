#include "net/json_box.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace gpuminer::net {

JsonBox::JsonBox() : value_(std::make_unique<nlohmann::json>()) {}
JsonBox::~JsonBox() = default;
JsonBox::JsonBox(const JsonBox& other) : value_(std::make_unique<nlohmann::json>(*other)) {}
JsonBox::JsonBox(JsonBox&& other) noexcept = default;
JsonBox& JsonBox::operator=(JsonBox&& other) noexcept = default;

JsonBox& JsonBox::operator=(const JsonBox& other) {
    value_ = std::make_unique<nlohmann::json>(*other);
    return *this;
}

JsonBox& JsonBox::operator=(nlohmann::json value) {
    value_ = std::make_unique<nlohmann::json>(std::move(value));
    return *this;
}

nlohmann::json& JsonBox::operator[](const char* name) { return (*value_)[name]; }
const nlohmann::json& JsonBox::operator[](const char* name) const { return value_->at(name); }

}  // namespace gpuminer::net
