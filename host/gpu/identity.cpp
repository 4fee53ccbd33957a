#include "host/gpu/identity.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "host/text/text.hpp"

namespace gpuminer::gpu {

std::string pci_text(const PciAddress& address) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device, address.function);
}

std::string uuid_text(std::span<const std::byte> uuid) {
    return to_hex({reinterpret_cast<const std::uint8_t*>(uuid.data()), uuid.size()});
}

}  // namespace gpuminer::gpu
