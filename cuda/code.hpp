// The search kernels as this build has them, as machine code and as PTX, and which of the two a GPU runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/gpu/engine.hpp"

namespace gpuminer::cuda {

/// Machine code comes from nvcc, and is for some generations of GPUs and drivers as new as nvcc; PTX comes from clang,
/// and is compiled by any driver since 2019 for any GPU since 2014.
enum class CodeKind : std::uint8_t { kMachine, kPtx };

/// What a build has. Versions as CUDA states them: 1000 · major + 10 · minor.
struct BuiltCode {
    std::vector<unsigned> generations;  ///< with machine code: 90 is sm_90; empty: there is none
    int nvcc_version = 0;
    bool ptx = false;
};
[[nodiscard]] const BuiltCode& built_code();

/// A module for cuModuleLoadDataEx(), with one kernel, kernel_name(). Null: the build has none of this kind.
[[nodiscard]] const void* module_image(CodeKind kind, gpu::Mix mix, bool rolled);
/// "fixed_0" … "rolled_3": the form and gpu::Mix as a number.
[[nodiscard]] std::string kernel_name(gpu::Mix mix, bool rolled);

inline constexpr unsigned kOldestGeneration = 50;  ///< that the PTX is for
inline constexpr int kOldestDriver = 10010;        ///< whose compiler knows its version, 6.4

struct CodeChoice {
    std::optional<CodeKind> kind;
    std::string text;  ///< "machine code for sm_90", "PTX, compiled by the driver"; without a kind: why, and the remedy
};

/// For a GPU of compute capability 10 · major + minor and a driver that offers this version of CUDA. `wanted`: "auto",
/// "machine" or "ptx".
[[nodiscard]] CodeChoice choose_code(const BuiltCode& built, unsigned capability, int driver_version,
                                     std::string_view wanted);

/// "580 or newer": the first of NVIDIA's drivers that offers this version of CUDA.
[[nodiscard]] std::string driver_for(int cuda_version);

/// "13.0" of 13000.
[[nodiscard]] std::string version_text(int version);

}  // namespace gpuminer::cuda
