// Tests of a node's address, of bitcoin.conf, and of a node's replies to a block.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <sys/stat.h>

#include "host/errors.hpp"
#include "net/node/bitcoin_conf.hpp"
#include "net/node/node.hpp"
#include "tests/catch.hpp"
#include "tests/environment.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/net/bitcoin/recorded_templates.hpp"
#include "tests/net/node/rpc_server.hpp"
#include "tests/net/node/waiting.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::string error_of(const std::string& url) {
    try {
        (void)parse_node_url(url, 8332);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a node's URL is taken apart") {
    const NodeUrl url = parse_node_url("https://alice:s3cret@node.example:18443/wallet/x", 8332);
    CHECK(url.tls);
    CHECK(url.host == "node.example");
    CHECK(url.port == 18443);
    CHECK(url.path == "/wallet/x");
    CHECK(url.user == "alice");
    CHECK(url.password == "s3cret");
    CHECK(url.text() == "https://node.example:18443/wallet/x");

    const NodeUrl bare = parse_node_url("127.0.0.1", 38332);
    CHECK_FALSE(bare.tls);
    CHECK(bare.port == 38332);
    CHECK(bare.path == "/");
    CHECK(bare.user.empty());
    CHECK(bare.text() == "http://127.0.0.1:38332");

    const NodeUrl six = parse_node_url("http://u:p@[::1]:8332", 1);
    CHECK(six.host == "::1");
    CHECK(six.text() == "http://[::1]:8332");
}

TEST_CASE("a node's password may have any character") {
    CHECK(parse_node_url("http://u:a@b/c:d@host:1", 1).password == "a@b/c:d");
    CHECK(parse_node_url("http://u:a%40b%2Fc%zz%@host:1", 1).password == "a@b/c%zz%");
    CHECK(parse_node_url("http://u:a%4@host:1", 1).password == "a%4");
    CHECK(parse_node_url("http://u:@host:1", 1).password.empty());
}

TEST_CASE("a node's URL that makes no sense is refused without its password") {
    for (const char* const url :
         {"ftp://u:hunter2@host:1", "http://u:hunter2@host:0", "http://u:hunter2@host:65536", "http://u:hunter2@host:x",
          "http://u:hunter2@", "http://u:hunter2@[::1:1", "http://u:hunter2@ho st:1", "http://u:hunter2@host:1/a b",
          "http://u:hunter2@[::1]x", "http://u:hunter2", "u:hunter2", "u:hunter2://x@host", "http://[::1]hunter2"}) {
        INFO(url);
        const std::string error = error_of(url);
        CHECK(error.find("expected a node's address") == 0);
        CHECK(error.find("hunter2") == std::string::npos);
    }
    CHECK(error_of("http://user:pass@host:70000").find("1 to 65535") != std::string::npos);
    CHECK(error_of("http://user:70000").find("70000") == std::string::npos);  // the host was forgotten
    CHECK(error_of("http://user:pass").find("is the host missing?") != std::string::npos);
    CHECK(error_of(std::string(5000, 'x')).find("5000 characters") != std::string::npos);
}

TEST_CASE("bitcoin.conf is read as Bitcoin Core reads it") {
    const BitcoinConf conf(
        "# a comment\n"
        " rpcuser = alice # not me\n"
        "rpcuser=second\n"
        "rpcport=1111\n"
        "regtest.rpcport=2222\n"
        "no equals sign\n"
        "[test]\n"
        "rpcuser=bob\r\n"
        "rpcport=3333\n"
        "[signet]\n"
        "[main]\n"
        "rpcconnect=10.0.0.1\n");
    CHECK(conf.value("rpcuser", Chain::kMain) == "alice");
    CHECK(conf.value("rpcuser", Chain::kTest) == "bob");
    CHECK(conf.value("rpcport", Chain::kMain) == "1111");
    CHECK(conf.value("rpcport", Chain::kTest) == "3333");
    CHECK(conf.value("rpcport", Chain::kRegtest) == "2222");
    CHECK_FALSE(conf.value("rpcport", Chain::kSignet).has_value());
    CHECK(conf.value("rpcuser", Chain::kSignet) == "alice");
    CHECK(conf.value("rpcconnect", Chain::kMain) == "10.0.0.1");
    CHECK_FALSE(conf.value("rpcconnect", Chain::kTest).has_value());

    CHECK(conf.chain() == Chain::kMain);
    CHECK(BitcoinConf("testnet=1").chain() == Chain::kTest);
    CHECK(BitcoinConf("testnet4=1").chain() == Chain::kTestnet4);
    CHECK(BitcoinConf("testnet5=1").chain() == Chain::kTestnet5);
    CHECK(BitcoinConf("signet=1\n").chain() == Chain::kSignet);
    CHECK(BitcoinConf("regtest=0\n").chain() == Chain::kMain);
    CHECK(BitcoinConf("chain=regtest").chain() == Chain::kRegtest);
    CHECK_THROWS_AS(BitcoinConf("chain=what").chain(), InputError);
    CHECK(BitcoinConf(std::string("\0\xff=\n[[[=\n=", 9)).chain() == Chain::kMain);
}

