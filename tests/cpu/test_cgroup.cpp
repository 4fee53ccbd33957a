// CPU time limits of containers, read from made-up system folders.
#include "cpu/machine/topology.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"

using gpuminer::cpu::cgroup_cpu_limit;
using gpuminer::test::TemporaryFolder;

namespace {

struct File {
    const char* path;
    const char* text;
};

std::optional<double> limit_with(std::initializer_list<File> files) {
    const TemporaryFolder root;
    for (const File& file : files) root.write(file.path, file.text);
    return cgroup_cpu_limit(root.path());
}

}  // namespace

TEST_CASE("without control groups there is no limit") {
    CHECK_FALSE(limit_with({}));
    CHECK_FALSE(limit_with({{"proc/self/cgroup", ""}}));
    CHECK_FALSE(limit_with({{"proc/self/cgroup", "0::/user.slice\n"}}));      // no such folder
    CHECK_FALSE(limit_with({{"sys/fs/cgroup/cpu.max", "100000 100000\n"}}));  // not our group
    CHECK_FALSE(cgroup_cpu_limit("/nonexistent"));
}

TEST_CASE("version 2: cpu.max is quota and period") {
    CHECK(limit_with({{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "150000 100000\n"}}) == 1.5);
    CHECK(limit_with({{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "50000 100000"}}) == 0.5);
    CHECK_FALSE(limit_with({{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "max 100000\n"}}));
}

TEST_CASE("version 2: the tightest of the groups above counts") {
    CHECK(limit_with({{"proc/self/cgroup", "0::/a/b/c\n"},
                      {"sys/fs/cgroup/a/cpu.max", "200000 100000\n"},
                      {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
                      {"sys/fs/cgroup/a/b/c/cpu.max", "300000 100000\n"},
                      {"sys/fs/cgroup/other/cpu.max", "1000 100000\n"}}) == 2.0);
}

TEST_CASE("version 2: a container sees its own group at the top") {
    // With a namespace of its own the path is "/" …
    CHECK(limit_with({{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "400000 100000\n"}}) == 4.0);
    // … without one it is the host's, which is not there …
    CHECK(limit_with(
              {{"proc/self/cgroup", "0::/docker/0123456789ab\n"}, {"sys/fs/cgroup/cpu.max", "70000 100000\n"}}) == 0.7);
    // … and a process that was moved in from outside has one that leads out.
    CHECK(limit_with({{"proc/self/cgroup", "0::/../outside\n"}, {"sys/fs/cgroup/cpu.max", "70000 100000\n"}}) == 0.7);
}

TEST_CASE("version 1: quota and period are two files") {
    const auto limit_of = [](const char* quota) {
        return limit_with({{"proc/self/cgroup", "5:memory:/b\n4:cpu,cpuacct:/a\n1:name=systemd:/c\n"},
                           {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", quota},
                           {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}});
    };
    CHECK(limit_of("250000\n") == 2.5);
    CHECK_FALSE(limit_of("-1\n"));  // none
    CHECK_FALSE(limit_of("0\n"));
    CHECK_FALSE(limit_of(""));
}

TEST_CASE("version 1: the controller is called cpu, not something like it") {
    for (const char* const line : {"4:cpuset:/a\n", "4:cpuacct:/a\n", "4:mycpu:/a\n"}) {
        CHECK_FALSE(limit_with({{"proc/self/cgroup", line},
                                {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000"},
                                {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000"}}));
    }
    for (const char* const line : {"4:cpu:/a\n", "4:cpuacct,cpu:/a\n", "4:cpu,cpuacct:/a\n"}) {
        CHECK(limit_with({{"proc/self/cgroup", line},
                          {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000"},
                          {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000"}}) == 1.0);
    }
}

TEST_CASE("both versions side by side: the tightest counts") {
    CHECK(limit_with({{"proc/self/cgroup", "4:cpu:/a\n0::/b\n"},
                      {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000"},
                      {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000"},
                      {"sys/fs/cgroup/b/cpu.max", "200000 100000"}}) == 2.0);
}

TEST_CASE("what cannot be understood is no limit") {
    for (const char* const text :
         {"", "\n", "abc\n", "100000", "100000 0\n", "-5 100000\n", "0 100000\n", "100000 -1\n", "100000 x\n"}) {
        INFO(text);
        CHECK_FALSE(limit_with({{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", text}}));
    }
    for (const char* const line : {"", ":", "0", "0:", "::", "no colon at all"}) {
        INFO(line);
        CHECK_FALSE(limit_with({{"proc/self/cgroup", line}, {"sys/fs/cgroup/a/cpu.max", "100000 100000"}}));
    }
    // A colon may be part of a group's name.
    CHECK(limit_with({{"proc/self/cgroup", "0::/a:b\n"}, {"sys/fs/cgroup/a:b/cpu.max", "100000 100000"}}) == 1.0);
}
