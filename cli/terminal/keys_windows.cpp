// By the console's own events: nothing of the console is changed, and Ctrl-C stays what it is.
#include "cli/terminal/keys.hpp"

#include <windows.h>

#include <io.h>  // after windows.h

#include <iterator>
#include <utility>

#include "cli/terminal/terminal.hpp"

namespace gpuminer {
namespace {

constexpr int kStandardInput = 0;

struct Event {
    const HANDLE handle = CreateEventW(nullptr, TRUE, FALSE, nullptr);

    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { CloseHandle(handle); }
};

/// Zero: it was no key, or was let go, or has no character of ASCII.
char key_of(const INPUT_RECORD& record) {
    if (record.EventType != KEY_EVENT || record.Event.KeyEvent.bKeyDown == 0) return 0;
    constexpr wchar_t kLast = 0x7f;
    const wchar_t unit = record.Event.KeyEvent.uChar.UnicodeChar;
    return unit <= kLast ? static_cast<char>(unit) : '\0';
}

}  // namespace

void restore_terminal() {}
void look_at_terminal_anew() {}

bool KeyThread::possible() { return is_terminal(kStandardInput) && is_terminal(kStandardError); }

KeyThread::KeyThread(Pressed pressed) : pressed_(std::move(pressed)) {
    if (possible()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

KeyThread::~KeyThread() = default;  // joins

void KeyThread::run(const std::stop_token& stop) {
    const Event ended;
    const std::stop_callback wake(stop, [&ended] { (void)SetEvent(ended.handle); });
    const auto keyboard = reinterpret_cast<HANDLE>(::_get_osfhandle(kStandardInput));
    const HANDLE either[] = {ended.handle, keyboard};
    while (WaitForMultipleObjects(std::size(either), either, FALSE, INFINITE) == WAIT_OBJECT_0 + 1) {
        INPUT_RECORD record{};
        DWORD count = 0;
        if (ReadConsoleInputW(keyboard, &record, 1, &count) == 0) return;  // the console has gone
        if (const char key = key_of(record); key != 0 && !stop.stop_requested()) pressed_(key);
    }
}

}  // namespace gpuminer
