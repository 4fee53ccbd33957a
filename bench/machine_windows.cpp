// Facts of the machine and the system. No reliable word on a virtual machine: the hypervisor's own Windows has the same
// marks.
#include <windows.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/machine.hpp"
#include "cpu/machine/cpu_model.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "cpu/machine/topology.hpp"
#include "host/text/json_text.hpp"

namespace gpuminer::bench {
namespace {

/// "Intel64 Family 6 Model 85 Stepping 7" of the first processor; empty: unknown.
std::string processor_identifier() {
    std::array<char, 128> text{};
    DWORD size = text.size();
    const LSTATUS status = RegGetValueA(HKEY_LOCAL_MACHINE, R"(HARDWARE\DESCRIPTION\System\CentralProcessor\0)",
                                        "Identifier", RRF_RT_REG_SZ, nullptr, text.data(), &size);
    return status == ERROR_SUCCESS ? text.data() : "";
}

/// The word after this one.
std::string word_after(const std::string& name, const std::string& text) {
    std::istringstream stream(text);
    std::string word;
    while (stream >> word && word != name) {
    }
    return stream >> word ? word : "";
}

Json cores() {
    DWORD size = 0;
    (void)GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &size);
    std::vector<std::byte> buffer(size);
    const auto record_at = [&](std::size_t at) {
        return reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer.data() + at);
    };
    if (size == 0 || GetLogicalProcessorInformationEx(RelationProcessorCore, record_at(0), &size) == 0) return nullptr;
    std::size_t count = 0;
    for (std::size_t at = 0; at < size; at += record_at(at)->Size) ++count;
    return count;
}

unsigned hardware_threads() {
    return std::max(1U, static_cast<unsigned>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)));
}

Json memory_bytes() {
    MEMORYSTATUSEX memory{};
    memory.dwLength = sizeof memory;
    return GlobalMemoryStatusEx(&memory) != 0 ? Json(std::uint64_t{memory.ullTotalPhys}) : Json(nullptr);
}

template <class Function>
Function* function_of_ntdll(const char* name) {
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    return ntdll != nullptr ? reinterpret_cast<Function*>(reinterpret_cast<void*>(GetProcAddress(ntdll, name)))
                            : nullptr;
}

/// "Windows 10.0.19045", whatever the program says that it is for; with ", Wine 8.0" where that stands in for it.
std::string system_name() {
    RTL_OSVERSIONINFOW version{};
    version.dwOSVersionInfoSize = sizeof version;
    std::string text = "Windows";
    auto* const tell = function_of_ntdll<LONG WINAPI(RTL_OSVERSIONINFOW*)>("RtlGetVersion");
    if (tell != nullptr && tell(&version) == 0)
        text += fmt::format(" {}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
    auto* const wine = function_of_ntdll<const char*()>("wine_get_version");
    return wine != nullptr ? fmt::format("{}, by Wine {}", text, wine()) : text;
}

std::string scheduling() {
    const DWORD priority = GetPriorityClass(GetCurrentProcess());
    const std::size_t count = cpu::usable_hardware_threads().size();
    return fmt::format("{}, on {}",
                       priority == NORMAL_PRIORITY_CLASS ? "normal" : fmt::format("priority class {:#x}", priority),
                       count == 1 ? "one hardware thread" : fmt::format("any of {} hardware threads", count));
}

struct CpuTime {
    double busy = 0, all = 0;  ///< in units of 100 ns since the start, of all hardware threads
};

double number_of(const FILETIME& time) {
    constexpr double kHigh = 4294967296;
    return kHigh * time.dwHighDateTime + time.dwLowDateTime;
}

CpuTime cpu_time() {
    FILETIME idle{}, kernel{}, user{};  // the second one has the first one in it
    if (GetSystemTimes(&idle, &kernel, &user) == 0) return {};
    const double all = number_of(kernel) + number_of(user);
    return {all - number_of(idle), all};
}

/// Number of hardware threads that other programs keep busy, measured while this one waits.
Json busy_threads() {
    const CpuTime before = cpu_time();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const CpuTime after = cpu_time();
    if (after.all <= before.all) return nullptr;
    return hardware_threads() * (after.busy - before.busy) / (after.all - before.all);
}

}  // namespace

Json machine_facts() {
    const std::string processor = processor_identifier();
    return {{"cpu", cpu::cpu_model()},
            {"cpu_family", text_or_null(word_after("Family", processor))},
            {"cpu_model_number", text_or_null(word_after("Model", processor))},
            {"cpu_stepping", text_or_null(word_after("Stepping", processor))},
            {"microcode", nullptr},
            {"cores", cores()},
            {"hardware_threads", hardware_threads()},
            {"memory_bytes", memory_bytes()},
            {"virtual_machine", nullptr},
            {"governor", nullptr},
            {"turbo", nullptr},
            {"tsc_hz", have_cycle_counter() ? Json(measured_counter_hz()) : Json(nullptr)},
            {"cycle_unit", kCycleCounter.units},
            {"system", system_name()},
            {"scheduling", scheduling()},
            {"load", nullptr},
            {"busy_threads", busy_threads()},
            {"cpu_flags", nullptr}};
}

}  // namespace gpuminer::bench
