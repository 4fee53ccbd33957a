#include "baremetal/firmware.hpp"

namespace gpuminer::baremetal {

using namespace uefi;

Firmware::Firmware(Handle image, SystemTable& table) : image_(image), table_(table) {
    (void)boot().set_watchdog_timer(0, 0, 0, nullptr);
}

Handle Firmware::volume() const {
    const LoadedImage* const loaded = protocol_of<LoadedImage>(image_);
    return loaded != nullptr ? loaded->device : nullptr;
}

bool Firmware::read_key(InputKey& key) const {
    TextInput* const input = table_.console_in;
    return input != nullptr && !failed(input->read_key_stroke(input, &key));
}

void Firmware::forget_keys() const {
    InputKey key{};
    constexpr int kMost = 1000;  // whatever a keyboard does
    for (int i = 0; i < kMost && read_key(key); ++i) {
    }
}

bool Firmware::wait_for_key(std::uint64_t milliseconds, InputKey& key) const {
    constexpr std::uint64_t kUnitsPerMillisecond = 10000;  // of 100 ns
    Event events[2] = {nullptr, table_.console_in != nullptr ? table_.console_in->wait_for_key : nullptr};
    if (failed(boot().create_event(kTimerEvent, 0, nullptr, nullptr, &events[0]))) return read_key(key);
    (void)boot().set_timer(events[0], TimerDelay::kRelative, milliseconds * kUnitsPerMillisecond);
    std::size_t which = 0;
    bool pressed = false;
    // What wakes it need not be a key yet: a half of one, such as Shift.
    do {
        if (failed(boot().wait_for_event(events[1] != nullptr ? 2 : 1, events, &which))) break;
        pressed = which == 1 && read_key(key);
    } while (which == 1 && !pressed);
    (void)boot().close_event(events[0]);
    return pressed;
}

void Firmware::end(AtEnd how) const {
    if (how == AtEnd::kFirmware) return;
    table_.runtime->reset_system(how == AtEnd::kReboot ? ResetType::kCold : ResetType::kShutdown, kSuccess, 0, nullptr);
}

bool Pages::allocate(std::size_t bytes) {
    pages_ = (bytes + kPageSize - 1) / kPageSize;
    std::uint64_t address = 0;
    if (failed(firmware_.boot().allocate_pages(kAllocateAnyPages, kLoaderData, pages_, &address))) return false;
    data_ = reinterpret_cast<std::uint8_t*>(address);  // NOLINT(performance-no-int-to-ptr): the firmware's are numbers
    __builtin_memset(data_, 0, pages_ * kPageSize);
    return true;
}

Pages::~Pages() {
    if (data_ != nullptr && !is_kept_)
        (void)firmware_.boot().free_pages(reinterpret_cast<std::uintptr_t>(data_), pages_);
}

void add_status(Line& line, Status status) {
    static constexpr struct {
        Status status;
        Text meaning;
    } kMeanings[] = {{kUnsupported, "not supported"},     {kBufferTooSmall, "too large"},
                     {kDeviceError, "the device failed"}, {kWriteProtected, "write protected"},
                     {kVolumeFull, "the volume is full"}, {kNotFound, "there is none"},
                     {kAccessDenied, "access is denied"}, {kTimeout, "it took too long"}};
    Text meaning = "it failed";
    for (const auto& row : kMeanings) {
        if (row.status == status) meaning = row.meaning;
    }
    line.add(meaning).add(" (EFI error ").number(status & ~kErrorBit).add(")");
}

}  // namespace gpuminer::baremetal
