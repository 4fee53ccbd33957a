// Firmware that a test plays: a screen, one volume in memory, memory, and processors that are called one after the
// other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "baremetal/uefi.hpp"
#include "tests/baremetal/fake_processor.hpp"

namespace gpuminer::test {

namespace uefi = baremetal::uefi;

/// One at a time: the firmware's functions have no argument that would tell several apart.
class FakeFirmware {
public:
    std::map<std::u16string, std::string> files;
    std::string screen;
    bool has_serial_line = false;
    std::string serial_line;
    std::size_t serial_takes = ~std::size_t{0};  ///< bytes in one go
    std::vector<std::uint8_t> console_path;      ///< ConOut; empty: there is none
    uefi::Status write_fails = uefi::kSuccess;   ///< what writing to a file says
    std::size_t room = ~std::size_t{0};          ///< bytes that fit the volume
    std::u16string cannot_create;                ///< a file's name
    bool has_volume = true;
    bool has_memory = true;
    std::map<void*, std::size_t> pages_in_use;  ///< their numbers; freed at the end

    std::vector<std::uint32_t> processors;  ///< their status words; empty: no MP Services
    std::vector<std::uint32_t> threads;     ///< of each, the number within its core; missing ones are 0
    uefi::Status counting_fails = uefi::kSuccess;
    bool starts_without_waiting = true;  ///< else it starts processors only while the boot processor waits
    uefi::Status start_fails = uefi::kSuccess;
    std::size_t never_starts = ~std::size_t{0};  ///< the number of a processor, although firmware says nothing
    std::size_t hangs = ~std::size_t{0};         ///< the number of a processor that begins its work and never ends it,
    std::size_t hangs_after = 0;                 ///< after so many tasks that it ends
    std::size_t hung = 0;                        ///< tasks that have not ended
    std::vector<std::size_t> started;            ///< numbers of the processors, each time that they were
    std::vector<uefi::ResetType> resets;
    std::size_t escapes = 0;  ///< so often is Escape pressed, once somebody looks

    FakeFirmware() {
        self_ = this;
        output_.output_string = [](uefi::TextOutput*, const uefi::Char16* text) -> uefi::Status {
            for (; *text != 0; ++text) self_->screen += static_cast<char>(*text);
            return uefi::kSuccess;
        };
        output_.clear_screen = [](uefi::TextOutput*) -> uefi::Status { return self_->screen.clear(), uefi::kSuccess; };
        volume_.open_volume = [](uefi::SimpleFileSystem*, uefi::File** root) -> uefi::Status {
            return *root = &self_->root_, uefi::kSuccess;
        };
        set_file_functions(root_);
        set_file_functions(file_);
        set_services();
    }
    ~FakeFirmware() {
        for (const auto& [memory, pages] : pages_in_use) std::free(memory);
        self_ = nullptr;
    }
    FakeFirmware(const FakeFirmware&) = delete;
    FakeFirmware& operator=(const FakeFirmware&) = delete;

    [[nodiscard]] uefi::SystemTable& table() { return table_; }
    [[nodiscard]] uefi::Handle image() { return this; }

private:
    static bool is(const uefi::Guid* asked, const uefi::Guid& guid) {
        return std::memcmp(asked, &guid, sizeof(guid)) == 0;
    }

