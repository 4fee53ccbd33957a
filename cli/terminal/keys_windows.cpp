// There are none yet.
#include <utility>

#include "cli/terminal/keys.hpp"

namespace gpuminer {

void restore_terminal() {}
void look_at_terminal_anew() {}

bool KeyThread::possible() { return false; }

KeyThread::KeyThread(Pressed pressed) : pressed_(std::move(pressed)) {}
KeyThread::~KeyThread() = default;

}  // namespace gpuminer
