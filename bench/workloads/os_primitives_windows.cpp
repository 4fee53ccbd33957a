#include "bench/workloads/os_primitives.hpp"

#include <windows.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/workloads/os_primitives_system.hpp"
#include "bench/workloads/timing.hpp"
#include "host/errors.hpp"
#include "host/files/path_text.hpp"
#include "host/system/wide_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

namespace fs = std::filesystem;

/// Of the call that has just failed.
std::string reason() {
    const int error = static_cast<int>(GetLastError());
    return fmt::format("{} (error {})", std::system_category().message(error), error);
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
    throw InputError(
        fmt::format("expected a folder for files, got {}: {}", quoted_text(path_text(folder), 100), reason()));
}

/// Waits for what it holds.
class Children {
public:
    explicit Children(std::size_t count) { processes_.reserve(count); }
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;
    ~Children() { (void)wait(); }

    /// With kSuspended, of processes that do nothing: it ends before its first instruction.
    enum class Start { kSuspended, kRunning };
    void create(const std::wstring& command, Start start) {
        STARTUPINFOW how{};
        how.cb = sizeof how;
        std::wstring line = command;  // which the call may write to
        PROCESS_INFORMATION made{};
        const DWORD flags = start == Start::kSuspended ? CREATE_SUSPENDED : 0;
        if (CreateProcessW(nullptr, line.data(), nullptr, nullptr, FALSE, flags, nullptr, nullptr, &how, &made) == 0) {
            throw InputError(fmt::format("{} processes are needed, but only {} started: {}", processes_.capacity(),
                                         processes_.size(), reason()));
        }
        CloseHandle(made.hThread);
        processes_.push_back(made.hProcess);
        if (start == Start::kSuspended) (void)TerminateProcess(made.hProcess, 0);
    }

    /// Waits until all have ended. Returns whether each exit code was 0.
    [[nodiscard]] bool wait() {
        bool success = true;
        for (const HANDLE process : processes_) {
            DWORD code = 1;
            (void)WaitForSingleObject(process, INFINITE);
            success = GetExitCodeProcess(process, &code) != 0 && code == 0 && success;
            CloseHandle(process);
        }
        processes_.clear();
        return success;
    }

private:
    std::vector<HANDLE> processes_;
};

std::wstring quoted(const std::wstring& path) { return L'"' + path + L'"'; }

/// What a call writes into a buffer, whose length it returns; 0: it failed.
template <class Call>
std::wstring text_of(const Call& call) {
    std::array<wchar_t, 4096> buffer{};
    const DWORD size = call(buffer.data(), static_cast<DWORD>(buffer.size()));
    return {buffer.data(), std::min<std::size_t>(size, buffer.size())};
}

std::wstring this_program() {
    return text_of([](wchar_t* text, DWORD size) { return GetModuleFileNameW(nullptr, text, size); });
}

/// "C:\" of a folder on it.
std::wstring volume_of(const fs::path& folder) {
    std::array<wchar_t, 4096> root{};
    if (GetVolumePathNameW(folder.c_str(), root.data(), static_cast<DWORD>(root.size())) == 0) refuse_folder(folder);
    return root.data();
}

}  // namespace

const char* const kProcessesText =
    "processes (of this program, each ended before it runs) and programs from the\n"
    "  first CreateProcess to the last end";
const char* const kNoTrivialProgram = "Windows does not say where its shell is";

double create_processes(std::size_t count, const std::stop_token& stop) {
    const std::wstring command = quoted(this_program());
    Children children(count);
    return seconds_of([&] {
        for (std::size_t i = 0; i < count; ++i) {
            go_on(stop);
            children.create(command, Children::Start::kSuspended);
        }
        (void)children.wait();
    });
}

double launch_programs(const std::string& program, std::size_t count, const std::stop_token& stop) {
    const std::wstring command = utf16_of(program);
    Children children(count);
    bool success = false;
    const double seconds = seconds_of([&] {
        for (std::size_t i = 0; i < count; ++i) {
            go_on(stop);
            children.create(command, Children::Start::kRunning);
        }
        success = children.wait();
    });
    go_on(stop);  // Ctrl-C may have ended the children
    if (!success) throw InputError(fmt::format("expected exit code 0 of {}, got another one", program));
    return seconds;
}

std::optional<std::string> trivial_program() {
    const std::wstring folder = text_of([](wchar_t* text, DWORD size) { return GetSystemDirectoryW(text, size); });
    if (folder.empty()) return std::nullopt;
    return utf8_of(quoted(folder + L"\\cmd.exe") + L" /d /c exit 0");
}

fs::path new_folder_in(const fs::path& parent) {
    constexpr unsigned kTries = 100;
    for (unsigned number = 0; number < kTries; ++number) {
        fs::path path = parent / fmt::format("gpuminer-bench-{}-{}", GetCurrentProcessId(), number);
        if (CreateDirectoryW(path.c_str(), nullptr) != 0) return path;
        if (GetLastError() != ERROR_ALREADY_EXISTS) break;
    }
    throw InputError(
        fmt::format("expected a folder for files in {}: {}", quoted_text(path_text(parent), 100), reason()));
}

std::FILE* new_file(const wchar_t* path) { return ::_wfopen(path, L"wb"); }
void delete_file(const wchar_t* path) { (void)DeleteFileW(path); }
void delete_folder(const wchar_t* path) { (void)RemoveDirectoryW(path); }

fs::path folder_for_files() {
    return text_of([](wchar_t* text, DWORD size) { return GetTempPathW(size, text); });
}

std::string file_system_of(const fs::path& folder) {
    std::array<wchar_t, MAX_PATH + 1> name{};
    if (GetVolumeInformationW(volume_of(folder).c_str(), nullptr, 0, nullptr, nullptr, nullptr, name.data(),
                              static_cast<DWORD>(name.size())) == 0)
        refuse_folder(folder);
    return utf8_of(name.data());
}

/// A small file may take a cluster.
double room_for_files(const fs::path& folder) {
    DWORD sectors = 0, bytes = 0, free_clusters = 0, clusters = 0;
    if (GetDiskFreeSpaceW(volume_of(folder).c_str(), &sectors, &bytes, &free_clusters, &clusters) == 0)
        refuse_folder(folder);
    return free_clusters;
}

}  // namespace gpuminer::bench
