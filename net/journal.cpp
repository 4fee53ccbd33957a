#include "net/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/json_text.hpp"
#include "host/block/text.hpp"
#include "host/errors.hpp"

namespace gpuminer::net {
namespace {

namespace fs = std::filesystem;

constexpr off_t kLargest = off_t{16} << 20;      // bytes; a larger file is moved aside
constexpr off_t kLongestRead = off_t{64} << 20;  // of the end of a file; what is older has long been answered

// A file descriptor, closed at the end unless it is released.
class File {
public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    File(File&& other) noexcept : descriptor_(other.release()) {}
    File& operator=(File&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~File() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    [[nodiscard]] int get() const { return descriptor_; }
    [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

private:
    int descriptor_;
};

[[noreturn]] void fail(const char* what, const fs::path& path) {
    constexpr std::size_t kShownOfPath = 200;
    const std::string why = std::generic_category().message(errno);
    throw InputError(fmt::format("cannot {} {}: {}", what, quoted_text(path.native(), kShownOfPath), why));
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Without it a power cut may lose a new file's or folder's name. Some file systems cannot do it; on them the risk
// remains.
void sync_folder(const fs::path& folder) {
    const File file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.get() >= 0) (void)fsync(file.get());
}

// Makes the folder and those above it that are missing, for the user alone.
void make_folders(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder, ignored)) return;
    const fs::path above = folder_of(folder);
    if (above != folder) make_folders(above);
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) fail("make the journal's folder", folder);
    sync_folder(above);
}

struct stat status_of(int descriptor, const fs::path& path) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) fail("read the journal", path);
    return status;
}

// Opens or makes the file, and locks it if it is a regular one. No descriptor where another process holds the lock.
File open_locked(const fs::path& path) {
    for (;;) {
        std::error_code ignored;
        const bool is_new = !fs::exists(path, ignored);
        File file(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
        if (file.get() < 0) fail("open the journal", path);
        if (!S_ISREG(status_of(file.get(), path).st_mode)) return file;  // /dev/null is for everybody
        if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK) return File(-1);
            if (errno == EINTR) continue;
            fail("lock the journal", path);
        }
        // Another process may have moved the file aside between the opening and the locking.
        const struct stat ours = status_of(file.get(), path);
        struct stat named {};
        if (stat(path.c_str(), &named) != 0 || named.st_ino != ours.st_ino || named.st_dev != ours.st_dev) continue;
        if (is_new) sync_folder(folder_of(path));
        return file;
    }
}

constexpr int kMostFiles = 1000;

// "pool.jsonl", "pool-2.jsonl", and so on.
fs::path numbered(const fs::path& wanted, int number) {
    if (number == 1) return wanted;
    fs::path path = wanted;
    path.replace_filename(fmt::format("{}-{}{}", wanted.stem().native(), number, wanted.extension().native()));
    return path;
}

// The first of them that no other process holds: in `path`, which one it is.
File open_free(fs::path& path) {
    const fs::path wanted = path;
    for (int number = 1; number <= kMostFiles; ++number) {
        path = numbered(wanted, number);
        File file = open_locked(path);
        if (file.get() >= 0) return file;
    }
    errno = EWOULDBLOCK;
    fail("lock the journal", wanted);
}

