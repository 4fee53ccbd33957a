// The common part of the GPU backends: an Engine is one GPU through one API, and GpuDevice makes a Device of it
// (batches, choice of the fastest variant, result limits).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/backend.h"
#include "host/gpu/launch_words.hpp"
#include "kernel/sha256d_job.hpp"

namespace gpuminer::gpu {

/// How the program's verbs are written. Those that multiply go to the multiply-add pipe of a GPU, which otherwise idles
/// in SHA-256: additions as x·one + y (kAdds: those of two words that depend on the nonce; then all), shifts as the
/// high half of x·2^k, some rotations as the sum of both halves of x·2^k. The ones and the powers are run-time numbers:
/// of literal ones a compiler would make plain additions and shifts again. kRadv: in forms that RADV's compiler knows
/// (Vulkan). kBfi: ch and maj by the instruction of AMD's GPUs that selects bits, kBfn: by that of Intel's GPUs for any
/// logic of three words (OpenCL). The first four are in the order in which each multiplies more than the one before, on
/// which preludes rely.
enum class Mix : std::uint8_t { kPlain, kAdds, kAllAdds, kAddsShiftsRotations, kRadv, kBfi, kBfn };
inline constexpr Mix kMixes[] = {Mix::kPlain, Mix::kAdds, Mix::kAllAdds, Mix::kAddsShiftsRotations,
                                 Mix::kRadv,  Mix::kBfi,  Mix::kBfn};
/// "plain", "adds", "all-adds", "adds+shifts+rotations", "radv", "bfi", "bfn"
[[nodiscard]] std::string_view name_of(Mix mix);

/// One way to run the search.
struct KernelVariant {
    Mix mix = Mix::kPlain;
    unsigned width = 1;    ///< nonces per work item: lanes of its vectors
    unsigned group = 256;  ///< work items per work group (thread block)

    friend bool operator==(const KernelVariant&, const KernelVariant&) = default;
};
/// "all-adds x1 g256", and back; nothing for any other text.
[[nodiscard]] std::string to_string(const KernelVariant& variant);
[[nodiscard]] std::optional<KernelVariant> parse_variant(std::string_view text);

/// What tuning tries is a property of the driver: lists of mixes, the most promising list first, each with every size
/// of work group before the next one.
using MixLists = std::vector<std::vector<Mix>>;
/// Those that multiply, and plain: NVIDIA's GPUs multiply as fast as they add, most others at a quarter of that.
[[nodiscard]] MixLists nvidia_mixes();
/// The variants in that order. `groups`: the sizes, the most promising first.
[[nodiscard]] std::vector<KernelVariant> variants_of(const MixLists& mixes, std::span<const unsigned> groups,
                                                     unsigned width = 1);

/// Nonces of one call of Engine::scan() at most: with them, all indices fit into 32 bits.
inline constexpr std::uint64_t kLargestLaunch = std::uint64_t{1} << 30;

/// For all of the job's versions; a backend whose launches take fewer sets `versions`.
[[nodiscard]] LaunchWords launch_words(const Sha256dJob& job, NonceRange range);

/// One GPU through one API. Used by one thread at a time, not always the same.
class Engine {
public:
    virtual ~Engine() = default;
    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    [[nodiscard]] virtual const DeviceInfo& info() const = 0;
    /// Ways to run jobs of this form (one header; or several versions of one) here, the most promising first.
    /// Never empty. Tuning tries them in this order for at most 3 seconds.
    [[nodiscard]] virtual std::vector<KernelVariant> variants(bool rolled) const = 0;
    virtual void attach_thread() {}
    /// Gets everything ready for a variant (compiles it, where the driver does that), so that scan() takes no longer
    /// than the scan. Throws DeviceError.
    virtual void prepare(const KernelVariant& variant, bool rolled) = 0;
    /// Scans at most kLargestLaunch nonces for every version of the job, waits for the end and adds the candidates in
    /// any order; with more than fit it makes `found` overflow. `variant` is prepared. Throws DeviceError.
    virtual void scan(const KernelVariant& variant, const Sha256dJob& job, NonceRange range, Candidates& found) = 0;
};

/// Makes a device of an engine: takes the remembered variants, or tunes (up to about 3 seconds, each variant
/// self-tested before it is timed) and remembers. Throws DeviceError where no variant computes rightly.
[[nodiscard]] std::unique_ptr<Device> make_gpu_device(std::unique_ptr<Engine> engine, const DeviceOptions& options);

/// The engine of a device that make_gpu_device() made, for tests and benchmarks that go through its variants; null for
/// any other device.
[[nodiscard]] Engine* engine_of(Device& device);

/// How such a device runs jobs of this form; empty for any other device.
[[nodiscard]] std::optional<KernelVariant> variant_of(Device& device, bool rolled);

/// The rate that tuning remembered for this device, hashes per second with one header; 0: never tuned. For Probe.
[[nodiscard]] double remembered_rate(const DeviceInfo& info);

}  // namespace gpuminer::gpu
