#include "cli/header_argument.hpp"

#include <iostream>
#include <string>

#include "cli/logging.hpp"
#include "host/block/byte_order.hpp"

namespace gpuminer {

namespace {

void warn_of_byte_order(const Options& options, const BlockHeader& header) {
    if (const std::string hint = byte_order_hint(header); !hint.empty()) log_warning("HEADER: " + hint);
    if (!options.target) return;
    if (const std::string hint = byte_order_hint(*options.target); !hint.empty()) log_warning("--target: " + hint);
}

}  // namespace

HeaderInput read_header_of(const Options& options) {
    HeaderInput input = read_header(options.header, std::cin, *options.devices.algorithm);
    warn_of_byte_order(options, input.header);
    return input;
}

std::vector<HeaderInput> read_headers_of(const Options& options) {
    std::vector<HeaderInput> inputs = read_headers(options.header, std::cin, *options.devices.algorithm);
    warn_of_byte_order(options, inputs.front().header);
    return inputs;
}

}  // namespace gpuminer
