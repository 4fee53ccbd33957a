// Headers: fields, and reading them from text, files and standard input.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include "host/block/byte_order.hpp"
#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;

namespace {

const std::string kBlock100000 =
    "0100000050120119172a610421a6c3011dd330d9df07b63616c2cc1f1cd0020000000000"
    "6657a9252aacd5c0b2940996ecff952228c3067cc38d4885efb5a4ac4247e9f337221b4d4c86041b0f2b5710";

HeaderInput read(std::string_view argument, const std::string& standard_input = "") {
    std::istringstream stream(standard_input);
    return read_header(argument, stream);
}

std::string read_error(std::string_view argument, const std::string& standard_input = "") {
    std::string message = input_error([&] { (void)read(argument, standard_input); });
    if (!message.empty()) {
        INFO(message);
        REQUIRE(is_plain_sentence(message));
    }
    return message;
}

// A file in the temporary folder that goes away with the object.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& content)
        : path_(std::filesystem::temp_directory_path() / ("gpuminer-test-" + std::to_string(getpid()))) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] std::string argument() const { return "@" + path_.string(); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace

TEST_CASE("the fields of a header", "[header]") {
    const HeaderInput input = parse_header_hex(kBlock100000);
    const BlockHeader& header = input.header;
    REQUIRE(input.has_nonce);
    REQUIRE(header.version() == 1);
    REQUIRE(header.previous_hash().hex() == "000000000002d01c1fccc21636b607dfd930d31d01c3a62104612a1719011250");
    REQUIRE(header.merkle_root().hex() == "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766");
    REQUIRE(header.time() == 1293623863);
    REQUIRE(header.nbits() == 0x1b04864c);
    REQUIRE(header.nonce() == 274148111);
    REQUIRE(header.hex() == kBlock100000);
}

TEST_CASE("a header with another version or nonce differs in those bytes only", "[header]") {
    const BlockHeader header = parse_header_hex(kBlock100000).header;
    REQUIRE(header.with_nonce(0x01020304).hex() == kBlock100000.substr(0, 152) + "04030201");
    REQUIRE(header.with_version(0xfffe0001).hex() == "0100feff" + kBlock100000.substr(8));
    REQUIRE(header.with_nonce(0xffffffff).nonce() == 0xffffffff);
    REQUIRE(header.with_version(0x20006000).version() == 0x20006000);
    REQUIRE(header.with_nonce(header.nonce()) == header);
}

TEST_CASE("a header made of its fields", "[header]") {
    const BlockHeader block = parse_header_hex(kBlock100000).header;
    BlockHeader header;
    std::ranges::fill(header.bytes, std::uint8_t{0xff});
    header.set_version(block.version());
    header.set_previous_hash(internal_order(block.previous_hash()));
    header.set_merkle_root(internal_order(block.merkle_root()));
    header.set_time(block.time());
    header.set_nbits(block.nbits());
    header.set_nonce(block.nonce());
    REQUIRE(header.hex() == kBlock100000);
}

TEST_CASE("a header without a nonce gets zero", "[header]") {
    const HeaderInput input = parse_header_hex(kBlock100000.substr(0, 152));
    REQUIRE_FALSE(input.has_nonce);
    REQUIRE(input.header.nonce() == 0);
    REQUIRE(input.header.hex() == kBlock100000.substr(0, 152) + "00000000");
}

TEST_CASE("hex digits of either case", "[header]") {
    std::string upper = kBlock100000;
    for (char& c : upper) c = static_cast<char>(std::toupper(c));
    REQUIRE(parse_header_hex(upper).header.hex() == kBlock100000);
}

TEST_CASE("header digits that are wrong are refused in one sentence", "[header]") {
    const auto error_of = [](const std::string& text) { return input_error([&] { (void)parse_header_hex(text); }); };
    const std::string expected = "expected 152 or 160 hex digits (76 or 80 bytes), ";
    REQUIRE(error_of(kBlock100000.substr(1)) == expected + "got 159 digits, an odd number");
    REQUIRE(error_of(kBlock100000.substr(2)) == expected + "got 158 digits");
    REQUIRE(error_of(kBlock100000 + "00") == expected + "got 162 digits");
    REQUIRE(error_of("") == expected + "got 0 digits");
    std::string text = kBlock100000;
    text[16] = 'g';
    REQUIRE(error_of(text) == expected + "but character 17 is 'g'");
    text[16] = '\0';
    REQUIRE(error_of(text) == expected + "but character 17 is byte 0x00");
    text[0] = '\x1b';
    REQUIRE(error_of(text) == expected + "but character 1 is byte 0x1b");
    REQUIRE(error_of("0x0x" + kBlock100000) == expected + "but character 2 is 'x'");
    REQUIRE(contains(error_of(kBlock100000.substr(0, 64)), "got 64 digits, a block's hash"));
}

TEST_CASE("white space in header digits and a 0x before them mean nothing", "[header]") {
    const HeaderInput expected = parse_header_hex(kBlock100000);
    for (const std::string& text :
         {"0x" + kBlock100000, "0X" + kBlock100000, " " + kBlock100000 + "\t",
          kBlock100000.substr(0, 80) + "\n" + kBlock100000.substr(80), "\r\n0x" + kBlock100000}) {
        REQUIRE(parse_header_hex(text).header == expected.header);
        REQUIRE(read("-", text).header == expected.header);
    }
}

TEST_CASE("80 bytes on standard input or in a file are a header", "[header]") {
    const HeaderInput expected = parse_header_hex(kBlock100000);
    const std::string raw(expected.header.bytes.begin(), expected.header.bytes.end());
    REQUIRE(read("-", raw).header == expected.header);
    REQUIRE(read("-", raw).has_nonce);
    REQUIRE(read(TemporaryFile(raw).argument()).header == expected.header);
    REQUIRE(read("-", "{" + raw.substr(1)).header.version() == 0x7b);  // which begins as an object does
    REQUIRE(contains(read_error("-", raw + "\n"), "byte 0x01"));
    REQUIRE(contains(read_error("-", raw.substr(0, 76)), "byte 0x01"));
    REQUIRE(contains(read_error("-", kBlock100000.substr(0, 80)), "got 80 digits"));
}

TEST_CASE("text as Windows' editors and shells write it is read, or told from other things", "[header]") {
    const std::string mark = "\xef\xbb\xbf";
    REQUIRE(read("-", mark + kBlock100000 + "\r\n").header == parse_header_hex(kBlock100000).header);
    std::string raw = mark + std::string(77, '\x01');  // bytes of a header that begins as such a text does
    REQUIRE(read("-", raw).header.hex().starts_with("efbbbf0101"));
    std::string utf16 = "\xff\xfe";
    for (const char digit : kBlock100000) utf16 += {digit, '\0'};
    REQUIRE(contains(read_error("-", utf16), "got text in UTF-16; save it in UTF-8"));
}

TEST_CASE("a file may have many headers, one a line", "[header]") {
    std::istringstream stream("\n" + kBlock100000 + "\r\n  0x" + kBlock100000.substr(0, 152) + "\n\n" + kBlock100000);
    const std::vector<HeaderInput> headers = read_headers("-", stream);
    REQUIRE(headers.size() == 3);
    REQUIRE(headers[0].header == headers[2].header);
    REQUIRE(headers[0].has_nonce);
    REQUIRE_FALSE(headers[1].has_nonce);
    std::istringstream none;
    REQUIRE(read_headers("genesis", none).size() == 1);
}

TEST_CASE("what getblockheader prints is a header for verify alone", "[header]") {
    // Bitcoin Core's, of block 100000.
    const nlohmann::json object = {
        {"hash", "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506"},
        {"confirmations", 823'456},
        {"height", 100'000},
        {"version", 1},
        {"versionHex", "00000001"},
        {"merkleroot", "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766"},
        {"time", 1293623863},
        {"nonce", 274148111},
        {"bits", "1b04864c"},
        {"difficulty", 14484.1623612254},
        {"previousblockhash", "000000000002d01c1fccc21636b607dfd930d31d01c3a62104612a1719011250"}};
    const auto verified = [](const std::string& text) {
        std::istringstream stream(text);
        const std::vector<HeaderInput> headers = read_headers("-", stream, kSha256d, HeaderForms::kVerified);
        REQUIRE(headers.size() == 1);
        CHECK(headers.front().has_nonce);
        return headers.front().header.hex();
    };
    CHECK(verified("\n" + object.dump(2) + "\n") == kBlock100000);
    std::istringstream none;
    CHECK(read_headers(object.dump(), none, kSha256d, HeaderForms::kVerified).front().header.hex() == kBlock100000);

    const auto without = [&object](const char* name) {
        nlohmann::json rest = object;
        rest.erase(name);
        return rest;
    };
    for (const char* const name : {"version", "versionHex", "hash", "height"})
        CHECK(verified(without(name).dump()) == kBlock100000);
    const auto error_of = [&verified](const nlohmann::json& of) {
        const std::string message =
            input_error([&] { (void)verified(of.is_string() ? of.get<std::string>() : of.dump()); });
        CHECK(is_plain_sentence(message));
        return message;
    };
    for (const char* const name : {"merkleroot", "time", "nonce", "bits", "previousblockhash"})
        CHECK(contains(error_of(without(name)), std::string("\"") + name + "\""));

    const auto with = [&object](const char* name, const nlohmann::json& value) {
        nlohmann::json changed = object;
        changed[name] = value;
        return changed;
    };
    CHECK(
        error_of(with("nonce", 274148112)) ==
        "standard input: expected the header of block 000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506,"
        " as the object's \"hash\" says, got that of ea5e6810dc15e0955c4bdf6a1ff855d5ec321c3897d375045d841f9b27d04821");
    for (const nlohmann::json& value :
         {nlohmann::json(-1), nlohmann::json(4294967296), nlohmann::json(1.5), nlohmann::json("1"),
          nlohmann::json(nullptr), nlohmann::json(~std::uint64_t{0})})
        CHECK(contains(error_of(with("time", value)), "\"time\", a whole number from 0 to 4294967295, got "));
    CHECK(contains(error_of(with("bits", "1b04864")), "\"bits\", 8 hex digits, got "));
    CHECK(contains(error_of(with("merkleroot", std::string(63, '0') + "g")), "64 hex digits, got "));
    CHECK(contains(error_of(with("version", 2)), "got 00000002 and 00000001"));
    CHECK(contains(error_of(with("a", nlohmann::json::parse("[[[[[[[[]]]]]]]]"))), "at most 8 levels"));
    CHECK(contains(error_of("{\"time\": 1e999}"), "too large"));
    CHECK(contains(error_of(object.dump().substr(0, 100)), "is no JSON"));
    CHECK(contains(error_of("{\"\xff\"}"), "is no JSON"));
    CHECK(error_of(object.dump() + std::string(1 << 20, ' ')) ==
          "standard input: expected an object of at most 1048576 bytes, as getblockheader's, got more");

    CHECK(read_error("-", object.dump()) ==
          "standard input: expected 152 or 160 hex digits (76 or 80 bytes), got a JSON object, whose header is " +
              kBlock100000);
    CHECK(contains(read_error(object.dump()), ", whose header is " + kBlock100000));
    CHECK(contains(read_error("-", "{}"), "got a JSON object"));
}

TEST_CASE("an object of a genesis block, and of a negative version", "[header]") {
    const auto header = [](const nlohmann::json& object) {
        std::istringstream none;
        return read_headers(object.dump(), none, kSha256d, HeaderForms::kVerified).front().header;
    };
    CHECK(header({{"height", 0},
                  {"version", 1},
                  {"merkleroot", "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"},
                  {"time", 1231006505},
                  {"nonce", 2083236893},
                  {"bits", "1d00ffff"}}) == read("genesis").header);
    CHECK(header({{"version", -536870912},
                  {"versionHex", "e0000000"},
                  {"previousblockhash", std::string(64, '0')},
                  {"merkleroot", std::string(64, '0')},
                  {"time", 0},
                  {"nonce", 4294967295},
                  {"bits", "1d00ffff"}})
              .version() == 0xe0000000);
}

TEST_CASE("a header whose bytes are in another order is recognised", "[header]") {
    const BlockHeader header = parse_header_hex(kBlock100000).header;
    BlockHeader swapped = header, reversed = header;
    for (std::size_t i = 0; i < 80; ++i) swapped.bytes[i] = header.bytes[i / 4 * 4 + 3 - i % 4];
    std::ranges::reverse(reversed.bytes);
    REQUIRE(byte_order_hint(header).empty());
    REQUIRE(contains(byte_order_hint(swapped), "the bytes of each 4-byte word swapped"));
    REQUIRE(contains(byte_order_hint(reversed), "all bytes reversed"));
    REQUIRE(byte_order_hint(BlockHeader{}).empty());  // makes no sense in any order
}

TEST_CASE("a header on the command line, in a file and on standard input", "[header]") {
    const HeaderInput expected = parse_header_hex(kBlock100000);
    REQUIRE(read(kBlock100000).header == expected.header);
    REQUIRE(read("-", kBlock100000).header == expected.header);
    REQUIRE(read("-", " \r\n\t" + kBlock100000 + "\r\n\n").header == expected.header);
    REQUIRE_FALSE(read("-", kBlock100000.substr(0, 152) + "\n").has_nonce);
    REQUIRE(read(TemporaryFile(kBlock100000 + "\n").argument()).header == expected.header);
    REQUIRE(read(TemporaryFile(kBlock100000).argument()).has_nonce);
}

TEST_CASE("a list of headers may be long, what is none may not", "[header]") {
    std::string list;
    for (int i = 0; i < 10'000; ++i) list += kBlock100000 + "\n";
    std::istringstream all(list), changed(list + "x" + list);
    CHECK(read_headers("-", all).size() == 10'000);
    CHECK(contains(input_error([&] { (void)read_headers("-", changed); }), "line 10001: "));
    CHECK(contains(read_error("-", "x" + list), "got more than 1048576 bytes"));
}

TEST_CASE("what is wrong with standard input is said", "[header]") {
    const std::string expected = "standard input: expected 152 or 160 hex digits (76 or 80 bytes), ";
    REQUIRE(read_error("-", "") == expected + "got nothing");
    REQUIRE(read_error("-", " \n") == expected + "got nothing");
    REQUIRE(read_error("-", "genesis") == expected + "but character 1 is 'g'");
    REQUIRE(read_error("-", std::string(160, '\0')) == expected + "but character 1 is byte 0x00");
    REQUIRE(read_error("-", kBlock100000 + "\n" + kBlock100000) == "standard input: expected one header, got 2");
    REQUIRE(read_error("-", kBlock100000 + "\n\n" + kBlock100000 + "0\n") ==
            "standard input: line 3: expected 152 or 160 hex digits (76 or 80 bytes), got 161 digits, an odd number");
    REQUIRE(read_error("-", std::string(2'000'000, '\n')) == expected + "got more than 1048576 bytes");
    REQUIRE(read_error("-", std::string(1'000'000, '0')) == expected + "got more than 4096 bytes");
    REQUIRE(read_error("-", std::string(1'000'000, '\n')) == expected + "got more than 4096 bytes");
    REQUIRE(read_error("-", kBlock100000 + std::string(4096, ' ')) == expected + "got more than 4096 bytes");
    REQUIRE(read("-", kBlock100000 + std::string(4096 - 160, ' ')).has_nonce);
}

TEST_CASE("what is wrong with a file is said", "[header]") {
    REQUIRE(read_error("@") == "expected a file name after @, got nothing");
    REQUIRE(read_error("@/no/such/file") == "cannot read file '/no/such/file': No such file or directory");
    REQUIRE(read_error("@/") == "cannot read file '/': it is a directory");
    REQUIRE(contains(read_error("@" + std::string(100'000, 'x')), "cannot read file"));
    REQUIRE(contains(read_error(std::string_view("@a\0b", 4)), "NUL byte"));
    REQUIRE(contains(read_error("@/no\n\x1b/file"), "'/no\\x0a\\x1b/file'"));
    REQUIRE(contains(read_error(TemporaryFile("").argument()), "got nothing"));
    REQUIRE(contains(read_error(TemporaryFile("abc").argument()), "got 3 digits, an odd number"));
    if (std::filesystem::exists("/dev/zero"))
        REQUIRE(contains(read_error("@/dev/zero"), "got more than 1048576 bytes"));
    const TemporaryFile secret(kBlock100000);
    std::filesystem::permissions(secret.path(), std::filesystem::perms::none);
    if (geteuid() != 0) REQUIRE(contains(read_error(secret.argument()), "Permission denied"));
}

TEST_CASE("an unknown name is answered with the known ones", "[header]") {
    const std::string message = read_error("genesys");
    REQUIRE(contains(message, "got 'genesys'"));
    for (const EmbeddedBlock& block : embedded_blocks()) REQUIRE(contains(message, block.name));
    REQUIRE(contains(read_error(""), "got nothing"));
    REQUIRE(contains(read_error("200000"), "got '200000'"));
    REQUIRE(contains(read_error("abc"), "got 'abc'"));
    REQUIRE(contains(read_error("\x1b[31m"), "got '\\x1b[31m'"));
    REQUIRE(contains(read_error("Genesis"), "got 'Genesis'"));
    REQUIRE(contains(read_error(std::string(33, 'a')), "got 33 digits, an odd number"));
    REQUIRE(contains(read_error(std::string(1'000'000, 'z')), "character 1 is 'z'"));
}

TEST_CASE("each embedded block is a real one", "[header]") {
    const struct {
        const char* name;
        const char* hash;
    } known[] = {
        {"genesis", "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"},
        {"1", "00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048"},
        {"170", "00000000d1145790a8694403d4063f323d499e655c83426834d4ce2f8dd4a2ee"},
        {"32256", "000000004f2886a170adb7204cb0c7a824217dd24d11a74423d564c4e0904967"},
        {"100000", "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506"},
        {"419328", "000000000000000004a1b34462cb8aeebd5799177f7a29cf28f2d1961716b5b5"},
        {"814464", "000000000000000000002e0fe35b9ed9da917afd11a0edf83808369b782816a7"},
        {"870000", "0000000000000000000152dd9d6059126e4e4dbc2732246bef2b8496ef1d971d"},
        {"testnet3-genesis", "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"},
        {"testnet4-genesis", "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043"},
        {"signet-genesis", "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6"},
    };
    REQUIRE(embedded_blocks().size() == std::size(known));
    for (const auto& block : known) {
        CAPTURE(block.name);
        const HeaderInput input = read(block.name);
        REQUIRE(input.has_nonce);
        const Checked checked = check(input.header, target_from_nbits(input.header.nbits()));
        REQUIRE(checked.hash.hex() == block.hash);
        REQUIRE(checked.verdict == Verdict::hit);
    }
    REQUIRE(read("100000").header.hex() == kBlock100000);
    REQUIRE(read("814464").header.version() == 0x20006000);
}
