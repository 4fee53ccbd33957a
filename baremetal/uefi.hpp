// The part of the firmware's interface that gpuminer uses: UEFI Specification 2.10 (sections given), and MP Services of
// the Platform Initialization Specification 1.7 (volume 2, 13.4). Unused functions are placeholders in their table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuminer::baremetal::uefi {

/// 2.3.1; the highest bit means an error.
using Status = std::size_t;
using Handle = void*;
using Event = void*;
using Char16 = char16_t;
using Unused = void*;

constexpr Status kErrorBit = Status{1} << 63;
constexpr Status kSuccess = 0;
// Appendix D.
constexpr Status kUnsupported = kErrorBit | 3, kBufferTooSmall = kErrorBit | 5, kNotReady = kErrorBit | 6,
                 kDeviceError = kErrorBit | 7, kWriteProtected = kErrorBit | 8, kVolumeFull = kErrorBit | 11,
                 kNotFound = kErrorBit | 14, kAccessDenied = kErrorBit | 15, kTimeout = kErrorBit | 18;
[[nodiscard]] constexpr bool failed(Status status) { return (status & kErrorBit) != 0; }

struct Guid {
    std::uint32_t a;
    std::uint16_t b, c;
    std::uint8_t d[8];
};

/// 4.2
struct TableHeader {
    std::uint64_t signature;
    std::uint32_t revision, header_size, crc32, reserved;
};

// ----- console (12.3, 12.4) -----

struct InputKey {
    std::uint16_t scan_code;
    Char16 character;
};
constexpr std::uint16_t kScanEscape = 0x17;

struct TextInput {
    Unused reset;
    Status (*read_key_stroke)(TextInput* self, InputKey* key);
    Event wait_for_key;
};

struct TextOutput {
    Unused reset;
    Status (*output_string)(TextOutput* self, const Char16* text);
    Unused test_string, query_mode, set_mode, set_attribute;
    Status (*clear_screen)(TextOutput* self);
    Unused set_cursor_position, enable_cursor, mode;
};

/// 12.8
struct SerialIo {
    static constexpr Guid kGuid = {0xbb25cf6f, 0xf1d4, 0x11d2, {0x9a, 0x0c, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0xfd}};
    std::uint32_t revision;
    Unused reset, set_attributes, set_control, get_control;
    Status (*write)(SerialIo* self, std::size_t* size, const void* buffer);
    Unused read, mode;
};

/// 10.2: the head of each node of a device path; `length` (little-endian) includes it.
struct DevicePathNode {
    std::uint8_t type, subtype, length[2];
};
constexpr std::uint8_t kMessagingPath = 0x03, kUartSubtype = 14;

// ----- files (13.4, 13.5) -----

struct File {
    std::uint64_t revision;
    Status (*open)(File* self, File** opened, const Char16* name, std::uint64_t mode, std::uint64_t attributes);
    Status (*close)(File* self);
    Status (*remove)(File* self);  ///< closes it, too
    Status (*read)(File* self, std::size_t* size, void* buffer);
    Status (*write)(File* self, std::size_t* size, const void* buffer);
    Unused get_position, set_position, get_info, set_info;
    Status (*flush)(File* self);
};
constexpr std::uint64_t kFileRead = 1, kFileWrite = 2, kFileCreate = std::uint64_t{1} << 63;

struct SimpleFileSystem {
    static constexpr Guid kGuid = {0x964e5b22, 0x6459, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};
    std::uint64_t revision;
    Status (*open_volume)(SimpleFileSystem* self, File** root);
};

