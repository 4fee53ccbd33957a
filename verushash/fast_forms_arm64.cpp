#include "verushash/fast_forms.hpp"

namespace gpuminer::verushash {

std::span<const FastForm> fast_forms() { return {}; }

const FastForm* usable_fast_form() { return nullptr; }

const char* why_no_fast_form() { return "no fast form of VerusHash is written for ARM64"; }

}  // namespace gpuminer::verushash
