#include "bench/tools/pipe_rates.hpp"

#include <algorithm>
#include <utility>

#include "cuda/driver.hpp"
#include "cuda/handles.hpp"

namespace gpuminer::bench {

/// PTX of pipe_rates.cu; in a source of its own that CMake generates.
extern const char* const kPipeKernels;

namespace {

using namespace cuda;

constexpr double kInstructions = double{kPipeChains} * kPipeStepsPerRound * kPipeRounds;

class Meter {
public:
    Meter(const Api& api, unsigned index)
        : api_(api),
          device_(device_at(api, index)),
          context_(api, device_),
          module_(api.ModuleUnload),
          sink_(api.MemFree),
          cycles_(api.MemFree),
          start_(api.EventDestroy),
          end_(api.EventDestroy) {
        check(api_, context_.use(), "using the device");
        int multiprocessors = 0;
        check(api_, api_.DeviceGetAttribute(&multiprocessors, kMultiprocessorCount, device_),
              "counting multiprocessors");
        taken_.resize(static_cast<std::size_t>(multiprocessors));
        load_module(api_, kPipeKernels, module_.out());
        check(api_, api_.MemAlloc(sink_.out(), taken_.size() * kPipeThreads * sizeof(std::uint64_t)),
              "allocating memory");
        check(api_, api_.MemAlloc(cycles_.out(), taken_.size() * sizeof(std::uint64_t)), "allocating memory");
        check(api_, api_.EventCreate(start_.out(), 0), "making an event");
        check(api_, api_.EventCreate(end_.out(), 0), "making an event");
    }

    [[nodiscard]] PipeRate measure(const char* kernel, const char* name, const char* question, int repetitions) {
        Function function = nullptr;
        check(api_, api_.ModuleGetFunction(&function, module_.get(), kernel), "finding the kernel");
        std::vector<double> lanes;
        double clock_mhz = 0;
        for (int i = -1; i < repetitions; ++i) {  // the first one raises the clocks
            const float milliseconds = run(function, static_cast<std::uint32_t>(i) + 3);
            if (i < 0) continue;
            for (const std::uint64_t each : taken_)
                lanes.push_back(kInstructions * kPipeThreads / static_cast<double>(each));
            const auto longest = static_cast<double>(*std::max_element(taken_.begin(), taken_.end()));
            clock_mhz = std::max(clock_mhz, longest / (static_cast<double>(milliseconds) * 1e3));
        }
        std::sort(lanes.begin(), lanes.end());
        return {name, question, lanes[lanes.size() / 2], lanes.front(), lanes.back(), clock_mhz};
    }

private:
    /// Its time in milliseconds; the cycles of each multiprocessor are in taken_.
    float run(Function function, std::uint32_t seed) {
        DeviceMemory sink = sink_.get(), cycles = cycles_.get();
        std::uint32_t one = 1;
        void* parameters[] = {&seed, &one, &sink, &cycles};
        check(api_, api_.EventRecord(start_.get(), nullptr), "recording an event");
        check(api_,
              api_.LaunchKernel(function, static_cast<unsigned>(taken_.size()), 1, 1, kPipeThreads, 1, 1, 0, nullptr,
                                parameters, nullptr),
              "starting the kernel");
        check(api_, api_.EventRecord(end_.get(), nullptr), "recording an event");
        check(api_, api_.EventSynchronize(end_.get()), "the measurement");
        check(api_, api_.MemcpyDtoHAsync(taken_.data(), cycles, taken_.size() * sizeof taken_[0], nullptr),
              "fetching results");  // of memory that is not pinned: complete when it returns
        float milliseconds = 0;
        check(api_, api_.EventElapsedTime(&milliseconds, start_.get(), end_.get()), "reading an event");
        return milliseconds;
    }

    const Api& api_;
    const DeviceNumber device_;
    const PrimaryContext context_;
    Owned<Module> module_;
    Owned<DeviceMemory> sink_, cycles_;
    Owned<Event> start_, end_;
    std::vector<std::uint64_t> taken_;
};

}  // namespace

std::vector<PipeRate> measure_pipe_rates(unsigned device, int repetitions) {
    Meter meter(*system_api(), device);
    const auto rate = [&](const char* kernel, const char* name, const char* question) {
        return meter.measure(kernel, name, question, repetitions);
    };
    return {
        rate("shf", "SHF", "rotations: 64 in the model"),
        rate("lop3", "LOP3", "logic: 64 in the model"),
        rate("shf_lop3", "SHF + LOP3", "64 if both are on one pipe"),
        rate("imad", "IMAD", "additions of the mixes: 64 in the model"),
        rate("imad_hi", "IMAD.HI", "shifts of a mix: 32 in the model"),
        rate("imad_wide", "IMAD.WIDE", "32 in the model"),
        rate("shf_imad", "SHF + IMAD", "128 if the pipes work side by side"),
        rate("lop3_viadd", "LOP3 + VIADD", "128 if constants are added on the pipe of IMAD"),
        rate("lop3_imad", "LOP3 + IMAD", "85 if each half of the registers yields 128 lanes (3 of 5 lie in one)"),
        rate("lop3_imad_of_3", "LOP3 + IMAD of 3", "the same (3 of 6)"),
        rate("shf_shf_imad_hi", "2 SHF + IMAD.HI",
             "96 if it is on the other pipe; 64 if it stops the first one as well"),
        rate("shf_shf_imad_wide", "2 SHF + IMAD.WIDE", "the same"),
    };
}

}  // namespace gpuminer::bench
