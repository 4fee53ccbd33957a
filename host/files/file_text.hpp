// Reading of files that a user names.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <istream>
#include <streambuf>
#include <string>

namespace gpuminer {

enum class FileKind {
    kRegular,  ///< nothing that may have to be waited for: a pipe, a terminal, a device
    kAny,      ///< a pipe, too: a shell's <(…)
};

struct FileText {
    std::string text;
    std::string failure;  ///< why it cannot be read, as the end of a sentence: "it is a directory"; empty: it was read
};

/// A file that is open for reading.
class InputFile {
public:
    InputFile(const std::filesystem::path& path, FileKind kind);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /// As FileText::failure.
    [[nodiscard]] const std::string& failure() const { return failure_; }
    /// At most `count` bytes, as soon as there are some; zero: there are no more, or a failure. Opening waits for
    /// nobody, but this waits for what a pipe's writer brings, who may not have come yet. Throws LimitError
    /// (limit_reading()).
    [[nodiscard]] std::size_t read(char* place, std::size_t count);

private:
    const int descriptor_;
    std::string failure_;
};

/// Its bytes as a stream. Throws InputError where it cannot be opened or read: `complaint` ("cannot read 'x'"), a
/// colon, and why. Throws LimitError.
class InputStream : public std::istream {
public:
    InputStream(const std::filesystem::path& path, std::string complaint);

private:
    class Buffer : public std::streambuf {
    public:
        Buffer(const std::filesystem::path& path, std::string complaint);

    private:
        int_type underflow() override;
        void require_readable() const;

        InputFile file_;
        const std::string complaint_;
        std::array<char, 65'536> piece_{};
    };
    Buffer buffer_;
};

/// From now on nothing is waited for longer than this, over all that is read, but for standard input.
void limit_reading(double seconds);

/// A file of at most `longest` bytes. With kRegular it waits for nobody but the disk. Throws LimitError.
[[nodiscard]] FileText read_file(const std::filesystem::path& path, std::size_t longest, FileKind kind);

}  // namespace gpuminer
