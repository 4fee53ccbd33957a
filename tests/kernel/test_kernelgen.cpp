// Tests of gpuminer-kernelgen as users run it: options, errors, and text that means what the program means.
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "header_words.hpp"
#include "host/block/checker.hpp"
#include "kernel/print.hpp"
#include "kernel/program.hpp"
#include "kernel/rotate_late.hpp"
#include "random_headers.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::kernel;
using namespace gpuminer::test;

namespace {

struct Run {
    int status = -1;
    std::string text;
};

/// Runs gpuminer-kernelgen in a shell; `arguments` may redirect. The text is what then arrives at standard output.
Run kernelgen(const std::string& arguments) {
    Run run;
    FILE* const pipe = popen(("'" GPUMINER_KERNELGEN "' " + arguments).c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> buffer{};
    while (const std::size_t size = fread(buffer.data(), 1, buffer.size(), pipe)) run.text.append(buffer.data(), size);
    const int status = pclose(pipe);
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return run;
}

std::string output_of(const std::string& arguments) {
    const Run run = kernelgen(arguments);
    INFO(arguments);
    REQUIRE(run.status == 0);
    return run.text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Runs the neutral text as a reader of the manual would: "x12 = add x7 job[3]", "job[0] = x12".
std::uint32_t run_neutral(const std::vector<std::string>& lines, const HeaderWords& words) {
    std::map<std::string, std::uint32_t> names = {{"nonce", words.nonce}};
    for (std::size_t i = 0; i < 8; ++i) names["midstate[" + std::to_string(i) + "]"] = words.midstate[i];
    for (std::size_t i = 0; i < 3; ++i) names["tail[" + std::to_string(i) + "]"] = words.tail[i];
    const std::map<std::string, Op> verbs = {{"add", Op::kAdd},   {"rotr", Op::kRotr}, {"shr", Op::kShr},
                                             {"xor3", Op::kXor3}, {"ch", Op::kCh},     {"maj", Op::kMaj}};
    const auto value = [&](const std::string& text) {
        return text.rfind("0x", 0) == 0 ? static_cast<std::uint32_t>(std::stoul(text, nullptr, 16)) : names.at(text);
    };
    for (const std::string& line : lines) {
        std::istringstream stream(line);
        std::string target, equals, head;
        stream >> target >> equals >> head;
        if (target == "stage") continue;
        REQUIRE(equals == "=");
        std::vector<std::string> rest;
        for (std::string word; stream >> word;) rest.push_back(word);
        if (rest.empty()) {
            names[target] = value(head);
            continue;
        }
        const Op op = verbs.at(head);
        std::uint32_t bits = 0;
        if (op == Op::kRotr || op == Op::kShr) {
            bits = static_cast<std::uint32_t>(std::stoul(rest.back()));
            rest.pop_back();
        }
        std::vector<std::uint32_t> operands;
        for (const std::string& operand : rest) operands.push_back(value(operand));
        names[target] = evaluate(op, bits, operands);
    }
    return names.at("h7");
}

}  // namespace

TEST_CASE("the neutral text is the whole program") {
    for (const char* const options : {"", "--dialect neutral", "--dialect neutral --versions 2", "--versions 65536"}) {
        const auto lines = lines_of(output_of(options));
        for (const BlockHeader& header : random_headers(10, 40)) {
            INFO("options: " << options);
            REQUIRE(run_neutral(lines, words_of(header)) == h7_of(double_sha256(header.bytes)));
        }
    }
}

TEST_CASE("the C++ text has one statement per instruction and export, in the verbs alone") {
    // The common subset of C++, CUDA, OpenCL C and GLSL: calls, `word` variables, `u` suffixes, constant
    // indices, no names but these (GLSL reserves many).
    const std::string operand =
        R"((x\d+|nonce|constant\(0x[0-9a-f]{8}u\)|(midstate|tail|job|version|shared|digest)\(\d+\)))";
    const std::regex statement("word x(\\d+) = (add|rotr|shr|xor3|ch|maj)\\(" + operand + "(, (" + operand +
                               "|\\d+))*\\);");
    const std::regex exported(R"(export_(job|version|shared|digest)\((\d+), )" + operand + R"(\);)");
    const std::map<std::string, StageName> stages = {{"job", StageName::kJob},
                                                     {"version", StageName::kVersion},
                                                     {"nonce", StageName::kNonce},
                                                     {"hash1", StageName::kHash1},
                                                     {"hash2", StageName::kHash2}};
    for (const unsigned versions : {1u, 8u}) {
        const Program program = make_search_program(versions);
        for (const auto& [name, stage_name] : stages) {
            const Stage& stage = program.stage(stage_name);
            auto lines =
                lines_of(output_of("--dialect cpp --versions " + std::to_string(versions) + " --stage " + name));
            if (stage_name == StageName::kHash2) {
                CHECK(std::regex_match(lines.back(), std::regex("word h7 = x\\d+;")));
                lines.pop_back();
            }
            REQUIRE(lines.size() == stage.code.size() + stage.exports.size());
            for (std::size_t i = 0; i < lines.size(); ++i) {
                INFO(lines[i]);
                const bool is_export = i >= stage.code.size();
                std::smatch parts;
                REQUIRE(std::regex_match(lines[i], parts, is_export ? exported : statement));
                REQUIRE(parts[is_export ? 2 : 1] == std::to_string(is_export ? i - stage.code.size() : i));
            }
        }
    }
}

TEST_CASE("the option --gpu marks sums with a word that all nonces share, and rotations that sums make") {
    const std::string command = "--dialect cpp --versions 8 --stage hash1";
    std::ostringstream late;
    print_statements(late, rotate_late(make_search_program(8)), StageName::kHash1);
    const std::string text = output_of(command + " --gpu 0");
    const std::regex sums(R"(add(_uniform)?\(([^ ]+), ([^ ]+)\);)");
    const auto plain = [&](const std::string& one) {  // the smaller operand first
        const std::string line = std::regex_replace(one, std::regex("maj_next"), "maj");
        std::smatch parts;
        if (!std::regex_search(line, parts, sums)) return line;
        const std::string x = parts[2], y = parts[3];
        const auto& [first, second] = std::minmax(x, y);
        return parts.prefix().str() + "add(" + first + ", " + second + ");";
    };
    const auto lines = lines_of(text), expected = lines_of(late.str());
    REQUIRE(lines.size() == expected.size());
    for (std::size_t i = 0; i < lines.size(); ++i) CHECK(plain(lines[i]) == plain(expected[i]));
    const std::regex uniform(R"((constant|job|version)\()"), sum("word x\\d+ = add(_uniform|_rotr)?\\((.*)\\);");
    for (const std::string& line : lines) {
        INFO(line);
        std::smatch parts;
        if (!std::regex_match(line, parts, sum) || parts[1] == "_rotr") continue;
        CHECK((parts[1] == "_uniform") == std::regex_search(line, uniform));
        if (parts[1] == "_uniform")
            CHECK(std::regex_search(parts[2].first, parts[2].second, uniform, std::regex_constants::match_continuous));
    }
}

TEST_CASE("the option --gpu marks its share of the rotations as wide, evenly, and changes nothing else") {
    const std::string command = "--dialect cpp --versions 8 --stage hash2";
    const std::string none = output_of(command + " --gpu 0");
    const auto count = [](const std::vector<std::string>& lines, const char* verb) {
        return std::count_if(lines.begin(), lines.end(),
                             [verb](const std::string& line) { return line.find(verb) != std::string::npos; });
    };
    const auto rotations = count(lines_of(none), " = rotr(");
    for (const int percent : {1, 7, 10, 50, 99, 100}) {
        INFO(percent);
        const std::string text = output_of(command + " --gpu " + std::to_string(percent));
        CHECK(std::regex_replace(text, std::regex("rotr_wide"), "rotr") == none);
        const auto lines = lines_of(text);
        CHECK(std::abs(static_cast<double>(count(lines, " = rotr_wide(")) -
                       static_cast<double>(rotations * percent) / 100) <= 1);
        // Evenly: half of them in the first half of the text.
        const std::vector<std::string> half(lines.begin(),
                                            lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 2));
        CHECK(std::abs(static_cast<double>(count(half, " = rotr_wide(")) -
                       static_cast<double>(count(half, " = rotr") * percent) / 100) <= 1);
    }
}

TEST_CASE("the option --gpu marks every second maj whose words are those of the maj before") {
    const std::regex majority(R"(word (x\d+) = maj(_next)?\(([^ ]+), ([^ ]+), ([^ ]+)\);)");
    for (const std::string options : {"--versions 1 --stage hash1", "--versions 8 --stage hash1", "--stage hash2"}) {
        INFO(options);
        std::vector<std::smatch> found;
        const auto lines = lines_of(output_of("--dialect cpp --gpu 0 " + options));
        for (const std::string& line : lines) {
            std::smatch parts;
            if (std::regex_match(line, parts, majority)) found.push_back(parts);
        }
        REQUIRE(found.size() > 50);  // of 64 rounds
        CHECK_FALSE(found.front()[2].matched);
        for (std::size_t i = 1; i < found.size(); ++i) {
            INFO(found[i][0]);
            const bool can_share = found[i][4] == found[i - 1][3] && found[i][5] == found[i - 1][4];
            CHECK(found[i][2].matched == (can_share && !found[i - 1][2].matched));
        }
    }
}

TEST_CASE("the option --constants gives every constant of the text for GPUs, once") {
    std::set<std::string> expected;
    const std::regex constant(R"(constant\((0x[0-9a-f]{8}u)\))");
    for (const std::string options : {"--stage hash1", "--stage hash2", "--versions 8 --stage nonce",
                                      "--versions 8 --stage hash1", "--versions 8 --stage hash2"}) {
        const std::string text = output_of("--dialect cpp --gpu 7 " + options);
        for (auto found = std::sregex_iterator(text.begin(), text.end(), constant); found != std::sregex_iterator();
             ++found)
            expected.insert("CONSTANT(" + (*found)[1].str() + ")");
    }
    REQUIRE(expected.size() > 64);
    CHECK(lines_of(output_of("--constants")) == std::vector<std::string>(expected.begin(), expected.end()));
}

TEST_CASE("the option --count gives each stage's verbs and operations") {
    const auto lines = lines_of(output_of("--count --versions 8"));
    REQUIRE(lines.size() == 1 + kStages.size());
    std::istringstream header(lines[0]);
    std::vector<std::string> columns;
    for (std::string word; header >> word;) columns.push_back(word);
    CHECK(columns ==
          std::vector<std::string>{"stage", "add", "rotr", "shr", "xor3", "ch", "maj", "avx512", "avx2", "exports"});
    const Program program = make_search_program(8);
    constexpr std::array kNames = {"job", "version", "nonce", "hash1", "hash2"};
    for (const StageName name : kStages) {
        const auto i = static_cast<std::size_t>(name);
        std::istringstream line(lines[i + 1]);
        std::string stage;
        std::uint64_t sum = 0, count = 0, avx512 = 0, avx2 = 0, exports = 0;
        line >> stage;
        for (int verb = 0; verb < 6; ++verb) {
            line >> count;
            sum += count;
        }
        line >> avx512 >> avx2 >> exports;
        CHECK(stage == kNames.at(i));
        CHECK(sum == program.stage(name).code.size());
        CHECK(avx512 == sum);
        CHECK(avx2 >= avx512);
        CHECK(exports == program.stage(name).exports.size());
    }
    CHECK(output_of("--count") == output_of("--versions 1 --count"));
    CHECK(output_of("--count") != output_of("--count --versions 2"));
}

TEST_CASE("with --batch it prints the program for batches, whole or by stage, and its counts") {
    const Program program = make_batch_program();
    const auto neutral = lines_of(output_of("--batch")), counts = lines_of(output_of("--batch --count"));
    REQUIRE(counts.size() == 1 + program.order.size());
    std::size_t instructions = 0;
    for (std::size_t i = 0; i < program.order.size(); ++i) {
        const Stage& stage = program.stage(program.order[i]);
        const std::string name = name_of(program.order[i]);
        CHECK(counts[1 + i].rfind(name + ' ', 0) == 0);
        CHECK(std::count(neutral.begin(), neutral.end(), "stage " + name) == 1);
        const auto lines = lines_of(output_of("--batch --dialect cpp --stage " + name));
        REQUIRE(lines.size() == stage.code.size() + stage.exports.size());
        for (std::size_t j = 0; j < stage.code.size(); ++j)
            REQUIRE(lines[j].rfind("word x" + std::to_string(j) + " = ", 0) == 0);
        const std::vector<std::string> tables = {"state", "digest", "hash"};
        for (std::size_t j = 0; j < 8; ++j) {
            const std::string wanted = "export_" + tables[i] + '(' + std::to_string(j) + ", x";
            REQUIRE(lines[stage.code.size() + j].rfind(wanted, 0) == 0);
        }
        instructions += lines.size() + 1;
    }
    CHECK(neutral.size() == instructions);
}

TEST_CASE("the option --sizes gives the tables' sizes as C++ constants") {
    const std::string text = output_of("--sizes");
    CHECK(text.find("#pragma once") != std::string::npos);
    for (const char* const constant :
         {"kFixedJobWords = 26;", "kFixedVersionWords = 0;", "kFixedSharedWords = 0;", "kRolledJobWords = 14;",
          "kRolledVersionWords = 18;", "kRolledSharedWords = 46;"}) {
        CHECK(text.find("inline constexpr std::size_t " + std::string(constant)) != std::string::npos);
    }
}

TEST_CASE("the option --help goes to standard output and names every option") {
    CHECK(output_of("--help 2>/dev/null") == output_of("-h 2>/dev/null"));
    for (const char* const option : {"--dialect", "--versions", "--batch", "--compression", "--stage", "--gpu",
                                     "--count", "--schedule", "--woven", "--slots", "--sizes"}) {
        CHECK(output_of("--help").find(option) != std::string::npos);
    }
}

TEST_CASE("what it does not understand it says in one sentence, and ends with 1") {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"--colour", "unknown option '--colour'"},
        {"neutral", "unknown option 'neutral'"},
        {"''", "unknown option ''"},
        {"--dialect", "--dialect needs a value"},
        {"--count --versions", "--versions needs a value"},
        {"--dialect cuda", "--dialect takes neutral or cpp, not 'cuda'"},
        {"--dialect cpp", "--dialect cpp needs --stage job|version|nonce|hash1|hash2"},
        {"--dialect cpp --stage hash3", "--stage takes job, version, nonce, hash1 or hash2, not 'hash3'"},
        {"--versions 0", "--versions takes a number from 1 to 65536, not '0'"},
        {"--versions 65537", "--versions takes a number from 1 to 65536, not '65537'"},
        {"--versions 99999999999999999999", "--versions takes a number from 1 to 65536, not '99999999999999999999'"},
        {"--versions -1", "--versions takes a number from 1 to 65536, not '-1'"},
        {"--versions 8x", "--versions takes a number from 1 to 65536, not '8x'"},
        {"--versions ''", "--versions takes a number from 1 to 65536, not ''"},
        {"--batch --versions 8", "--versions belongs to the search; a batch (--batch) has none"},
        {"--batch --dialect cpp", "--dialect cpp needs --stage block1|hash1|hash2"},
        {"--batch --dialect cpp --stage nonce", "--stage takes block1, hash1 or hash2, not 'nonce'"},
        {"--dialect cpp --stage block1", "--stage takes job, version, nonce, hash1 or hash2, not 'block1'"},
        {"--compression --dialect cpp", "--dialect cpp needs --stage block1"},
        {"--schedule footer", "--schedule takes header or digest, not 'footer'"},
        {"--schedule digest --dialect cpp", "--dialect cpp needs --stage block1"},
        {"--woven loosely", "--woven takes fixed, rolled, schedule or shared, not 'loosely'"},
        {"--woven fixed --slots 9", "--slots takes a number from 1 to 8, not '9'"},
        {"--woven fixed --slots 3", "--slots takes 1, 2, 4 or 8, not 3"},
        {"--dialect cpp --stage hash1 --gpu 101", "--gpu takes a number from 0 to 100, not '101'"},
    };
    for (const auto& [arguments, sentence] : wrong) {
        INFO(arguments);
        const Run run = kernelgen(arguments + " 2>&1 >/dev/null");  // standard error alone
        CHECK(run.status == 1);
        CHECK(lines_of(run.text).at(0) == "gpuminer-kernelgen: " + sentence);
        CHECK(run.text.find("usage: gpuminer-kernelgen") != std::string::npos);
        CHECK(kernelgen(arguments + " 2>/dev/null").text.empty());
    }
}

TEST_CASE("an output that cannot be written is an error") {
    const Run run = kernelgen("--count 2>&1 >/dev/full");
    CHECK(run.status == 1);
    CHECK(lines_of(run.text).at(0) == "gpuminer-kernelgen: cannot write to standard output");
}
