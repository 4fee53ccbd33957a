#include "opencl/engine.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "opencl/launch.hpp"
#include "opencl/search.hpp"
#include "search_program/sizes.hpp"

namespace gpuminer::opencl {
namespace {

using gpu::KernelVariant;
using gpu::Mix;

constexpr cl_uint kVendorNvidia = 0x10de;
/// Work items of a launch at least. PoCL compiles a kernel once more for smaller launches, which takes a second; the
/// items beyond the range cost next to nothing.
constexpr std::size_t kSmallestLaunch = 1 << 16;
/// Versions of one launch at most: their table fits into the constant memory of every device (64 KB).
constexpr std::size_t kVersionsPerLaunch = 512;
/// The result: a counter, then a pair of words for each candidate. Its head comes with the end of a launch; the rest
/// is read where that is not all.
constexpr std::size_t kHeadCandidates = 127;
constexpr std::size_t kHeadBytes = (1 + 2 * kHeadCandidates) * sizeof(cl_uint);
constexpr std::size_t kFoundBytes = (1 + 2 * Candidates::kCapacity) * sizeof(cl_uint);

class OpenclEngine final : public gpu::Engine {
public:
    OpenclEngine(const Api& api, ListedDevice device) : api_(api), device_(std::move(device)) {
        cl_int status = CL_SUCCESS;
        context_.reset(api.CreateContext(nullptr, 1, &device_.id, nullptr, nullptr, &status));
        check(status, "open the device");
        queue_.reset(api.CreateCommandQueue(context_.get(), device_.id, 0, &status));
        check(status, "make a command queue");
        versions_.reset(api.CreateBuffer(context_.get(), CL_MEM_READ_ONLY,
                                         kVersionsPerLaunch * kRolledVersionWords * sizeof(cl_uint), nullptr, &status));
        check(status, "allocate the table of versions");
        found_.reset(api.CreateBuffer(context_.get(), CL_MEM_READ_WRITE, kFoundBytes, nullptr, &status));
        check(status, "allocate the result");
    }

    // After an error the device may still be at work on found_words_.
    ~OpenclEngine() override { (void)api_.Finish(queue_.get()); }

    [[nodiscard]] const DeviceInfo& info() const override { return device_.probe.info; }

    [[nodiscard]] std::vector<KernelVariant> variants(bool rolled) const override {
        const auto largest_group = value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
        const unsigned width = vector_width();
        const std::size_t local_memory = width == 1 && rolled ? value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 0) : SIZE_MAX;
        std::vector<KernelVariant> variants;
        for (const unsigned group : groups()) {
            if (group > largest_group || kRolledSharedWords * sizeof(cl_uint) * group > local_memory) continue;
            for (const Mix mix : mixes()) variants.push_back({mix, width, group});
        }
        if (variants.empty()) variants.push_back({Mix::kPlain, width, 1});
        return variants;
    }

    void prepare(const KernelVariant& variant, bool rolled) override {
        if (find(variant, rolled) != nullptr) return;
        Program program = make_program(api_, context_.get(), device_, variant, rolled);
        // Some drivers compile at the first launch.
        const std::array<std::uint32_t, 2> versions = {0, 1};
        const std::array<std::uint8_t, 80> header{};
        const ScanJob job(header, std::span(versions).first(rolled ? 2 : 1), 0);
        launch(program, variant, job, {0, 1}, 0, job.versions().size());
        save_program(api_, program);
        programs_.push_back({variant, rolled, std::move(program)});
    }

    void scan(const KernelVariant& variant, const ScanJob& job, NonceRange range, Candidates& found) override {
        const Program* const program = find(variant, job.rolled());
        if (program == nullptr) throw DeviceError("the kernel of " + to_string(variant) + " is not prepared");
        const std::size_t versions = job.versions().size();
        for (std::size_t first = 0; first < versions && !found.overflow(); first += kVersionsPerLaunch) {
            launch(*program, variant, job, range, first, std::min(kVersionsPerLaunch, versions - first));
            take_result(static_cast<std::uint32_t>(first), found);
        }
    }

private:
    struct Prepared {
        KernelVariant variant;
        bool rolled;
        Program program;
    };

    template <class T>
    [[nodiscard]] T value(cl_device_info property, T fallback) const {
        return device_value<T>(api_, device_.id, property, fallback);
    }

    /// CPUs have vectors, and say how many lanes they like; on GPUs each work item is a lane.
    [[nodiscard]] unsigned vector_width() const {
        if (!info().software) return 1;
        const auto preferred = value<cl_uint>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1);
        for (const unsigned width : {16u, 8u, 4u}) {
            if (preferred >= width) return width;
        }
        return 1;
    }

    [[nodiscard]] std::vector<unsigned> groups() const {
        if (info().software) return {64};
        return {256, 128, 64};
    }

