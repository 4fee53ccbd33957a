#include "opencl/search.hpp"

#include <fmt/format.h>

#include <optional>

#include "host/files/cache.hpp"
#include "opencl/search_text.hpp"
#include "search_program/sizes.hpp"

namespace gpuminer::opencl {
namespace {

constexpr std::string_view kCacheKind = "opencl";

std::string options_for(const gpu::KernelVariant& variant, bool rolled) {
    const gpu::Mix multiplied = variant.mix <= gpu::Mix::kAddsShiftsRotations ? variant.mix : gpu::Mix::kPlain;
    return fmt::format(
        "-cl-std=CL1.2 -DROLLED={:d} -DJOB_WORDS={} -DVERSION_WORDS={} -DSHARED_WORDS={} -DWIDTH={} -DGROUP={} "
        "-DCAPACITY={} -DADDS={:d} -DALL_ADDS={:d} -DSHIFTS_ROTATIONS={:d} -DBFI={:d} -DBFN={:d}",
        rolled, rolled ? kRolledJobWords : kFixedJobWords, kRolledVersionWords, kRolledSharedWords, variant.width,
        variant.group, Candidates::kCapacity, multiplied >= gpu::Mix::kAdds, multiplied >= gpu::Mix::kAllAdds,
        multiplied >= gpu::Mix::kAddsShiftsRotations, variant.mix == gpu::Mix::kBfi, variant.mix == gpu::Mix::kBfn);
}

/// The beginning of what the compiler said, on one line.
std::string build_log(const Api& api, cl_program program, cl_device_id device) {
    constexpr std::size_t kLines = 3, kCharacters = 400;
    std::size_t size = 0;
    if (api.GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return {};
    std::string log(size, '\0');
    if (api.GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS)
        return {};
    std::string text;
    std::size_t lines = 1;
    for (const char c : log.substr(0, log.find('\0'))) {
        if (text.size() >= kCharacters || lines > kLines) break;
        const bool line_end = c == '\n' && !text.empty();
        if (line_end) ++lines;
        if (line_end && lines <= kLines) text += "; ";
        if (c >= ' ' && c <= '~') text += c;
    }
    return text;
}

/// Builds what `program` holds, text or binary. `what`: "from the cache", …
Program built(const Api& api, cl_device_id device, Handle<cl_program> program, const std::string& options,
              std::string_view what) {
    const cl_int status = api.BuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) {
        const std::string log = build_log(api, program.get(), device);
        check(status, fmt::format("build the kernel {}{}{}", what, log.empty() ? "" : ": ", log));
    }
    cl_int kernel_status = CL_SUCCESS;
    Handle<cl_kernel> kernel(api.CreateKernel(program.get(), "search", &kernel_status), api.ReleaseKernel);
    check(kernel_status, fmt::format("take the kernel {}", what));
    return {std::move(program), std::move(kernel), {}};
}

Program build_from_text(const Api& api, cl_context context, cl_device_id device, const std::string& options) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string_view piece : kSearchText) {
        texts.push_back(piece.data());
        sizes.push_back(piece.size());
    }
    cl_int status = CL_SUCCESS;
    Handle<cl_program> program(
        api.CreateProgramWithSource(context, static_cast<cl_uint>(texts.size()), texts.data(), sizes.data(), &status),
        api.ReleaseProgram);
    check(status, "read the kernel's text");
    return built(api, device, std::move(program), options, "from its text");
}

/// Nothing: the driver does not like the binary, for whatever reason.
std::optional<Program> build_from_binary(const Api& api, cl_context context, cl_device_id device,
                                         const std::string& options, const std::string& binary) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
    const std::size_t size = binary.size();
    cl_int status = CL_SUCCESS;
    cl_int binary_status = CL_SUCCESS;
    Handle<cl_program> program(api.CreateProgramWithBinary(context, 1, &device, &size, &bytes, &binary_status, &status),
                               api.ReleaseProgram);
    if (status != CL_SUCCESS || binary_status != CL_SUCCESS) return std::nullopt;
    try {
        return built(api, device, std::move(program), options, "from the cache");
    } catch (const DeviceError&) {
        return std::nullopt;
    }
}

/// The binary of a program of one device; empty where the driver has none to give.
std::string binary_of(const Api& api, cl_program program) {
    std::size_t size = 0;
    if (api.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS) return {};
    std::string binary(size, '\0');
    char* place = binary.data();
    if (api.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr) != CL_SUCCESS) return {};
    return binary;
}

}  // namespace

Program make_program(const Api& api, cl_context context, const ListedDevice& device, const gpu::KernelVariant& variant,
                     bool rolled) {
    const std::string options = options_for(variant, rolled);
    const std::string key =
        fmt::format("{} | {} | {} | {} | {} | {}", device.probe.info.driver,
                    platform_text(api, device.platform, CL_PLATFORM_VERSION), device.probe.info.model,
                    device_text(api, device.id, CL_DEVICE_NAME), options, kSearchTextHash);
    if (const auto binary = read_cache(kCacheKind, key)) {
        if (auto program = build_from_binary(api, context, device.id, options, *binary)) return std::move(*program);
    }
    Program program = build_from_text(api, context, device.id, options);
    program.cache_key = key;
    return program;
}

void save_program(const Api& api, const Program& program) {
    if (program.cache_key.empty()) return;
    const std::string binary = binary_of(api, program.program.get());
    if (!binary.empty()) write_cache(kCacheKind, program.cache_key, binary);
}

}  // namespace gpuminer::opencl
