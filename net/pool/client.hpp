// The client for Stratum V1 pools: connecting, failing over, logging in, notifications to jobs, hits to shares.
#pragma once

#include <memory>

#include "net/pool/options.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// Reads the files that the options name, but the journal. To be called first, once. Throws InputError.
void read_files(PoolOptions& options);

/// Starts at once, on a thread of its own. Throws InputError (journal, certificates).
[[nodiscard]] std::unique_ptr<WorkClient> make_pool_client(const PoolOptions& options, WorkCallbacks callbacks);
struct PoolTiming;
class JournalStore;
/// With other time limits and another disk, for tests.
[[nodiscard]] std::unique_ptr<WorkClient> make_pool_client(const PoolOptions& options, WorkCallbacks callbacks,
                                                           const PoolTiming& timing,
                                                           std::unique_ptr<JournalStore> store);

}  // namespace gpuminer::net
