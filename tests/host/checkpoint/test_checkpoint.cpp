// Tests of checkpoints: the text and its refusals, the file's lock and replacement, the writing thread.
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "host/checkpoint/checkpoint.hpp"
#include "host/checkpoint/checkpoint_file.hpp"
#include "host/checkpoint/checkpoint_writer.hpp"
#include "host/text/text.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/host/search/search_tools.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

Checkpoint sample() {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 16, 4095);
    request.version_mask = kWideMask;
    SearchRecord record{.group_size = 8, .done = {}, .hits = {{0x2001, 77}, {1, 4095}}};
    record.done.add({0, 1000});
    record.done.add({1002, 8160});
    return make_checkpoint(request, record);
}

/// The text with a checksum of its own, by OpenSSL (whose header fake_devices.hpp includes in its way).
std::string sealed(const std::string& body) {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data());
    return body + "sha256 " + to_hex(digest) + "\n";
}

std::string body_of(const std::string& text) { return text.substr(0, text.rfind("sha256 ")); }

std::string with(std::string text, const std::string& old, const std::string& fresh) {
    const std::size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old.size(), fresh);
}

std::string parse_failure(const std::string& text) {
    return input_error([&] { (void)parse_checkpoint(text); });
}

std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("a checkpoint is what it says") {
    const Checkpoint checkpoint = sample();
    const std::string text = checkpoint_text(checkpoint);
    CHECK(
        body_of(text) ==
        "gpuminer checkpoint 1\n"
        "header 0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f"
        "617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d\n"
        "target 00ffffff00000000000000000000000000000000000000000000000000000000\n"
        "nonces 16 4095\n"
        "versions 0001e000 8\n"
        "done 0 999\n"
        "done 1002 8159\n"
        "hit 00002001 77\n"
        "hit 00000001 4095\n");
    CHECK(text == sealed(body_of(text)));
    CHECK(parse_checkpoint(text) == checkpoint);
    CHECK(checkpoint.header.nonce() == 0);

    const Checkpoint nothing = make_checkpoint(request_of(PartitionMode::kStatic, Goal::kFirst, 0, 0),
                                               {.group_size = 1, .done = {}, .hits = {}});
    CHECK(parse_checkpoint(checkpoint_text(nothing)) == nothing);
}

TEST_CASE("a checkpoint that is cut off anywhere, or changed anywhere, is refused with a sentence") {
    const std::string text = checkpoint_text(sample());
    for (std::size_t size = 0; size < text.size(); ++size) {
        const std::string message = parse_failure(text.substr(0, size));
        CHECK((contains(message, "expected") || contains(message, "no checksum")));
        CHECK(message.size() < 400);
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        const std::string message = parse_failure(changed);
        CHECK((contains(message, "expected") || contains(message, "checksum")));
    }
    CHECK(contains(parse_failure(text + "done 1 2\n"), "truncated"));
    CHECK(contains(parse_failure(text.substr(0, text.size() - 70)), "truncated"));
    CHECK(contains(parse_failure(with(text, "77", "78")), "the file was changed"));
    CHECK(parse_failure("") == "expected 'gpuminer checkpoint 1' in line 1, got nothing");
    CHECK(parse_failure("\n") == "expected 'gpuminer checkpoint 1' in line 1, got nothing");
    CHECK(parse_failure(with(text, "checkpoint 1", "checkpoint 2")) ==
          "expected 'gpuminer checkpoint 1' in line 1, got 'gpuminer checkpoint 2'");
}

