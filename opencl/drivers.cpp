#include "opencl/drivers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

namespace gpuminer::opencl {
namespace {

bool names_pocl(const std::filesystem::path& icd) {
    std::ifstream file(icd);
    std::string library;
    std::getline(file, library);
    return std::filesystem::path(library).filename().string().starts_with("libpocl.so");
}

}  // namespace

bool only_software_drivers(const std::filesystem::path& vendors) {
    constexpr std::array kVariables = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"};
    if (std::ranges::any_of(kVariables, [](const char* name) { return std::getenv(name) != nullptr; })) return false;
    bool any = false;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(vendors, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() != ".icd") continue;
        if (!names_pocl(entry->path())) return false;
        any = true;
    }
    return any && !error;
}

}  // namespace gpuminer::opencl
