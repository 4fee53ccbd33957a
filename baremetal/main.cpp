// The miner as a UEFI application, from start to end (docs/bare-metal.md).
#include "baremetal/config.hpp"
#include "baremetal/console.hpp"
#include "baremetal/ending.hpp"
#include "baremetal/firmware.hpp"
#include "baremetal/mine.hpp"
#include "baremetal/volume.hpp"

namespace gpuminer::baremetal {
namespace {

using namespace uefi;

constexpr Char16 kConfigName[] = u"\\gpuminer.cfg";

/// Reads gpuminer.cfg; where there is none, the job is block 100000. False: it makes no sense, and that was said.
bool read_config(const Console& console, const Volume& volume, Config& config) {
    static char text[Config::kLargestFile + 1];
    std::size_t size = 0;
    const Status status = volume.read(kConfigName, text, Config::kLargestFile, size);
    Line line;
    if (!volume.is_there()) {
        console.line(
            "note: this program's volume cannot be read, so there is no gpuminer.cfg and will be no GPUMINER.CSV: "
            "searches Bitcoin block 100000");
        return true;
    }
    if (status == kNotFound) {
        console.line("note: no gpuminer.cfg on this volume: searches Bitcoin block 100000");
        return true;
    }
    if (status == kBufferTooSmall) {
        line.add("error: gpuminer.cfg: expected a file of at most ").number(Config::kLargestFile);
        console.line(line.add(" bytes, got a larger one"));
        return false;
    }
    if (failed(status)) {
        line.add("error: gpuminer.cfg cannot be read: ");
        add_status(line, status);
        console.line(line);
        return false;
    }
    Line complaint;
    if (parse_config({text, size}, config, complaint)) return true;
    console.line(line.add("error: ").add(complaint.text()));
    return false;
}

}  // namespace
}  // namespace gpuminer::baremetal

/// Where the firmware enters (UEFI 4.1).
extern "C" gpuminer::baremetal::uefi::Status efi_main(gpuminer::baremetal::uefi::Handle image,
                                                      gpuminer::baremetal::uefi::SystemTable* table) {
    using namespace gpuminer::baremetal;
    const Firmware firmware(image, *table);
    const Console console(firmware);
    console.line("gpuminer " GPUMINER_VERSION " without an operating system, compiled by " __VERSION__);
    Config config;
    {
        const Volume volume(firmware);
        if (read_config(console, volume, config)) {
            mine(firmware, console, volume, config);
        } else {
            config = {};
        }
    }
    end(firmware, console, config);
    return uefi::kSuccess;
}