TEST_CASE("what no program of ours writes is refused, with its line") {
    const std::string body = body_of(checkpoint_text(sample()));
    const auto refused = [&](const std::string& old, const std::string& fresh, const std::string& words) {
        const std::string message = parse_failure(sealed(with(body, old, fresh)));
        INFO(old << " becomes " << fresh << ": " << message);
        CHECK(contains(message, words));
    };
    refused("header 01", "header 0g", "in line 2, got 'header 0g0");
    refused("header ", "Header ", "'header' and 152 hex digits in line 2");
    refused("target 00", "target 0", "64 hex digits in line 3");
    refused("nonces 16", "nonces -16", "in line 4, got 'nonces -16 4095'");
    refused("nonces 16 4095", "nonces 16", "in line 4");
    refused("nonces 16 4095", "nonces 16 4294967296", "in line 4");
    refused("nonces 16 4095", "nonces 16 4095 ", "in line 4");
    refused("nonces 16 4095", "nonces 17 16", "at or below the last one in line 4");
    refused("0001e000 8", "2001e000 8", "bits of BIP 323 (1fffffe0) in line 5");
    refused("0001e000 8", "0001e000 7", "power of two");
    refused("0001e000 8", "0001e000 32", "power of two");
    refused("0001e000 8", "0001e000 0", "power of two");
    refused("done 0 999", "done 0 9999999", "in line 6");
    refused("done 1002 8159", "done 1000 8159", "in line 7");  // neighbours
    refused("done 1002 8159", "done 1002 8160", "within the search, in line 7");
    refused("done 1002 8159", "done 1002 18446744073709551616", "in line 7");
    refused("done 1002 8159", "done 9 8", "in line 7");
    refused("hit 00000001 4095", "hit 00002001 77", "each pair once, in line 9");
    refused("hit 00000001 4095", "hit 00000001 4095\nmore", "'done', 'hit' or the checksum in line 10, got 'more'");
    refused("hit 00002001 77\n", "\n", "in line 8, got nothing");
}

TEST_CASE("a checkpoint that was written before BIP 323 is what it was, bit by bit") {
    const std::string text = content("tests/data/checkpoints/0bb928f");
    const Checkpoint checkpoint = parse_checkpoint(text);
    CHECK(checkpoint.version_mask == 0x1fffe000);
    CHECK(checkpoint.record.group_size == 8);
    CHECK(checkpoint.record.done.size() == 34160);
    CHECK(checkpoint.record.hits.size() == 14);
    CHECK(checkpoint_text(checkpoint) == text);
}

TEST_CASE("a checkpoint belongs to one header, target, range and mask") {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 16, 4095);
    request.version_mask = kWideMask;
    const Checkpoint checkpoint = sample();
    const auto refusal = [&](const SearchRequest& other) {
        return input_error([&] { require_same_search(checkpoint, other); });
    };
    SearchRequest same = request;
    same.goal = Goal::kLowest;
    same.partition = PartitionMode::kStatic;
    same.max_results = 1;
    same.header.set_nonce(4711);
    CHECK(refusal(same).empty());

    SearchRequest other = request;
    other.header.set_time(1);
    CHECK(contains(refusal(other), "expected a checkpoint of header 01000000"));
    other = request;
    other.target = target_with_top(0x00fffffe);
    CHECK(contains(refusal(other), "expected a checkpoint of target 00fffffe"));
    other = request;
    other.end = 4096;
    CHECK(refusal(other) == "expected a checkpoint of nonces 16 to 4096, got one of 16 to 4095");
    other = request;
    other.version_mask = kMask;
    CHECK(refusal(other) == "expected a checkpoint of version bits 0000e000, got one of 0001e000");
}

TEST_CASE("a checkpoint's file is replaced as a whole, and locked all the time") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "search";
    const auto in_use = [&] {
        return contains(input_error([&] { (void)CheckpointFile::open(path); }), "another process uses the checkpoint");
    };
    {
        CheckpointFile file = CheckpointFile::create(path, "one");
        CHECK(content(path) == "one");
        CHECK(file.read() == "one");
        CHECK(in_use());
        for (const std::string text : {"two", "three, a longer one", "4"}) {
            file.write(text);
            CHECK(content(path) == text);
            CHECK(file.read() == text);
            CHECK(in_use());
        }
        CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    }
    CHECK(CheckpointFile::open(path).read() == "4");
    CHECK(contains(input_error([&] { (void)CheckpointFile::create(path, "5"); }),
                   "'" + path.string() + "' exists; --resume"));
    CHECK(content(path) == "4");
}

TEST_CASE("what a killed process left beside a checkpoint is in nobody's way") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "search";
    std::ofstream(path.string() + ".new") << "a longer text than that of the checkpoint";
    CheckpointFile file = CheckpointFile::create(path, "one");
    CHECK(content(path) == "one");
    std::ofstream(path.string() + ".new") << "a longer text than that of the checkpoint";
    file.write("two");
    CHECK(content(path) == "two");
    CHECK_FALSE(std::filesystem::exists(path.string() + ".new"));
}

