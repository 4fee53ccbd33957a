#include "verushash/fast_forms.hpp"

#include <algorithm>

namespace gpuminer::verushash {

const FastForm* usable_fast_form() {
    const auto forms = fast_forms();
    const auto usable = std::ranges::find_if(forms, [](const FastForm& form) { return form.usable(); });
    return usable == forms.end() ? nullptr : &*usable;
}

const char* why_no_fast_form() { return fast_forms().front().missing; }

}  // namespace gpuminer::verushash