std::string read_at(int descriptor, off_t from, off_t count, const fs::path& path) {
    std::string text(static_cast<std::size_t>(count), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = pread(descriptor, text.data() + done, text.size() - done, from + static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("read the journal", path);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

std::vector<nlohmann::json> read_entries(int descriptor, off_t size, const fs::path& path) {
    std::vector<nlohmann::json> entries;
    const std::string text =
        read_at(descriptor, std::max<off_t>(0, size - kLongestRead), std::min(size, kLongestRead), path);
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        nlohmann::json entry = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(from),
                                                     text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
        if (entry.is_object()) entries.push_back(std::move(entry));
        from = end + 1;
    }
    return entries;
}

bool ends_within_a_line(int descriptor, const fs::path& path) {
    const off_t size = status_of(descriptor, path).st_size;
    return size > 0 && read_at(descriptor, size - 1, 1, path) != "\n";
}

void write_all(int descriptor, std::string_view text, const fs::path& path) {
    while (!text.empty()) {
        const ssize_t written = write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write the journal", path);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string line_of(const nlohmann::json& entry) { return json_text(entry) + "\n"; }

// Moves the file aside, to "NAME.1", and puts one with the open entries in its place. At any moment a file of this name
// holds all that is open, so that neither a crash nor another process finds less. Returns the new one, locked; where
// that does not work (a full disk, a file system without hard links) none, and all is as it was.
File replaced(const fs::path& path, const std::vector<nlohmann::json>& open_entries) {
    const fs::path next = path.native() + ".new";
    const fs::path aside = path.native() + ".1";
    (void)unlink(next.c_str());  // left by a crash: who writes this file holds the lock of the journal
    File file(open(next.c_str(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    try {
        if (file.get() < 0 || flock(file.get(), LOCK_EX | LOCK_NB) != 0) fail("make the journal", next);
        for (const auto& entry : open_entries) write_all(file.get(), line_of(entry), next);
        if (fsync(file.get()) != 0) fail("write the journal", next);
        (void)unlink(aside.c_str());  // what was open in it was carried over when it was moved
        if (link(path.c_str(), aside.c_str()) != 0) fail("move aside the journal", path);
        if (rename(next.c_str(), path.c_str()) != 0) fail("replace the journal", path);
    } catch (const InputError&) {
        (void)unlink(next.c_str());
        return File(-1);
    }
    sync_folder(folder_of(path));
    return file;
}

}  // namespace

Journal::Journal(const fs::path& path, const StillOpen& still_open) : path_(path) {
    make_folders(folder_of(path_));
    File file = open_free(path_);
    const struct stat status = status_of(file.get(), path_);
    const bool is_regular = S_ISREG(status.st_mode);
    if (is_regular) earlier_ = read_entries(file.get(), status.st_size, path_);
    if (is_regular && status.st_size > kLargest && still_open) {
        File next = replaced(path_, still_open(earlier_));
        if (next.get() >= 0) file = std::move(next);
    }
    descriptor_ = file.release();
    if (!is_regular || !still_open) return;
    constexpr int kMostAbandoned = 32;
    for (int number = 1; number <= kMostAbandoned; ++number) {
        const fs::path other = numbered(path, number);
        if (other != path_) take_over(other, still_open);
    }
}

void Journal::take_over(const fs::path& abandoned, const StillOpen& still_open) {
    const File file(open(abandoned.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 || flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
    const std::vector<nlohmann::json> open_entries =
        still_open(read_entries(file.get(), status_of(file.get(), abandoned).st_size, abandoned));
    if (open_entries.empty()) return;
    for (const nlohmann::json& entry : open_entries) append(entry);
    earlier_.insert(earlier_.begin(), open_entries.begin(), open_entries.end());
    (void)rename(abandoned.c_str(), (abandoned.native() + ".1").c_str());
}

Journal::~Journal() {
    if (descriptor_ >= 0) close(descriptor_);
}

void Journal::forget_earlier() { earlier_ = {}; }

void Journal::append(const nlohmann::json& entry) {
    const std::string line = line_of(entry);
    const MutexLock lock(append_mutex_);
    // A line that a crash or a full disk cut off is ended first, so that it does not spoil this one.
    write_all(descriptor_, ends_within_a_line(descriptor_, path_) ? "\n" + line : line, path_);
    // Pipes and devices (/dev/null) have nothing to be synchronised: EINVAL.
    if (fsync(descriptor_) != 0 && errno != EINVAL) fail("write the journal", path_);
}

fs::path default_journal_path(std::string_view name) {
    const std::string file = std::string(name) + ".jsonl";
    const auto absolute = [](const char* variable) {  // the XDG specification has others ignored
        const char* const value = std::getenv(variable);
        return value != nullptr && *value == '/' ? value : nullptr;
    };
    if (const char* const state = absolute("XDG_STATE_HOME")) return fs::path(state) / "gpuminer" / file;
    if (const char* const home = absolute("HOME")) return fs::path(home) / ".local" / "state" / "gpuminer" / file;
    throw InputError("there is no place for the journal: neither HOME nor XDG_STATE_HOME names a folder");
}

}  // namespace gpuminer::net
