// The file of a node's cookie, read beside an event loop: the file system may be one that hangs.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "host/files/file_text.hpp"
#include "net/steady_time.hpp"
#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

/// On the loop's thread.
class CookieFile {
public:
    /// The loop has to outlive it.
    CookieFile(EventLoop& loop, std::filesystem::path path);
    ~CookieFile();
    CookieFile(const CookieFile&) = delete;
    CookieFile& operator=(const CookieFile&) = delete;

    using Done = std::function<void(FileText)>;
    /// As it is now, without the end of its line, or a failure at the deadline. One at a time; calls `done` once,
    /// unless cancel() comes first. Where the file system has not answered an earlier call yet, its answer is waited
    /// for.
    void read(SteadyTime deadline, Done done);
    void cancel();

private:
    struct Reading {
        bool done = false;
        FileText file;
        std::function<void()> arrived;  ///< null: nobody waits for it
    };
    void take_arrived();
    void finish(FileText file);

    EventLoop& loop_;
    const std::filesystem::path path_;
    std::shared_ptr<Reading> reading_;  ///< null: none is under way
    Timer deadline_;
    Done done_;
};

}  // namespace gpuminer::net
