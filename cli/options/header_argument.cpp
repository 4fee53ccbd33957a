#include "cli/options/header_argument.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include "cli/terminal/logging.hpp"
#include "host/block/byte_order.hpp"
#include "host/text/text.hpp"

namespace gpuminer {

namespace {

void warn_of_byte_order(const Options& options, const BlockHeader& header) {
    if (const std::string hint = byte_order_hint(header); !hint.empty()) log_warning("HEADER: " + hint);
    if (!options.target) return;
    if (const std::string hint = byte_order_hint(*options.target); !hint.empty()) log_warning("--target: " + hint);
}

/// A file's name without the @ before it.
[[noreturn]] void refuse(const std::string& header, const InputError& error) {
    std::error_code ignored;
    const bool is_file = !header.starts_with('@') && std::filesystem::is_regular_file(header, ignored);
    throw InputError(error.what() + (is_file ? fmt::format("; did you mean {}?", quoted_text("@" + header)) : ""));
}

}  // namespace

HeaderInput read_header_of(const Options& options) {
    try {
        HeaderInput input = read_header(options.header, std::cin, *options.devices.algorithm);
        warn_of_byte_order(options, input.header);
        return input;
    } catch (const InputError& error) {
        refuse(options.header, error);
    }
}

InputError in_header(const Options& options, const HeaderInput& input, const InputError& error) {
    const std::string source = source_of_header(options.header);
    const std::string line = input.line > 0 ? fmt::format("line {}: ", input.line) : "";
    return InputError(source + (source.empty() ? "" : ": ") + line + error.what());
}

Hash256 target_of(const Options& options, const HeaderInput& input) {
    if (options.target) return *options.target;
    try {
        return target_from_nbits(input.header.nbits());
    } catch (const InputError& error) {
        throw in_header(options, input, error);
    }
}

std::vector<HeaderInput> read_headers_of(const Options& options) {
    try {
        const HeaderForms forms = options.command == Command::kVerify ? HeaderForms::kVerified : HeaderForms::kSearched;
        std::vector<HeaderInput> inputs = read_headers(options.header, std::cin, *options.devices.algorithm, forms);
        warn_of_byte_order(options, inputs.front().header);
        return inputs;
    } catch (const InputError& error) {
        refuse(options.header, error);
    }
}

}  // namespace gpuminer
