#include "host/block/header.hpp"

#include <algorithm>
#include <filesystem>
#include <istream>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/block/algorithm.hpp"
#include "host/block/header_forms.hpp"
#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

Hash256 load_hash(std::span<const std::uint8_t> bytes, std::size_t at) {
    Hash256 hash;
    std::ranges::reverse_copy(bytes.subspan(at, hash.bytes.size()), hash.bytes.begin());
    return hash;
}

bool is_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); });
}

HeaderInput raw_header(std::string_view bytes, const Algorithm& algorithm) {
    HeaderInput input{BlockHeader(algorithm)};
    std::ranges::transform(bytes, input.header.bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    input.has_nonce = true;
    algorithm.require_valid(input.header);
    return input;
}

/// So many digits make a header, with its nonce or without.
bool is_size_of_header(std::size_t digits, const Algorithm& algorithm) {
    return digits == 2 * algorithm.layout.size || (digits > 0 && digits == 2 * algorithm.size_without_nonce);
}

bool is_whole_header(std::string_view line, const Algorithm& algorithm) {
    const std::string digits = hex_digits_of(line);
    return is_size_of_header(digits.size(), algorithm) && is_hex(digits);
}

// One header a line, as the first line is one by itself.
std::vector<HeaderInput> parse_lines(std::string_view text, const Algorithm& algorithm) {
    std::vector<HeaderInput> headers;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (trimmed(line).empty()) continue;
        try {
            headers.push_back(parse_header_hex(line, algorithm));
            headers.back().line = number;
        } catch (const InputError& error) {
            throw InputError(fmt::format("line {}: {}", number, error.what()));
        }
    }
    return headers;
}

/// A header by itself in its first line, and more lines.
bool is_list(std::string_view text, const Algorithm& algorithm) {
    const std::string_view rest = trimmed(text);
    const std::size_t end = rest.find('\n');
    return end != std::string_view::npos && is_whole_header(rest.substr(0, end), algorithm);
}

/// A form that only `verify` takes. Empty where `text` is none.
std::optional<HeaderInput> parse_verified_form(std::string_view text, const Algorithm& algorithm, HeaderForms forms) {
    if (&algorithm != &kSha256d) return std::nullopt;
    const bool whole = is_block(text);
    if (!whole && !is_object(text)) return std::nullopt;
    const auto read = [&] { return whole ? read_block(text) : HeaderInput{header_of_object(text), true}; };
    if (forms == HeaderForms::kVerified) return read();
    std::string remark;
    try {
        remark = ", whose header is " + read().header.hex();
    } catch (const InputError&) {  // it is no header's
    }
    throw InputError(
        fmt::format("expected {}, got {}{}", algorithm.header_text, whole ? "a whole block" : "a JSON object", remark));
}

HeaderInput parse_block(std::string_view text, const Algorithm& algorithm) {
    if (is_block(text)) return read_block(text);
    const bool is_raw_header = text.size() == algorithm.layout.size && !is_text(text);
    throw InputError(fmt::format("expected a whole block, its bytes or their hex digits, got {}",
                                 trimmed(text).empty()                               ? "nothing"
                                 : is_raw_header || is_whole_header(text, algorithm) ? "a header"
                                                                                     : "something else"));
}

/// Without the mark that some editors of Windows put before UTF-8.
std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    const bool marked = text.starts_with(kMark) && is_text(text.substr(kMark.size()));
    return marked ? text.substr(kMark.size()) : text;
}

/// Throws InputError for what PowerShell 5 writes behind `>`.
void require_no_utf16(std::string_view text, const Algorithm& algorithm) {
    if (!text.starts_with("\xff\xfe")) return;
    throw InputError(fmt::format("expected {}, got text in UTF-16; save it in UTF-8", algorithm.header_text));
}

