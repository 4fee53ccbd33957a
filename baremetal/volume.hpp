// Files in the root folder of the volume that the program came from.
#pragma once

#include "baremetal/firmware.hpp"

namespace gpuminer::baremetal {

class Volume {
public:
    explicit Volume(const Firmware& firmware);
    ~Volume();
    Volume(const Volume&) = delete;
    Volume& operator=(const Volume&) = delete;

    /// The program came from one, and it can be read.
    [[nodiscard]] bool is_there() const { return root_ != nullptr; }

    /// Reads a file of at most `capacity` bytes (a larger one: kBufferTooSmall) into `buffer`, which has room for one
    /// more.
    [[nodiscard]] uefi::Status read(const uefi::Char16* name, char* buffer, std::size_t capacity,
                                    std::size_t& size) const;
    /// Replaces the file. What cannot be written whole is removed again.
    [[nodiscard]] uefi::Status write(const uefi::Char16* name, const char* text, std::size_t size) const;
    /// If it is there, and can be removed.
    void remove(const uefi::Char16* name) const;

private:
    uefi::File* root_ = nullptr;
    uefi::Status status_ = uefi::kNotFound;  ///< of opening the volume
};

}  // namespace gpuminer::baremetal
