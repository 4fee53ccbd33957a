// gpuminer.cfg as the UEFI application reads it.
#include <algorithm>
#include <fstream>
#include <string>

#include "baremetal/config.hpp"
#include "host/block/hash256.hpp"
#include "host/block/header.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::baremetal;

namespace {

std::string hex_of(const Number256& number) {
    Hash256 displayed;
    for (std::size_t i = 0; i < 32; ++i) displayed.bytes[i] = number.bytes[31 - i];
    return displayed.hex();
}

/// The complaint; empty: it is accepted.
std::string complaint_of(const std::string& text, Config& config) {
    Line complaint;
    const bool accepted = parse_config({text.data(), text.size()}, config, complaint);
    CHECK(accepted == complaint.empty());
    return {complaint.text().data, complaint.text().size};
}

std::string complaint_of(const std::string& text) {
    Config config;
    return complaint_of(text, config);
}

Config accepted(const std::string& text) {
    Config config;
    REQUIRE(complaint_of(text, config).empty());
    return config;
}

const std::string kBlock170 =
    "0100000055bd840a78798ad0da853f68974f3d183e2bd1db6a842c1feecf222a00000000ff104ccb"
    "05421ab93e63f8c3ce5c2c2e9dbb37de2764b3a3175c8166562cac7d51b96a49ffff001d283e9e70";

}  // namespace

TEST_CASE("without a file the job is block 100000, all of it") {
    for (const std::string text : {"", "\n", "# nothing\r\n\r\n; nothing either"}) {
        const Config config = accepted(text);
        CHECK(config.header.nonce() == 274148111);
        CHECK(hex_of(config.target) == target_from_nbits(0x1b04864c).hex());
        CHECK(config.range() == NonceRange{0, std::uint64_t{1} << 32});
        CHECK(std::string(config.isa) == "auto");
        CHECK(config.threads == 0);
        CHECK(config.wait == 30);
    }
}

TEST_CASE("a file says what is searched and how") {
    const Config config = accepted("\xef\xbb\xbf  header = \"" + kBlock170 +
                                   "\"  # the first payment\r\n"
                                   "start=16\n\tend = 0xFFFFFFFE ; but one\n"
                                   "threads = 7\nisa = avx512+shani\nslice = 0x1000\nmask-interrupts = yes\n"
                                   "progress = no\nat-end = firmware\nwait = 0");
    CHECK(config.header.nonce() == parse_header_hex(kBlock170).header.nonce());
    CHECK(hex_of(config.target) == target_from_nbits(0x1d00ffff).hex());
    CHECK(config.range() == NonceRange{16, 0xffffffef});
    CHECK(config.threads == 7);
    CHECK(std::string(config.isa) == "avx512+shani");
    CHECK(config.slice == 4096);
    CHECK(config.mask_interrupts);
    CHECK_FALSE(config.progress);
    CHECK(config.at_end == AtEnd::kFirmware);
    CHECK(config.wait == 0);
}

TEST_CASE("the target is the header's, a number or nBits") {
    const std::string number = "00000000000404cb000000000000000000000000000000000000000000000001";
    CHECK(hex_of(accepted("target = " + number).target) == number);
    CHECK(hex_of(accepted("nbits = 1b0404cb\n").target) == target_from_nbits(0x1b0404cb).hex());
    CHECK(hex_of(accepted("nbits = 207fffff\n").target) == target_from_nbits(0x207fffff).hex());
    CHECK(hex_of(accepted("nbits = 03123456\n").target) == target_from_nbits(0x03123456).hex());
    // A header whose nBits are no target will do with another target beside it, wherever that stands.
    const std::string without_target = "header = " + kBlock170.substr(0, 144) + "ffffffff";
    CHECK(complaint_of("\n" + without_target)
              .find("gpuminer.cfg, line 2: expected a header whose nBits are a target, got nBits FFFFFFFF") !=
          std::string::npos);
    CHECK(hex_of(accepted("target = " + number + "\n" + without_target).target) == number);
}

TEST_CASE("nBits are read as everywhere else") {
    // Exponents around the edges, mantissas with zero bytes and a sign.
    for (std::uint32_t exponent = 0; exponent < 64; ++exponent) {
        for (const std::uint32_t mantissa : {0x000001u, 0x00ff00u, 0x010000u, 0x7fffffu, 0x123456u, 0x800001u}) {
            const std::uint32_t nbits = exponent << 24 | mantissa;
            Number256 target;
            const bool valid = target_of_nbits(nbits, target);
            CAPTURE(nbits);
            if (is_target(nbits)) {
                REQUIRE(valid);
                CHECK(hex_of(target) == target_from_nbits(nbits).hex());
            } else {
                // Zero is no target elsewhere, and one that nothing meets here.
                CHECK((!valid || hex_of(target) == std::string(64, '0')));
            }
        }
    }
}

