// Preloaded into tests under AddressSanitizer: drivers stay loaded to the end. What one has allocated and its globals
// still point to is no leak as long as it is loaded; without it, LeakSanitizer can tell neither that nor whose it was.
// (The Vulkan loader unloads Mesa's lavapipe, which leaves a list behind on some CPUs.)
extern "C" int dlclose(void* /*library*/) noexcept { return 0; }
