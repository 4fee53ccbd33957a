#include "mpi/report.hpp"

#include <optional>
#include <utility>

#include "cli/report/report.hpp"
#include "mpi/messages.hpp"

namespace gpuminer::mpi {
namespace {

/// Of machine after machine.
class Total {
public:
    void add(const std::optional<double>& value) {
        complete_ = complete_ && value.has_value();
        sum_ += value.value_or(0);
    }
    [[nodiscard]] std::optional<double> value() const { return complete_ ? std::optional(sum_) : std::nullopt; }

private:
    double sum_ = 0;
    bool complete_ = true;
};

void add_devices(SearchReport& all, std::vector<DeviceReport> devices, const RankReport& from, SensorReport& sensors) {
    for (DeviceReport& device : devices) {
        const auto usage = from.sensors.devices.find(device.info.name);
        device.rank = from.rank;
        if (usage != from.sensors.devices.end()) sensors.devices[name_in_table(device)] = usage->second;
        all.devices.push_back(std::move(device));
    }
}

}  // namespace

CommonReport add_up(const std::vector<std::string>& reports) {
    CommonReport common;
    SearchReport& all = common.search;
    Total energy, power;
    for (const std::string& bytes : reports) {
        const RankReport report = report_of(bytes);
        const SearchReport& search = report.search;
        all.hashes += search.hashes;
        all.rejected_candidates += search.rejected_candidates;
        if (search.best && (!all.best || *search.best < *all.best)) all.best = search.best;
        if (report.rank == 0) all.counter_hz = search.counter_hz;
        all.ranks.push_back({report.rank, report.host, search.devices.size(), search.hashes, search.seconds});
        add_devices(all, search.devices, report, common.sensors);
        if (!report.first_of_machine) continue;
        energy.add(report.sensors.cpu_energy_j);
        power.add(report.sensors.cpu_power_w);
    }
    common.sensors.cpu_energy_j = energy.value();
    common.sensors.cpu_power_w = power.value();
    return common;
}

}  // namespace gpuminer::mpi
