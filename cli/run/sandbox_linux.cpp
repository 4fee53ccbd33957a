#include "cli/run/sandbox.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuminer {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // none that is known here
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GPUMINER_STARTS_PROCESSES
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GPUMINER_STARTS_PROCESSES
#endif
#ifdef GPUMINER_STARTS_PROCESSES
constexpr bool kStartsProcesses = true;  // LeakSanitizer at the end, all of them to name functions
#else
constexpr bool kStartsProcesses = false;
#endif

#ifdef __x86_64__
constexpr std::uint32_t kFirstOfX32 = 0x40000000;  // the same calls once more, with pointers of 32 bits
#endif

/// Calls that fail as if the user had no right to them (EPERM), whatever their arguments.
constexpr std::uint32_t kRefused[] = {
    // Programs and processes. (Threads are clone(), below.)
    __NR_execve, __NR_execveat,
#ifdef __NR_fork
    __NR_fork, __NR_vfork,
#endif
    // Other processes.
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_process_madvise, __NR_pidfd_getfd, __NR_kcmp,
    // The kernel: its parts that most of its flaws are in, and code for it.
    __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_io_uring_setup, __NR_add_key, __NR_request_key, __NR_keyctl,
    __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_kexec_file_load, __NR_syslog,
    __NR_personality,
#ifdef __NR_iopl
    __NR_iopl, __NR_ioperm, __NR_modify_ldt,
#endif
    // The machine.
    __NR_reboot, __NR_swapon, __NR_swapoff, __NR_acct, __NR_quotactl, __NR_settimeofday, __NR_clock_settime,
    __NR_clock_adjtime, __NR_adjtimex, __NR_sethostname, __NR_setdomainname,
    // Mounts and namespaces.
    __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_unshare, __NR_setns, __NR_open_tree, __NR_move_mount,
    __NR_fsopen, __NR_fsconfig, __NR_fsmount, __NR_fspick, __NR_mount_setattr, __NR_open_by_handle_at};

/// To type into the user's terminal would be to start a program.
constexpr std::uint32_t kRefusedRequests[] = {TIOCSTI, TIOCLINUX};

/// Local services and the Internet; what looks up a name asks the kernel for this machine's addresses (netlink).
constexpr std::uint32_t kFamilies[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

/// A program for the kernel's filter (seccomp(2), linux/filter.h), or a part of one. Both architectures are
/// little-endian.
class Filter {
public:
    Filter& load(std::size_t offset) { return add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
    /// The low half of an argument: all that the kernel looks at where it is an int.
    Filter& load_argument(std::size_t index) {
        return load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
    }
    Filter& end(std::uint32_t verdict) { return add(BPF_RET | BPF_K, verdict); }
    Filter& fail(int error) { return end(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
    /// `then`, at most 255 instructions that end in a verdict, where the condition (BPF_JEQ, BPF_JGE, BPF_JSET) holds.
    Filter& when(unsigned condition, std::uint32_t value, const Filter& then) {
        add(BPF_JMP | condition | BPF_K, value, 0, then.code_.size());
        code_.insert(code_.end(), then.code_.begin(), then.code_.end());
        return *this;
    }
    Filter& unless(unsigned condition, std::uint32_t value, const Filter& then) {
        add(BPF_JMP | condition | BPF_K, value, then.code_.size(), 0);
        code_.insert(code_.end(), then.code_.begin(), then.code_.end());
        return *this;
    }
    /// For all threads, those to come, too. (Without SPEC_ALLOW some kernels would slow them down, to protect the
    /// process from its own code.)
    [[nodiscard]] bool install() {
        sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        constexpr unsigned kFlags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program) == 0;
    }

private:
    Filter& add(unsigned code, std::uint32_t value, std::size_t over_if_true = 0, std::size_t over_if_false = 0) {
        code_.push_back({static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(over_if_true),
                         static_cast<std::uint8_t>(over_if_false), value});
        return *this;
    }
    std::vector<sock_filter> code_;
};

Filter make_filter() {
    const Filter allow = Filter().end(SECCOMP_RET_ALLOW);
    const Filter refuse = Filter().fail(EPERM);
    Filter filter;
    filter.load(offsetof(seccomp_data, arch)).unless(BPF_JEQ, kArchitecture, refuse);  // of 32 bits: other numbers
    filter.load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
    filter.when(BPF_JGE, kFirstOfX32, refuse);
#endif
    for (const std::uint32_t number : kRefused) filter.when(BPF_JEQ, number, refuse);
    // Its flags are in memory, where a filter cannot look: libc then uses clone().
    filter.when(BPF_JEQ, __NR_clone3, Filter().fail(ENOSYS));
    filter.when(BPF_JEQ, __NR_clone, Filter().load_argument(0).when(BPF_JSET, CLONE_THREAD, allow).fail(EPERM));
    Filter ioctl_request = Filter().load_argument(1);
    for (const std::uint32_t request : kRefusedRequests) ioctl_request.when(BPF_JEQ, request, refuse);
    filter.when(BPF_JEQ, __NR_ioctl, ioctl_request.end(SECCOMP_RET_ALLOW));
    Filter family = Filter().load_argument(0);
    for (const std::uint32_t known : kFamilies) family.when(BPF_JEQ, known, allow);
    filter.when(BPF_JEQ, __NR_socket, family.fail(EAFNOSUPPORT));
    return filter.end(SECCOMP_RET_ALLOW);
}

}  // namespace

bool enter_sandbox() { return kArchitecture != 0 && !kStartsProcesses && make_filter().install(); }

}  // namespace gpuminer
