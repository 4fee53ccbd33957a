#include "host/checkpoint/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "host/block/algorithm.hpp"
#include "host/block/sha256.hpp"
#include "host/errors.hpp"
#include "host/search/version_space.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr std::string_view kFormat = "gpuminer checkpoint 1";
constexpr std::string_view kChecksum = "sha256 ";
constexpr std::string_view kAlgorithm = "algorithm ";
constexpr std::size_t kNonceDigits = 8;

std::string sha256_hex(std::string_view text) {
    return to_hex(sha256_digest({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

/// Of a header as its algorithm has it, the digit that the nonce begins with.
std::size_t place_of_nonce(const Algorithm& algorithm) { return 2 * algorithm.layout.nonce; }

/// All but the nonce.
std::string header_digits(const BlockHeader& header) {
    return header.hex().erase(place_of_nonce(*header.algorithm), kNonceDigits);
}

std::uint64_t nonces_of(const Checkpoint& checkpoint) { return std::uint64_t{checkpoint.end} - checkpoint.start + 1; }

/// At most 2^24, so that positions are far below 2^64.
std::uint64_t versions_of(const Checkpoint& checkpoint) {
    return std::uint64_t{1} << std::popcount(checkpoint.version_mask);
}

/// Lines of a text, and what is wrong in them.
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] bool begins_with(std::string_view word) const { return rest_.starts_with(word); }
    /// The next line, without its end.
    std::string_view next() {
        const std::size_t end = rest_.find('\n');
        line_ = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
        ++number_;
        return line_;
    }
    [[noreturn]] void fail(std::string_view expected) const {
        throw InputError(fmt::format("expected {} in line {}, got {}", expected, number_,
                                     line_.empty() ? "nothing" : quoted_text(line_)));
    }

private:
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
};

template <class Number>
std::optional<Number> parse_number(std::string_view digits, int base = 10) {
    Number value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
    return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// The values of a line "word FIRST SECOND".
template <class First, class Second>
std::pair<First, Second> pair_in(Lines& lines, std::string_view word, std::string_view expected, int base_of_first) {
    std::string_view line = lines.next();
    if (!line.starts_with(word)) lines.fail(expected);
    line.remove_prefix(word.size());
    const std::size_t blank = std::min(line.find(' '), line.size());
    const auto first = parse_number<First>(line.substr(0, blank), base_of_first);
    const auto second = parse_number<Second>(line.substr(std::min(blank + 1, line.size())));
    if (!first || !second) lines.fail(expected);
    return {*first, *second};
}

std::string_view digits_in(Lines& lines, std::string_view word, std::size_t count, std::string_view expected) {
    const std::string_view line = lines.next();
    if (!line.starts_with(word) || line.size() != word.size() + count || !is_hex(line.substr(word.size())))
        lines.fail(expected);
    return line.substr(word.size());
}

/// SHA-256d's have no such line: they are older than other algorithms.
void require_algorithm(Lines& lines, const Algorithm& algorithm) {
    std::string_view name = kSha256d.name;
    if (lines.begins_with(kAlgorithm)) {
        name = lines.next().substr(kAlgorithm.size());
        if (name == kSha256d.name) lines.fail("'header'");
    }
    if (name != algorithm.name)
        throw InputError(fmt::format("expected a checkpoint of {}, got one of {}", algorithm.name, quoted_text(name)));
}

BlockHeader read_header_line(Lines& lines, const Algorithm& algorithm) {
    const std::size_t count = 2 * algorithm.layout.size - kNonceDigits;
    const std::string expected = fmt::format("'header' and {} hex digits", count);
    std::string digits(digits_in(lines, "header ", count, expected));
    digits.insert(place_of_nonce(algorithm), kNonceDigits, '0');
    return parse_header_hex(digits, algorithm).header;
}

void read_search(Lines& lines, Checkpoint& checkpoint, const Algorithm& algorithm) {
    require_algorithm(lines, algorithm);
    checkpoint.header = read_header_line(lines, algorithm);
    checkpoint.target = target_from_hex(digits_in(lines, "target ", 64, "'target' and 64 hex digits"));
    std::tie(checkpoint.start, checkpoint.end) =
        pair_in<std::uint32_t, std::uint32_t>(lines, "nonces ", "'nonces' and the first and the last one", 10);
    if (checkpoint.start > checkpoint.end) lines.fail("a first nonce at or below the last one");
    constexpr int kHex = 16;
    constexpr std::string_view kVersions = "'versions', the rolled bits, and how many versions a group has";
    std::tie(checkpoint.version_mask, checkpoint.record.group_size) =
        pair_in<std::uint32_t, std::uint32_t>(lines, "versions ", kVersions, kHex);
    if ((checkpoint.version_mask & ~kBip323Mask) != 0) lines.fail("bits of BIP 323 (1fffffe0)");
    if (!std::has_single_bit(checkpoint.record.group_size) || checkpoint.record.group_size > versions_of(checkpoint))
        lines.fail("a group size that is a power of two and at most the number of versions,");
}

void read_done(Lines& lines, Checkpoint& checkpoint) {
    constexpr std::string_view kExpected = "'done' and a first and a last position, ascending and within the search,";
    const std::uint64_t positions = versions_of(checkpoint) / checkpoint.record.group_size * nonces_of(checkpoint);
    std::uint64_t least = 0;
    while (lines.begins_with("done ")) {
        const auto [first, last] = pair_in<std::uint64_t, std::uint64_t>(lines, "done ", kExpected, 10);
        if (first < least || last < first || last >= positions) lines.fail(kExpected);
        checkpoint.record.done.add({first, last + 1});
        least = last + 2;  // neighbours would be one
    }
}

void read_hits(Lines& lines, Checkpoint& checkpoint) {
    constexpr int kHex = 16;
    constexpr std::string_view kExpected = "'hit', a version and a nonce, each pair once,";
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    while (lines.begins_with("hit ")) {
        const auto [version, nonce] = pair_in<std::uint32_t, std::uint32_t>(lines, "hit ", kExpected, kHex);
        if (!seen.emplace(version, nonce).second) lines.fail(kExpected);
        checkpoint.record.hits.push_back({version, nonce});
    }
}

/// The text before its checksum, which is right.
std::string_view checked(std::string_view text) {
    const std::size_t line = std::min(text.rfind('\n', text.size() - 2), text.size());
    const std::size_t begin = line + 1;
    if (line == text.size() || text.back() != '\n' || !text.substr(begin).starts_with(kChecksum))
        throw InputError("its last line has no checksum: the file is truncated");
    const std::string_view given = text.substr(begin + kChecksum.size(), text.size() - 1 - begin - kChecksum.size());
    if (given != sha256_hex(text.substr(0, begin)))
        throw InputError("its checksum does not match its content: the file was changed");
    return text.substr(0, begin);
}

std::size_t first_difference(std::string_view one, std::string_view other) {
    return static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
}

/// A header that fits a message as it stands, of others what they have from the place on where they differ.
std::string from_place(const std::string& digits, std::size_t place) {
    constexpr std::size_t kWhole = 200, kShown = 40;
    return digits.size() <= kWhole ? digits
                                   : fmt::format("...{}...", digits.substr(std::min(place, digits.size()), kShown));
}

}  // namespace

Checkpoint make_checkpoint(const SearchRequest& request, SearchRecord record) {
    return {.header = request.header.with_nonce(0),
            .target = request.target,
            .start = request.start,
            .end = request.end,
            .version_mask = request.version_mask,
            .record = std::move(record)};
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
    const SearchRecord& record = checkpoint.record;
    const Algorithm& algorithm = *checkpoint.header.algorithm;
    std::string text = fmt::format("{}\n", kFormat);
    if (&algorithm != &kSha256d) text += fmt::format("{}{}\n", kAlgorithm, algorithm.name);
    text += fmt::format("header {}\ntarget {}\nnonces {} {}\nversions {} {}\n", header_digits(checkpoint.header),
                        checkpoint.target.hex(), checkpoint.start, checkpoint.end, hex8(checkpoint.version_mask),
                        record.group_size);
    for (const auto& [first, end] : record.done.intervals()) text += fmt::format("done {} {}\n", first, end - 1);
    for (const HitKey& hit : record.hits) text += fmt::format("hit {} {}\n", hex8(hit.version), hit.nonce);
    return text + std::string(kChecksum) + sha256_hex(text) + "\n";
}

Checkpoint parse_checkpoint(std::string_view text, const Algorithm& algorithm) {
    Lines lines(text);
    if (lines.next() != kFormat) lines.fail(fmt::format("'{}'", kFormat));
    lines = Lines(checked(text));
    (void)lines.next();
    Checkpoint checkpoint;
    read_search(lines, checkpoint, algorithm);
    read_done(lines, checkpoint);
    read_hits(lines, checkpoint);
    if (!lines.at_end()) {
        (void)lines.next();
        lines.fail("'done', 'hit' or the checksum");
    }
    return checkpoint;
}

void require_same_search(const Checkpoint& checkpoint, const SearchRequest& request) {
    const Checkpoint wanted = make_checkpoint(request, {});
    const auto require = [](const char* what, const std::string& expected, const std::string& got) {
        if (expected != got)
            throw InputError(fmt::format("expected a checkpoint of {} {}, got one of {}", what, expected, got));
    };
    const auto range = [](const Checkpoint& of) { return fmt::format("{} to {}", of.start, of.end); };
    const std::string wanted_digits = header_digits(wanted.header), digits = header_digits(checkpoint.header);
    const std::size_t place = first_difference(wanted_digits, digits);
    require("header", from_place(wanted_digits, place), from_place(digits, place));
    require("target", wanted.target.hex(), checkpoint.target.hex());
    require("nonces", range(wanted), range(checkpoint));
    require("version bits", hex8(wanted.version_mask), hex8(checkpoint.version_mask));
}

}  // namespace gpuminer
