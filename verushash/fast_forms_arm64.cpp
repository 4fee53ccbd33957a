// The fast forms of VerusHash for ARM64.
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "verushash/fast_forms.hpp"

namespace gpuminer::verushash {
namespace {

bool has_aes_and_pmull() {
    constexpr unsigned long kBoth = HWCAP_AES | HWCAP_PMULL;
    return (getauxval(AT_HWCAP) & kBoth) == kBoth;
}

constexpr FastForm kForms[] = {
    {"aes", "AES and PMULL instructions, 32 nonces at once", "this CPU lacks AES or PMULL", has_aes_and_pmull,
     fast::absorb, fast::make_key, fast::workspace_bytes, fast::reset_workspace, fast::scan, fast::hash_one},
};

}  // namespace

std::span<const FastForm> fast_forms() { return kForms; }

}  // namespace gpuminer::verushash