std::vector<HeaderInput> parse_text(std::string_view text, const Algorithm& algorithm, HeaderForms forms) {
    text = without_byte_order_mark(text);
    if (forms == HeaderForms::kBlock) return {parse_block(text, algorithm)};
    const std::size_t longest_of_one = std::max<std::size_t>(4096, 4 * algorithm.layout.size);  // generous white space
    if (text.size() == algorithm.layout.size && !is_text(text)) return {raw_header(text, algorithm)};
    if (const auto input = parse_verified_form(text, algorithm, forms)) return {*input};
    if (is_list(text, algorithm)) return parse_lines(text, algorithm);
    require_no_utf16(text, algorithm);
    if (text.size() > longest_of_one)
        throw InputError(fmt::format("expected {}, got more than {} bytes", algorithm.header_text, longest_of_one));
    if (trimmed(text).empty()) throw InputError(fmt::format("expected {}, got nothing", algorithm.header_text));
    return {parse_header_hex(text, algorithm)};
}

/// Up to the stream's end, or until `text` has `size` bytes.
void read_until(std::istream& stream, std::string& text, std::size_t size) {
    constexpr std::size_t kPiece = 1 << 16;
    while (stream && text.size() < size) {
        const std::size_t before = text.size();
        text.resize(std::min(size, before + std::max(kPiece, before)));
        stream.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
        text.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
}

/// What is expected in place of a text that begins as this one and is longer than anything of its kind.
std::string shorter_than(std::string_view text, std::size_t longest, const Algorithm& algorithm, HeaderForms forms) {
    const bool verified = &algorithm == &kSha256d && forms != HeaderForms::kSearched;
    if (forms == HeaderForms::kBlock && !is_block(text)) return "a whole block, got something longer";
    if (is_list(text, algorithm)) return fmt::format("headers of at most {} bytes, got more", longest);
    if (verified && is_block(text)) return "a whole block of at most 4000000 bytes, got more";
    if (verified && is_object(text))
        return fmt::format("an object of at most {} bytes, as getblockheader's, got more", longest);
    return fmt::format("{}, got more than {} bytes", algorithm.header_text, longest);
}

// `source` names the stream in messages: "standard input", "file 'x'".
std::vector<HeaderInput> parse_stream(std::istream& stream, const std::string& source, const Algorithm& algorithm,
                                      HeaderForms forms) {
    constexpr std::size_t kLongest = 1 << 20;      // a huge file that is something else is not read to its end
    constexpr std::size_t kLongestList = 1 << 30;  // millions of headers
    std::string text;
    read_until(stream, text, kLongest + 1);
    const std::size_t longest = is_block(text) ? kLongestBlock : is_list(text, algorithm) ? kLongestList : kLongest;
    read_until(stream, text, longest + 1);
    if (stream.bad()) throw InputError("cannot read " + source);
    if (text.size() > longest)
        throw InputError(fmt::format("{}: expected {}", source, shorter_than(text, longest, algorithm, forms)));
    try {
        return parse_text(text, algorithm, forms);
    } catch (const InputError& error) {
        throw InputError(source + ": " + error.what());
    }
}

std::vector<HeaderInput> read_file(std::string_view path, const Algorithm& algorithm, HeaderForms forms) {
    if (path.empty()) throw InputError("expected a file name after @, got nothing");
    const std::string source = source_of_header(fmt::format("@{}", path));
    if (path.find('\0') != std::string_view::npos) throw InputError(source + " has a NUL byte in its name");
    InputStream stream(std::filesystem::path(path), "cannot read " + source);
    return parse_stream(stream, source, algorithm, forms);
}

/// What was taken for the name of an embedded block and is none.
InputError unknown_block(std::string_view argument, const Algorithm& algorithm) {
    std::vector<std::string> names;
    for (const EmbeddedBlock& block : algorithm.embedded_blocks()) names.emplace_back(block.name);
    const bool is_height = std::ranges::all_of(argument, [](char c) { return c >= '0' && c <= '9'; });
    const std::string remark =
        argument.empty() ? "nothing"
        : argument == "testnet5-genesis"
            ? fmt::format("{}, a block that is still to be mined (BIP 95)", quoted_text(argument))
        : is_height ? fmt::format("{}, whose header the program does not have", quoted_text(argument))
                    : quoted_text(argument) + did_you_mean(argument, names);
    return InputError(fmt::format("expected {}, @FILE, - (standard input) or an embedded block ({}), got {}",
                                  algorithm.header_text, fmt::join(names, ", "), remark));
}

}  // namespace

BlockHeader::BlockHeader(const Algorithm& of) : algorithm(&of), bytes(of.layout.size) {}