TEST_CASE("of many that begin one checkpoint at once, one has it") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "search";
    std::vector<std::jthread> threads;
    std::atomic<int> have = 0, refused = 0;
    for (int i = 0; i < 16; ++i) {
        threads.emplace_back([&, i] {
            try {
                // flock() tells open files apart, not processes.
                CheckpointFile file = CheckpointFile::create(path, std::to_string(i));
                ++have;
                for (int k = 0; k < 20; ++k) {
                    try {
                        file.write(std::to_string(i));
                    } catch (const InputError&) {  // another one has the next file for a moment
                    }
                    CHECK(content(path) == std::to_string(i));
                }
                wait_until([&] { return have + refused == 16; });
            } catch (const InputError&) {
                ++refused;
            }
        });
    }
    threads.clear();
    CHECK(have == 1);
}

TEST_CASE("places where no checkpoint can be are refused with a sentence") {
    const TemporaryFolder folder;
    const auto refusal = [](const std::filesystem::path& path) {
        return input_error([&] { (void)CheckpointFile::create(path, "text"); });
    };
    CHECK(contains(refusal(folder.path() / "missing" / "search"), "No such file or directory"));
    CHECK(contains(refusal("/dev/null"), "expected a new file for"));
    CHECK(contains(refusal(folder.path()), "expected a new file for"));
    CHECK(contains(input_error([&] { (void)CheckpointFile::open(folder.path()); }), "is a folder"));
    CHECK(contains(input_error([&] { (void)CheckpointFile::open(folder.path() / "missing"); }),
                   "cannot open the checkpoint"));
    std::filesystem::create_symlink("elsewhere", folder.path() / "link");
    CHECK(contains(refusal(folder.path() / "link"), "expected a new file for"));
    CHECK(contains(input_error([&] { (void)CheckpointFile::open(folder.path() / "link"); }), "is a symbolic link"));
}

TEST_CASE("the writer writes soon, then now and then, and at the end") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "search";
    std::atomic<std::uint64_t> done = 1;
    const auto snapshot = [&] {
        Checkpoint checkpoint = sample();
        checkpoint.record.done = {};
        checkpoint.record.done.add({0, done});
        return checkpoint;
    };
    const auto last_done = [&] { return parse_checkpoint(content(path)).record.done.size(); };
    CheckpointWriter writer(CheckpointFile::create(path, checkpoint_text(snapshot())), snapshot,
                            [](Severity, const std::string&) {}, {.first = 1ms, .next = 2ms, .most_of_the_time = 1});
    for (std::uint64_t next = 2; next < 6; ++next) {
        done = next;
        wait_until([&] { return last_done() == next; });
    }
    done = 100;
    writer.finish();
    CHECK(last_done() == 100);
}

TEST_CASE("a writer that cannot write says so once, tries again, and says that, too") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "search";
    std::atomic<std::uint64_t> done = 1;
    std::mutex mutex;
    std::vector<std::string> said;
    const auto snapshot = [&] {
        Checkpoint checkpoint = sample();
        checkpoint.record.done = {};
        checkpoint.record.done.add({0, 1 + done++ % 1000});
        return checkpoint;
    };
    const auto say = [&](Severity, const std::string& text) {
        const std::lock_guard lock(mutex);
        said.push_back(text);
    };
    const auto says = [&](std::size_t count) {
        const std::lock_guard lock(mutex);
        return said.size() == count;
    };
    const auto message = [&](std::size_t number) {  // the writer may be about to add another
        const std::lock_guard lock(mutex);
        return said.at(number);
    };
    CheckpointWriter writer(CheckpointFile::create(path, checkpoint_text(snapshot())), snapshot, say,
                            {.first = 1ms, .next = 1ms, .most_of_the_time = 1});
    const auto obstruct = [&] {  // as a full disk would; the next file may just be there
        wait_until([&] {
            std::error_code error;
            return std::filesystem::create_directory(path.string() + ".new", error);
        });
    };
    obstruct();
    wait_until([&] { return says(1); });
    give_it_a_chance();
    CHECK(says(1));
    CHECK(contains(message(0), "is a folder; retrying"));
    CHECK_NOTHROW(parse_checkpoint(content(path)));
    std::filesystem::remove(path.string() + ".new");
    wait_until([&] { return says(2); });
    CHECK(contains(message(1), "checkpoints are written again to '"));
    obstruct();
    CHECK_THROWS_AS(writer.finish(), InputError);
}
