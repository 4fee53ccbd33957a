// Fuzzer of headers as text. The parser accepts 152 or 160 hex digits, with white space anywhere and a 0x before them,
// and nothing else; an accepted one survives a round trip, and each refusal is a plain sentence. `verify` takes more.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/explain/explain.hpp"
#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "host/block/verify.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/block_view.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using fuzz::demand;

namespace {

/// Empty: it is no header's text.
std::string header_digits(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
    if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) text.erase(0, 2);
    const bool is_header = (text.size() == 152 || text.size() == 160) &&
                           text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    return is_header ? text : "";
}

// Properties of any 80 bytes. `texts`: with what people read, which takes most of the time.
void check_header(const HeaderInput& input, bool texts) {
    const BlockHeader& header = input.header;
    demand(parse_header_hex(header.hex()).header == header, "print and parse give the same header");
    demand(header.with_version(header.version()).with_nonce(header.nonce()) == header, "fields read back as stored");
    demand(header.with_nonce(~header.nonce()).nonce() == ~header.nonce(), "a nonce reads back as set");
    demand(header.with_version(~header.version()).version() == ~header.version(), "a version reads back as set");

    const Explanation explanation = explain(input);
    demand(explanation.hash == double_sha256(header.bytes), "explain agrees with OpenSSL");
    if (texts) {
        demand(!lesson::text(explain_sections(explanation, true)).empty(), "explain has a text");
        demand(!explain_json(explanation, true).dump().empty(), "explain has a document");
    }
    try {
        const Verification verification = verify_header(input, std::nullopt);
        demand(verification.valid == (explanation.hash <= *explanation.target), "verify and explain agree");
        if (texts)
            demand(!verify_text(verification).empty() && !verify_json(verification).dump().empty(),
                   "verify has a text");
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
        demand(!input.has_nonce || !explanation.target, "verify refuses only for want of a nonce or a target");
    }
}

void check_text(const std::string& text) {
    const std::string digits = header_digits(text);
    try {
        const HeaderInput input = parse_header_hex(text);
        demand(!digits.empty(), "only 152 or 160 hex digits are accepted");
        demand(input.has_nonce == (digits.size() == 160), "the nonce is there with 160 digits only");
        demand(input.header.hex().substr(0, digits.size()) == ascii_lower(digits),
               "parse and print give the same digits");
        check_header(input, true);
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
        demand(digits.empty(), "152 and 160 hex digits are always accepted");
    }
}

std::optional<HeaderInput> read_first(const std::string& argument, const std::string& standard_input, HeaderForms forms,
                                      std::string& refusal) {
    std::istringstream stream(standard_input);
    try {
        return read_headers(argument, stream, kSha256d, forms).front();
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
        refusal = error.what();
        return std::nullopt;
    }
}

// `argument` as on the command line; "@FILE" is left out, since it would open whatever the fuzzer names.
void check_argument(const std::string& argument, const std::string& standard_input) {
    std::string refusal;
    const auto searched = read_first(argument, standard_input, HeaderForms::kSearched, refusal);
    const auto verified = read_first(argument, standard_input, HeaderForms::kVerified, refusal);
    demand(!searched || (verified && verified->header == searched->header), "verify takes what a search takes");
    demand(!verified || searched || refusal.find(verified->header.hex()) != std::string::npos,
           "the refusal of what verify alone takes has the header's digits");
    if (!verified || verified->transactions.empty()) return;
    try {
        const net::BlockView block = net::view_block(verified->header, verified->transactions);
        demand(block.transactions != 0, "a block has a coinbase");
        demand(!block.bip54 || block.height, "without a height BIP 54 means nothing");
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    check_text(text);
    check_argument("-", text);
    if (!text.starts_with('@')) check_argument(text, "");
    HeaderInput raw;
    raw.has_nonce = size >= raw.header.bytes.size();
    std::copy_n(data, std::min(size, raw.header.bytes.size()), raw.header.bytes.begin());
    check_header(raw, false);
    return 0;
}
