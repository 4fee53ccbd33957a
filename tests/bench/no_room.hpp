// A limit on the size of files, for tests of what happens when nothing can be written.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace gpuminer::test {

/// For as long as it lives, this process can write no file of more than 8 bytes. (Files that cannot be opened would
/// be nearer to life, but UndefinedBehaviorSanitizer opens some itself.)
class NoRoom {
public:
    NoRoom() {
        getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit lower{8, old_.rlim_max};
        old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &lower);
    }
    ~NoRoom() {
        setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, old_handler_);
    }
    NoRoom(const NoRoom&) = delete;
    NoRoom& operator=(const NoRoom&) = delete;

private:
    rlimit old_{};
    void (*old_handler_)(int) = SIG_DFL;
};

}  // namespace gpuminer::test
