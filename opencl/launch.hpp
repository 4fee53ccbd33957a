// Launches of the kernel on one device: the queue, the buffers, the result, and waiting while the CPU does something
// else.
#pragma once

#include <span>
#include <vector>

#include "host/gpu/engine.hpp"
#include "opencl/loader.hpp"

namespace gpuminer::opencl {

/// Versions of one launch at most: their table fits into the constant memory of every device (64 KB).
constexpr std::size_t kVersionsPerLaunch = 512;

class Launcher {
public:
    /// `api` has to outlive it. Throws DeviceError.
    Launcher(const Api& api, cl_device_id device);

    [[nodiscard]] cl_context context() const { return context_.get(); }
    /// Runs the kernel for some of the job's versions, and waits until the head of its result is there. Throws
    /// DeviceError.
    void launch(cl_kernel kernel, const gpu::KernelVariant& variant, const Sha256dJob& job, NonceRange range,
                std::size_t first_version, std::size_t versions);
    /// Adds the result of the last launch to `found`. Throws DeviceError.
    void take_result(std::uint32_t first_version, Candidates& found);
    /// Waits for all that was started: after an error the device may still be at work on what this object owns.
    void finish() const;

private:
    void set_argument(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) const;
    void set_argument(cl_kernel kernel, cl_uint index, const Handle<cl_mem>& buffer) const;
    void write(const Handle<cl_mem>& buffer, std::span<const cl_uint> words) const;

    const Api& api_;
    // Released in reverse order.
    Handle<cl_context> context_{nullptr, api_.ReleaseContext};
    Handle<cl_command_queue> queue_{nullptr, api_.ReleaseCommandQueue};
    Handle<cl_mem> versions_{nullptr, api_.ReleaseMemObject};
    Handle<cl_mem> found_{nullptr, api_.ReleaseMemObject};
    // Read and written by the device during a launch, and perhaps after one that failed: they never move.
    std::vector<cl_uint> version_words_;
    std::vector<cl_uint> found_words_;
};

}  // namespace gpuminer::opencl
