// Tests of single messages: every form that pools send, and malformed ones.
#include <algorithm>

#include "net/stratum/dialect.hpp"
#include "net/stratum/message.hpp"
#include "tests/catch.hpp"

using namespace gpuminer::net;
using nlohmann::json;

namespace {

std::string parse_error(const std::string& line) {
    try {
        (void)parse_stratum_line(line);
    } catch (const ProtocolError& error) {
        return error.what();
    }
    return {};
}

bool is_plain(const std::string& text) {
    return !text.empty() && text.size() < 300 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

ShareReply reply(const std::string& line) { return read_share_reply(parse_stratum_line(line)); }

}  // namespace

TEST_CASE("Replies carry an id that may be written in several ways") {
    CHECK(parse_stratum_line(R"({"id":4,"result":true,"error":null})").number == 4);
    CHECK(parse_stratum_line(R"({"id":"4","result":true,"error":null})").number == 4);
    CHECK(parse_stratum_line(R"({"id":4.0,"result":true,"error":null})").number == 4);
    CHECK(parse_stratum_line(R"({"id":4e0,"result":true})").number == 4);
    CHECK(parse_stratum_line(R"({"id":-1,"result":true})").number == -1);
    for (const char* id : {"null", "4.5", "1e300", "18446744073709551615", "[]", "{}", "true", R"("x")", R"("")"}) {
        INFO(id);
        CHECK_FALSE(parse_stratum_line(std::string(R"({"result":true,"id":)") + id + "}").number);
    }
    CHECK_FALSE(parse_stratum_line(R"({"result":true})").number);
}

TEST_CASE("A reply accepts or refuses") {
    CHECK(reply(R"({"id":4,"result":true,"error":null})").verdict == SubmitVerdict::kAccepted);
    CHECK(reply(R"({"id":4,"result":true})").verdict == SubmitVerdict::kAccepted);
    CHECK(reply(R"({"id":4,"result":{"status":"OK"},"error":null})").verdict == SubmitVerdict::kAccepted);
    CHECK(reply(R"({"id":4,"result":true,"error":[]})").verdict == SubmitVerdict::kAccepted);
    struct Row {
        const char* line;
        std::optional<std::int64_t> code;
        const char* reason;
        bool stale, duplicate;
    };
    const Row rows[] = {
        {R"({"id":4,"result":null,"error":[21,"job not found"]})", 21, "job not found (21)", true, false},
        {R"({"id":4,"result":false,"error":[21,"Stale",null]})", 21, "Stale (21)", true, false},
        {R"({"id":4,"error":[22,"Duplicate share",""]})", 22, "Duplicate share (22)", false, true},
        {R"({"id":4,"result":null,"error":{"code":-32601,"message":"No"}})", -32601, "No (-32601)", false, false},
        {R"({"id":4,"result":null,"error":{"code":23}})", 23, "error 23", false, false},
        {R"({"id":4,"result":true,"error":true})", std::nullopt, "no reason given", false, false},
        {R"({"id":4,"result":[],"error":true})", std::nullopt, "no reason given", false, false},
        {R"({"id":4,"result":null,"error":"Share is STALE"})", std::nullopt, "Share is STALE", true, false},
        {R"({"id":4,"result":null,"error":["Job not found"]})", std::nullopt, "Job not found", true, false},
        {R"({"id":4,"result":null,"error":["20","Low"]})", 20, "Low (20)", false, false},
        {R"({"id":4,"result":null,"error":[[],{}]})", std::nullopt, "no reason given", false, false},
        {R"({"id":4,"result":null,"error":7})", 7, "error 7", false, false},
        {R"({"id":4,"result":null,"error":null})", std::nullopt, "no reason given", false, false},
        {R"({"id":4,"result":null})", std::nullopt, "no reason given", false, false},
        {R"({"id":4,"result":false})", std::nullopt, "no reason given", false, false},
        {R"({"id":4,"result":false,"reject-reason":"high hash"})", std::nullopt, "high hash", false, false},
    };
    for (const Row& row : rows) {
        INFO(row.line);
        const ShareReply understood = reply(row.line);
        CHECK(understood.code == row.code);
        CHECK(understood.reason == row.reason);
        CHECK(understood.verdict == (row.stale ? SubmitVerdict::kStale : SubmitVerdict::kRejected));
        CHECK((understood.kind == RefusalKind::kDuplicate) == row.duplicate);
    }
}

TEST_CASE("Refusals are told apart by words, and by the code where these say nothing") {
    struct Row {
        json error;
        RefusalKind kind;
    };
    const Row rows[] = {
        {{20, "Unknown problem", nullptr}, RefusalKind::kOther},
        {{21, "anything", nullptr}, RefusalKind::kStale},
        {{22, "anything", nullptr}, RefusalKind::kDuplicate},
        {{23, "anything", nullptr}, RefusalKind::kLowDifficulty},
        {{24, "anything", nullptr}, RefusalKind::kUnauthorised},
        {{25, "Not subscribed", nullptr}, RefusalKind::kUnauthorised},
        {true, RefusalKind::kOther},
        {{20, "Low", nullptr}, RefusalKind::kOther},  // what is?
        // Of one kind in other words, with a code that says nothing or none.
        {{20, "Difficulty too low: ABOVE TARGET", nullptr}, RefusalKind::kLowDifficulty},
        {{20, "Difficulty too low", nullptr}, RefusalKind::kLowDifficulty},
        {{20, "difficulty-too-low", nullptr}, RefusalKind::kLowDifficulty},  // Stratum V2
        {{20, "LowDifficulty", nullptr}, RefusalKind::kLowDifficulty},
        {{20, "low-difficulty", nullptr}, RefusalKind::kLowDifficulty},
        {{20, "LOW_DIFFICULTY_SHARE", nullptr}, RefusalKind::kLowDifficulty},
        {{20, "Share too low difficulty", nullptr}, RefusalKind::kLowDifficulty},
        {{20, "low difficulty share of 1.4728836769975157e-7", nullptr}, RefusalKind::kLowDifficulty},
        {{26, "Low difficulty share", nullptr}, RefusalKind::kLowDifficulty},  // yiimp
        {{20, "high-hash", nullptr}, RefusalKind::kLowDifficulty},
        {{20, "H-not-zero", nullptr}, RefusalKind::kLowDifficulty},
        {"Share is above target", RefusalKind::kLowDifficulty},
        {{20, "ntime too low", nullptr}, RefusalKind::kOther},
        {{20, "Nonce too low", nullptr}, RefusalKind::kOther},
        {"Job not found", RefusalKind::kStale},
        {{20, "Job not found (=stale)", nullptr}, RefusalKind::kStale},
        {{20, "unknown-work", nullptr}, RefusalKind::kStale},  // DATUM
        {{20, "unknown-job", nullptr}, RefusalKind::kStale},
        {{20, "Invalid JobID", nullptr}, RefusalKind::kStale},   // ckpool
        {{20, "invalid-job-id", nullptr}, RefusalKind::kStale},  // Stratum V2
        {{20, "stale-prevblk", nullptr}, RefusalKind::kStale},
        {{20, "Share submitted for old job", nullptr}, RefusalKind::kStale},
        {{20, "Duplicate of a stale share", nullptr}, RefusalKind::kDuplicate},
        {{20, "duplicate-share", nullptr}, RefusalKind::kDuplicate},
        {{20, "Already submitted", nullptr}, RefusalKind::kDuplicate},
        {{20, "Unauthorized worker", nullptr}, RefusalKind::kUnauthorised},
        {{20, "Worker not authorised", nullptr}, RefusalKind::kUnauthorised},
        {{20, "unknown-user", nullptr}, RefusalKind::kUnauthorised},
        {{29, "Invalid username", nullptr}, RefusalKind::kUnauthorised},  // BTCPool
        {"Not subscribed", RefusalKind::kUnauthorised},
        // Codes that mean something else elsewhere: the words count.
        {{23, "Job not found", nullptr}, RefusalKind::kStale},
        {{21, "Duplicate share", nullptr}, RefusalKind::kDuplicate},
        {{21, "Share above target", nullptr}, RefusalKind::kLowDifficulty},
        {{25, "Invalid extranonce2 size", nullptr}, RefusalKind::kOther},
        {{24, "Invalid extranonce2 size", nullptr}, RefusalKind::kOther},  // yiimp
        {{23, "Invalid time rolling", nullptr}, RefusalKind::kOther},      // yiimp
        {{25, "Invalid share", nullptr}, RefusalKind::kOther},             // yiimp
        {{21, "time-too-old", nullptr}, RefusalKind::kOther},              // DATUM
    };
    for (const Row& row : rows) {
        const std::string line = json{{"id", 1}, {"result", nullptr}, {"error", row.error}}.dump();
        INFO(line);
        CHECK(reply(line).kind == row.kind);
    }
}

TEST_CASE("A reason is printable and short, whatever the pool sends") {
    const json error = json::array({20, "a\x1b[2J\nb" + std::string(5000, 'x'), nullptr});
    const std::string reason = reply(json{{"id", 1}, {"result", nullptr}, {"error", error}}.dump()).reason;
    CHECK(is_plain(reason));
    CHECK(reason.starts_with("a?[2J?b"));
}

TEST_CASE("Requests and notifications") {
    const StratumMessage call = parse_stratum_line(R"({"params":[0.002],"id":null,"method":"mining.set_difficulty"})");
    CHECK_FALSE(call.is_reply());
    CHECK(call.method == "mining.set_difficulty");
    CHECK(call.params == json::array({0.002}));
    CHECK(call.id.is_null());
    CHECK(parse_stratum_line(R"({"method":"x"})").params.is_null());
    CHECK(parse_stratum_line(R"({"method":"x","id":"abc"})").id == "abc");
    CHECK(parse_stratum_line(R"({"method":"x","id":7})").id == 7);
    CHECK(parse_stratum_line(json{{"method", "x"}, {"id", std::string(65, 'i')}}.dump()).id.is_null());
    CHECK(parse_stratum_line(R"({"method":"x","id":[1,2]})").id.is_null());
    CHECK(parse_stratum_line(R"({"id":1,"result":true,"method":null})").is_reply());
    CHECK(parse_stratum_line("  {\"id\":1,\"result\":true}\r").is_reply());
}

TEST_CASE("What is no message is refused with a plain sentence") {
    const std::string deep(40, '[');
    const std::string bomb(1'000'000, '[');
    for (const std::string& line :
         {std::string("not json at all"), std::string("{"), std::string("[]"), std::string("17"), std::string("null"),
          std::string("{}"), std::string(R"({"id":1})"), std::string(R"({"method":17})"),
          std::string(R"({"id":1,"result":1e999})"), std::string(R"({"id":1,"result":NaN})"),
          std::string("{\"id\":1,\"result\":\"a\0b\"}", 22), std::string("\xff\xfe\x00", 3), deep, bomb,
          R"({"id":1,"result":)" + deep + std::string(40, ']') + "}", std::string(kLongestStratumLine + 1, ' ')}) {
        const std::string sentence = parse_error(line);
        INFO(sentence);
        CHECK(is_plain(sentence));
    }
    CHECK(parse_error(deep) == "expected JSON of at most 32 levels, got more");
    CHECK(parse_error(R"({"id":1,"result":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"[[[["})").empty());
    CHECK(parse_error("\"" + std::string(100, 'a')).size() < 120);
}

TEST_CASE("Text that is not UTF-8 does not cost the connection") {
    const StratumMessage message =
        parse_stratum_line("{\"method\":\"client.show_message\",\"params\":[\"Gr\xfc\xdf Gott\"]}");
    CHECK(message.params[0] == "Gr?? Gott");
    CHECK(parse_stratum_line("{\"method\":\"x\",\"params\":[\"Gr\xc3\xbc\xc3\x9f\"]}").params[0] ==
          "Gr\xc3\xbc\xc3\x9f");
}

TEST_CASE("Numbers in JSON, and as text") {
    CHECK(whole_number(json(7)) == 7);
    CHECK(whole_number(json(7.0)) == 7);
    CHECK(whole_number(json("7")) == 7);
    CHECK(whole_number(json("-7")) == -7);
    CHECK(whole_number(json(INT64_MIN)) == INT64_MIN);
    for (const json& value : {json(7.5), json("7x"), json(""), json(" 7"), json(1e300), json(UINT64_MAX), json(nullptr),
                              json(true), json::array({7}), json("inf"), json("nan"), json("0x10")}) {
        INFO(value);
        CHECK_FALSE(whole_number(value));
    }
    CHECK(real_number(json(0.25)) == 0.25);
    CHECK(real_number(json("1e-5")) == 1e-5);
    CHECK(real_number(json(UINT64_MAX)) == 18446744073709551615.0);
    for (const json& value :
         {json("nan"), json("inf"), json("-inf"), json("1e999"), json(""), json(nullptr), json(true)}) {
        INFO(value);
        CHECK_FALSE(real_number(value));
    }
}

TEST_CASE("Version bits in hex") {
    CHECK(read_mask(json("1fffe000")) == 0x1fffe000);
    CHECK(read_mask(json("FFFFFFFF")) == 0xffffffff);
    CHECK(read_mask(json("0")) == 0);
    for (const json& value : {json(""), json("0x1fffe000"), json("1fffe0000"), json("-1"), json("+1"), json("xyz"),
                              json(" 1"), json(0x1fffe000), json(nullptr), json::array()}) {
        INFO(value);
        CHECK_FALSE(read_mask(value));
    }
}

TEST_CASE("What goes out is one line of JSON, even with a name that is not UTF-8") {
    const std::string line = stratum_request(3, "mining.authorize", json::array({"us\xff\ner", "x"}));
    CHECK(line.find('\n') == std::string::npos);
    const json message = json::parse(line);
    CHECK(message["id"] == 3);
    CHECK(message["method"] == "mining.authorize");
    CHECK(message["params"][0] == "us\xef\xbf\xbd\ner");
    CHECK(json::parse(stratum_result(json("q"), "pong")) == json{{"id", "q"}, {"result", "pong"}, {"error", nullptr}});
    CHECK(json::parse(stratum_error(json(9), 20, "Unknown method"))["error"] ==
          json::array({20, "Unknown method", nullptr}));
}
