#include "baremetal/config.hpp"

#include "host/block/well_known.hpp"

namespace gpuminer::baremetal {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

Text trimmed(Text text) {
    while (text.size > 0 && is_blank(text[0])) text = text.without_first(1);
    while (text.size > 0 && is_blank(text[text.size - 1])) --text.size;
    return text;
}

/// The text before the first `separator`, which goes with it; all of it where there is none.
Text take_until(Text& rest, char separator, bool* found = nullptr) {
    std::size_t size = 0;
    while (size < rest.size && rest[size] != separator) ++size;
    const Text front(rest.data, size);
    if (found != nullptr) *found = size < rest.size;
    rest = rest.without_first(size < rest.size ? size + 1 : size);
    return front;
}

/// -1: no hex digit.
int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// As many bytes as there are pairs of digits, in their order; the caller has seen to the size.
bool parse_bytes(Text hex, std::uint8_t* bytes) {
    for (std::size_t i = 0; i < hex.size; ++i) {
        const int digit = digit_of(hex[i]);
        if (digit < 0) return false;
        bytes[i / 2] = static_cast<std::uint8_t>(i % 2 == 0 ? digit << 4 : bytes[i / 2] | digit);
    }
    return true;
}

/// Decimal or 0x….
bool parse_number(Text text, std::uint64_t least, std::uint64_t most, std::uint64_t& value) {
    const bool is_hex = text.size > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
    if (is_hex) text = text.without_first(2);
    const unsigned base = is_hex ? 16 : 10;
    if (text.size == 0 || text.size > 10) return false;
    value = 0;
    for (std::size_t i = 0; i < text.size; ++i) {
        const int digit = digit_of(text[i]);
        if (digit < 0 || digit >= static_cast<int>(base)) return false;
        value = value * base + static_cast<unsigned>(digit);
    }
    return value >= least && value <= most;
}

bool parse_number(Text text, std::uint64_t least, std::uint64_t most, std::uint32_t& number) {
    std::uint64_t value = 0;
    if (!parse_number(text, least, most, value)) return false;
    number = static_cast<std::uint32_t>(value);
    return true;
}

bool parse_switch(Text text, bool& value) {
    value = text == "yes" || text == "true";
    return value || text == "no" || text == "false";
}

bool parse_header(Text text, Header& header) {
    if (text.size != 152 && text.size != 160) return false;
    header = {};
    return parse_bytes(text, header.bytes);
}

bool parse_target(Text text, Number256& target) {
    Number256 displayed;
    if (text.size != 64 || !parse_bytes(text, displayed.bytes)) return false;
    for (unsigned i = 0; i < 32; ++i) target.bytes[i] = displayed.bytes[31 - i];
    return true;
}

bool parse_nbits(Text text, Number256& target) {
    std::uint8_t b[4];
    if (text.size != 8 || !parse_bytes(text, b)) return false;
    return target_of_nbits(std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3],
                           target);
}

bool parse_isa(Text text, char (&isa)[24]) {
    static constexpr Text kNames[] = {
        "auto",
#define GPUMINER_ISA(name, title, lanes, vocabulary) #name,
#include "cpu/isa_list.inc"
    };
    for (const Text& name : kNames) {
        if (!(text == name)) continue;
        for (std::size_t i = 0; i < sizeof(isa); ++i) isa[i] = i < name.size ? name[i] : '\0';
        return true;
    }
    return false;
}

bool parse_at_end(Text text, AtEnd& at_end) {
    static constexpr struct {
        Text name;
        AtEnd value;
    } kNames[] = {{"shutdown", AtEnd::kShutdown}, {"reboot", AtEnd::kReboot}, {"firmware", AtEnd::kFirmware}};
    for (const auto& [name, value] : kNames) {
        if (!(text == name)) continue;
        at_end = value;
        return true;
    }
    return false;
}

/// What a file says beside the values themselves: the lines of some, 0 where there are none.
struct Reading {
    Config& config;
    std::uint64_t line = 0;  ///< the one that is read
    std::uint64_t header = 0, target = 0, nbits = 0, range = 0;
};

