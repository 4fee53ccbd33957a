// The facts as Linux has them: device nodes, and the text of the kernel's module.
#include "cuda/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "cuda/code.hpp"
#include "host/system/access.hpp"
#include "host/system/driver_libraries.hpp"
#include "host/system/shared_library.hpp"

namespace gpuminer::cuda {
namespace {

constexpr const char* kControlNode = "/dev/nvidiactl";

DriverFacts::Node control_node() {
    const std::error_code error = access_error(kControlNode, FileAccess::kReadAndWrite);
    if (!error) return DriverFacts::Node::usable;
    return error == std::errc::no_such_file_or_directory ? DriverFacts::Node::missing : DriverFacts::Node::forbidden;
}

bool is_wsl() {
    std::error_code ignored;
    return std::filesystem::exists("/dev/dxg", ignored);
}

/// Why there is no such library, in the linker's words; empty: there is.
std::string load_failure(const char* library) {
    SharedLibrary loaded(library);
    std::string failure = loaded.failure();
    loaded.unload();
    return failure;
}

std::string without_library(const DriverFacts& facts) {
    const std::string driver = driver_for(kOldestDriver);
    if (!facts.load_error.empty())
        return fmt::format("the NVIDIA driver cannot be loaded ({}); reinstall it", facts.load_error);
    if (facts.wsl)
        return fmt::format(
            "there is no NVIDIA driver (libcuda.so.1); WSL 2 uses the driver of Windows: install {} there", driver);
    return fmt::format(
        "there is no NVIDIA driver (libcuda.so.1); install driver {}, or start the container with its GPUs", driver);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

DriverFacts driver_facts() {
    DriverFacts facts;
    const std::string failure = load_failure(kCudaLibrary);
    facts.driver_found = failure.empty();
    if (!failure.ends_with("No such file or directory")) facts.load_error = failure;
    facts.wsl = is_wsl();
    facts.driver_usable = system_api() != nullptr;
    facts.node = control_node();
    facts.hidden = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
    return facts;
}

std::string why_no_device(const DriverFacts& facts) {
    if (!facts.driver_found) return without_library(facts);
    if (!facts.driver_usable) {
        return fmt::format("the NVIDIA driver is too old; install driver {}", driver_for(kOldestDriver));
    }
    const std::string error = facts.error.empty() ? "" : "CUDA cannot start (" + facts.error + "); ";
    if (facts.wsl && !error.empty())
        return error + "update NVIDIA's driver in Windows, which WSL 2 uses, and WSL itself (wsl --update)";
    if (!facts.wsl && facts.node == DriverFacts::Node::missing) {
        return fmt::format(
            "{}{} does not exist; load the driver's kernel module (nvidia-smi does), or start the "
            "container with its GPUs",
            error, kControlNode);
    }
    if (!facts.wsl && facts.node == DriverFacts::Node::forbidden) {
        return fmt::format(
            "{}this user may not open {}; add the user to the group that may (ls -l /dev/nvidia* "
            "names it, often video or render)",
            error, kControlNode);
    }
    if (!error.empty()) return error + "if nvidia-smi fails as well, restart the machine";
    if (facts.hidden) return "CUDA_VISIBLE_DEVICES hides every device; unset it";
    return "the NVIDIA driver has found no GPU; nvidia-smi lists the GPUs that it sees";
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

std::string installed_version() {
    std::ifstream file("/proc/driver/nvidia/version");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return driver_version_in(text);
}

}  // namespace gpuminer::cuda