    /// The most promising first. Multiplications are as fast as additions on NVIDIA's GPUs, a quarter of it on most
    /// others, and on CPUs that is known without trying.
    [[nodiscard]] std::vector<Mix> mixes() const {
        if (info().software) return {Mix::kPlain};
        if (value<cl_uint>(CL_DEVICE_VENDOR_ID, 0) == kVendorNvidia)
            return {Mix::kAddsShifts, Mix::kAddsShiftsRotations, Mix::kAdds, Mix::kPlain};
        return {Mix::kPlain, Mix::kAdds, Mix::kAddsShifts, Mix::kAddsShiftsRotations};
    }

    [[nodiscard]] const Program* find(const KernelVariant& variant, bool rolled) const {
        const auto place = std::find_if(programs_.begin(), programs_.end(), [&](const Prepared& prepared) {
            return prepared.variant == variant && prepared.rolled == rolled;
        });
        return place == programs_.end() ? nullptr : &place->program;
    }

    /// Runs the kernel for some of the job's versions, and waits until the head of its result is there.
    void launch(const Program& program, const KernelVariant& variant, const ScanJob& job, NonceRange range,
                std::size_t first_version, std::size_t versions) {
        gpu::LaunchWords words = gpu::launch_words(job, range);
        words.versions = static_cast<std::uint32_t>(versions);
        static_assert(sizeof words == (6 + 32) * sizeof(cl_uint));  // as in search.cl
        set_argument(program, 0, sizeof words, &words);
        set_argument(program, 1, job.job_words().size_bytes(), job.job_words().data());
        set_argument(program, 2, versions_);
        set_argument(program, 3, found_);

        if (job.rolled()) {
            auto place = version_words_.begin();
            for (std::size_t v = first_version; v < first_version + versions; ++v)
                place = std::copy(job.version_words(v).begin(), job.version_words(v).end(), place);
            write(versions_, std::span(version_words_.begin(), place));
        }
        found_words_[0] = 0;
        write(found_, std::span(found_words_).first(1));
        const std::size_t items =
            std::max<std::size_t>(kSmallestLaunch, (range.count + variant.width - 1) / variant.width);
        const std::size_t group = variant.group, rounded_up = (items + group - 1) / group * group;
        cl_event started = nullptr, ended = nullptr;
        check(api_.EnqueueNDRangeKernel(queue_.get(), program.kernel.get(), 1, nullptr, &rounded_up, &group, 0, nullptr,
                                        &started),
              "start the kernel");
        const Handle<cl_event> run(started, api_.ReleaseEvent);
        // Made to wait for the kernel, it fails where the kernel does.
        check(api_.EnqueueReadBuffer(queue_.get(), found_.get(), CL_FALSE, 0, kHeadBytes, found_words_.data(), 1,
                                     &started, &ended),
              "read the result");
        const Handle<cl_event> read(ended, api_.ReleaseEvent);
        check(api_.Flush(queue_.get()), "hand its commands to the device");
        check(wait_for(api_, read.get()), "run the kernel");
    }

    /// Adds the result of a launch to `found`.
    void take_result(std::uint32_t first_version, Candidates& found) {
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

    void set_argument(const Program& program, cl_uint index, std::size_t size, const void* value) const {
        check(api_.SetKernelArg(program.kernel.get(), index, size, value), "set the kernel's arguments");
    }

    void set_argument(const Program& program, cl_uint index, const Handle<cl_mem>& buffer) const {
        const cl_mem value = buffer.get();
        set_argument(program, index, sizeof(cl_mem), &value);
    }

    void write(const Handle<cl_mem>& buffer, std::span<const cl_uint> words) const {
        check(api_.EnqueueWriteBuffer(queue_.get(), buffer.get(), CL_FALSE, 0, words.size_bytes(), words.data(), 0,
                                      nullptr, nullptr),
              "write to the device's memory");
    }

    const Api& api_;
    const ListedDevice device_;
    // Released in reverse order.
    Handle<cl_context> context_{nullptr, api_.ReleaseContext};
    Handle<cl_command_queue> queue_{nullptr, api_.ReleaseCommandQueue};
    Handle<cl_mem> versions_{nullptr, api_.ReleaseMemObject};
    Handle<cl_mem> found_{nullptr, api_.ReleaseMemObject};
    std::vector<Prepared> programs_;
    // Read and written by the device during a launch, and perhaps after one that failed: they never move.
    std::vector<cl_uint> version_words_ = std::vector<cl_uint>(kVersionsPerLaunch * kRolledVersionWords);
    std::vector<cl_uint> found_words_ = std::vector<cl_uint>(kFoundBytes / sizeof(cl_uint));
};

}  // namespace

std::unique_ptr<gpu::Engine> make_engine(const Api& api, ListedDevice device) {
    return std::make_unique<OpenclEngine>(api, std::move(device));
}

}  // namespace gpuminer::opencl
