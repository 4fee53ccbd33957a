// Energy of searches, added up over rounds.
#pragma once

#include <functional>
#include <optional>

#include "bench/document/document.hpp"
#include "host/search/search_types.hpp"

namespace gpuminer::bench {

class Energy {
public:
    /// Runs a search with the sensors on. `search` is given what is to be called for each device that joins.
    SearchReport measure(const std::function<SearchReport(const std::function<void(const DeviceInfo&)>&)>& search);

    /// "joules_per_gh", "hashes_per_joule", "power_w", "max_temperature_c" of the devices that searched: a GPU's own,
    /// and that of all CPU packages (with all that runs on them) where a CPU was among them. Null where one of them
    /// does not tell.
    [[nodiscard]] Json figures() const;

private:
    double joules_ = 0, seconds_ = 0;
    double hashes_ = 0;
    bool complete_ = true;  ///< every device told
    std::optional<double> max_temperature_c_;
};

}  // namespace gpuminer::bench
