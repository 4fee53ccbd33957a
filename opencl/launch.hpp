// Waiting for a device while the CPU does something else.
#pragma once

#include "opencl/loader.hpp"

namespace gpuminer::opencl {

/// Waits until a command of a flushed queue has ended; returns CL_SUCCESS, or why it failed. The thread sleeps:
/// drivers' own waits (clFinish(), clWaitForEvents()) keep a CPU busy with some.
[[nodiscard]] cl_int wait_for(const Api& api, cl_event event);

}  // namespace gpuminer::opencl
