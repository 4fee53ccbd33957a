// The file of a node's cookie, read beside an event loop: the file system may be one that hangs.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "host/files/file_text.hpp"
#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

/// Used by the loop's thread alone.
class CookieFile {
public:
    /// The loop has to outlive it.
    CookieFile(EventLoop& loop, std::filesystem::path path);
    ~CookieFile();
    CookieFile(const CookieFile&) = delete;
    CookieFile& operator=(const CookieFile&) = delete;

    /// As it is now, without the end of its line. Runs the loop until it is read, but not beyond `deadline` nor stop().
    /// Where the file system has not answered an earlier call yet, its answer is waited for.
    [[nodiscard]] FileText read(std::chrono::steady_clock::time_point deadline);
    /// The read() under way returns.
    void stop() { done_ = true; }

private:
    struct Reading {
        bool done = false;
        FileText file;
    };
    EventLoop& loop_;
    const std::filesystem::path path_;
    std::shared_ptr<Reading> reading_;  ///< null: none is under way
    bool done_ = false;                 ///< the loop need not run any more
};

}  // namespace gpuminer::net
