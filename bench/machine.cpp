// Facts of the program and of devices.
#include "bench/machine.hpp"

#include "gpuminer_build_info.hpp"
#include "host/text/json_text.hpp"

namespace gpuminer::bench {

Json program_facts() {
    return {{"version", kVersion},
            {"commit", kCommit},
            {"compiler", kCompiler},
            {"flags", kBuildFlags},
            {"kernel_flags", GPUMINER_KERNEL_FLAGS}};
}

Json device_facts(const DeviceInfo& info) {
    return {{"name", info.name},
            {"backend", info.backend},
            {"model", info.model},
            {"driver", text_or_null(info.driver)},
            {"api", text_or_null(info.api_version)},
            {"code", text_or_null(info.code)},
            {"units", info.units},
            {"clock_mhz", info.clock_mhz > 0 ? Json(info.clock_mhz) : Json(nullptr)},
            {"memory_bytes", info.memory_bytes > 0 ? Json(info.memory_bytes) : Json(nullptr)},
            {"software", info.software},
            {"description", info.description}};
}

}  // namespace gpuminer::bench