TEST_CASE("the node on this computer is found from its data folder") {
    const test::TemporaryFolder folder;
    const auto write_conf = [&](const std::string& text) { std::ofstream(folder.path() / "bitcoin.conf") << text; };

    SECTION("nothing but the folder") {
        const LocalNode node = find_local_node(folder.path(), std::nullopt);
        CHECK(node.chain == Chain::kMain);
        CHECK(node.access.url.text() == "http://127.0.0.1:8332");
        CHECK(node.access.cookie_file == folder.path() / ".cookie");
    }
    SECTION("each chain has its own folder and port") {
        const std::tuple<Chain, const char*, std::uint16_t> chains[] = {{Chain::kTest, "testnet3", 18332},
                                                                        {Chain::kTestnet4, "testnet4", 48332},
                                                                        {Chain::kTestnet5, "testnet5", 18334},
                                                                        {Chain::kSignet, "signet", 38332},
                                                                        {Chain::kRegtest, "regtest", 18443}};
        for (const auto& [chain, subfolder, port] : chains) {
            const LocalNode node = find_local_node(folder.path(), chain);
            CHECK(node.chain == chain);
            CHECK(node.access.url.port == port);
            CHECK(node.access.cookie_file == folder.path() / subfolder / ".cookie");
        }
    }
    SECTION("user and password instead of the cookie") {
        write_conf("regtest=1\nrpcuser=alice\nrpcpassword=s3cret\n[regtest]\nrpcport=7\nrpcconnect=10.0.0.2\n");
        const LocalNode node = find_local_node(folder.path(), std::nullopt);
        CHECK(node.chain == Chain::kRegtest);
        CHECK(node.access.url.text() == "http://10.0.0.2:7");
        CHECK(node.access.url.user == "alice");
        CHECK(node.access.url.password == "s3cret");
        CHECK(node.access.cookie_file.empty());
    }
    SECTION("a cookie elsewhere") {
        write_conf("signet=1\nrpccookiefile=my.cookie\n");
        CHECK(find_local_node(folder.path(), std::nullopt).access.cookie_file ==
              folder.path() / "signet" / "my.cookie");
        write_conf("rpccookiefile=/run/bitcoin/cookie\n");
        CHECK(find_local_node(folder.path(), std::nullopt).access.cookie_file == "/run/bitcoin/cookie");
        write_conf("datadir=\nrpccookiefile=\n");  // as if they were not there
        CHECK(find_local_node(folder.path(), std::nullopt).access.cookie_file == folder.path() / ".cookie");
        write_conf("datadir=/srv/bitcoin\n");
        CHECK(find_local_node(folder.path(), std::nullopt).access.cookie_file == "/srv/bitcoin/.cookie");
    }
    SECTION("included files, one level deep, as Bitcoin Core reads them") {
        const auto write = [&](const char* name, const char* text) { std::ofstream(folder.path() / name) << text; };
        write_conf("includeconf=umbrel-bitcoin.conf\n");
        write("umbrel-bitcoin.conf", "chain=signet\nrpcuser=alice\nrpcpassword=s3cret\n[signet]\nrpcport=7\n");
        LocalNode node = find_local_node(folder.path(), std::nullopt);
        CHECK(node.warnings.empty());
        CHECK(node.chain == Chain::kSignet);
        CHECK(node.access.url.port == 7);
        CHECK(node.access.url.user == "alice");
        CHECK(node.access.url.password == "s3cret");
        // What bitcoin.conf says itself comes first, then the chain's files, then those outside of sections.
        write_conf("includeconf=a.conf\nregtest=1\n[regtest]\nincludeconf=b.conf\n[test]\nincludeconf=none.conf\n");
        write("a.conf", "rpcconnect=10.0.0.1\nregtest=0\nrpcpassword=a\nrpcuser=a\nincludeconf=c.conf\n");
        write("b.conf", "rpcpassword=b\nrpcuser=b\n");
        node = find_local_node(folder.path(), std::nullopt);
        CHECK(node.access.url.text() == "http://10.0.0.1:18443");
        CHECK(node.access.url.password == "b");
        REQUIRE(node.warnings.size() == 1);
        CHECK(node.warnings.front() == "includeconf=c.conf is ignored in a.conf, which bitcoin.conf itself includes");
        write_conf("includeconf=missing.conf\n");
        CHECK_THROWS_WITH(find_local_node(folder.path(), std::nullopt),
                          Catch::Matchers::ContainsSubstring("missing.conf': No such file"));
        write("large.conf", std::string(2'000'000, '#').c_str());
        write_conf("includeconf=" + (folder.path() / "large.conf").string() + "\n");
        CHECK_THROWS_WITH(find_local_node(folder.path(), std::nullopt),
                          Catch::Matchers::ContainsSubstring("it has more than 1048576 bytes"));
    }
    SECTION("what makes no sense") {
        CHECK_THROWS_AS(find_local_node(folder.path() / "missing", std::nullopt), InputError);
        CHECK_THROWS_AS(find_local_node(folder.path(), Chain::kSimnet), InputError);
        write_conf("rpcport=70000\n");
        CHECK_THROWS_AS(find_local_node(folder.path(), std::nullopt), InputError);
        write_conf(std::string(2'000'000, '#'));
        CHECK_THROWS_WITH(find_local_node(folder.path(), std::nullopt),
                          Catch::Matchers::ContainsSubstring("it has more than 1048576 bytes"));
    }
    SECTION("a pipe that nobody writes to") {
        REQUIRE(mkfifo((folder.path() / "bitcoin.conf").c_str(), 0600) == 0);
        CHECK_THROWS_WITH(find_local_node(folder.path(), std::nullopt),
                          Catch::Matchers::ContainsSubstring("it is not a regular file"));
    }
    SECTION("by default it is in the home folder") {
        const test::Environment home("HOME", folder.path().c_str());
        CHECK_THROWS_AS(find_local_node({}, std::nullopt), InputError);
        fs::create_directory(folder.path() / ".bitcoin");
        CHECK(find_local_node({}, std::nullopt).access.cookie_file == folder.path() / ".bitcoin" / ".cookie");
    }
}