std::uint32_t BlockHeader::version() const { return load_le32(bytes, algorithm->layout.version); }
Hash256 BlockHeader::previous_hash() const { return load_hash(bytes, algorithm->layout.previous_hash); }
Hash256 BlockHeader::merkle_root() const { return load_hash(bytes, algorithm->layout.merkle_root); }
std::uint32_t BlockHeader::time() const { return load_le32(bytes, algorithm->layout.time); }
std::uint32_t BlockHeader::nbits() const { return load_le32(bytes, algorithm->layout.nbits); }
std::uint32_t BlockHeader::nonce() const { return load_le32(bytes, algorithm->layout.nonce); }

void BlockHeader::set_version(std::uint32_t version) { store_le32(bytes, algorithm->layout.version, version); }
void BlockHeader::set_previous_hash(const Digest& hash) {
    std::ranges::copy(hash, std::span(bytes).subspan(algorithm->layout.previous_hash).begin());
}
void BlockHeader::set_merkle_root(const Digest& root) {
    std::ranges::copy(root, std::span(bytes).subspan(algorithm->layout.merkle_root).begin());
}
void BlockHeader::set_time(std::uint32_t seconds) { store_le32(bytes, algorithm->layout.time, seconds); }
void BlockHeader::set_nbits(std::uint32_t nbits) { store_le32(bytes, algorithm->layout.nbits, nbits); }
void BlockHeader::set_nonce(std::uint32_t nonce) { store_le32(bytes, algorithm->layout.nonce, nonce); }

BlockHeader BlockHeader::with_version(std::uint32_t version) const {
    BlockHeader copy = *this;
    copy.set_version(version);
    return copy;
}

BlockHeader BlockHeader::with_nonce(std::uint32_t nonce) const {
    BlockHeader copy = *this;
    copy.set_nonce(nonce);
    return copy;
}

std::string BlockHeader::hex() const { return to_hex(bytes); }

HeaderInput parse_header_hex(std::string_view text, const Algorithm& algorithm) {
    const std::string digits = hex_digits_of(text);
    require_hex_digits(digits, algorithm.header_text);
    if (!is_size_of_header(digits.size(), algorithm)) {
        const std::string remark =
            digits.size() == 64 ? fmt::format(", a block's hash; `{}` prints its header", algorithm.command_for_header)
            : digits.size() % 2 != 0 ? ", an odd number"
                                     : "";
        throw InputError(fmt::format("expected {}, got {} digits{}", algorithm.header_text, digits.size(), remark));
    }
    HeaderInput input{BlockHeader(algorithm)};
    input.has_nonce = digits.size() == 2 * algorithm.layout.size;
    decode_hex(digits, std::span(input.header.bytes).first(digits.size() / 2));
    algorithm.require_valid(input.header);
    return input;
}

std::string source_of_header(std::string_view argument) {
    constexpr std::size_t kShownOfPath = 100;
    if (argument.starts_with('@')) return "file " + quoted_text(argument.substr(1), kShownOfPath);
    return argument == "-" ? "standard input" : "";
}

std::vector<HeaderInput> read_headers(std::string_view argument, std::istream& standard_input,
                                      const Algorithm& algorithm, HeaderForms forms) {
    if (argument == "-") return parse_stream(standard_input, "standard input", algorithm, forms);
    if (argument.starts_with('@')) return read_file(argument.substr(1), algorithm, forms);
    if (const auto input = parse_verified_form(argument, algorithm, forms)) return {*input};
    for (const EmbeddedBlock& block : algorithm.embedded_blocks()) {
        if (argument == block.name) return {parse_header_hex(block.header_hex, algorithm)};
    }
    // Something this short is rather a mistaken name than a mistaken header.
    constexpr std::size_t kLongestName = 32;
    if (argument.size() <= kLongestName) throw unknown_block(argument, algorithm);
    return {parse_header_hex(argument, algorithm)};
}

HeaderInput read_header(std::string_view argument, std::istream& standard_input, const Algorithm& algorithm) {
    const std::vector<HeaderInput> headers = read_headers(argument, standard_input, algorithm);
    if (headers.size() != 1)
        throw InputError(fmt::format("{}: expected one header, got {}", source_of_header(argument), headers.size()));
    return headers.front();
}

}  // namespace gpuminer
