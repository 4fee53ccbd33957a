#include "host/block/file_text.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuminer {
namespace {

/// Closes a descriptor at its end.
struct Descriptor {
    explicit Descriptor(int opened) : number(opened) {}
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    const int number;
};

FileText failed(const std::string& why) { return {"", why}; }
FileText failed_with_errno() { return failed(std::generic_category().message(errno)); }

}  // namespace

FileText read_file(const std::filesystem::path& path, std::size_t longest, FileKind kind) {
    const bool regular = kind == FileKind::kRegular;
    // Without O_NONBLOCK the opening of a pipe waits for somebody who writes.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0)));
    struct stat facts {};
    if (file.number < 0 || ::fstat(file.number, &facts) != 0) return failed_with_errno();
    if (S_ISDIR(facts.st_mode)) return failed("it is a directory");
    if (regular && !S_ISREG(facts.st_mode)) return failed("it is not a regular file");
    std::string text;
    while (text.size() <= longest) {
        constexpr std::size_t kPiece = 65'536;
        const std::size_t before = text.size();
        text.resize(before + kPiece);
        const ssize_t count = ::read(file.number, text.data() + before, kPiece);
        if (count < 0 && errno != EINTR) return failed_with_errno();
        text.resize(before + static_cast<std::size_t>(count < 0 ? 0 : count));
        if (count == 0) return {std::move(text), ""};
    }
    return failed(fmt::format("it has more than {} bytes", longest));
}

}  // namespace gpuminer
