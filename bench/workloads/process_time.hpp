// CPU time of this process.
#pragma once

namespace gpuminer::bench {

/// User and system time of the process, with all its threads.
[[nodiscard]] double process_cpu_seconds();

}  // namespace gpuminer::bench
