// A file, pipe or device that a thread of its own writes lines to (cli/line_writer.hpp).
#pragma once

#include <string>
#include <string_view>

namespace gpuminer {

/// Opening it waits for nobody: a pipe that nobody reads yet is opened by the first write(), which may wait for ever.
class LineFile {
public:
    /// `flags`: of open(2), beside those for writing; the file is made where there is none.
    LineFile(std::string path, int flags);
    /// One that is open, which this closes; -1: errno says why there is none.
    explicit LineFile(int descriptor);
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    /// Why it cannot be opened (errno); zero: it is open, or a pipe that nobody reads yet.
    [[nodiscard]] int error() const { return error_; }
    // Zero, or errno; wait for whoever reads.
    [[nodiscard]] int write(std::string_view text);
    /// Under its name, which may be another file's by now. With an error the one before stays open.
    [[nodiscard]] int reopen();

private:
    const std::string path_;
    const int flags_;
    int descriptor_;
    int error_ = 0;
};

/// Writes all of a text, however often it takes; waits where the descriptor does not want to. Zero, or errno.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

}  // namespace gpuminer
