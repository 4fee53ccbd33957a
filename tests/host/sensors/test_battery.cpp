// Tests of the detection of battery power, from folders laid out as Linux has them.
#include "host/sensors/battery.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"

using namespace gpuminer;
using gpuminer::test::TemporaryFolder;

TEST_CASE("a machine without a battery, or without the folder, does not run on one") {
    const TemporaryFolder folder;
    CHECK_FALSE(runs_on_battery(folder.path() / "missing"));
    CHECK_FALSE(runs_on_battery(folder.path()));
    folder.write("AC/type", "Mains\n");
    folder.write("AC/online", "0\n");
    CHECK_FALSE(runs_on_battery(folder.path()));
}

TEST_CASE("a laptop, plugged in and not") {
    const TemporaryFolder folder;
    folder.write("AC/type", "Mains\n");
    folder.write("AC/online", "1\n");
    folder.write("BAT0/type", "Battery\n");
    folder.write("BAT0/status", "Charging\n");
    folder.write("BAT1/type", "Battery\n");
    folder.write("BAT1/status", "Full\n");
    CHECK_FALSE(runs_on_battery(folder.path()));
    folder.write("AC/online", "0\n");
    folder.write("BAT0/status", "Discharging\n");
    CHECK(runs_on_battery(folder.path()));
    folder.write("AC/online", "1\n");  // a supply that is too weak
    CHECK_FALSE(runs_on_battery(folder.path()));
    folder.write("AC/online", "0\n");
    folder.write("USB/type", "USB\n");
    folder.write("USB/online", "1\n");  // charged through USB
    CHECK_FALSE(runs_on_battery(folder.path()));
}

TEST_CASE("the battery of a mouse is not the machine's") {
    const TemporaryFolder folder;
    folder.write("hid/type", "Battery\n");
    folder.write("hid/scope", "Device\n");
    folder.write("hid/status", "Discharging\n");
    CHECK_FALSE(runs_on_battery(folder.path()));
}
