// The end of a process whose memory has run out.
#pragma once

#include <system_error>

namespace gpuminer {

/// From now on, when an allocation fails in any thread, the process ends with one sentence on standard error (with
/// `json` its document on standard output, too) and kDeviceFailed. At once: to unwind and to report would take memory
/// as well, and what has to outlast the process (the journal) is on disk before anything depends on it. An exception
/// that nobody catches, because a thread or a descriptor could not be had, ends it the same way.
void end_when_out_of_memory(bool json);

/// Whether an operating system's error says that the process may have no more threads, files or memory.
[[nodiscard]] bool out_of_resources(const std::system_error& error);

/// What is said then.
inline constexpr const char kOutOfMemory[] = "not enough memory";
inline constexpr const char kOutOfThreads[] =
    "this process may have no more threads or open files, or not enough memory";

}  // namespace gpuminer
