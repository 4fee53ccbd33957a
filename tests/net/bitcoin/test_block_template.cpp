// Block templates of nodes: their fields, and refusals.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/errors.hpp"
#include "net/bitcoin/block_template.hpp"
#include "net/bitcoin/merkle.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/bitcoin/recorded_templates.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using nlohmann::json;

namespace {

json core_template() { return test::load_template_file("core_regtest_txs.json").at("template"); }
json btcd_template() { return test::load_template_file("btcd_simnet_txs.json").at("template"); }

// What parse_block_template() says; empty where it accepts the template.
std::string template_refusal(const json& result) {
    try {
        (void)parse_block_template(result);
        return "";
    } catch (const NetworkError& error) {
        return error.what();
    }
}

bool is_plain(const std::string& sentence) {
    return sentence.size() < 1000 &&
           std::all_of(sentence.begin(), sentence.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

// Values that are wrong in nearly every place.
std::vector<json> nasty_values() {
    return {nullptr,
            true,
            -1,
            0,
            1,
            1.5,
            1e300,
            -1e300,
            0x7fffffff,
            0x80000000LL,
            0xffffffffLL,
            0x100000000LL,
            json(~std::uint64_t{0}),
            json(std::int64_t{-1} << 63),
            "",
            "x",
            "\x01\xff",
            "0",
            "00",
            "zz",
            std::string(63, '0'),
            std::string(64, '0'),
            std::string(64, 'f'),
            std::string(100'000, 'a'),
            json::array(),
            json::array({1, nullptr, "a"}),
            json::array({json::object()}),
            json::object(),
            json{{"\x01", 1}},
            json{{"a", "00"}, {"b", -5}},
            json{{std::string(5000, 'k'), "zz"}}};
}

}  // namespace

TEST_CASE("a template of Bitcoin Core", "[template]") {
    const BlockTemplate block = parse_block_template(core_template());
    CHECK(block.version == 0x20000000);
    CHECK(block.previous_hash.hex() == "7240d9acdc9d00a6e209eb48edbcdadbb7320b842bfac8725e6ae643992acc4b");
    CHECK(block.height == 132);
    CHECK(block.nbits == 0x207fffff);
    CHECK(block.target.hex() == "7fffff" + std::string(58, '0'));
    CHECK(block.time == 1795167592);
    CHECK(block.min_time == 1795167588);
    CHECK(block.max_time == 0xffffffff);
    CHECK(block.coinbase_value == 5'000'120'000);
    CHECK(block.fees == 120'000);
    CHECK(block.coinbase_flags.empty());
    CHECK(block.transactions.size() == 12);
    CHECK(to_hex(*block.witness_commitment) == "048811f1c41b73e12966210a2f1c9dda68846547e680484cb956133f19217ab4");
    CHECK(block.rules == std::vector<std::string>{"csv", "segwit", "taproot"});
    CHECK(block.deployment_bits == 0);
    CHECK_FALSE(block.signet_challenge.has_value());
    CHECK(block.long_poll_id == "7240d9acdc9d00a6e209eb48edbcdadbb7320b842bfac8725e6ae643992acc4b144");
}

TEST_CASE("a template of btcd", "[template]") {
    const BlockTemplate block = parse_block_template(btcd_template());
    CHECK(block.version == 0x20400000);
    CHECK(block.max_time == 1795173766);
    CHECK(to_hex(block.coinbase_flags) == "0b2f503253482f627463642f");
    CHECK(to_hex(*block.witness_commitment) == "b6aeaca7d7342b2913c938026641a58319b64d6408bf8701e6152f0c93bc1400");
    CHECK(block.rules.empty());
    const json empty = test::load_template_file("btcd_simnet_empty_segwit.json").at("template");
    CHECK_FALSE(parse_block_template(empty).witness_commitment.has_value());
}

TEST_CASE("templates of a signet and with a deployment that is signalled", "[template]") {
    const BlockTemplate signet = parse_block_template(test::load_template_file("core_signet51.json").at("template"));
    CHECK(signet.signet_challenge == Bytes{0x51});
    CHECK(signet.rules.back() == "signet");
    const BlockTemplate deployment =
        parse_block_template(test::load_template_file("core_regtest_testdummy_version30000000.json").at("template"));
    CHECK(deployment.version == 0x30000000);
    CHECK(deployment.deployment_bits == 1U << 28);
    json required = core_template();
    required["vbrequired"] = 6;
    required["vbavailable"] = {{"one", 1}, {"four", 4}};
    CHECK(parse_block_template(required).deployment_bits == (1U << 1 | 1U << 2 | 1U << 4));
}

TEST_CASE("a template that demands outputs is refused in words", "[template]") {
    json block = core_template();
    block["coinbasetxn"] = {{"minerfund", {{"addresses", {"ecash:pp"}}, {"minimumvalue", 100}}},
                            {"stakingrewards", {{"payoutscript", {{"hex", "76a9"}}}, {"minimumvalue", 5}}}};
    CHECK(template_refusal(block) ==
          "the node's block template requires coinbase outputs (minerfund, stakingrewards) that gpuminer does not "
          "support: the node would refuse such blocks");
    for (const json& harmless :
         {json::object(), json::array(), json(nullptr),
          json({{"minerfund", {{"addresses", json::array()}, {"minimumvalue", 0}}}}),
          json({{"data", "00"}, {"fee", -1}, {"depends", json::array()}}), json({{"minerfund", json::object()}})}) {
        block["coinbasetxn"] = harmless;
        CHECK(template_refusal(block).empty());
    }
    for (const json& value : nasty_values()) {
        block["coinbasetxn"] = {{"minerfund", value}};
        CHECK(is_plain(template_refusal(block)));
    }
}

TEST_CASE("what is information only never makes a template unusable", "[template]") {
    const json whole = core_template();
    const BlockTemplate plain = parse_block_template(whole);
    REQUIRE(plain.fees.has_value());
    for (const char* const place :
         {"/vbavailable", "/vbavailable/x", "/vbrequired", "/coinbaseaux", "/coinbaseaux/x", "/longpollid",
          "/transactions/0/fee", "/capabilities", "/sigoplimit", "/sizelimit", "/weightlimit", "/depends"}) {
        for (const json& value : nasty_values()) {
            CAPTURE(place, value.dump(-1, ' ', true, json::error_handler_t::replace));
            json changed = whole;
            changed[json::json_pointer(place)] = value;
            CHECK(template_refusal(changed).empty());
        }
    }
    json odd = whole;
    odd["vbavailable"] = json::array();
    CHECK(parse_block_template(odd).deployment_bits == plain.deployment_bits);
    odd["vbavailable"] = {{"one", 1}, {"odd", "2"}, {"high", 32}};
    CHECK(parse_block_template(odd).deployment_bits == (1U << 1));
    odd["transactions"][0]["fee"] = "much";
    CHECK_FALSE(parse_block_template(odd).fees.has_value());
}

TEST_CASE("a template without the witness commitment that its transactions need gets one", "[template]") {
    json block = core_template();
    const auto given = parse_block_template(block).witness_commitment;
    block.erase("default_witness_commitment");
    CHECK(parse_block_template(block).witness_commitment == given);
    block["transactions"] = json::array();
    CHECK_FALSE(parse_block_template(block).witness_commitment.has_value());
}

TEST_CASE("before segwit is in force a coinbase has no witness, whatever the node gives", "[template]") {
    json block = test::load_template_file("core_regtest_h128.json").at("template");
    CHECK(parse_block_template(block).witness_commitment.has_value());
    block["rules"] = {"csv"};
    CHECK_FALSE(parse_block_template(block).witness_commitment.has_value());
}

TEST_CASE("optional members of a template may be missing or null", "[template]") {
    const json whole = core_template();
    for (const char* const name :
         {"capabilities", "rules", "vbavailable", "vbrequired", "coinbaseaux", "longpollid", "target", "mintime",
          "mutable", "noncerange", "sigoplimit", "sizelimit", "weightlimit", "default_witness_commitment"}) {
        CAPTURE(name);
        json block = whole;
        block[name] = nullptr;
        CHECK(template_refusal(block).empty());
        block.erase(name);
        CHECK(template_refusal(block).empty());
    }
    for (const char* const name :
         {"version", "previousblockhash", "transactions", "coinbasevalue", "curtime", "bits", "height"}) {
        CAPTURE(name);
        json block = whole;
        block.erase(name);
        CHECK(contains(template_refusal(block), "'" + std::string(name) + "' is missing"));
    }
}

TEST_CASE("a template that does not let the time change keeps its own", "[template]") {
    json block = core_template();
    block["mutable"] = {"transactions", "prevblock"};
    const BlockTemplate read = parse_block_template(block);
    CHECK(read.time == 1795167592);
    CHECK(read.min_time == read.time);
    CHECK(read.max_time == read.time);
}

TEST_CASE("old nodes call the txid of a transaction hash", "[template]") {
    json block = core_template();
    block.erase("default_witness_commitment");
    for (json& transaction : block["transactions"]) {
        transaction["hash"] = transaction["txid"];
        transaction.erase("txid");
        transaction.erase("fee");
    }
    const BlockTemplate read = parse_block_template(block);
    CHECK(read.transactions.size() == 12);
    CHECK_FALSE(read.fees.has_value());
}

TEST_CASE("templates that must not be mined are refused with a sentence", "[template]") {
    json block = core_template();
    std::string reason;
    SECTION("a rule that is not known here") {
        block["rules"].push_back("!quantum");
        reason = "the rule 'quantum', which this version of gpuminer does not know";
    }
    SECTION("a rule that is not known here, but harms nobody who does not know it") {
        block["rules"].push_back("quantum");
        CHECK(template_refusal(block).empty());
        return;
    }
    SECTION("another target than the bits say") {
        block["target"] = "7ffffe" + std::string(58, '0');
        reason = "does not match its bits 207fffff";
    }
    SECTION("bits that are no target") {
        block["bits"] = "ff7fffff";
        reason = "more than 256 bits";
    }
    SECTION("a transaction with another txid") {
        block["transactions"][3]["txid"] = std::string(64, '1');
        reason = "transaction 4: its data have the txid ";
    }
    SECTION("a transaction with another hash") {
        block["transactions"][3]["hash"] = std::string(64, '1');
        reason = "transaction 4: its data have the hash ";
    }
    SECTION("a transaction that is cut off") {
        std::string& data = block["transactions"][0]["data"].get_ref<std::string&>();
        data.resize(data.size() - 2);
        reason = "transaction 1 is not serialised correctly: it is truncated";
    }
    SECTION("a transaction with bytes after its end") {
        block["transactions"][0]["data"].get_ref<std::string&>() += "00";
        reason = "1 bytes are left over";
    }
    SECTION("a commitment to other transactions") {
        block["transactions"].erase(0);
        reason = "expected the commitment to its transactions";
    }
    SECTION("a coinbase of the node's own") {
        block = test::load_template_file("btcd_simnet_coinbasetxn_template.json").at("result");
        reason = "contains the node's own coinbase (coinbasetxn)";
    }
    SECTION("part of the nonces") {
        block["noncerange"] = "000000000000ffff";
        reason = "expected all nonces";
    }
    SECTION("no time at all") {
        block["maxtime"] = 5;
        reason = "its mintime 1795167588 is later than its maxtime 5";
    }
    SECTION("more money than there is") {
        block["coinbasevalue"] = 21'000'000LL * 100'000'000 + 1;
        reason = "expected a whole number from 0 to 2100000000000000 as 'coinbasevalue'";
    }
    SECTION("no object") {
        block = json::array({1, 2});
        reason = "expected a JSON object, got a list";
    }
    CAPTURE(template_refusal(block));
    CHECK(contains(template_refusal(block), reason));
    CHECK(is_plain(template_refusal(block)));
}

TEST_CASE("whatever a member is, a template is understood or refused with a plain sentence", "[template]") {
    for (const json& whole :
         {core_template(), btcd_template(), test::load_template_file("core_signet51.json").at("template")}) {
        std::vector<json::json_pointer> places;
        for (const auto& member : whole.items()) places.push_back(json::json_pointer() / member.key());
        if (!whole["transactions"].empty()) {
            for (const auto& member : whole["transactions"][1].items()) {
                places.push_back(json::json_pointer("/transactions/1") / member.key());
            }
            places.emplace_back("/transactions/1");
        }
        for (const char* const place :
             {"/rules/0", "/vbavailable/x", "/coinbaseaux/flags", "/mutable/0", "/signet_challenge", "/workid"}) {
            places.emplace_back(place);
        }
        for (const json::json_pointer& place : places) {
            for (const json& value : nasty_values()) {
                json changed = whole;
                try {
                    changed[place] = value;
                } catch (const json::exception&) {
                    continue;  // a template without this list
                }
                if (!is_plain(template_refusal(changed))) FAIL(place.to_string() << " = " << value.dump(-1, ' ', true));
            }
        }
    }
}
