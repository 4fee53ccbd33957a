#include "bench/context.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "cpu/features.hpp"
#include "cpu/tsc.hpp"
#include "gpuminer_build_info.hpp"

namespace gpuminer::bench {
namespace {

/// The first CPU's line of that name in /proc/cpuinfo.
std::string cpuinfo(const std::string& name) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1) == name) {
            return line.substr(colon + 2);
        }
    }
    return "?";
}

std::string cpu() {
    return cpu::cpu_model() + " (family " + cpuinfo("cpu family") + " model " + cpuinfo("model") + " stepping " +
           cpuinfo("stepping") + ")";
}

std::string machine() {
    utsname name{};
    uname(&name);
    const bool guest = cpuinfo("flags").find(" hypervisor") != std::string::npos;
    return std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " hardware threads, " + name.sysname + " " + name.release +
           (guest ? ", virtual machine" : "");
}

std::string counter() {
    if (!have_rdtscp()) return "none (no rdtscp)";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g GHz (rdtscp)", measured_tsc_hz() / 1e9);
    return text.data();
}

/// Real-time scheduling keeps other processes off; a hardware thread of its own keeps caches warm.
std::string scheduling() {
    const int policy = sched_getscheduler(0);
    std::string text = policy == SCHED_FIFO ? "SCHED_FIFO" : policy == SCHED_RR ? "SCHED_RR" : "normal";
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        const int count = CPU_COUNT(&allowed);
        text += count == 1 ? ", on one hardware thread" : ", on any of " + std::to_string(count) + " hardware threads";
    }
    double load = 0;
    if (getloadavg(&load, 1) == 1) {
        std::array<char, 32> number{};
        std::snprintf(number.data(), number.size(), ", load %.1f", load);
        text += number.data();
    }
    return text;
}

std::string now() {
    const std::time_t time = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&time, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &utc);
    return text.data();
}

}  // namespace

nlohmann::ordered_json measuring_context(int argc, const char* const* argv) {
    std::string command;
    for (int i = 0; i < argc; ++i) command += (i == 0 ? "" : " ") + std::string(argv[i]);
    return {{"time", now()},
            {"machine", machine()},
            {"cpu", cpu()},
            {"cycle counter", counter()},
            {"compiler", kCompiler},
            {"flags", kBuildFlags},
            {"kernel flags", GPUMINER_KERNEL_FLAGS},
            {"commit", kCommit},
            {"scheduling", scheduling()},
            {"command", command}};
}

void print_context(const nlohmann::ordered_json& context) {
    for (const auto& [name, value] : context.items())
        std::printf("%-14s %s\n", name.c_str(), value.get<std::string>().c_str());
}

}  // namespace gpuminer::bench
