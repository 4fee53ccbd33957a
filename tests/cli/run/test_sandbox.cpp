// The sandbox: calls that fail in it, and calls that do not, in a child process each.
#include "cli/run/sandbox.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include "host/sensors/hwmon.hpp"
#include "tests/catch.hpp"
#include "tests/host/sensors/hwmon_folder.hpp"

using namespace gpuminer;

namespace {

constexpr int kNoSandbox = 100;

/// Exit code of a child process that enters the sandbox: what `action` returns.
int in_sandbox(const std::function<int()>& action) {
    const pid_t child = fork();
    if (child == 0) _exit(enter_sandbox() ? action() : kNoSandbox);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/// The error of a system call that fails, 0 of one that does not.
template <typename... Arguments>
int error_of(long number, Arguments... arguments) {
    return syscall(number, arguments...) == -1 ? errno : 0;
}

int error_of_ioctl(int file, unsigned long request, const char* argument) {
    return ioctl(file, request, argument) == -1 ? errno : 0;
}

std::string status_line(const std::string& task, const std::string& name) {
    std::ifstream file("/proc/self/task/" + task + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
    }
    return "";
}

bool no_sandbox_here() {
    if (in_sandbox([] { return 0; }) != kNoSandbox) return false;
    std::cout << "SKIPPED: this kernel has no seccomp filters, or a sanitizer needs what they refuse" << std::endl;
    return true;
}

}  // namespace

TEST_CASE("no program and no process is started in the sandbox", "[sandbox]") {
    if (no_sandbox_here()) return;
    const char* const arguments[] = {"/bin/true", nullptr};
    CHECK(in_sandbox([&] { return error_of(SYS_execve, "/bin/true", arguments, nullptr); }) == EPERM);
    CHECK(in_sandbox([&] { return error_of(SYS_execveat, AT_FDCWD, "/bin/true", arguments, nullptr, 0); }) == EPERM);
    CHECK(in_sandbox([] { return fork() == -1 ? errno : 0; }) == EPERM);
    CHECK(in_sandbox([] { return error_of(SYS_clone, SIGCHLD, 0, 0, 0, 0); }) == EPERM);
    CHECK(in_sandbox([] { return error_of(SYS_clone3, nullptr, 0); }) == ENOSYS);
    CHECK(in_sandbox([] { return system("true") == 0 ? 1 : 0; }) == 0);
}

TEST_CASE("other processes, the kernel and the terminal are out of reach in the sandbox", "[sandbox]") {
    if (no_sandbox_here()) return;
    CHECK(in_sandbox([] { return error_of(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0); }) == EPERM);
    CHECK(in_sandbox([] { return error_of(SYS_process_vm_readv, getppid(), nullptr, 0, nullptr, 0, 0); }) == EPERM);
    CHECK(in_sandbox([] { return error_of(SYS_bpf, 0, nullptr, 0); }) == EPERM);
    CHECK(in_sandbox([] { return error_of(SYS_unshare, 0); }) == EPERM);
    CHECK(in_sandbox([] { return error_of(SYS_mount, "", "", "", 0, nullptr); }) == EPERM);
    for (const int family : {AF_PACKET, AF_VSOCK, AF_ALG})
        CHECK(in_sandbox([=] { return socket(family, SOCK_DGRAM, 0) == -1 ? errno : 0; }) == EAFNOSUPPORT);
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal != -1);
    CHECK(in_sandbox([=] { return error_of_ioctl(terminal, TIOCSTI, "x"); }) == EPERM);
    // The kernel looks at 32 bits of it.
    CHECK(in_sandbox([=] { return error_of(SYS_ioctl, terminal, TIOCSTI | 1UL << 40U, "x"); }) == EPERM);
    close(terminal);
#ifdef __x86_64__
    CHECK(in_sandbox([] { return error_of(0x40000000 | SYS_getpid); }) == EPERM);  // x32
#endif
}

TEST_CASE("sensors are looked up and read inside, as Linux offers them in files") {
    if (no_sandbox_here()) return;
    const test::HwmonFolder folder;
    folder.chip("hwmon1", "k10temp", {{"temp1_label", "Tctl"}, {"temp1_input", "61000"}});
    folder.chip("hwmon2", "amdgpu", {{"temp1_label", "edge"}, {"temp1_input", "50000"}}, "0000:03:00.0");
    CHECK(in_sandbox([&] {
              DeviceInfo gpu;
              gpu.pci = "0000:03:00.0";
              const bool found = open_hwmon(folder.path())->find(gpu).has_value();
              return found && cpu_temperature(folder.path()) == 61.0 ? 7 : 1;
          }) == 7);
}

TEST_CASE("all threads are in the sandbox, and it lets them work", "[sandbox]") {
    if (no_sandbox_here()) return;
    CHECK(in_sandbox([] { return 7; }) == 7);
    const pid_t child = fork();
    if (child == 0) {  // with a thread that was there before
        std::atomic<bool> inside = false;
        std::atomic<bool> good = false;
        std::thread before([&] {
            inside.wait(false);
            good =
                status_line(std::to_string(syscall(SYS_gettid)), "Seccomp") == "2" && error_of(SYS_unshare, 0) == EPERM;
        });
        if (!enter_sandbox()) _exit(kNoSandbox);
        inside = true;
        inside.notify_all();
        before.join();
        bool works = false;
        std::thread after([&] {  // as a name lookup
            addrinfo* found = nullptr;
            works = getaddrinfo("localhost", "1", nullptr, &found) == 0;
            for (const int family : {AF_INET, AF_INET6, AF_UNIX}) {
                const int opened = socket(family, SOCK_STREAM, 0);
                works = works && (opened != -1 || errno == EAFNOSUPPORT);
            }
        });
        after.join();
        const int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        works = works && file != -1 && write(file, "x", 1) == 1 && fsync(file) == 0;
        _exit(good && works ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