struct Option {
    Text name;
    Text expected;
    bool (*read)(Text value, Reading& reading);
};
constexpr Option kOptions[] = {
    {"header", "152 hex digits (a header without its nonce) or 160",
     [](Text value, Reading& r) { return r.header = r.line, parse_header(value, r.config.header); }},
    {"target", "64 hex digits",
     [](Text value, Reading& r) { return r.target = r.line, parse_target(value, r.config.target); }},
    {"nbits", "8 hex digits of a target that is not negative and has 256 bits at most",
     [](Text value, Reading& r) { return r.nbits = r.line, parse_nbits(value, r.config.target); }},
    {"start", "a number from 0 to 4294967295",
     [](Text value, Reading& r) { return r.range = r.line, parse_number(value, 0, 0xffffffff, r.config.first); }},
    {"end", "a number from 0 to 4294967295",
     [](Text value, Reading& r) { return r.range = r.line, parse_number(value, 0, 0xffffffff, r.config.last); }},
    {"threads", "a number from 1 to 4096",
     [](Text value, Reading& r) { return parse_number(value, 1, 4096, r.config.threads); }},
    {"isa", "auto"
#define GPUMINER_ISA(name, title, lanes, vocabulary) ", " #name
#include "cpu/isa_list.inc"
     ,
     [](Text value, Reading& r) { return parse_isa(value, r.config.isa); }},
    {"slice", "a power of two from 256 to 16777216",
     [](Text value, Reading& r) {
         const std::uint64_t& slice = r.config.slice;
         return parse_number(value, 256, Config::kLargestSlice, r.config.slice) && (slice & (slice - 1)) == 0;
     }},
    {"mask-interrupts", "yes or no",
     [](Text value, Reading& r) { return parse_switch(value, r.config.mask_interrupts); }},
    {"progress", "yes or no", [](Text value, Reading& r) { return parse_switch(value, r.config.progress); }},
    {"at-end", "shutdown, reboot or firmware",
     [](Text value, Reading& r) { return parse_at_end(value, r.config.at_end); }},
    {"wait", "a number of seconds from 0 to 86400",
     [](Text value, Reading& r) { return parse_number(value, 0, 86400, r.config.wait); }},
};
constexpr std::size_t kOptionCount = sizeof(kOptions) / sizeof(kOptions[0]);

Line& begin_complaint(Line& complaint, std::uint64_t line_number) {
    complaint.clear();
    return complaint.add("gpuminer.cfg, line ").number(line_number).add(": ");
}

/// `seen`: the options that earlier lines gave.
bool parse_line(Text line, Reading& reading, bool (&seen)[kOptionCount], Line& complaint) {
    bool is_assignment = false;
    Text value = line;
    const Text name = trimmed(take_until(value, '=', &is_assignment));
    value = trimmed(value);
    if (!is_assignment) {
        begin_complaint(complaint, reading.line).add("expected NAME = VALUE, got ").quoted(line);
        return false;
    }
    if (value.size >= 2 && value[0] == '"' && value[value.size - 1] == '"') value = {value.data + 1, value.size - 2};
    for (std::size_t i = 0; i < kOptionCount; ++i) {
        if (!(name == kOptions[i].name)) continue;
        if (seen[i]) {
            begin_complaint(complaint, reading.line).add("expected each option once, got ").add(name).add(" again");
            return false;
        }
        seen[i] = true;
        if (kOptions[i].read(value, reading)) return true;
        begin_complaint(complaint, reading.line).add("expected ").add(kOptions[i].expected).add(" as ").add(name);
        complaint.add(", got ").quoted(value);
        return false;
    }
    begin_complaint(complaint, reading.line).add("expected ");
    for (std::size_t i = 0; i < kOptionCount; ++i)
        complaint.add(i == 0 ? "" : i + 1 < kOptionCount ? ", " : " or ").add(kOptions[i].name);
    complaint.add(", got ").quoted(name);
    return false;
}

Text without_comment(Text line) {
    line = take_until(line, '#');
    return trimmed(take_until(line, ';'));
}

}  // namespace

Header header_of_digits(Text hex) {
    Header header;
    (void)parse_header(hex, header);
    return header;
}

Config::Config() : header(header_of_digits(kBlock100000Header)) { (void)target_of_nbits(header.nbits(), target); }

bool parse_config(Text text, Config& config, Line& complaint) {
    config = {};
    Reading reading{config};
    bool seen[kOptionCount] = {};
    constexpr Text kByteOrderMark("\xef\xbb\xbf", 3);  // some editors of Windows begin a file with it
    if (text.size >= 3 && Text(text.data, 3) == kByteOrderMark) text = text.without_first(3);
    for (std::uint64_t number = 1; text.size > 0; ++number) {
        const Text line = without_comment(take_until(text, '\n'));
        reading.line = number;
        if (line.size > 0 && !parse_line(line, reading, seen, complaint)) return false;
    }
    complaint.clear();
    if (config.first > config.last) {
        begin_complaint(complaint, reading.range).add("expected an end that is not before the start, ");
        complaint.number(config.first).add(", got ").number(config.last);
        return false;
    }
    if (reading.target != 0 && reading.nbits != 0) {
        begin_complaint(complaint, reading.target > reading.nbits ? reading.target : reading.nbits)
            .add("target and nbits exclude each other");
        return false;
    }
    if (reading.target == 0 && reading.nbits == 0 && !target_of_nbits(config.header.nbits(), config.target)) {
        begin_complaint(complaint, reading.header).add("expected a header whose nBits are a target, got nBits ");
        complaint.hex(config.header.nbits(), 8).add("; name a target");
        return false;
    }
    return true;
}

}  // namespace gpuminer::baremetal
