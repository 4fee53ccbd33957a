// Tests of the token's file: made for its owner alone, and never taken from one that others may read.
#include "web/token_file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::web;
using gpuminer::test::TemporaryFolder;

namespace {

void protect(const std::filesystem::path& path) { REQUIRE(::chmod(path.c_str(), 0600) == 0); }

/// As long as it lives, files cannot grow beyond so many bytes: a disk that is full.
class FullDisk {
public:
    explicit FullDisk(rlim_t size) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{.rlim_cur = size, .rlim_max = before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    void (*const handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before_{};
};

}  // namespace

TEST_CASE("a token is made once, for its owner alone") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "token";
    const std::string token = read_or_make_token(path);
    CHECK(token.size() == 64);
    CHECK(token.find_first_not_of("0123456789abcdef") == std::string::npos);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);
    CHECK(read_or_make_token(path) == token);
    CHECK(read_or_make_token(folder.path() / "another") != token);
}

TEST_CASE("a token of the user's own") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "token";
    folder.write("token", "  correct-horse-battery-staple \r\nsecond line\n");
    CHECK(contains(input_error([&] { (void)read_or_make_token(path); }), "only its owner may read"));
    protect(path);
    CHECK(read_or_make_token(path) == "correct-horse-battery-staple");
    for (const char* text : {"", "\nlater-there-is-a-token", "too short", "fifteen-letters", "a blank in between it",
                             "caf\xc3\xa9-caf\xc3\xa9-caf\xc3\xa9-caf\xc3\xa9"}) {
        folder.write("token", text);
        CAPTURE(text);
        const std::string sentence = input_error([&] { (void)read_or_make_token(path); });
        CHECK(contains(sentence, "--http-token-file: expected 16 to 1024 printable characters"));
        CHECK((std::string_view(text).size() < 5 || !contains(sentence, text)));  // it is a secret
    }
    folder.write("token", std::string(2000, 'x'));
    CHECK(contains(input_error([&] { (void)read_or_make_token(path); }), "--http-token-file"));
}

TEST_CASE("a token's file that its owner may only read, as a service manager makes it") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "token";
    folder.write("token", "correct-horse-battery-staple\n");
    REQUIRE(::chmod(path.c_str(), 0400) == 0);
    CHECK(read_or_make_token(path) == "correct-horse-battery-staple");
}

TEST_CASE("a token in a folder that is not there yet") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "config" / "gpuminer" / "token";
    const std::string token = read_or_make_token(path);
    CHECK(read_or_make_token(path) == token);
    struct stat status {};
    REQUIRE(::stat(path.parent_path().c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0700);
}

TEST_CASE("a token's file that is none") {
    const TemporaryFolder folder;
    const auto sentence = [](const std::filesystem::path& path) {
        return input_error([&] { (void)read_or_make_token(path); });
    };
    std::filesystem::create_directory(folder.path() / "folder");
    CHECK(contains(sentence(folder.path() / "folder"), "--http-token-file: expected a regular file"));
    REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
    CHECK(contains(sentence(folder.path() / "pipe"), "--http-token-file: expected a regular file"));
    CHECK(contains(sentence("/proc/no/token"), "cannot make the folder '/proc/no'"));
    CHECK(contains(sentence("/sys/token"), "cannot make the token's file '/sys/token'"));
}

TEST_CASE("a full disk leaves no token's file behind") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "token";
    for (const rlim_t size : {0U, 10U}) {
        std::string sentence;
        {
            const FullDisk full(size);
            sentence = input_error([&] { (void)read_or_make_token(path); });
        }
        CHECK(contains(sentence, "cannot write the token's file"));
        CHECK_FALSE(std::filesystem::exists(path));
    }
    CHECK(read_or_make_token(path).size() == 64);
}

TEST_CASE("a token's file of another user, who knows what is in it") {
    if (::geteuid() != 0) {
        WARN("SKIPPED: only root can give files to others");
        return;
    }
    const TemporaryFolder folder;
    const auto path = folder.path() / "token";
    folder.write("token", "correct-horse-battery-staple\n");
    protect(path);
    REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
    CHECK(contains(input_error([&] { (void)read_or_make_token(path); }),
                   "--http-token-file: expected a file of this user (number 0), got"));
}

TEST_CASE("root reads the token of a miner's user, and nothing that this user links to") {
    if (::geteuid() != 0) {
        WARN("SKIPPED: only root can give files to others");
        return;
    }
    const TemporaryFolder folder;
    const auto own = folder.path() / "service", secret = folder.path() / "secret";
    REQUIRE(::mkdir(own.c_str(), 0700) == 0);
    folder.write("secret", "root's-own-secret-word\n");
    protect(secret);
    folder.write("service/token", "correct-horse-battery-staple\n");
    protect(own / "token");
    for (const auto& path : {own, own / "token"}) REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
    CHECK(read_token(own / "token") == "correct-horse-battery-staple");

    std::filesystem::create_symlink(secret, own / "link");
    CHECK(contains(input_error([&] { (void)read_token(own / "link"); }), "cannot read the token in"));
    std::filesystem::create_hard_link(secret, own / "copy");
    CHECK(contains(input_error([&] { (void)read_token(own / "copy"); }), "expected a file of its folder's user"));
    for (const char* name : {"none", "no-folder/token"})
        CHECK(contains(input_error([&] { (void)read_token(own / name); }), "there is no file"));
}
