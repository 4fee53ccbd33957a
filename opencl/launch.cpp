#include "opencl/launch.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "host/mutex.hpp"
#include "search_program/sizes.hpp"

namespace gpuminer::opencl {
namespace {

/// Work items of a launch at least. PoCL compiles a kernel once more for smaller launches, which takes a second; the
/// items beyond the range cost next to nothing.
constexpr std::size_t kSmallestLaunch = 1 << 16;
/// The result: a counter, then a pair of words for each candidate. Its head comes with the end of a launch; the rest
/// is read where that is not all.
constexpr std::size_t kHeadCandidates = 127;
constexpr std::size_t kHeadBytes = (1 + 2 * kHeadCandidates) * sizeof(cl_uint);
constexpr std::size_t kFoundBytes = (1 + 2 * Candidates::kCapacity) * sizeof(cl_uint);
/// ConstantWords of search.cl.
#define CONSTANT(value) value,
constexpr cl_uint kConstantWords[] = {
#include "search_program/gpu_constants.inc"
};
#undef CONSTANT

struct Waiting {
    Mutex mutex;
    Condition changed;
    std::optional<cl_int> status GPUMINER_GUARDED_BY(mutex);
};

void CL_CALLBACK command_ended(cl_event /*event*/, cl_int status, void* user_data) {
    const std::unique_ptr<std::shared_ptr<Waiting>> owned(static_cast<std::shared_ptr<Waiting>*>(user_data));
    Waiting& waiting = **owned;
    const MutexLock lock(waiting.mutex);
    waiting.status = status;
    waiting.changed.notify_one();
}

/// Waits until a command of a flushed queue has ended; returns CL_SUCCESS, or why it failed. The thread sleeps:
/// drivers' own waits (clFinish(), clWaitForEvents()) keep a CPU busy with some.
cl_int wait_for(const Api& api, cl_event event) {
    // The driver's thread may call back after this function has returned (see below): it has its own share.
    const auto owned = std::make_shared<Waiting>();
    auto share = std::make_unique<std::shared_ptr<Waiting>>(owned);
    cl_int status = api.SetEventCallback(event, CL_COMPLETE, command_ended, share.get());
    const bool calls_back = status != CL_INVALID_OPERATION;
    if (calls_back && status != CL_SUCCESS) return status;
    if (calls_back) (void)share.release();  // command_ended() has it

    // A driver that calls back late, or never, is asked now and then; one that cannot (Wine's), often.
    const std::chrono::milliseconds patience(calls_back ? 50 : 1);
    Waiting& waiting = *owned;
    const auto has_status = [&waiting]() GPUMINER_REQUIRES(waiting.mutex) { return waiting.status.has_value(); };
    MutexLock lock(waiting.mutex);
    while (!waiting.changed.wait_for(waiting.mutex, patience, has_status)) {
        lock.unlock();
        const cl_int asked =
            api.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        if (asked != CL_SUCCESS) return asked;
        if (status <= CL_COMPLETE) return status;
        lock.lock();
    }
    return *waiting.status;
}

}  // namespace

Launcher::Launcher(const Api& api, cl_device_id device)
    : api_(api), version_words_(kVersionsPerLaunch * kRolledVersionWords), found_words_(kFoundBytes / sizeof(cl_uint)) {
    cl_int status = CL_SUCCESS;
    context_.reset(api_.CreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    check(status, "open the device");
    queue_.reset(api_.CreateCommandQueue(context_.get(), device, 0, &status));
    check(status, "make a command queue");
    versions_.reset(api_.CreateBuffer(context_.get(), CL_MEM_READ_ONLY,
                                      kVersionsPerLaunch * kRolledVersionWords * sizeof(cl_uint), nullptr, &status));
    check(status, "allocate the table of versions");
    found_.reset(api_.CreateBuffer(context_.get(), CL_MEM_READ_WRITE, kFoundBytes, nullptr, &status));
    check(status, "allocate the result");
}

void Launcher::finish() const { (void)api_.Finish(queue_.get()); }

void Launcher::launch(cl_kernel kernel, const gpu::KernelVariant& variant, const Sha256dJob& job, NonceRange range,
                      std::size_t first_version, std::size_t versions) {
    gpu::LaunchWords words = gpu::launch_words(job, range);
    words.versions = static_cast<std::uint32_t>(versions);
    set_argument(kernel, 0, sizeof words, &words);
    set_argument(kernel, 1, job.job_words().size_bytes(), job.job_words().data());
    set_argument(kernel, 2, versions_);
    set_argument(kernel, 3, found_);
    set_argument(kernel, 4, sizeof kConstantWords, kConstantWords);

    if (job.rolled()) {
        auto place = version_words_.begin();
        for (std::size_t v = first_version; v < first_version + versions; ++v)
            place = std::copy(job.version_words(v).begin(), job.version_words(v).end(), place);
        write(versions_, std::span(version_words_.begin(), place));
    }
    found_words_[0] = 0;
    write(found_, std::span(found_words_).first(1));
    const std::size_t items = std::max<std::size_t>(kSmallestLaunch, (range.count + variant.width - 1) / variant.width);
    const std::size_t group = variant.group, rounded_up = (items + group - 1) / group * group;
    cl_event started = nullptr, ended = nullptr;
    check(api_.EnqueueNDRangeKernel(queue_.get(), kernel, 1, nullptr, &rounded_up, &group, 0, nullptr, &started),
          "start the kernel");
    const Handle<cl_event> run(started, api_.ReleaseEvent);
    // Made to wait for the kernel, it fails where the kernel does.
    check(api_.EnqueueReadBuffer(queue_.get(), found_.get(), CL_FALSE, 0, kHeadBytes, found_words_.data(), 1, &started,
                                 &ended),
          "read the result");
    const Handle<cl_event> read(ended, api_.ReleaseEvent);
    check(api_.Flush(queue_.get()), "hand its commands to the device");
    check(wait_for(api_, read.get()), "run the kernel");
}

void Launcher::take_result(std::uint32_t first_version, Candidates& found) {
    const std::size_t passed = found_words_[0];
    const std::size_t kept = std::min(passed, Candidates::kCapacity);
    if (kept > kHeadCandidates) {
        check(api_.EnqueueReadBuffer(queue_.get(), found_.get(), CL_TRUE, 0, (1 + 2 * kept) * sizeof(cl_uint),
                                     found_words_.data(), 0, nullptr, nullptr),
              "read the result");
    }
    for (std::size_t i = 0; i < kept; ++i)
        found.push({first_version + found_words_[1 + 2 * i], found_words_[2 + 2 * i]});
    if (passed > kept) found.push({});  // there is no room for it: an overflow
}

void Launcher::set_argument(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) const {
    check(api_.SetKernelArg(kernel, index, size, value), "set the kernel's arguments");
}

void Launcher::set_argument(cl_kernel kernel, cl_uint index, const Handle<cl_mem>& buffer) const {
    const cl_mem value = buffer.get();
    set_argument(kernel, index, sizeof(cl_mem), &value);
}

void Launcher::write(const Handle<cl_mem>& buffer, std::span<const cl_uint> words) const {
    check(api_.EnqueueWriteBuffer(queue_.get(), buffer.get(), CL_FALSE, 0, words.size_bytes(), words.data(), 0, nullptr,
                                  nullptr),
          "write to the device's memory");
}

}  // namespace gpuminer::opencl
