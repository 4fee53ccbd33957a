// Numbers as text for people: rates, digits in groups, durations, columns of a table.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace gpuminer {

struct CycleStats;

/// `hashes` per `seconds`; 0 where no time has passed, so that the figure is always finite.
[[nodiscard]] double rate_of(double hashes, double seconds);
/// Hashes per second with a unit: "39.80 MH/s".
[[nodiscard]] std::string rate_text(double hashes_per_second);
/// Groups of three digits: "4,294,967,296".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "4.2 s", "3 min 07 s", "5 h 02 min", "12 days"; "unknown" for what is not finite.
[[nodiscard]] std::string duration_text(double seconds);
/// The chance of at least one hit where `expected` hits are: "63 % chance", "0.00012 % chance", "no chance" of none.
[[nodiscard]] std::string chance_text(double expected);
/// "0.0714", "123,456", "123.4 T": as pools write difficulties.
[[nodiscard]] std::string difficulty_text(double difficulty);
/// "0.0714", "1024", "150K", "1.5M": as other miners write it in lines that scripts read.
[[nodiscard]] std::string compact_difficulty(double difficulty);
/// Four cells of a table: reference cycles per hash on average, at most and at least; all cycles. "-" where none were
/// counted.
[[nodiscard]] std::array<std::string, 4> cycle_cells(const CycleStats& cycles);

}  // namespace gpuminer
