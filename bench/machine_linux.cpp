// Facts of the machine and the system, from /proc and /sys.
#include "bench/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "cpu/machine/cpu_model.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "host/text/json_text.hpp"

namespace gpuminer::bench {
namespace {

/// A file's first line; empty where it cannot be read.
std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// The first processor's lines of /proc/cpuinfo.
std::map<std::string, std::string> cpuinfo() {
    std::map<std::string, std::string> facts;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line) && !line.empty();) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos || colon + 2 > line.size()) continue;
        facts[line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1)] = line.substr(colon + 2);
    }
    return facts;
}

Json words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string word; stream >> word;) all.push_back(word);
    std::ranges::sort(all);
    return all;
}

std::string scheduling() {
    const int policy = sched_getscheduler(0);
    std::string text = policy == SCHED_FIFO ? "SCHED_FIFO" : policy == SCHED_RR ? "SCHED_RR" : "normal";
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        const int count = CPU_COUNT(&allowed);
        text += count == 1 ? ", on one hardware thread" : ", on any of " + std::to_string(count) + " hardware threads";
    }
    return text;
}

/// Of the first hardware thread; a virtual machine tells none.
Json governor() { return text_or_null(first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")); }

/// Each is known by the list of its hardware threads, such as "0,8".
Json cores() {
    std::set<std::string> lists;
    std::error_code ignored;
    for (const auto& cpu : std::filesystem::directory_iterator("/sys/devices/system/cpu", ignored))
        lists.insert(first_line((cpu.path() / "topology/thread_siblings_list").string()));
    lists.erase("");  // of folders about other things, and of threads that are off
    return lists.empty() ? Json(nullptr) : Json(lists.size());
}

/// Whether clocks above the base one are allowed; null: not known.
Json turbo() {
    const std::string no_turbo = first_line("/sys/devices/system/cpu/intel_pstate/no_turbo");
    if (!no_turbo.empty()) return no_turbo == "0";
    const std::string boost = first_line("/sys/devices/system/cpu/cpufreq/boost");
    return boost.empty() ? Json(nullptr) : Json(boost == "1");
}

Json load() {
    double average = 0;
    return getloadavg(&average, 1) == 1 ? Json(average) : Json(nullptr);
}

struct CpuTime {
    double busy = 0, all = 0;  ///< jiffies since the start, of all hardware threads
};

/// The first line of /proc/stat: user nice system idle iowait irq softirq steal.
CpuTime cpu_time() {
    std::istringstream stream(first_line("/proc/stat"));
    std::string name;
    stream >> name;
    CpuTime time;
    constexpr int kIdle = 3, kWaiting = 4, kFields = 8;
    double value = 0;
    for (int field = 0; field < kFields && stream >> value; ++field) {
        time.all += value;
        if (field != kIdle && field != kWaiting) time.busy += value;
    }
    return time;
}

/// Number of hardware threads that other programs keep busy, measured while this one waits.
Json busy_threads() {
    const CpuTime before = cpu_time();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const CpuTime after = cpu_time();
    if (after.all <= before.all) return nullptr;
    return static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)) * (after.busy - before.busy) / (after.all - before.all);
}

}  // namespace

Json machine_facts() {
    std::map<std::string, std::string> cpu = cpuinfo();
    utsname system{};
    uname(&system);
    const Json flags = words(cpu["flags"] + cpu["Features"]);  // x86-64 has the former, ARM64 the latter
    return {{"cpu", cpu::cpu_model()},
            {"cpu_family", text_or_null(cpu["cpu family"])},
            {"cpu_model_number", text_or_null(cpu["model"])},
            {"cpu_stepping", text_or_null(cpu["stepping"])},
            {"microcode", text_or_null(cpu["microcode"])},
            {"cores", cores()},
            {"hardware_threads", sysconf(_SC_NPROCESSORS_ONLN)},
            {"memory_bytes", std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE)},
            {"virtual_machine",
             flags.empty() ? Json(nullptr) : Json(std::ranges::find(flags, "hypervisor") != flags.end())},
            {"governor", governor()},
            {"turbo", turbo()},
            {"tsc_hz", have_cycle_counter() ? Json(measured_counter_hz()) : Json(nullptr)},
            {"cycle_unit", kCycleCounter.units},
            {"system", std::string(system.sysname) + " " + system.release},
            {"scheduling", scheduling()},
            {"load", load()},
            {"busy_threads", busy_threads()},
            {"cpu_flags", flags}};
}

}  // namespace gpuminer::bench
