// A file, pipe or device that a thread of its own writes lines to (cli/terminal/line_writer.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/terminal/line_writer.hpp"

namespace gpuminer {

/// What happens to the file that has the name already.
enum class Existing { kContinued, kReplaced };

/// Waits for no reader: a pipe that nobody reads yet is opened by the first write() that finds one.
class LineFile {
public:
    /// The file is made where there is none.
    LineFile(std::string path, Existing existing);
    /// One that is open, which this closes; -1: errno says why there is none.
    explicit LineFile(int descriptor);
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    /// Why it could not be opened, or the last text not be written (errno); zero: nothing is wrong.
    [[nodiscard]] int error() const { return error_; }
    /// A text that is not done is to come again.
    [[nodiscard]] Taken write(std::string_view text);
    /// Under its name, which may be another file's by now; a text that is not done will be there from its beginning.
    /// Zero, or errno: then the one before stays open.
    [[nodiscard]] int reopen();

private:
    [[nodiscard]] bool open_read_pipe();

    const std::string path_;
    const Existing existing_;
    int descriptor_;
    int error_ = 0;
    std::string text_;         ///< not done; empty: there is none
    std::size_t written_ = 0;  ///< of it
};

/// Standard output once more, for a LineFile; -1: errno says why not.
[[nodiscard]] int copy_of_standard_output();

/// Writes all of a text, however often it takes; waits where the descriptor does not want to. Zero, or errno.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

}  // namespace gpuminer
