// Options of other programs that gpuminer lacks, and their counterparts here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gpuminer {

/// What to do in place of `option` ("--benchmark"), as a half sentence; empty: it is no option that is known.
[[nodiscard]] std::string instead_of(std::string_view option);

/// Options of one dash and several letters, as Bitcoin's own tools have them: "-chain=regtest" would be -c with a
/// file's name. InputError for the first among a command line's words.
void refuse_words_of_one_dash(std::span<const std::string> words);

}  // namespace gpuminer
