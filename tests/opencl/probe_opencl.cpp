// A program that prints the OpenCL backend's devices: name, "usable" or "unusable", and the reason, a device a line.
#include <cstdio>

#include "opencl/backend.hpp"

int main() {
    for (const gpuminer::Probe& probe : gpuminer::kOpenclBackend.probe({})) {
        std::printf("%s %s: %s\n", probe.info.name.c_str(), probe.usable ? "usable" : "unusable", probe.reason.c_str());
    }
}