    void set_services() {
        boot_.set_watchdog_timer = [](std::size_t, std::uint64_t, std::size_t, const uefi::Char16*) -> uefi::Status {
            return uefi::kSuccess;
        };
        boot_.locate_protocol = [](const uefi::Guid* guid, void*, void** found) -> uefi::Status {
            if (is(guid, uefi::SerialIo::kGuid) && self_->has_serial_line)
                return *found = &self_->serial_, uefi::kSuccess;
            if (!is(guid, uefi::MpServices::kGuid) || self_->processors.empty()) return uefi::kNotFound;
            return *found = &self_->services_, uefi::kSuccess;
        };
        boot_.create_event = [](std::uint32_t, std::size_t, void*, void*, uefi::Event* event) -> uefi::Status {
            return *event = self_, uefi::kSuccess;
        };
        boot_.close_event = [](uefi::Event) -> uefi::Status { return uefi::kSuccess; };
        boot_.check_event = [](uefi::Event) -> uefi::Status {
            return self_->hung > 0 ? uefi::kNotReady : uefi::kSuccess;
        };
        boot_.set_timer = [](uefi::Event, uefi::TimerDelay, std::uint64_t) -> uefi::Status { return uefi::kSuccess; };
        boot_.wait_for_event = [](std::size_t, uefi::Event*, std::size_t* which) -> uefi::Status {
            return *which = self_->escapes > 0 ? 1 : 0, uefi::kSuccess;  // else time passes
        };
        input_.read_key_stroke = [](uefi::TextInput*, uefi::InputKey* key) -> uefi::Status {
            if (self_->escapes == 0) return uefi::kNotReady;
            return --self_->escapes, *key = {uefi::kScanEscape, 0}, uefi::kSuccess;
        };
        services_.get_number_of_processors = [](uefi::MpServices*, std::size_t* all,
                                                std::size_t* enabled) -> uefi::Status {
            return *all = *enabled = self_->processors.size(), self_->counting_fails;
        };
        services_.get_processor_info = [](uefi::MpServices*, std::size_t number,
                                          uefi::ProcessorInformation* information) -> uefi::Status {
            information->status = self_->processors[number];
            information->thread = number < self_->threads.size() ? self_->threads[number] : 0;
            return uefi::kSuccess;
        };
        services_.who_am_i = [](uefi::MpServices*, std::size_t* number) -> uefi::Status {
            return *number = self_->running_, uefi::kSuccess;
        };
        services_.start_all = [](uefi::MpServices*, uefi::MpServices::Procedure procedure, bool, uefi::Event done,
                                 std::size_t timeout_us, void* argument, std::size_t**) -> uefi::Status {
            if (self_->start_fails != uefi::kSuccess) return self_->start_fails;
            if (done != nullptr && !self_->starts_without_waiting) return uefi::kUnsupported;
            for (std::size_t i = 0; i < self_->processors.size(); ++i) {
                const std::uint32_t status = self_->processors[i];
                if ((status & uefi::kBootProcessor) != 0 || (status & uefi::kProcessorEnabled) == 0) continue;
                if (i == self_->never_starts) continue;
                self_->started.push_back(self_->running_ = i);
                self_->call(procedure, argument, i);
            }
            if (self_->hung == 0 || done != nullptr) return uefi::kSuccess;
            return timeout_us > 0 ? uefi::kTimeout : throw std::logic_error("the machine waits for ever");
        };
        runtime_.reset_system = [](uefi::ResetType type, uefi::Status, std::size_t, const void*) {
            self_->resets.push_back(type);
        };
        boot_.handle_protocol = [](uefi::Handle, const uefi::Guid* guid, void** found) -> uefi::Status {
            if (is(guid, uefi::LoadedImage::kGuid)) return *found = &self_->loaded_, uefi::kSuccess;
            if (!is(guid, uefi::SimpleFileSystem::kGuid) || !self_->has_volume) return uefi::kUnsupported;
            return *found = &self_->volume_, uefi::kSuccess;
        };
        boot_.allocate_pages = [](std::uint32_t, std::uint32_t, std::size_t pages,
                                  std::uint64_t* address) -> uefi::Status {
            if (!self_->has_memory) return uefi::kErrorBit | 9;
            void* const memory = std::aligned_alloc(uefi::kPageSize, pages * uefi::kPageSize);
            self_->pages_in_use[memory] = pages;
            *address = reinterpret_cast<std::uintptr_t>(memory);
            return uefi::kSuccess;
        };
        boot_.free_pages = [](std::uint64_t address, std::size_t pages) -> uefi::Status {
            // NOLINTNEXTLINE(performance-no-int-to-ptr): as the firmware has it
            const auto found = self_->pages_in_use.find(reinterpret_cast<void*>(address));
            if (found == self_->pages_in_use.end() || found->second != pages) return uefi::kNotFound;
            std::free(found->first);
            self_->pages_in_use.erase(found);
            return uefi::kSuccess;
        };
        runtime_.get_variable = [](const uefi::Char16*, const uefi::Guid*, std::uint32_t*, std::size_t* size,
                                   void* data) -> uefi::Status {
            const std::vector<std::uint8_t>& path = self_->console_path;
            if (path.empty()) return uefi::kNotFound;
            if (path.size() > *size) return uefi::kBufferTooSmall;
            std::memcpy(data, path.data(), *size = path.size());
            return uefi::kSuccess;
        };
        serial_.write = [](uefi::SerialIo*, std::size_t* size, const void* text) -> uefi::Status {
            const bool is_short = *size > self_->serial_takes;
            *size = std::min(*size, self_->serial_takes);
            self_->serial_line.append(static_cast<const char*>(text), *size);
            return is_short ? uefi::kTimeout : uefi::kSuccess;
        };
        loaded_.device = this;
        table_.console_out = &output_;
        input_.wait_for_key = this;
        table_.console_in = &input_;
        table_.boot = &boot_;
        table_.runtime = &runtime_;
    }

