// A library preloaded into tests under AddressSanitizer, with which drivers stay loaded to the end. Memory that a
// loaded driver's globals point to is no leak; after the driver is unloaded, LeakSanitizer can tell neither that nor
// whose it was. (The Vulkan loader unloads Mesa's lavapipe, which leaves a list behind on some CPUs.)
extern "C" int dlclose(void* /*library*/) noexcept { return 0; }
