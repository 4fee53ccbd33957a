#include "opencl/drivers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "host/text/text.hpp"

namespace gpuminer::opencl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 200;  // characters of what files and the linker say

bool environment_names_drivers() {
    constexpr std::array kVariables = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"};
    return std::ranges::any_of(kVariables, [](const char* name) { return std::getenv(name) != nullptr; });
}

/// The folder's .icd files; empty where it cannot be read to its end.
std::vector<fs::path> icd_files(const fs::path& vendors) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(vendors, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() == ".icd") files.push_back(entry->path());
    }
    if (error) return {};
    std::ranges::sort(files);
    return files;
}

/// The driver that such a file names.
std::string library_of(const fs::path& icd) {
    std::ifstream file(icd);
    std::string library;
    std::getline(file, library);
    library.erase(library.find_last_not_of(" \t\r") + 1);
    return library;
}

}  // namespace

bool only_software_drivers(const fs::path& vendors) {
    if (environment_names_drivers()) return false;
    const std::vector<fs::path> files = icd_files(vendors);
    return !files.empty() && std::ranges::all_of(files, [](const fs::path& icd) {
        return fs::path(library_of(icd)).filename().string().starts_with("libpocl.so");
    });
}

std::vector<std::string> broken_drivers(const fs::path& vendors) {
    std::vector<std::string> sentences;
    if (environment_names_drivers()) return sentences;
    for (const fs::path& icd : icd_files(vendors)) {
        const std::string library = library_of(icd);
        if (!library.empty() && ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) continue;  // and stays
        const std::string why = !library.empty()                   ? shortened(printable(::dlerror()), kShown)
                                : ::access(icd.c_str(), R_OK) != 0 ? std::generic_category().message(errno)
                                                                   : "the file is empty";
        sentences.push_back(
            fmt::format("the OpenCL driver of {} cannot be loaded ({}); reinstall that driver, or remove the file",
                        icd.string(), why));
    }
    return sentences;
}

}  // namespace gpuminer::opencl
