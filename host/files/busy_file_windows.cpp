#include "host/files/busy_file.hpp"

#include <windows.h>

namespace gpuminer {

bool try_while_busy(const std::function<bool()>& attempt) {
    constexpr int kAttempts = 40;
    constexpr DWORD kPause = 50;  // milliseconds
    for (int number = 1; !attempt(); ++number) {
        const DWORD error = GetLastError();
        // Denied: a file that somebody has open cannot be replaced, and one that is being deleted cannot be opened.
        if ((error != ERROR_SHARING_VIOLATION && error != ERROR_ACCESS_DENIED) || number == kAttempts) return false;
        Sleep(kPause);
    }
    return true;
}

}  // namespace gpuminer
