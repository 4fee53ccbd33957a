// Tests of the parameters of mining.notify, malformed in every place.
#include "net/stratum/bitcoin.hpp"
#include "net/stratum/message.hpp"
#include "tests/catch.hpp"
#include "tests/net/stratum/stratum_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

std::string notify_error(const json& params) {
    try {
        (void)parse_bitcoin_notify(params);
    } catch (const ProtocolError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("mining.notify with anything wrong is refused by the name of what is wrong") {
    CHECK(notify_error(notify_params("1")).empty());
    const json wrong[] = {json(nullptr),
                          json(17),
                          json(-1.5),
                          json(true),
                          json("xyz"),
                          json("12"),
                          json::array({17}),
                          json::object(),
                          json("a"),
                          json(1e300),
                          json(std::string(300, 'j') + "\n")};
    for (std::size_t at = 0; at < 9; ++at) {
        for (const json& value : wrong) {
            json params = notify_params("1");
            params[at] = value;
            const std::string error = notify_error(params);
            INFO(at << " " << value << " " << error);
            CHECK(error.size() < 200);
            if (error.empty()) {  // what stands for a value as well
                const bool id = at == 0 && (value.is_string() || value.is_number_integer());
                const bool coinbase = (at == 2 || at == 3) && value == json("12");
                const bool number = at >= 5 && at <= 7 && (value == json("12") || value == json("a"));
                CHECK((id || coinbase || number || at == 8));
            }
        }
    }
    for (const json& params : {json(nullptr), json::object(), json::array(), json(1), json("1")}) {
        CHECK(notify_error(params) == "mining.notify: expected a text as job id");
    }
    json params = notify_params("1");
    params[4] = json::array();
    for (int i = 0; i < 33; ++i) params[4].push_back(std::string(64, '0'));
    CHECK(notify_error(params) == "mining.notify: expected at most 32 hashes as merkle branches");
    params = notify_params("1");
    params.erase(8);
    CHECK_FALSE(parse_bitcoin_notify(params).clean);
    params[6] = "00000000";
    CHECK_THROWS_AS(make_job(parameters(), params), ProtocolError);
}

TEST_CASE("Version, nBits and time need not have their leading zeros") {
    json params = notify_params("1");
    params[5] = "4";
    params[6] = "1ffff";
    params[7] = "F";
    const BitcoinNotify notify = parse_bitcoin_notify(params);
    CHECK(notify.version == 4);
    CHECK(notify.nbits == 0x1ffff);
    CHECK(notify.time == 15);
    for (std::size_t at = 5; at <= 7; ++at) {
        for (const char* wrong : {"", "020000000", "0x4", "-4", " 4", "4 ", "g"}) {
            params = notify_params("1");
            params[at] = wrong;
            CHECK(notify_error(params).starts_with("mining.notify: expected 1 to 8 hex digits as "));
        }
    }
}

TEST_CASE("The flag counts as clean unless it can be read as false") {
    const auto clean = [](const json& flag) {
        json params = notify_params("1");
        params[8] = flag;
        return parse_bitcoin_notify(params);
    };
    for (const json& flag : {json(false), json(nullptr), json(0), json(0.0), json("0"), json(""), json("false"),
                             json("False"), json("no")}) {
        INFO(flag);
        CHECK_FALSE(clean(flag).clean);
        CHECK(clean(flag).odd_flag.empty());
    }
    for (const json& flag : {json(true), json(1), json("1"), json("true"), json("TRUE"), json("yes"), json(-1)}) {
        INFO(flag);
        CHECK(clean(flag).clean);
        CHECK(clean(flag).odd_flag.empty());
    }
    for (const json& flag : {json("maybe"), json(0.5), json::array(), json::object(), json(std::string(300, 'f'))}) {
        INFO(flag);
        CHECK(clean(flag).clean);
        CHECK(clean(flag).odd_flag.starts_with("mining.notify: expected true or false as clean jobs, got "));
        CHECK(clean(flag).odd_flag.size() < 200);
    }
    json params = notify_params("1", true);
    CHECK(parse_bitcoin_notify(params).surplus.empty());
    params.push_back("a tenth parameter");
    CHECK(parse_bitcoin_notify(params).clean);
    CHECK(parse_bitcoin_notify(params).surplus ==
          "mining.notify: expected 9 parameters, got 10: what follows is passed over");
}
