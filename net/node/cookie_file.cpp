#include "net/node/cookie_file.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "host/abandonable_thread.hpp"
#include "net/transport/apart.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kLongestCookie = 512;

}  // namespace

CookieFile::CookieFile(EventLoop& loop, std::filesystem::path path)
    : loop_(loop), path_(std::move(path)), deadline_(loop) {}

CookieFile::~CookieFile() {
    cancel();
    if (reading_ && !reading_->done) note_abandoned_thread();
}

void CookieFile::read(SteadyTime deadline, Done done) {
    done_ = std::move(done);
    if (!reading_) {
        reading_ = std::make_shared<Reading>();
        call_apart<FileText>(
            loop_, [path = path_] { return read_file(path, kLongestCookie, FileKind::kRegular); },
            [reading = reading_](FileText file) {
                reading->file = std::move(file);
                reading->done = true;
                if (reading->arrived) reading->arrived();
            });
    }
    reading_->arrived = [this] { take_arrived(); };
    const bool here = reading_->done;  // since an earlier read(), which did not wait for it
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_now());
    deadline_.start(here ? std::chrono::milliseconds(0) : std::max(left, std::chrono::milliseconds(0)), [this, here] {
        here ? take_arrived() : finish({"", "its file system does not respond"});
    });
}

void CookieFile::cancel() {
    done_ = nullptr;
    deadline_.cancel();
    if (reading_) reading_->arrived = nullptr;
}

void CookieFile::take_arrived() {
    FileText file = std::exchange(reading_, nullptr)->file;
    file.text.erase(file.text.find_last_not_of("\r\n") + 1);
    finish(std::move(file));
}

void CookieFile::finish(FileText file) {
    const Done done = std::exchange(done_, nullptr);
    cancel();
    done(std::move(file));
}

}  // namespace gpuminer::net
