// Identity of a GPU, written alike by every backend, so that the same device is recognised through each API.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gpuminer::gpu {

struct PciAddress {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    unsigned function = 0;
};
/// "0000:01:00.0", as lspci writes it.
[[nodiscard]] std::string pci_text(const PciAddress& address);

/// Two lower-case hex digits a byte.
[[nodiscard]] std::string uuid_text(std::span<const std::byte> uuid);

}  // namespace gpuminer::gpu
