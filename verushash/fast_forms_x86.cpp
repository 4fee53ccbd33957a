// The fast forms of VerusHash for x86-64.
#include "verushash/fast_forms.hpp"

namespace gpuminer::verushash {
namespace {

bool has_aesni() {
    // (Of AVX2 it says yes only where the system saves the registers.)
    return __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("pclmul") != 0 &&
           __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

constexpr FastForm kForms[] = {
    {"aesni", "AES-NI and PCLMULQDQ, 32 nonces at once", "this CPU lacks AES-NI, PCLMULQDQ, AVX2 or BMI2", has_aesni,
     fast::absorb, fast::make_key, fast::workspace_bytes, fast::reset_workspace, fast::scan, fast::hash_one},
};

}  // namespace

std::span<const FastForm> fast_forms() { return kForms; }

}  // namespace gpuminer::verushash
