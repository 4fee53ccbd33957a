// Common parts of the fuzzers of command lines and of configuration files.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "host/errors.hpp"
#include "tests/fuzz/property.hpp"

namespace gpuminer::fuzz {

inline void check_options(const Options& options) {
    const SearchRequest& request = options.request;
    demand(request.start <= request.end, "a range has a first and a last nonce");
    demand((request.version_mask & ~0x1fffffe0u) == 0, "only BIP 323's bits are rolled");
    demand(request.max_results >= 1, "at least one result is asked for");
    demand(!options.time_limit || (*options.time_limit > 0 && *options.time_limit <= 1e9), "a time limit is positive");
    for (const auto& limits : {options.temperature_limits, options.cpu_temperature_limits}) {
        demand(!limits || (limits->max_c >= 30 && limits->max_c <= 110), "temperatures are those of devices");
        demand(!limits || limits->resume_c < limits->max_c, "a device goes on when it is cooler than it may be");
    }
    const DeviceOptions& device = options.devices.options;
    demand(!device.threads || *device.threads >= 1, "at least one thread is asked for");
    demand(device.cpu_priority <= 5, "priorities go from 0 to 5");
    demand(!device.intensity || *device.intensity < 64, "2^intensity fits 64 bits");
    demand(device.cpu_affinity.size() <= 8192, "a list of hardware threads is bounded");
}

/// `words`: of a command line, behind the program's name. They are understood, or refused with a plain sentence.
inline void check_words(const std::vector<std::string>& words) {
    std::vector<const char*> argv{"gpuminer"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    try {
        check_options(read_options(Arguments(static_cast<int>(argv.size()), argv.data())));
    } catch (const InputError& error) {
        demand_plain_sentence(error.what());
    }
}

}  // namespace gpuminer::fuzz