TEST_CASE("every recorded refusal of Bitcoin Core is understood") {
    const json recorded = test::load_template_file("core_submitblock_rejections.json");
    std::size_t refusals = 0;
    for (const auto& [name, reply] : recorded.items()) {
        if (!reply.is_object()) continue;
        INFO(name << ": " << reply.dump());
        const json& result = reply.at("error").is_null() ? reply.at("result") : reply.at("error").at("message");
        if (name.rfind("GBT", 0) == 0) continue;  // not about a block
        const BlockReply judged = judge_submit_result(result);
        if (result.is_null() || result == "duplicate") {
            CHECK(judged.verdict == SubmitVerdict::kAccepted);
            CHECK(judged.words.empty());
        } else {
            ++refusals;
            CHECK(judged.verdict != SubmitVerdict::kAccepted);
            CHECK(judged.reason == result);
            CHECK(judged.words.find("the node says") == std::string::npos);  // a reason that is known
        }
    }
    CHECK(refusals >= 12);
}

TEST_CASE("replies to a block") {
    const auto verdict = [](const json& result) { return judge_submit_result(result).verdict; };
    CHECK(verdict("rejected: already have block 00ab") == SubmitVerdict::kAccepted);  // btcd's "duplicate"
    CHECK(verdict("rejected: already have block (orphan) 00ab") == SubmitVerdict::kStale);
    CHECK(verdict("duplicate-invalid") == SubmitVerdict::kRejected);
    CHECK(verdict("duplicate-inconclusive") == SubmitVerdict::kStale);
    CHECK(verdict("inconclusive") == SubmitVerdict::kStale);
    CHECK(verdict("prev-blk-not-found") == SubmitVerdict::kStale);
    CHECK(verdict("high-hash") == SubmitVerdict::kRejected);
    CHECK(verdict("") == SubmitVerdict::kRejected);
    CHECK(verdict(7) == SubmitVerdict::kRejected);
    CHECK(verdict(json::object()) == SubmitVerdict::kRejected);
    CHECK(verdict(false) == SubmitVerdict::kRejected);

    const BlockReply hostile = judge_submit_result("\x1b[31m" + std::string(100000, 'x'));
    CHECK(hostile.words.size() < 250);
    CHECK(hostile.words.find('\x1b') == std::string::npos);
}