/// 9.1
struct LoadedImage {
    static constexpr Guid kGuid = {0x5b1b31a1, 0x9562, 0x11d2, {0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};
    std::uint32_t revision;
    Handle parent;
    Unused system_table;
    Handle device;  ///< the volume that the program came from
};

// ----- services -----

enum class ResetType : std::uint32_t { kCold, kWarm, kShutdown };

/// 8.1
struct RuntimeServices {
    TableHeader header;
    Unused get_time, set_time, get_wakeup_time, set_wakeup_time, set_virtual_address_map, convert_pointer;
    Status (*get_variable)(const Char16* name, const Guid* vendor, std::uint32_t* attributes, std::size_t* size,
                           void* data);
    Unused get_next_variable_name, set_variable, get_next_high_monotonic_count;
    void (*reset_system)(ResetType type, Status status, std::size_t size, const void* data);
};
constexpr Guid kGlobalVariable = {0x8be4df61, 0x93ca, 0x11d2, {0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c}};

enum class TimerDelay : std::uint32_t { kCancel, kPeriodic, kRelative };
constexpr std::uint32_t kTimerEvent = 0x80000000;
constexpr std::uint32_t kAllocateAnyPages = 0, kLoaderData = 2;
constexpr std::size_t kPageSize = 4096;

/// 4.4
struct BootServices {
    TableHeader header;
    Unused raise_tpl, restore_tpl;
    Status (*allocate_pages)(std::uint32_t how, std::uint32_t memory_type, std::size_t pages, std::uint64_t* address);
    Status (*free_pages)(std::uint64_t address, std::size_t pages);
    Unused get_memory_map, allocate_pool, free_pool;
    Status (*create_event)(std::uint32_t type, std::size_t notify_tpl, Unused notify, void* context, Event* event);
    Status (*set_timer)(Event event, TimerDelay type, std::uint64_t trigger_100ns);
    Status (*wait_for_event)(std::size_t count, Event* events, std::size_t* index);
    Unused signal_event;
    Status (*close_event)(Event event);
    Status (*check_event)(Event event);
    Unused install_protocol_interface, reinstall_protocol_interface, uninstall_protocol_interface;
    Status (*handle_protocol)(Handle handle, const Guid* protocol, void** interface);
    Unused reserved, register_protocol_notify, locate_handle, locate_device_path, install_configuration_table;
    Unused load_image, start_image, exit, unload_image, exit_boot_services, get_next_monotonic_count;
    Status (*stall)(std::size_t microseconds);
    Status (*set_watchdog_timer)(std::size_t seconds, std::uint64_t code, std::size_t size, const Char16* data);
    Unused connect_controller, disconnect_controller, open_protocol, close_protocol, open_protocol_information;
    Unused protocols_per_handle, locate_handle_buffer;
    Status (*locate_protocol)(const Guid* protocol, void* registration, void** interface);
};

/// 4.3
struct SystemTable {
    TableHeader header;
    const Char16* firmware_vendor;
    std::uint32_t firmware_revision;
    Handle console_in_handle;
    TextInput* console_in;
    Handle console_out_handle;
    TextOutput* console_out;
    Handle standard_error_handle;
    TextOutput* standard_error;
    RuntimeServices* runtime;
    BootServices* boot;
};

// ----- MP Services -----

/// Room for what later versions of the specification add.
struct ProcessorInformation {
    std::uint64_t id;
    std::uint32_t status;
    std::uint32_t package, core, thread;
    std::uint32_t extended[6];
    std::uint64_t reserved[8];
};
constexpr std::uint32_t kBootProcessor = 1, kProcessorEnabled = 2, kProcessorHealthy = 4;

struct MpServices {
    static constexpr Guid kGuid = {0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};
    using Procedure = void (*)(void* argument);
    Status (*get_number_of_processors)(MpServices* self, std::size_t* all, std::size_t* enabled);
    Status (*get_processor_info)(MpServices* self, std::size_t number, ProcessorInformation* information);
    /// Runs `procedure` on every enabled processor but the one that calls. Without `done` it waits for their end, for
    /// `timeout_us` at most (0: for ever); then the result is kTimeout.
    Status (*start_all)(MpServices* self, Procedure procedure, bool one_by_one, Event done, std::size_t timeout_us,
                        void* argument, std::size_t** failed);
    Unused start_this, switch_boot_processor, enable_or_disable;
    Status (*who_am_i)(MpServices* self, std::size_t* number);  ///< on any processor
};

}  // namespace gpuminer::baremetal::uefi
