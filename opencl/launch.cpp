#include "opencl/launch.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace gpuminer::opencl {
namespace {

struct Waiting {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<cl_int> status;
};

void CL_CALLBACK command_ended(cl_event /*event*/, cl_int status, void* user_data) {
    const std::unique_ptr<std::shared_ptr<Waiting>> owned(static_cast<std::shared_ptr<Waiting>*>(user_data));
    const std::lock_guard lock((*owned)->mutex);
    (*owned)->status = status;
    (*owned)->changed.notify_one();
}

}  // namespace

cl_int wait_for(const Api& api, cl_event event) {
    // The driver's thread may call back after this function has returned (see below): it has its own share.
    const auto waiting = std::make_shared<Waiting>();
    auto share = std::make_unique<std::shared_ptr<Waiting>>(waiting);
    cl_int status = api.SetEventCallback(event, CL_COMPLETE, command_ended, share.get());
    if (status != CL_SUCCESS) return status;
    (void)share.release();  // command_ended() has it

    // A driver that calls back late, or never, is asked now and then.
    constexpr std::chrono::milliseconds kPatience{50};
    std::unique_lock lock(waiting->mutex);
    while (!waiting->changed.wait_for(lock, kPatience, [&] { return waiting->status.has_value(); })) {
        lock.unlock();
        const cl_int asked =
            api.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        if (asked != CL_SUCCESS) return asked;
        if (status <= CL_COMPLETE) return status;
        lock.lock();
    }
    return *waiting->status;
}

}  // namespace gpuminer::opencl
