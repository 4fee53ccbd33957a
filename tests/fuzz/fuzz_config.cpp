// Fuzzer of configuration files. Each is understood or refused with a plain sentence, and understood values lie
// within their bounds; all complaints about its lines are plain sentences, too.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/fuzz/command_lines.hpp"

using namespace gpuminer;
using fuzz::demand;

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const int file = memfd_create("config", 0);
    demand(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size),
           "the configuration file is written");
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const bool pool = text.find("url") != std::string_view::npos;
    const bool node = text.find("coinbase") != std::string_view::npos;
    fuzz::check_words({pool ? "pool" : node ? "solo" : "mine", "--config", path});
    const char* const words[] = {"gpuminer", "config", "check", "--config", path.c_str()};
    const Arguments check(std::size(words), words);
    for (const Arguments::Complaint& complaint : check.complaints()) fuzz::demand_plain_sentence(complaint.sentence);
    return 0;
}
