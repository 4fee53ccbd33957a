#include "bench/workloads/interruptions.hpp"

#include <fmt/format.h>

#include "cpu/machine/cycle_counter.hpp"
#include "host/text/format.hpp"
#include "host/text/table.hpp"
#include "host/thread_columns.hpp"

namespace gpuminer::bench {

void NotingDevice::scan(const ScanJob& job, NonceRange range, ScanResult& result) {
    result.interruptions = &interruptions;
    SharedDevice::scan(job, range, result);
    result.interruptions = nullptr;
}

void begin_interruptions(const NotingDevices& devices) {
    const double counter_hz = have_cycle_counter() ? measured_counter_hz() : 0;
    for (const auto& device : devices) device->interruptions.begin(counter_hz);
}

Interruptions::Rows take_interruptions(const NotingDevices& devices) {
    Interruptions::Rows all{};
    for (const auto& device : devices) {
        device->interruptions.finish();
        merge(all, device->interruptions.rows());
    }
    return all;
}

Json interruptions_json(const Interruptions::Rows& rows) {
    Json array = Json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        array.push_back(
            {{"from_seconds", Interruptions::kFrom[i]}, {"slices", rows[i].slices}, {"seconds", rows[i].seconds}});
    }
    return array;
}

std::string interruptions_text(const Interruptions::Rows& here, const std::optional<Interruptions::Rows>& there,
                               std::size_t columns) {
    Table table{{"longer than the median by"}, {}};
    if (there) table.headings.insert(table.headings.end(), {"no OS: slices", "together"});
    table.headings.insert(table.headings.end(), {there ? "Linux: slices" : "slices", "together"});
    for (std::size_t i = 0; i < here.size(); ++i) {
        std::vector<std::string>& cells = table.rows.emplace_back(std::vector<std::string>{kInterruptionNames[i]});
        const auto add = [&](const Interruptions::Row& row) {
            cells.push_back(grouped(row.slices));
            cells.push_back(row.slices == 0 ? "-" : fmt::format("{:.6f} s", row.seconds));
        };
        if (there) add((*there)[i]);
        add(here[i]);
    }
    return aligned_text(table, {.columns = columns});
}

}  // namespace gpuminer::bench
