// Workload `pseudo-miner`, the experiment that this project grew from: 76 bytes, a target, and the nonces in as many
// contiguous pieces as there are CPU threads.
#pragma once

#include <string>

#include "bench/document/document.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "cpu/machine/cycle_counter_words.hpp"
#include "host/search/search_types.hpp"
#include "host/text/table.hpp"

namespace gpuminer::bench {

/// Measurement::details of one such search: "nonces", "hits", "hashes_per_second", "whole_range_seconds" (what 2^32
/// nonces would take at this rate), "cycles_per_hash" (of all threads), "counter_hz", and "threads": an array of name,
/// start, end (first and last nonce), hashes, seconds, avg, max, min (cycles per hash) and cycles. All that is counted
/// in cycles is null where there is no counter, and in the unit that the document's machine.cycle_unit says.
[[nodiscard]] Json pseudo_miner_details(const SearchRequest& request, const SearchReport& report);

/// The experiment's table, and the figures that were published with it: those in cycles where `counter` counts some.
[[nodiscard]] std::string pseudo_miner_text(const SearchRequest& request, const SearchReport& report,
                                            std::size_t columns = kUnlimitedColumns,
                                            const CycleCounterWords& counter = kCycleCounter);

/// Whether the search found what has to be found: the header's own nonce where it is a solution, and for block 100000
/// the complete list. Throws VerificationError; and InputError for a target with more hits than a list may have.
void verify_pseudo_miner(const SearchRequest& request, const SearchReport& report);

}  // namespace gpuminer::bench
