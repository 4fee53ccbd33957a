// The wait for what another thread, or virtual time, brings about.
#pragma once

#include <functional>

namespace gpuminer::test {

/// Waits until it holds; false after a minute, or ten of virtual time. (Defined with the program's servers:
/// scripted_server.cpp, scripted_pool.cpp.)
bool eventually(const std::function<bool()>& condition);

}  // namespace gpuminer::test
