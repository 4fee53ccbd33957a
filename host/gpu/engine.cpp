#include "host/gpu/engine.hpp"

#include <fmt/format.h>

#include <charconv>

namespace gpuminer::gpu {

std::string_view name_of(Mix mix) {
    switch (mix) {
        case Mix::kPlain: return "plain";
        case Mix::kAdds: return "adds";
        case Mix::kAllAdds: return "all-adds";
        case Mix::kAddsShiftsRotations: return "adds+shifts+rotations";
        case Mix::kRadv: return "radv";
        case Mix::kBfi: return "bfi";
        case Mix::kBfn: return "bfn";
    }
    return "";
}

std::string to_string(const KernelVariant& variant) {
    return fmt::format("{} x{} g{}", name_of(variant.mix), variant.width, variant.group);
}

std::optional<KernelVariant> parse_variant(std::string_view text) {
    for (const Mix mix : kMixes) {
        const std::string_view name = name_of(mix);
        if (!text.starts_with(name) || !text.substr(name.size()).starts_with(" x")) continue;
        KernelVariant variant{.mix = mix};
        const char* const end = text.data() + text.size();
        const auto width = std::from_chars(text.data() + name.size() + 2, end, variant.width);
        const std::string_view rest(width.ptr, static_cast<std::size_t>(end - width.ptr));
        if (width.ec != std::errc{} || !rest.starts_with(" g")) return std::nullopt;
        const auto group = std::from_chars(rest.data() + 2, end, variant.group);
        if (group.ec != std::errc{} || group.ptr != end || variant.width == 0 || variant.group == 0)
            return std::nullopt;
        return variant;
    }
    return std::nullopt;
}

MixLists nvidia_mixes() { return {{Mix::kAdds, Mix::kAllAdds, Mix::kPlain, Mix::kAddsShiftsRotations}}; }

std::vector<KernelVariant> variants_of(const MixLists& mixes, std::span<const unsigned> groups, unsigned width) {
    std::vector<KernelVariant> variants;
    for (const std::vector<Mix>& list : mixes) {
        for (const unsigned group : groups) {
            for (const Mix mix : list) variants.push_back({mix, width, group});
        }
    }
    return variants;
}

LaunchWords launch_words(const Sha256dJob& job, NonceRange range) {
    LaunchWords words;
    words.first_nonce = range.first;
    words.count = static_cast<std::uint32_t>(range.count);
    words.sieve_mask = job.sieve_mask();
    words.target_top = job.target_top();
    words.versions = static_cast<std::uint32_t>(job.versions().size());
    for (unsigned n = 1; n < 32; ++n) words.powers[n] = std::uint32_t{1} << (32 - n);
    return words;
}

}  // namespace gpuminer::gpu