TEST_CASE("a bad file gets one sentence") {
    const std::string start = "gpuminer.cfg, line 2: expected ";
    const auto second_line = [](const std::string& line) { return complaint_of("\n" + line + "\nend = 5\n"); };
    CHECK(second_line("header") == start + "NAME = VALUE, got \"header\"");
    CHECK(second_line("header = xyz") ==
          start + "152 hex digits (a header without its nonce) or 160 as header, got \"xyz\"");
    CHECK(second_line("header = " + kBlock170.substr(1) + "g").find(kBlock170.substr(1, 40) + "\"...") !=
          std::string::npos);
    CHECK(second_line("start = 4294967296") == start + "a number from 0 to 4294967295 as start, got \"4294967296\"");
    CHECK(second_line("start = -1") == start + "a number from 0 to 4294967295 as start, got \"-1\"");
    CHECK(second_line("start = 0x") == start + "a number from 0 to 4294967295 as start, got \"0x\"");
    CHECK(second_line("start =") == start + "a number from 0 to 4294967295 as start, got \"\"");
    CHECK(second_line("start = 99999999999999999999") ==
          start + "a number from 0 to 4294967295 as start, got \"99999999999999999999\"");
    CHECK(second_line("threads = 0") == start + "a number from 1 to 4096 as threads, got \"0\"");
    CHECK(second_line("slice = 1000") == start + "a power of two from 256 to 16777216 as slice, got \"1000\"");
    CHECK(second_line("mask-interrupts = maybe") == start + "yes or no as mask-interrupts, got \"maybe\"");
    CHECK(second_line("at-end = never") == start + "shutdown, reboot or firmware as at-end, got \"never\"");
    CHECK(second_line("target = 00") == start + "64 hex digits as target, got \"00\"");
    CHECK(second_line("nbits = 1d80ffff").rfind(start + "8 hex digits of a target", 0) == 0);
    CHECK(second_line("isa = neon").rfind(start + "auto, scalar, sse41, avx2", 0) == 0);
    CHECK(second_line("colour = red").rfind(start + "header, target, nbits, start", 0) == 0);
    CHECK(second_line("bell = \a\x80") == complaint_of("\nbell = 1"));  // the name is wrong first
    CHECK(second_line("\a\x80 = 1").find("got \"??\"") != std::string::npos);
    CHECK(complaint_of("end = 1\nend = 1\n") == start + "each option once, got end again");
    CHECK(complaint_of("nbits = 207fffff\ntarget = " + std::string(64, '0') + "\n") ==
          "gpuminer.cfg, line 2: target and nbits exclude each other");
    CHECK(complaint_of("start = 10\nend = 9") ==
          "gpuminer.cfg, line 2: expected an end that is not before the start, 10, got 9");
    CHECK(complaint_of("start = 10\nend = 9\nwait = 1\n").rfind(start + "an end", 0) == 0);
}

TEST_CASE("the stick's file has every option with its default") {
    std::ifstream file("packaging/gpuminer.cfg");
    REQUIRE(file);
    std::string text, names;
    for (std::string line; std::getline(file, line);) {
        const bool is_option = line.size() > 1 && line[0] == '#' && line[1] != ' ';
        text += (is_option ? line.substr(1) : line) + "\r\n";
        if (is_option) names += line.substr(1, line.find(' ') - 1) + " ";
    }
    CHECK(names == "header nbits start end threads isa slice mask-interrupts progress at-end wait ");
    // The parser's own list has them, and `target` in the place of `nbits`.
    CHECK(complaint_of("x = 1") ==
          "gpuminer.cfg, line 1: expected header, target, nbits, start, end, threads, isa, slice, mask-interrupts, "
          "progress, at-end or wait, got \"x\"");
    const Config config = accepted(text), defaults;
    CHECK(std::equal(config.header.bytes, config.header.bytes + 76, defaults.header.bytes));
    CHECK(hex_of(config.target) == hex_of(defaults.target));
    CHECK(config.range() == defaults.range());
    CHECK(config.threads == 1);
    CHECK(std::string(config.isa) == defaults.isa);
    CHECK(config.slice == defaults.slice);
    CHECK(config.mask_interrupts == defaults.mask_interrupts);
    CHECK(config.progress == defaults.progress);
    CHECK(config.at_end == defaults.at_end);
    CHECK(config.wait == defaults.wait);
}
