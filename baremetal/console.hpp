// Lines for people: on the screen, and on a serial line.
#pragma once

#include "baremetal/firmware.hpp"
#include "baremetal/line.hpp"

namespace gpuminer::baremetal {

class Console {
public:
    static constexpr std::size_t kColumns = 79;  ///< a screen has 80; a line of 80 would be followed by an empty one

    explicit Console(const Firmware& firmware);

    /// ASCII, without an end of line. Longer lines are broken at spaces.
    void line(Text text) const;
    void line(const Line& text) const { line(text.text()); }
    /// "name        text"
    void entry(Text name, Text text) const;

private:
    void write(Text text) const;

    uefi::TextOutput* screen_;
    uefi::SerialIo* serial_;  ///< null: there is none, or the firmware's console is on it already
};

}  // namespace gpuminer::baremetal
