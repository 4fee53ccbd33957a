// Files and lines of the UEFI application, on firmware that the test plays.
#include <string>
#include <vector>

#include "baremetal/console.hpp"
#include "baremetal/firmware.hpp"
#include "baremetal/volume.hpp"
#include "tests/baremetal/fake_firmware.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::baremetal;
using test::FakeFirmware;

namespace {

struct Read {
    uefi::Status status;
    std::string text;
};

Read read_all(FakeFirmware& fake, std::size_t capacity) {
    const Firmware firmware(fake.image(), fake.table());
    const Volume volume(firmware);
    std::vector<char> buffer(capacity + 1);
    std::size_t size = 0;
    const uefi::Status status = volume.read(u"a", buffer.data(), capacity, size);
    return {status, status == uefi::kSuccess ? std::string(buffer.data(), size) : ""};
}

uefi::Status write_all(FakeFirmware& fake, const std::string& text) {
    const Firmware firmware(fake.image(), fake.table());
    return Volume(firmware).write(u"b", text.data(), text.size());
}

std::string status_text(uefi::Status status) {
    Line line;
    add_status(line, status);
    return {line.text().data, line.text().size};
}

}  // namespace

TEST_CASE("files are read whole, or called too large") {
    FakeFirmware fake;
    CHECK(read_all(fake, 100).status == uefi::kNotFound);
    for (const std::size_t size : {0, 1, 99, 100}) {
        fake.files[u"a"] = std::string(size, 'x');
        CHECK(read_all(fake, 100).text == fake.files[u"a"]);
    }
    fake.files[u"a"] = std::string(101, 'x');
    CHECK(read_all(fake, 100).status == uefi::kBufferTooSmall);
    fake.files[u"a"] = std::string(5000, 'y');  // which comes in parts
    CHECK(read_all(fake, 8000).text == fake.files[u"a"]);
    fake.has_volume = false;
    CHECK(read_all(fake, 100).status == uefi::kNotFound);
}

TEST_CASE("a file that is written replaces the one before, or is not there") {
    FakeFirmware fake;
    fake.files[u"b"] = "a longer text";
    CHECK(write_all(fake, "text") == uefi::kSuccess);
    CHECK(fake.files[u"b"] == "text");
    fake.room = 3;
    CHECK(write_all(fake, "text") == uefi::kVolumeFull);
    CHECK(fake.files.count(u"b") == 0);
    fake.room = 100, fake.write_fails = uefi::kDeviceError;
    CHECK(write_all(fake, "text") == uefi::kDeviceError);
    CHECK(fake.files.count(u"b") == 0);
    fake.files[u"b"] = "old", fake.write_fails = uefi::kWriteProtected;
    CHECK(write_all(fake, "text") == uefi::kWriteProtected);
    CHECK(fake.files[u"b"] == "old");
    fake.has_volume = false;
    CHECK(write_all(fake, "text") == uefi::kNotFound);
}

TEST_CASE("statuses are words and a number") {
    CHECK(status_text(uefi::kWriteProtected) == "write protected (EFI error 8)");
    CHECK(status_text(uefi::kErrorBit | 31) == "it failed (EFI error 31)");
}

TEST_CASE("long lines are broken at spaces") {
    FakeFirmware fake;
    const Firmware firmware(fake.image(), fake.table());
    const Console console(firmware);
    const auto shown = [&](const std::string& text) {
        fake.screen.clear();
        console.line({text.data(), text.size()});
        return fake.screen;
    };
    CHECK(shown("") == "\r\n");
    CHECK(shown(std::string(79, 'a')) == std::string(79, 'a') + "\r\n");
    CHECK(shown(std::string(80, 'a')) == std::string(79, 'a') + "\r\na\r\n");
    CHECK(shown(std::string(70, 'a') + " " + std::string(20, 'b')) ==
          std::string(70, 'a') + "\r\n" + std::string(20, 'b') + "\r\n");
    CHECK(shown(std::string(79, 'a') + " b") == std::string(79, 'a') + "\r\nb\r\n");
    fake.screen.clear();
    console.entry("range", "all");
    CHECK(fake.screen == "range       all\r\n");
}

TEST_CASE("the serial line has what is shown, unless the firmware shows it there") {
    const auto on_serial_line = [](std::vector<std::uint8_t> console_path, std::size_t takes) {
        FakeFirmware fake;
        fake.has_serial_line = true, fake.serial_takes = takes, fake.console_path = std::move(console_path);
        const Firmware firmware(fake.image(), fake.table());
        Console(firmware).line("some words");
        CHECK(fake.screen == "some words\r\n");
        return fake.serial_line;
    };
    const std::string all = "some words\r\n";
    CHECK(on_serial_line({}, 100) == all);
    CHECK(on_serial_line({}, 3) == all);  // a slow line, which takes a part at a time
    CHECK(on_serial_line({}, 0).empty());
    // Device paths (UEFI 10.3): a PCI device, a UART, the end; and some that are broken.
    const std::vector<std::uint8_t> pci = {1, 1, 6, 0, 0, 2},
                                    uart = {3, 14, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 1},
                                    end = {0x7f, 0xff, 4, 0};
    const auto path = [](std::initializer_list<std::vector<std::uint8_t>> nodes) {
        std::vector<std::uint8_t> bytes;
        for (const auto& node : nodes) bytes.insert(bytes.end(), node.begin(), node.end());
        return bytes;
    };
    CHECK(on_serial_line(path({pci, end}), 100) == all);
    CHECK(on_serial_line(path({pci, uart, end}), 100).empty());
    CHECK(on_serial_line(path({pci, end, uart, end}), 100).empty());  // the second of two consoles
    CHECK(on_serial_line({1, 1, 0, 0, 3, 14, 19, 0}, 100) == all);
    CHECK(on_serial_line({1, 1}, 100) == all);
    CHECK(on_serial_line(std::vector<std::uint8_t>(5000, 1), 100) == all);
}

TEST_CASE("memory is zeroed and given back") {
    FakeFirmware fake;
    const Firmware firmware(fake.image(), fake.table());
    {
        Pages pages(firmware);
        REQUIRE(pages.allocate(uefi::kPageSize + 1));
        REQUIRE(fake.pages_in_use.size() == 1);
        CHECK(fake.pages_in_use.begin()->second == 2);
        for (std::size_t i = 0; i < 2 * uefi::kPageSize; ++i) REQUIRE(pages.data()[i] == 0);
    }
    CHECK(fake.pages_in_use.empty());
    fake.has_memory = false;
    Pages none(firmware);
    CHECK_FALSE(none.allocate(1));
}
