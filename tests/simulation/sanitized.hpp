// Detection of AddressSanitizer, which must be told of fibers, and makes everything take longer.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define GPUMINER_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GPUMINER_ADDRESS_SANITIZER 1
#endif
#endif

namespace gpuminer::simulation {

#ifdef GPUMINER_ADDRESS_SANITIZER
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace gpuminer::simulation
