#include "host/block/verify.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/algorithm.hpp"
#include "host/block/checker.hpp"
#include "host/block/header_text.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {

Verification verify_header(const HeaderInput& input, const std::optional<Hash256>& target) {
    if (!input.has_nonce) {
        const Algorithm& algorithm = *input.header.algorithm;
        throw InputError(
            fmt::format("expected a whole header of {} hex digits, got {}: without a nonce there is nothing to verify",
                        2 * algorithm.layout.size, 2 * algorithm.size_without_nonce));
    }
    Verification verification;
    verification.header = input.header;
    verification.target_given = target.has_value();
    verification.target = target ? *target : target_from_nbits(input.header.nbits());
    const Checked checked = check(verification.header, verification.target);
    verification.hash = checked.hash;
    verification.valid = checked.verdict == Verdict::hit;
    return verification;
}

std::string verify_text(const Verification& verification) {
    const BlockHeader& header = verification.header;
    std::string text;
    const auto line = [&text](std::string_view label, std::string_view value) {
        fmt::format_to(std::back_inserter(text), "{:<15}{}\n", label, value);
    };
    line("header", header.hex());
    line("version", fmt::format("{} (0x{:08x})", header.version(), header.version()));
    line("previous hash", header.previous_hash().hex());
    line("merkle root", header.merkle_root().hex());
    line("time", fmt::format("{} ({})", header.time(), utc_time(header.time())));
    line("nBits", hex8(header.nbits()));
    line("nonce", fmt::format("{} (0x{:08x})", header.nonce(), header.nonce()));
    line("hash", verification.hash.hex());
    line("target",
         fmt::format("{} ({}, difficulty {:.10g})", verification.target.hex(),
                     verification.target_given ? "as given" : "from nBits", difficulty_of(verification.target)));
    line("result",
         verification.valid ? "valid: the hash is not above the target" : "not valid: the hash is above the target");
    return text;
}

nlohmann::ordered_json verify_json(const Verification& verification) {
    nlohmann::ordered_json json = {{"algorithm", verification.header.algorithm->name},
                                   {"valid", verification.valid},
                                   {"hash", verification.hash.hex()},
                                   {"target", verification.target.hex()},
                                   {"target_source", verification.target_given ? "given" : "nbits"}};
    const double difficulty = difficulty_of(verification.target);
    json["difficulty"] = std::isfinite(difficulty) ? nlohmann::ordered_json(difficulty) : nlohmann::ordered_json();
    json["leading_zero_bits"] = leading_zero_bits(verification.hash);
    json["header"] = header_json(verification.header);
    return json;
}

}  // namespace gpuminer
