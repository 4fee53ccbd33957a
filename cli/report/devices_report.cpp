#include "cli/report/devices_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "host/block/algorithm.hpp"
#include "host/text/document.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostColumns = 120;
constexpr std::size_t kLongestModel = 40;
constexpr std::size_t kShortestModel = 12;
constexpr const char* kIndent = "       ";  // under the name

// ----- text -----

std::string memory_text(std::uint64_t bytes) {
    constexpr double kGibibyte = 1 << 30;
    return bytes == 0 ? "-" : fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGibibyte);
}

/// `text` in lines of at most so many columns, indented, broken between words.
std::string paragraph(std::string_view text, std::size_t columns) {
    const std::size_t width = columns - std::string_view(kIndent).size();
    std::string lines;
    while (text.size() > width) {
        const std::size_t space = text.rfind(' ', width);
        const std::size_t end = space == std::string_view::npos || space == 0 ? width : space;
        lines += fmt::format("{}{}\n", kIndent, text.substr(0, end));
        text.remove_prefix(end + (end == space ? 1 : 0));
    }
    return lines + fmt::format("{}{}\n", kIndent, text);
}

/// "CUDA 13.0, NVIDIA 580.95, PCI 0000:01:00.0, UUID …"; empty for a CPU thread.
std::string details(const DeviceInfo& info) {
    std::string text;
    const auto add = [&text](const char* before, const std::string& value) {
        if (!value.empty()) text += fmt::format("{}{}{}", text.empty() ? "" : ", ", before, value);
    };
    add("", info.api_version);
    add("", info.driver);
    add("", info.code);
    add("PCI ", info.pci);
    add("UUID ", info.uuid);
    return text;
}

class DeviceTable {
public:
    DeviceTable(const std::vector<ListedDevice>& devices, std::size_t columns)
        : columns_(std::min(columns, kMostColumns)) {
        for (const ListedDevice& device : devices) name_width_ = std::max(name_width_, device.probe.info.name.size());
        const std::size_t others = character_count(line("", "", "", "", "", "", ""));
        const std::size_t room = columns_ + model_width_;
        if (columns_ < kMostColumns)
            longest_model_ = std::clamp(room - std::min(room, others), kShortestModel, kLongestModel);
        for (const ListedDevice& device : devices)
            model_width_ = std::max(model_width_, character_count(model_text(device.probe.info)));
    }
    [[nodiscard]] std::string head() const {
        return line("no.", "name", "model", "memory", "units", "clock", "used") + "  why not\n";
    }
    [[nodiscard]] std::string row(const ListedDevice& device) const {
        const Probe& probe = device.probe;
        const DeviceInfo& info = probe.info;
        const bool is_device = !info.model.empty();  // not only a backend's name
        std::string text = line(device.number ? std::to_string(*device.number) : "-", info.name, model_text(info),
                                memory_text(info.memory_bytes), is_device ? std::to_string(info.units) : "-",
                                info.clock_mhz > 0 ? fmt::format("{} MHz", info.clock_mhz) : "-",
                                !probe.usable           ? "unusable"
                                : probe.used_by_default ? "yes"
                                                        : "no");
        const bool fits = !probe.reason.empty() && character_count(text + probe.reason) + 2 <= columns_;
        if (fits) text += "  " + printable(probe.reason);
        text.resize(text.find_last_not_of(' ') + 1);
        text += '\n';
        if (const std::string more = details(info); !more.empty()) text += paragraph(printable(more), columns_);
        if (!fits && !probe.reason.empty()) text += paragraph(printable(probe.reason), columns_);
        return text;
    }

private:
    [[nodiscard]] std::string model_text(const DeviceInfo& info) const {
        return shortened(printable(info.model), longest_model_);
    }
    [[nodiscard]] std::string line(std::string_view number, std::string_view name, std::string_view model,
                                   std::string_view memory, std::string_view units, std::string_view clock,
                                   std::string_view used) const {
        return fmt::format("{:>4}  {:{}}  {:{}}  {:>9}  {:>5}  {:>8}  {:8}", number, name, name_width_, model,
                           model_width_, memory, units, clock, used);
    }

    const std::size_t columns_;
    std::size_t longest_model_ = kLongestModel;
    std::size_t name_width_ = std::string_view("name").size();
    std::size_t model_width_ = std::string_view("model").size();
};

// ----- JSON -----

Json number_or_null(std::uint64_t number) { return number == 0 ? Json(nullptr) : Json(number); }

Json device_json(const ListedDevice& device) {
    const Probe& probe = device.probe;
    const DeviceInfo& info = probe.info;
    return {{"number", device.number ? Json(*device.number) : Json(nullptr)},
            {"name", info.name},
            {"backend", info.backend},
            {"algorithm", info.algorithm->name},
            {"model", info.model},
            {"driver", text_or_null(info.driver)},
            {"api_version", text_or_null(info.api_version)},
            {"code", text_or_null(info.code)},
            {"memory_bytes", number_or_null(info.memory_bytes)},
            {"units", info.units},
            {"clock_mhz", number_or_null(std::uint64_t{info.clock_mhz})},
            {"pci", text_or_null(info.pci)},
            {"uuid", text_or_null(info.uuid)},
            {"software", info.software},
            {"usable", probe.usable},
            {"used_by_default", probe.usable && probe.used_by_default},
            {"reason", text_or_null(probe.reason)}};
}

}  // namespace

std::string devices_text(const std::vector<ListedDevice>& devices, std::size_t columns) {
    const DeviceTable table(devices, columns);
    std::string text = table.head();
    for (const ListedDevice& device : devices) text += table.row(device);
    return text;
}

std::string devices_json(const std::vector<ListedDevice>& devices) {
    Json list = Json::array();
    for (const ListedDevice& device : devices) list.push_back(device_json(device));
    // Names of models come from drivers: what is not UTF-8 is replaced, not thrown at.
    return json_text(document("devices", {{"devices", list}}), 2) + "\n";
}

}  // namespace gpuminer
