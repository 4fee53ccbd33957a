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

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Which of them a loader reads differs: the first two are ocl-icd's, the first and the last Khronos' own.
constexpr const char* kOfVendors = "OCL_ICD_VENDORS";  // a folder, an .icd file or a library
constexpr const char* kOfFolder = "OPENCL_VENDOR_PATH";
constexpr const char* kOfLibraries = "OCL_ICD_FILENAMES";  // with colons between them, in addition

bool environment_names_drivers() {
    return std::ranges::any_of(std::array{kOfVendors, kOfFolder, kOfLibraries},
                               [](const char* name) { return std::getenv(name) != nullptr; });
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

struct NamedDriver {
    fs::path file;         ///< .icd; empty: the library is named by a variable
    std::string variable;  ///< its name
    std::string library;   ///< empty: the file has none, or cannot be read
};

NamedDriver driver_of(const fs::path& icd) { return {icd, "", library_of(icd)}; }

/// By what OCL_ICD_VENDORS says where it names no folder (libOpenCL(7) of ocl-icd): an .icd file, there or among the
/// others, or a library.
NamedDriver driver_of_variable(const std::string& value, const fs::path& vendors) {
    if (!value.ends_with(".icd")) return {"", kOfVendors, value};
    std::error_code ignored;
    const bool is_among_others = value.find('/') == std::string::npos && fs::exists(vendors / value, ignored);
    return driver_of(is_among_others ? vendors / value : fs::path(value));
}

/// Those that the environment names, and else those of the folder.
std::vector<NamedDriver> named_drivers(const fs::path& vendors) {
    const std::string libraries = variable(kOfLibraries), special = variable(kOfVendors), other = variable(kOfFolder);
    const fs::path folder = other.empty() ? vendors : fs::path(other);
    std::vector<NamedDriver> drivers;
    std::error_code error;
    if (special.empty() || special.ends_with('/') || fs::is_directory(special, error)) {
        for (const fs::path& icd : icd_files(special.empty() ? folder : fs::path(special)))
            drivers.push_back(driver_of(icd));
    } else {
        drivers.push_back(driver_of_variable(special, folder));
    }
    for (std::size_t begin = 0; begin < libraries.size();) {
        const std::size_t end = std::min(libraries.find(':', begin), libraries.size());
        if (end > begin) drivers.push_back({"", kOfLibraries, libraries.substr(begin, end - begin)});
        begin = end + 1;
    }
    return drivers;
}

}  // namespace

bool only_software_drivers(const fs::path& vendors) {
    if (environment_names_drivers()) return false;
    const std::vector<fs::path> files = icd_files(vendors);
    return !files.empty() && std::ranges::all_of(files, [](const fs::path& icd) {
        return fs::path(library_of(icd)).filename().string().starts_with("libpocl.so");
    });
}

std::string place_of_drivers(const fs::path& vendors) {
    for (const char* const name : {kOfVendors, kOfFolder})
        if (const std::string value = variable(name); !value.empty())
            return fmt::format("{}={}", name, shortened(printable(value), kShown));
    return vendors.string();
}

std::vector<std::string> broken_drivers(const fs::path& vendors) {
    std::vector<std::string> sentences;
    for (const NamedDriver& driver : named_drivers(vendors)) {
        if (!driver.library.empty() && ::dlopen(driver.library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr)
            continue;  // and stays
        const std::string why = !driver.library.empty()                    ? shortened(printable(::dlerror()), kShown)
                                : ::access(driver.file.c_str(), R_OK) != 0 ? std::generic_category().message(errno)
                                                                           : "the file is empty";
        sentences.push_back(
            fmt::format("the OpenCL driver of {} cannot be loaded ({}); reinstall that driver, or {}",
                        driver.file.empty() ? driver.variable : shortened(printable(driver.file.string()), kShown), why,
                        driver.file.empty() ? "change that variable" : "remove the file"));
    }
    return sentences;
}

}  // namespace gpuminer::opencl
