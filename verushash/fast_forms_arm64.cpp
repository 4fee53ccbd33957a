#include "verushash/fast_forms.hpp"

namespace gpuminer::verushash {

std::span<const FastForm> fast_forms() { return {}; }

const FastForm* usable_fast_form() { return nullptr; }

}  // namespace gpuminer::verushash
