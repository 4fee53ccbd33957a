// The fast forms of VerusHash for this architecture, and the subset that this CPU can run.
#pragma once

#include <span>
#include <string_view>

#include "verushash/scan_function.hpp"

namespace gpuminer::verushash {

struct FastForm {
    std::string_view name;
    const char* description;
    const char* missing;  ///< why a CPU cannot run it
    bool (*usable)();
    // As scan_function.hpp has them.
    void (*absorb)(const std::uint8_t* canonical_header, PreparedJob& job);
    void (*make_key)(PreparedJob& job);
    std::size_t (*workspace_bytes)();
    void (*reset_workspace)(void* workspace, const PreparedJob& job);
    void (*scan)(ScanArguments& arguments);
    std::uint32_t (*hash_one)(void* workspace, const PreparedJob& job, std::uint32_t nonce, bool whole_key);
};

/// The fastest first.
[[nodiscard]] std::span<const FastForm> fast_forms();
/// The first one that this CPU can run; null: none.
[[nodiscard]] const FastForm* usable_fast_form();
/// In words, where there is none.
[[nodiscard]] const char* why_no_fast_form();

}  // namespace gpuminer::verushash
