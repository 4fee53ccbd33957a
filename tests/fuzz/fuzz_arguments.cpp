// Fuzzer of command lines and configuration files: each is understood or refused with a plain sentence, and what is
// understood lies within its bounds.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "host/errors.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using fuzz::demand;

namespace {

void check_options(const Options& options) {
    const SearchRequest& request = options.request;
    demand(request.start <= request.end, "a range has a first and a last nonce");
    demand((request.version_mask & ~0x1fffe000u) == 0, "only BIP 320's bits are rolled");
    demand(request.max_results >= 1, "at least one result is asked for");
    demand(!options.time_limit || (*options.time_limit > 0 && *options.time_limit <= 1e9), "a time limit is positive");
    const auto& limits = options.temperature_limits;
    demand(!limits || (limits->max_c >= 30 && limits->max_c <= 110), "temperatures are those of GPUs");
    demand(!limits || limits->resume_c < limits->max_c, "a device goes on when it is cooler than it may be");
    const DeviceOptions& device = options.devices.options;
    demand(!device.threads || *device.threads >= 1, "at least one thread is asked for");
    demand(device.cpu_priority <= 5, "priorities go from 0 to 5");
    demand(!device.intensity || *device.intensity < 64, "2^intensity fits 64 bits");
    demand(device.cpu_affinity.size() <= 8192, "a list of hardware threads is bounded");
}

void check_words(const std::vector<std::string>& words) {
    std::vector<const char*> argv{"gpuminer"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    try {
        check_options(read_options(Arguments(static_cast<int>(argv.size()), argv.data())));
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
}

void check_config(const std::string& text) {
    static const int file = memfd_create("config", 0);
    demand(ftruncate(file, 0) == 0 && pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
           "the configuration file is written");
    check_words({"mine", "genesis", "--config", "/proc/self/fd/" + std::to_string(file)});
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

}  // namespace

/// The first byte says what the rest is: 'c' a configuration file, anything else words, one a line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] == 'c') {
        check_config(text);
    } else if (text.find("-c") == std::string::npos && text.find("--pass-f") == std::string::npos) {  // our own files
        check_words(lines_of(text));
    }
    return 0;
}
