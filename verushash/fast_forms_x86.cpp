#include "verushash/fast_forms.hpp"

namespace gpuminer::verushash {
namespace {

bool has_aesni() {
    // (Of AVX2 it says yes only where the system saves the registers.)
    return __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("pclmul") != 0 &&
           __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

constexpr FastForm kForms[] = {
    {"aesni", "AES-NI and PCLMULQDQ, 32 nonces under way", "this CPU has not all of AES-NI, PCLMULQDQ, AVX2 and BMI2",
     has_aesni, absorb_aesni, make_key_aesni, scan_workspace_bytes_aesni, reset_workspace_aesni, scan_aesni,
     hash_one_aesni},
};

}  // namespace

std::span<const FastForm> fast_forms() { return kForms; }

const FastForm* usable_fast_form() { return kForms[0].usable() ? &kForms[0] : nullptr; }

const char* why_no_fast_form() { return kForms[0].missing; }

}  // namespace gpuminer::verushash