    void call(uefi::MpServices::Procedure procedure, void* argument, std::size_t processor) {
        const bool hangs_now = processor == hangs && hangs_after == 0;
        if (processor == hangs && !hangs_now) --hangs_after;
        baremetal::processor_hangs = hangs_now;
        try {
            procedure(argument);
        } catch (const baremetal::ProcessorHangs&) {
            ++hung;
        }
        baremetal::processor_hangs = false;
    }

    static void set_file_functions(uefi::File& file) {
        file.open = [](uefi::File*, uefi::File** opened, const uefi::Char16* name, std::uint64_t mode,
                       std::uint64_t) -> uefi::Status {
            const bool creates = (mode & uefi::kFileCreate) != 0;
            if (self_->files.count(name) == 0 && !creates) return uefi::kNotFound;
            if (creates && name == self_->cannot_create) return uefi::kDeviceError;
            if ((mode & uefi::kFileWrite) != 0 && self_->write_fails == uefi::kWriteProtected)
                return uefi::kWriteProtected;
            self_->open_name_ = name, self_->position_ = 0;
            self_->files.try_emplace(name);
            return *opened = &self_->file_, uefi::kSuccess;
        };
        file.close = [](uefi::File*) -> uefi::Status { return uefi::kSuccess; };
        file.remove = [](uefi::File*) -> uefi::Status { return self_->files.erase(self_->open_name_), uefi::kSuccess; };
        file.read = [](uefi::File*, std::size_t* size, void* buffer) -> uefi::Status {
            const std::string& text = self_->files[self_->open_name_];
            constexpr std::size_t kMost = 1000;  // in one go: firmware may give less than is asked for
            *size = std::min({*size, kMost, text.size() - self_->position_});
            std::memcpy(buffer, text.data() + self_->position_, *size);
            self_->position_ += *size;
            return uefi::kSuccess;
        };
        file.write = [](uefi::File*, std::size_t* size, const void* buffer) -> uefi::Status {
            if (self_->write_fails != uefi::kSuccess) return self_->write_fails;
            *size = std::min(*size, self_->room);
            self_->files[self_->open_name_].append(static_cast<const char*>(buffer), *size);
            return uefi::kSuccess;
        };
        file.flush = [](uefi::File*) -> uefi::Status { return uefi::kSuccess; };
    }

    static inline FakeFirmware* self_ = nullptr;
    uefi::TextOutput output_{};
    uefi::TextInput input_{};
    uefi::SerialIo serial_{};
    uefi::SimpleFileSystem volume_{};
    uefi::File root_{}, file_{};
    std::u16string open_name_;
    std::size_t position_ = 0;
    uefi::LoadedImage loaded_{};
    uefi::MpServices services_{};
    std::size_t running_ = 0;  ///< number of the processor that runs
    uefi::BootServices boot_{};
    uefi::RuntimeServices runtime_{};
    uefi::SystemTable table_{};
};

}  // namespace gpuminer::test
