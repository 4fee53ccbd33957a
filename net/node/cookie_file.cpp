#include "net/node/cookie_file.hpp"

#include <algorithm>
#include <utility>

#include "host/abandoned_threads.hpp"
#include "net/transport/apart.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kLongestCookie = 512;

}  // namespace

CookieFile::CookieFile(EventLoop& loop, std::filesystem::path path) : loop_(loop), path_(std::move(path)) {}

CookieFile::~CookieFile() {
    if (reading_) note_abandoned_thread();
}

FileText CookieFile::read(std::chrono::steady_clock::time_point deadline) {
    if (!reading_) {
        reading_ = std::make_shared<Reading>();
        call_apart<FileText>(
            loop_, [path = path_] { return read_file(path, kLongestCookie, FileKind::kRegular); },
            [this, reading = reading_](FileText file) {
                reading->file = std::move(file);
                reading->done = done_ = true;
            });
    }
    done_ = reading_->done;
    Timer limit(loop_);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    limit.start(std::max(left, std::chrono::milliseconds(0)), [this] { done_ = true; });
    loop_.run_until(done_);
    if (!reading_->done) return {"", "its file system does not respond"};
    FileText file = std::exchange(reading_, nullptr)->file;
    file.text.erase(file.text.find_last_not_of("\r\n") + 1);
    return file;
}

}  // namespace gpuminer::net
