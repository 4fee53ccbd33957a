// Files of this user on Windows: with other users on their access lists, open elsewhere, and with somebody else's lock.
#include <windows.h>

// After windows.h:
#include <sddl.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "host/checkpoint/checkpoint_file.hpp"
#include "host/files/busy_file.hpp"
#include "host/files/file_text.hpp"
#include "host/files/lock_file.hpp"
#include "host/files/own_file.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using gpuminer::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// Has the file open until its end, as virus scanners do.
class Scanner {
public:
    explicit Scanner(const fs::path& path, DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE)
        : handle_(CreateFileW(path.c_str(), GENERIC_READ, shared, nullptr, OPEN_EXISTING, 0, nullptr)) {
        REQUIRE(handle_ != INVALID_HANDLE_VALUE);
    }
    ~Scanner() { close(); }
    Scanner(const Scanner&) = delete;
    Scanner& operator=(const Scanner&) = delete;
    void close() {
        if (handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
        handle_ = INVALID_HANDLE_VALUE;
    }

private:
    HANDLE handle_;
};

std::string content_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// All rights for its user ("OWNER RIGHTS"), and what `others` says of others.
void give_rights(const fs::path& path, const std::wstring& others) {
    PSECURITY_DESCRIPTOR rights = nullptr;
    const std::wstring text = L"D:P(A;;FA;;;OW)(A;;FA;;;SY)" + others;
    REQUIRE(ConvertStringSecurityDescriptorToSecurityDescriptorW(text.c_str(), SDDL_REVISION_1, &rights, nullptr) != 0);
    REQUIRE(SetFileSecurityW(path.c_str(), DACL_SECURITY_INFORMATION, rights) != 0);
    LocalFree(rights);
}

}  // namespace

TEST_CASE("a checkpoint that somebody has open is written beside it, and nothing is lost") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "search", next = folder.path() / "search.new";
    CheckpointFile file = CheckpointFile::create(path, "first");
    Scanner scanner(path);
    const std::string message = input_error([&] { file.write("second"); });
    CHECK(message.starts_with("cannot replace the checkpoint"));
    CHECK(message.ends_with("; the newest progress is in " + shown_path(next)));
    CHECK(content_of(path) == "first");
    CHECK(content_of(next) == "second");
    scanner.close();
    file.write("third");
    CHECK(content_of(path) == "third");
    CHECK_FALSE(fs::exists(next));
}

TEST_CASE("a file that is open for a moment is waited for") {
    const TemporaryFolder folder;
    folder.write("old", "old");
    folder.write("new", "new");
    const fs::path old = folder.path() / "old", fresh = folder.path() / "new";
    Scanner scanner(old);
    int attempts = 0;
    CHECK(try_while_busy([&] {
        if (++attempts == 3) scanner.close();
        return MoveFileExW(fresh.c_str(), old.c_str(), MOVEFILE_REPLACE_EXISTING) != 0;
    }));
    CHECK(attempts == 3);
    CHECK(content_of(old) == "new");
    attempts = 0;
    CHECK_FALSE(try_while_busy([&] { return ++attempts == 0 || MoveFileW(fresh.c_str(), old.c_str()) != 0; }));
    CHECK(attempts == 1);  // there is none
}

TEST_CASE("a file that is read can be renamed and deleted meanwhile") {
    const TemporaryFolder folder;
    folder.write("file", "text");
    const fs::path path = folder.path() / "file", moved = folder.path() / "moved";
    InputFile file(path, FileKind::kRegular);
    CHECK(MoveFileW(path.c_str(), moved.c_str()) != 0);
    CHECK(DeleteFileW(moved.c_str()) != 0);
    std::string text(10, '\0');
    CHECK(file.read(text.data(), text.size()) == 4);
}

TEST_CASE("somebody's file with the name of a lock stays") {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "search", lock = folder.path() / "search.lock";
    folder.write("search.lock", "mine");
    CHECK(input_error([&] { (void)take_lock_file(path, "the checkpoint"); }) ==
          "expected an empty file as the lock of the checkpoint, but " + shown_path(lock) + " has 4 bytes");
    CHECK(content_of(lock) == "mine");
    folder.write("search.lock", "");
    {
        const File held = take_lock_file(path, "the checkpoint");
        CHECK(held.is_open());
        CHECK_FALSE(take_lock_file(path, "the checkpoint").is_open());
    }
    CHECK_FALSE(fs::exists(lock));
}

TEST_CASE("what others may write is not trusted, and what the program writes is closed to them") {
    const TemporaryFolder folder;
    const fs::path cache = folder.path() / "cache", path = cache / "file";
    make_private_folder(cache);
    folder.write("cache/file", "text");
    const auto refusal = [&] { return input_error([&] { (void)open_private_file(path, "a file of the cache"); }); };
    give_rights(path, L"(A;;FR;;;WD)");
    CHECK(refusal().empty());
    give_rights(path, L"(A;;FW;;;WD)");
    CHECK(refusal() ==
          "expected a file that only its owner may write as a file of the cache, but 'Everyone' may write " +
              shown_path(path));
    CHECK(open_own_file(path, Make::kNever, "the journal").is_open());
    CHECK(refusal().empty());
    give_rights(cache, L"(A;;FA;;;WD)");
    CHECK(refusal() ==
          "expected a folder that only its owner may write, but 'Everyone' may write in " + shown_path(cache));
    make_private_folder(cache);
    CHECK(refusal().empty());
    give_rights(path, L"(A;;FR;;;WD)");
    CHECK(who_else_reads(path) == "'Everyone'");
    give_rights(path, L"(A;;FW;;;WD)");
    CHECK(who_else_reads(path).empty());
}
