#include "cli/header_argument.hpp"

#include <iostream>
#include <string>

#include "cli/logging.hpp"
#include "host/block/byte_order.hpp"

namespace gpuminer {

HeaderInput read_header_of(const Options& options) {
    HeaderInput input = read_header(options.header, std::cin);
    if (const std::string hint = byte_order_hint(input.header); !hint.empty()) log_warning("HEADER: " + hint);
    if (options.target) {
        if (const std::string hint = byte_order_hint(*options.target); !hint.empty()) log_warning("--target: " + hint);
    }
    return input;
}

}  // namespace gpuminer
