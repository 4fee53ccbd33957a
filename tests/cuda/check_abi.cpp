// The driver API as declared in cuda/loader.hpp, compared with NVIDIA's own header at compile time.
#include <cuda.h>

#include <type_traits>

#include "cuda/loader.hpp"

namespace cuda = gpuminer::cuda;

namespace {

/// As many parameters, each as large, and a pointer where the other has one. (Handles are pointers to what has no
/// definition.)
template <class Ours, class Theirs>
constexpr bool kSame = sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <class Ours, class Theirs>
struct SameFunction : std::false_type {};
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameFunction<R (*)(A...), S (*)(B...)>
    : std::bool_constant<(kSame<R, S> && ... && kSame<A, B>)> {
};

#define GPUMINER_CHECK(name, symbol, parameters) \
    static_assert(SameFunction<decltype(cuda::Api::name), decltype(&symbol)>::value, #symbol);
GPUMINER_CUDA_FUNCTIONS(GPUMINER_CHECK)

static_assert(sizeof(cuda::Uuid) == sizeof(CUuuid));
static_assert(cuda::kSuccess == CUDA_SUCCESS && cuda::kNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(cuda::kComputeModeProhibited == CU_COMPUTEMODE_PROHIBITED);
static_assert(cuda::kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::kEventBlockingSync == CU_EVENT_BLOCKING_SYNC &&
              cuda::kEventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(int{cuda::kClockRate} == int{CU_DEVICE_ATTRIBUTE_CLOCK_RATE});
static_assert(int{cuda::kMultiprocessorCount} == int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
static_assert(int{cuda::kComputeMode} == int{CU_DEVICE_ATTRIBUTE_COMPUTE_MODE});
static_assert(int{cuda::kPciBus} == int{CU_DEVICE_ATTRIBUTE_PCI_BUS_ID});
static_assert(int{cuda::kPciDevice} == int{CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID});
static_assert(int{cuda::kPciDomain} == int{CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID});
static_assert(int{cuda::kComputeCapabilityMajor} == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
static_assert(int{cuda::kComputeCapabilityMinor} == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR});
static_assert(int{cuda::kSharedMemoryCarveout} == int{CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT});
static_assert(int{cuda::kJitErrorLog} == int{CU_JIT_ERROR_LOG_BUFFER});
static_assert(int{cuda::kJitErrorLogSize} == int{CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES});

}  // namespace
