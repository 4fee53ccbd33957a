#include "host/files/file_text.hpp"

#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"

namespace gpuminer {

InputStream::InputStream(const std::filesystem::path& path, std::string complaint)
    : std::istream(nullptr), buffer_(path, std::move(complaint)) {
    rdbuf(&buffer_);
    exceptions(badbit);  // what the buffer throws gets through
}

InputStream::Buffer::Buffer(const std::filesystem::path& path, std::string complaint)
    : file_(path, FileKind::kAny), complaint_(std::move(complaint)) {
    require_readable();
}

InputStream::Buffer::int_type InputStream::Buffer::underflow() {
    const std::size_t count = file_.read(piece_.data(), piece_.size());
    require_readable();
    setg(piece_.data(), piece_.data(), piece_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(piece_.front());
}

void InputStream::Buffer::require_readable() const {
    if (!file_.failure().empty()) throw InputError(complaint_ + ": " + file_.failure());
}

FileText read_file(const std::filesystem::path& path, std::size_t longest, FileKind kind) {
    InputFile file(path, kind);
    std::string text;
    while (text.size() <= longest) {
        constexpr std::size_t kPiece = 65'536;
        const std::size_t before = text.size();
        text.resize(before + kPiece);
        const std::size_t count = file.read(text.data() + before, kPiece);
        text.resize(before + count);
        if (count == 0) break;
    }
    if (!file.failure().empty()) return {"", file.failure()};
    if (text.size() > longest) return {"", fmt::format("it has more than {} bytes", longest)};
    return {std::move(text), ""};
}

}  // namespace gpuminer
