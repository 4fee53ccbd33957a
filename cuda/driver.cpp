#include "cuda/driver.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace gpuminer::cuda {
namespace {

constexpr const char* kControlNode = "/dev/nvidiactl";

DriverFacts::Node control_node() {
    if (access(kControlNode, R_OK | W_OK) == 0) return DriverFacts::Node::usable;
    return errno == ENOENT ? DriverFacts::Node::missing : DriverFacts::Node::forbidden;
}

bool can_load(const char* library) {
    void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) return false;
    dlclose(handle);
    return true;
}

/// The first driver that offers a major version of CUDA (CUDA Compatibility, table "CUDA Toolkit and Minimum Required
/// Driver Versions").
std::string first_driver(int cuda_major) {
    constexpr std::array<std::pair<int, int>, 3> known = {{{11, 450}, {12, 525}, {13, 580}}};
    for (const auto& [major, driver] : known) {
        if (major == cuda_major) return "version " + std::to_string(driver) + " or newer";
    }
    return "the newest version";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

DriverFacts driver_facts() {
    DriverFacts facts;
    facts.driver_found = can_load("libcuda.so.1");
    facts.runtime_version = CUDART_VERSION;
    if (facts.driver_found) (void)cudaDriverGetVersion(&facts.driver_version);
    facts.node = control_node();
    facts.hidden = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
    return facts;
}

std::string why_no_device(const DriverFacts& facts) {
    const int needed = facts.runtime_version / 1000;
    if (!facts.driver_found) {
        return "there is no NVIDIA driver (libcuda.so.1); install its " + first_driver(needed) +
               ", or start the container with its GPUs";
    }
    if (facts.driver_version != 0 && facts.driver_version / 1000 < needed) {
        return "the NVIDIA driver is too old, as it offers CUDA " + version_text(facts.driver_version) +
               " and this program needs " + version_text(needed * 1000) + "; install the driver's " +
               first_driver(needed);
    }
    if (facts.node == DriverFacts::Node::missing) {
        return std::string(kControlNode) +
               " does not exist; load the driver's kernel module (nvidia-smi does), or "
               "start the container with its GPUs";
    }
    if (facts.node == DriverFacts::Node::forbidden) {
        return std::string("this user may not open ") + kControlNode +
               "; have the user added to the group that may (ls -l /dev/nvidia* names it)";
    }
    if (!facts.error.empty()) {
        return "CUDA cannot start (" + facts.error + "); see whether nvidia-smi works, and if not, restart the machine";
    }
    if (facts.hidden) return "CUDA_VISIBLE_DEVICES hides every device; unset it";
    return "the NVIDIA driver has found no GPU; nvidia-smi lists those that it sees";
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string driver_version_in(std::string_view text) {
    // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 …": the first word like 580.65.06.
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find_first_of(" \t\n"));
        const bool numbers = part.find_first_not_of("0123456789.") == std::string_view::npos;
        if (numbers && !part.empty() && is_digit(part.front()) && part.find('.') != std::string_view::npos)
            return std::string(part);
        text.remove_prefix(std::min(part.size() + 1, text.size()));
    }
    return {};
}

bool has_code_for(unsigned capability, std::string_view architectures) {
    while (!architectures.empty()) {
        const std::string_view item = architectures.substr(0, architectures.find(' '));
        architectures.remove_prefix(std::min(item.size() + 1, architectures.size()));
        unsigned built = 0;
        const char* const end = item.data() + item.size();
        const auto parsed = std::from_chars(item.data(), end, built);
        const std::string_view kind(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
        if (parsed.ec != std::errc{} || built > capability) continue;
        if (kind != "-real" || built / 10 == capability / 10) return true;
    }
    return false;
}

}  // namespace gpuminer::cuda
