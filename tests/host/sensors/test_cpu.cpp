// CPU package energy, from a folder like Linux's /sys/class/powercap.
#include <filesystem>
#include <optional>
#include <string>

#include "cli/run/setup.hpp"
#include "host/sensors/cpu_energy.hpp"
#include "host/sensors/sensor_thread.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;

namespace {

class Powercap : public test::TemporaryFolder {
public:
    /// `zone`: "intel-rapl:0"; `uj`: the counter.
    void zone(const std::string& zone, const std::string& name, const std::string& uj,
              const std::string& range = "65532610987") const {
        write(zone + "/name", name + "\n");
        write(zone + "/max_energy_range_uj", range + "\n");
        count(zone, uj);
    }
    void count(const std::string& zone, const std::string& uj) const { write(zone + "/energy_uj", uj + "\n"); }
};

bool is(std::optional<double> joules, double wanted) { return joules && *joules == Approx(wanted); }

}  // namespace

TEST_CASE("a package's energy is what its counter moves") {
    const Powercap folder;
    folder.zone("intel-rapl:0", "package-0", "1000000");
    CpuEnergy energy(folder.path());
    CHECK(energy.problem().empty());
    CHECK_FALSE(energy.joules());
    folder.count("intel-rapl:0", "3500000");
    energy.sample();
    CHECK(is(energy.joules(), 2.5));
    folder.count("intel-rapl:0", "4500000");
    energy.sample();
    CHECK(is(energy.joules(), 3.5));
}

TEST_CASE("several packages and dies add up, and nothing else does") {
    const Powercap folder;
    for (const auto* zone : {"intel-rapl:0", "intel-rapl:10"}) folder.zone(zone, "package-0-die-1", "100");
    // The whole machine, parts of a package, the same package by another way, the folder of the kind itself, others.
    folder.zone("intel-rapl:2", "psys", "100");
    folder.zone("intel-rapl:0:0", "core", "100");
    folder.zone("intel-rapl-mmio:0", "package-0", "100");
    folder.write("intel-rapl/enabled", "1\n");
    folder.zone("dtpm:0", "package-0", "100");
    CpuEnergy energy(folder.path());
    REQUIRE(energy.problem().empty());
    for (const auto* zone :
         {"intel-rapl:0", "intel-rapl:10", "intel-rapl:2", "intel-rapl:0:0", "intel-rapl-mmio:0", "dtpm:0"})
        folder.count(zone, "1000100");
    energy.sample();
    CHECK(is(energy.joules(), 2));
}

TEST_CASE("a counter that starts anew goes on") {
    const Powercap folder;
    folder.zone("intel-rapl:0", "package-0", "64999999", "65000000");
    CpuEnergy energy(folder.path());
    folder.count("intel-rapl:0", "1999999");
    energy.sample();
    CHECK(is(energy.joules(), 2));
    for (const auto* uj : {"30000000", "60000000", "4999999"}) {  // and once more around
        folder.count("intel-rapl:0", uj);
        energy.sample();
    }
    CHECK(is(energy.joules(), 70));
}

TEST_CASE("a counter that was reset while the machine slept tells nothing") {
    const Powercap folder;
    folder.zone("intel-rapl:0", "package-0", "20000000", "65000000");
    CpuEnergy energy(folder.path());
    folder.count("intel-rapl:0", "1000000");
    energy.sample();
    CHECK_FALSE(energy.joules());
    CHECK(contains(energy.problem(), "reset"));
    folder.count("intel-rapl:0", "2000000");
    energy.sample();
    CHECK_FALSE(energy.joules());
}

TEST_CASE("a counter that stands still, as some virtual machines have it, tells nothing") {
    const Powercap folder;
    folder.zone("intel-rapl:0", "package-0", "0");
    CpuEnergy energy(folder.path());
    energy.sample();
    CHECK_FALSE(energy.joules());
}

TEST_CASE("without packages there is no energy, and a reason") {
    const Powercap folder;
    CHECK(contains(CpuEnergy(folder.path()).problem(), "no CPU package"));
    CHECK(contains(CpuEnergy(folder.path() / "missing").problem(), "no CPU package"));
    folder.zone("intel-rapl:1", "psys", "100");
    CpuEnergy energy(folder.path());
    CHECK(contains(energy.problem(), "no CPU package"));
    energy.sample();
    CHECK_FALSE(energy.joules());
}

TEST_CASE("one package that cannot be read makes the sum unknown") {
    for (const auto* text : {"", "many", "-5", "12 J", "99999999999999999999999"}) {
        const Powercap folder;
        folder.zone("intel-rapl:0", "package-0", "100");
        folder.zone("intel-rapl:1", "package-1", text);
        CpuEnergy energy(folder.path());
        INFO(text);
        CHECK(contains(energy.problem(), "intel-rapl:1/energy_uj: "));
        folder.count("intel-rapl:0", "2000000");
        energy.sample();
        CHECK_FALSE(energy.joules());
    }
    // Not there (root can read what others may not, so a missing file stands for all that does not open).
    const Powercap folder;
    folder.zone("intel-rapl:0", "package-0", "100");
    folder.zone("intel-rapl:1", "package-1", "100");
    std::filesystem::remove(folder.path() / "intel-rapl:1/energy_uj");
    CHECK(contains(CpuEnergy(folder.path()).problem(), "intel-rapl:1/energy_uj: No such file"));
}

TEST_CASE("a package that cannot be read any more makes the sum unknown") {
    const Powercap folder;
    folder.zone("intel-rapl:0", "package-0", "100");
    CpuEnergy energy(folder.path());
    folder.count("intel-rapl:0", "2000100");
    energy.sample();
    CHECK(is(energy.joules(), 2));
    std::filesystem::remove(folder.path() / "intel-rapl:0/energy_uj");
    energy.sample();
    CHECK_FALSE(energy.joules());
    CHECK(contains(energy.problem(), "No such file"));
}

TEST_CASE("Linux's own folder is looked at where no other is given") {
    CHECK(SensorOptions().powercap == "/sys/class/powercap");
    CHECK(ProgramSetup().powercap == std::string("/sys/class/powercap"));
}
