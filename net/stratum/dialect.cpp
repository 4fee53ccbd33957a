#include "net/stratum/dialect.hpp"

#include "verushash/algorithm.hpp"

namespace gpuminer::net {

const StratumDialect& dialect_of(const Algorithm& algorithm) {
    return &algorithm == &kVerusHash ? kVerusDialect : kBitcoinDialect;
}

}  // namespace gpuminer::net