TEST_CASE("templates of the fullest blocks are taken, larger replies refused") {
    test::RpcServer server(test::always(json()));
    NodeAccess access;
    access.url = parse_node_url(server.url(), 1);
    test::LoopThread thread;
    OffLoop off_loop(thread.loop);
    Node node(thread.loop, off_loop, access);
    // What Bitcoin Core says of a transaction of so many bytes that depends on two others.
    const auto transaction = [](std::size_t size) {
        const std::string id(64, 'a');
        return R"({"data":")" + std::string(2 * size, '0') + R"(","txid":")" + id + R"(","hash":")" + id +
               R"(","depends":[16000,16001],"fee":12345678,"sigops":20000,"weight":3999000})";
    };
    const auto reply_with = [&](std::size_t transactions, std::size_t size) {
        std::string list = transaction(size);
        for (std::size_t i = 1; i < transactions; ++i) list += "," + transaction(size);
        return test::always(test::NodeReply{
            200, R"({"result":{"longpollid":"here","transactions":[)" + list + R"(]},"error":null,"id":1})"});
    };
    const auto id = [&] {
        return thread.wait_for<std::string>([&](OnAnswer<std::string> done) {
            node.long_poll(Chain::kMain, "before", std::chrono::seconds(30), std::move(done));
        });
    };
    SECTION("of the smallest transactions") {
        server.set_serve(reply_with(16'666, 60));
        CHECK(id() == "here");
    }
    SECTION("of one transaction") {
        server.set_serve(reply_with(1, 4'000'000));
        CHECK(id() == "here");
    }
    SECTION("longer than any") {
        server.set_serve(reply_with(3, 4'000'000));
        CHECK_THROWS_WITH(id(), Catch::Matchers::ContainsSubstring("is longer than 16 MiB"));
    }
    SECTION("of more values than any") {
        std::string list = "0";
        for (int i = 0; i < 300'000; ++i) list += ",0";
        server.set_serve(test::always(test::NodeReply{200, R"({"result":[)" + list + "]}"}));
        CHECK_THROWS_WITH(id(), Catch::Matchers::ContainsSubstring("expected at most 300000 values"));
    }
}

TEST_CASE("docs/mining.md names the calls that a node's user needs") {
    const auto text_of = [](const char* path) {
        std::ifstream file(path);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const std::string source = text_of("net/node/node.cpp");
    std::set<std::string> made;
    const std::regex call(R"re(call(?:_raw)?(?:<[\w:]+>)?\("(\w+)")re");
    for (std::sregex_iterator at(source.begin(), source.end(), call), end; at != end; ++at) made.insert((*at)[1]);
    CHECK(made.erase("version") == 1);  // which is asked for to know btcd, and may be refused

    const std::string document = text_of("docs/mining.md");
    std::smatch list;
    REQUIRE(std::regex_search(document, list, std::regex("rpcwhitelist=USER:([a-z,]+)\n")));
    std::istringstream names(list[1].str());
    std::set<std::string> documented;
    for (std::string name; std::getline(names, name, ',');) documented.insert(name);
    CHECK(documented == made);
}
