// Text of a journal to entries, with limits: whatever the file holds costs time in proportion to its length, and memory
// for one entry.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::net {

/// Bytes of an entry. A block of 4,000,000 bytes has twice as many digits.
inline constexpr std::size_t kLongestEntry = 10'000'000;

/// The entry of a line; a discarded value for a line that is none: an entry is a JSON object with an "event", of at
/// most kLongestEntry bytes, some hundred values, and no values deeper than in a list of the object.
[[nodiscard]] nlohmann::json parse_entry(std::string_view line);

class EntryReader {
public:
    /// Gets each entry and its length in bytes.
    using Take = std::function<void(nlohmann::json entry, std::size_t size)>;
    explicit EntryReader(Take take) : take_(std::move(take)) {}

    /// The next piece of the text, divided anywhere.
    void add(std::string_view text);
    /// The text is over. (Its last line may have no end.)
    void finish() { end_line({}); }

private:
    void end_line(std::string_view rest);

    const Take take_;
    std::string begun_;      // of a line that has not ended
    bool too_long_ = false;  // that line is
};

}  // namespace gpuminer::net
