#include "opencl/drivers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "host/system/access.hpp"
#include "host/system/shared_library.hpp"
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

/// The driver that such a file names. (Of a pipe's reading there may be no end.)
std::string library_of(const fs::path& icd) {
    std::error_code error;
    if (!fs::is_regular_file(icd, error)) return "";
    std::ifstream file(icd);
    std::string library;
    std::getline(file, library);
    library.erase(library.find_last_not_of(" \t\r") + 1);
    return library;
}

struct NamedDriver {
    fs::path file;         ///< .icd; empty: the variable names the library itself
    std::string variable;  ///< that names the file or library; empty: the file is in the folder
    std::string library;   ///< empty: the file has none, or cannot be read
};

NamedDriver driver_of(const fs::path& icd, const char* variable = "") { return {icd, variable, library_of(icd)}; }

/// By what OCL_ICD_VENDORS says where it names no folder (libOpenCL(7) of ocl-icd): an .icd file, there or among the
/// others, or a library.
NamedDriver driver_of_variable(const std::string& value, const fs::path& vendors) {
    if (!value.ends_with(".icd")) return {"", kOfVendors, value};
    std::error_code ignored;
    const bool is_among_others = value.find('/') == std::string::npos && fs::exists(vendors / value, ignored);
    return driver_of(is_among_others ? vendors / value : fs::path(value), kOfVendors);
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

std::string why_no_library(const fs::path& icd) {
    std::error_code error;
    const fs::file_status status = fs::status(icd, error);
    if (status.type() == fs::file_type::directory) return "it is a folder";
    if (fs::exists(status) && status.type() != fs::file_type::regular) return "it is no regular file";
    error = access_error(icd, FileAccess::kRead);
    return error ? error.message() : "the file is empty";
}

/// Why it cannot be loaded; empty: it is, and stays so.
std::string why_not_loaded(const NamedDriver& driver) {
    constexpr const char* kFirstFunction = "clGetExtensionFunctionAddress";  // by which loaders find all others
    if (driver.library.empty()) return why_no_library(driver.file);
    const SharedLibrary library(driver.library.c_str(), SharedLibrary::Resolve::kWhenCalled);  // as loaders do
    if (!library.loaded()) return shortened(printable(library.failure()), kShown);
    if (library.function<void (*)()>(kFirstFunction) != nullptr) return "";
    return fmt::format("{} is no OpenCL driver, as it lacks {}", shortened(printable(driver.library), kShown),
                       kFirstFunction);
}

/// "/etc/OpenCL/vendors/x.icd", "x.icd (OCL_ICD_VENDORS)", "OCL_ICD_FILENAMES"
std::string name_of(const NamedDriver& driver) {
    if (driver.file.empty()) return driver.variable;
    const std::string file = shortened(printable(driver.file.string()), kShown);
    return driver.variable.empty() ? file : fmt::format("{} ({})", file, driver.variable);
}

}  // namespace

const Remedies kRemedies{
    .no_loader = "install the driver of your GPU, and ocl-icd-libopencl1",
    .old_loader = "install a newer ocl-icd-libopencl1",
    .no_device =
        "check that you may open your GPU's files (in /dev/dri and /dev/kfd: groups render and video; or "
        "/dev/nvidia*)",
    .unavailable = "end other programs that use it, or look into the system log (dmesg)",
};

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
        const std::string why = why_not_loaded(driver);
        if (why.empty()) continue;
        sentences.push_back(fmt::format("the OpenCL driver of {} cannot be loaded ({}); reinstall that driver, or {}",
                                        name_of(driver), why,
                                        driver.variable.empty() ? "remove the file" : "change that variable"));
    }
    return sentences;
}

std::vector<std::string> loadable_drivers(const fs::path& vendors) {
    std::vector<std::string> names;
    for (const NamedDriver& driver : named_drivers(vendors)) {
        if (why_not_loaded(driver).empty()) names.push_back(name_of(driver));
    }
    return names;
}

}  // namespace gpuminer::opencl
