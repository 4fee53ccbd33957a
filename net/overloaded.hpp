// Lambdas as one visitor for std::visit.
#pragma once

namespace gpuminer::net {

template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace gpuminer::net
