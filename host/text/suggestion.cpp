#include "host/text/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kLongest = 40;  // what is longer is no mistyped name

/// The optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                edits[i][j] = i + j;
                continue;
            }
            const bool same = a[i - 1] == b[j - 1];
            edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + (same ? 0 : 1)});
            const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (exchanged) edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
        }
    }
    return edits[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> known) {
    constexpr std::size_t kShortestBeginning = 3, kLettersForAnEdit = 4;
    if (word.empty() || word.size() > kLongest) return "";
    const std::string lower = ascii_lower(word);
    const std::size_t letters = lower.size() - std::min(lower.find_first_not_of('-'), lower.size());
    std::string nearest;
    std::size_t least = letters / kLettersForAnEdit + 1;
    for (const std::string& name : known) {
        const std::string lower_name = ascii_lower(name);
        const bool begins = letters >= kShortestBeginning && lower_name.starts_with(lower);
        const std::size_t edits = begins ? 1 : distance(lower, lower_name);
        const bool nearer = edits < least || (edits == least && !nearest.empty() && name.size() < nearest.size());
        if (!nearer && !(begins && nearest.empty())) continue;
        least = edits;
        nearest = name;
    }
    return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    const std::string name = nearest_name(word, known);
    return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace gpuminer
