// Tests of the schedules as programs, and of the text in which rounds and schedules take turns. (What the text computes
// is tested by the searches that include it.)
#include "kernel/weave.hpp"

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "header_words.hpp"
#include "kernel/program.hpp"
#include "random_headers.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::kernel;
using namespace gpuminer::test;

namespace {

/// K + W as FIPS 180-4 writes it.
std::vector<std::uint32_t> textbook(const sha256::Block<std::uint32_t>& block, std::size_t rounds) {
    sha256::Schedule<std::uint32_t> schedule(block);
    std::vector<std::uint32_t> words;
    for (std::size_t t = 0; t < rounds; ++t) words.push_back(schedule.next(t) + sha256::kRoundConstants[t]);
    return words;
}

std::vector<std::string> woven(WovenText text, unsigned slots) {
    std::stringstream out;
    print_woven(out, text, slots);
    std::vector<std::string> lines;
    for (std::string line; std::getline(out, line);) lines.push_back(line);
    return lines;
}

bool is_round(const std::string& line) { return line.find("rounds_hash") != std::string::npos; }
bool is_of_rounds(const std::string& line) {
    return is_round(line) || line.starts_with("begin_") || line.starts_with("end_");
}

/// Follows the slots: each nonce's rounds are to be run once, in order, and in a slot that is its own meanwhile.
class Slots {
public:
    explicit Slots(unsigned slots) : nonce_of_(slots, -1), next_(slots) {}

    void run(const std::string& line) {
        static const std::regex pattern(R"((begin|end|rounds|shared_rounds)_hash([12])\(([\d, ]+)\);)");
        std::smatch match;
        if (!std::regex_match(line, match, pattern)) return;
        std::istringstream numbers(std::regex_replace(match[3].str(), std::regex(","), ""));
        std::vector<int> arguments;
        for (int number = 0; numbers >> number;) arguments.push_back(number);
        const int hash = std::stoi(match[2]);
        int& nonce = nonce_of_.at(static_cast<std::size_t>(arguments.front()));
        int& next = next_.at(static_cast<std::size_t>(arguments.front()));
        INFO(line);
        if (match[1] == "begin") {
            REQUIRE(nonce == -1);
            nonce = arguments.at(1);
            next = hash == 1 ? 1 : 0;
        } else if (match[1] == "end") {
            REQUIRE(nonce == arguments.at(1));
            REQUIRE(next == (hash == 1 ? 32 : 31));
            REQUIRE(ended_.insert({hash, nonce}).second);
            nonce = -1;
        } else {
            REQUIRE(arguments.at(1) == next++);
            if (match[1] == "rounds") REQUIRE(arguments.at(2) == nonce);
        }
    }
    [[nodiscard]] std::size_t ended() const { return ended_.size(); }

private:
    std::vector<int> nonce_of_, next_;
    std::set<std::pair<int, int>> ended_;
};

}  // namespace

TEST_CASE("the schedules' programs give the textbook's words") {
    const Program header = make_header_schedule(), digest = make_digest_schedule();
    for (const BlockHeader& some : random_headers(100, 77)) {
        const HeaderWords words = words_of(some);
        REQUIRE(interpret_header_schedule(header, words.tail, words.nonce) ==
                textbook(sha256::header_block2(words.tail, words.nonce), 64));
        REQUIRE(interpret_digest_schedule(digest, words.midstate) ==
                textbook(sha256::digest_block(words.midstate), kRoundsForH7));
    }
}

TEST_CASE("the schedules' operations are counted") {
    // Pinned as the search's counts are: no more without knowing why.
    const auto operations = [](const Stage& stage) { return stage.code.size(); };
    CHECK(operations(make_header_schedule().stage(StageName::kNonce)) == 461);
    CHECK(operations(make_digest_schedule().stage(StageName::kBlock1)) == 501);
}

TEST_CASE("the woven text runs every nonce's rounds once and in order") {
    for (const WovenText text : {WovenText::kFixed, WovenText::kRolled}) {
        for (const unsigned count : {1u, 2u, 4u, 8u}) {
            Slots slots(count);
            for (const std::string& line : woven(text, count)) slots.run(line);
            CHECK(slots.ended() == 2 * kUnit);
        }
    }
}

TEST_CASE("in the woven text, schedules are evenly spread among the rounds") {
    for (const WovenText text : {WovenText::kFixed, WovenText::kRolled}) {
        unsigned in_a_row = 0, most = 0;
        for (const std::string& line : woven(text, 4)) {
            in_a_row = is_of_rounds(line) ? 0 : in_a_row + 1;
            most = std::max(most, in_a_row);
        }
        CHECK(most <= 2);
        CHECK(most > 0);
    }
}

TEST_CASE("what a pair of rounds reads was stored for each nonce, or is shared") {
    std::map<std::string, unsigned> stored, read;
    static const std::regex arguments(R"(\w+_hash([12])\((\d+), ?(\d*).*)");
    for (const WovenText text : {WovenText::kShared, WovenText::kFixed}) {
        for (const std::string& line : woven(text, 8)) {
            const bool shared = line.starts_with("share");
            std::smatch match;
            if (!std::regex_match(line, match, arguments)) continue;
            const std::string kind = shared ? "shared " : "stored ";
            if (line.starts_with("store_") || line.starts_with("share_"))
                ++stored[kind + match[1].str() + " " + match[2].str()];
            if (is_round(line)) ++read[kind + match[1].str() + " " + match[3].str()];
        }
    }
    REQUIRE(stored.erase("shared 1 0") == 1);  // goes into the start state
    REQUIRE(stored.size() == 62);
    REQUIRE(read.size() == stored.size());
    for (const auto& [pair, times] : read) {
        INFO(pair);
        CHECK(times == kUnit);
        CHECK(stored[pair] == 1);
    }
}
