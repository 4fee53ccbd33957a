#include "baremetal/console.hpp"

namespace gpuminer::baremetal {

using namespace uefi;

namespace {

/// Whether the firmware shows its console on a serial line, too (3.3: the variable ConOut has the device paths of all
/// that it is on).
bool console_is_on_serial_line(const Firmware& firmware) {
    alignas(8) std::uint8_t path[4096];
    std::size_t size = sizeof(path);
    if (failed(firmware.table().runtime->get_variable(u"ConOut", &kGlobalVariable, nullptr, &size, path))) return false;
    for (std::size_t at = 0; at + sizeof(DevicePathNode) <= size;) {
        const auto* const node = reinterpret_cast<const DevicePathNode*>(path + at);
        if (node->type == kMessagingPath && node->subtype == kUartSubtype) return true;
        const std::size_t length = node->length[0] + std::size_t{node->length[1]} * 256;
        if (length < sizeof(DevicePathNode)) break;
        at += length;
    }
    return false;
}

}  // namespace

Console::Console(const Firmware& firmware)
    : screen_(firmware.table().console_out),
      serial_(console_is_on_serial_line(firmware) ? nullptr : firmware.locate<SerialIo>()) {
    if (screen_ != nullptr) (void)screen_->clear_screen(screen_);
}

void Console::line(Text text) const {
    while (text.size > kColumns) {
        std::size_t end = kColumns;
        while (end > 0 && text[end] != ' ') --end;
        if (end == 0) end = kColumns;  // one long word
        write({text.data, end});
        write("\r\n");
        text = text.without_first(text[end] == ' ' ? end + 1 : end);
    }
    write(text);
    write("\r\n");
}

void Console::entry(Text name, Text text) const {
    Line line;
    this->line(line.add(name).pad_to(12).add(text));
}

void Console::write(Text text) const {
    Char16 wide[kColumns + 1];
    for (std::size_t i = 0; i < text.size; ++i) wide[i] = static_cast<Char16>(text[i]);
    wide[text.size] = 0;
    if (screen_ != nullptr) (void)screen_->output_string(screen_, wide);
    while (serial_ != nullptr && text.size > 0) {
        std::size_t size = text.size;  // a slow line takes a part and says that it took too long
        const Status status = serial_->write(serial_, &size, text.data);
        if ((failed(status) && status != kTimeout) || size == 0) return;
        text = text.without_first(size < text.size ? size : text.size);
    }
}

}  // namespace gpuminer::baremetal
