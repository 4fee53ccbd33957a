// The firmware as we use it: protocols, memory, time, keys, and the end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "baremetal/config.hpp"
#include "baremetal/uefi.hpp"

namespace gpuminer::baremetal {

class Firmware {
public:
    /// Stops the watchdog, which would restart the machine after five minutes.
    Firmware(uefi::Handle image, uefi::SystemTable& table);

    [[nodiscard]] uefi::SystemTable& table() const { return table_; }
    [[nodiscard]] uefi::BootServices& boot() const { return *table_.boot; }

    /// Null: the firmware has none.
    template <class Protocol>
    [[nodiscard]] Protocol* locate() const {
        void* found = nullptr;
        if (uefi::failed(boot().locate_protocol(&Protocol::kGuid, nullptr, &found))) return nullptr;
        return static_cast<Protocol*>(found);
    }
    /// Null: the handle has none.
    template <class Protocol>
    [[nodiscard]] Protocol* protocol_of(uefi::Handle handle) const {
        void* found = nullptr;
        if (handle == nullptr || uefi::failed(boot().handle_protocol(handle, &Protocol::kGuid, &found))) return nullptr;
        return static_cast<Protocol*>(found);
    }
    /// The volume that the program came from; null: it came from none (a network).
    [[nodiscard]] uefi::Handle volume() const;

    /// Sleeps, as far as the firmware does, until a key is pressed or the time is over. Whether there was a key: then
    /// it is in `key`.
    [[nodiscard]] bool wait_for_key(std::uint64_t milliseconds, uefi::InputKey& key) const;
    /// Does not wait.
    [[nodiscard]] bool read_key(uefi::InputKey& key) const;
    /// Those pressed until now were meant for somebody else.
    void forget_keys() const;

    /// Returns only for kFirmware.
    void end(AtEnd how) const;

private:
    uefi::Handle image_;
    uefi::SystemTable& table_;
};

/// Zeroed memory, in pages.
class Pages {
public:
    explicit Pages(const Firmware& firmware) : firmware_(firmware) {}
    ~Pages();
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    /// Once. False: there is not enough.
    [[nodiscard]] bool allocate(std::size_t bytes);
    [[nodiscard]] std::uint8_t* data() const { return data_; }
    /// It is never given back: somebody may still use it.
    void keep() { is_kept_ = true; }

private:
    const Firmware& firmware_;
    std::size_t pages_ = 0;
    std::uint8_t* data_ = nullptr;
    bool is_kept_ = false;
};

/// "write protected (EFI error 8)".
void add_status(Line& line, uefi::Status status);

}  // namespace gpuminer::baremetal
