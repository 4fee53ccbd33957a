// Workload `kernel`: the CPU kernels without the host, compared with the limit of the execution ports.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

#include "bench/workloads/cpu_workloads.hpp"
#include "bench/workloads/port_limit.hpp"
#include "bench/workloads/port_probe.hpp"
#include "bench/workloads/test_block.hpp"
#include "bench/workloads/timed_work.hpp"
#include "cpu/form_choice.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "host/errors.hpp"

namespace gpuminer::bench {
namespace {

constexpr std::array kVersionCounts = {1u, 4u, 8u, 16u};

/// An instruction set with a number of header versions. A round is the kernel between two probes of the ports, so that
/// both have seen the same clock frequency.
class MeasuredKernel {
public:
    MeasuredKernel(const cpu::Isa& isa, unsigned versions, std::stop_token stop)
        : isa_(isa),
          versions_(versions),
          job_(block_100000().bytes, versions_of_block(versions), 0),
          probe_(port_probe(isa.name)),
          operations_(operations_per_hash(isa.name, versions)),
          work_(std::move(stop), 16, [this](std::uint64_t nonces) { scan(nonces); }) {}
    MeasuredKernel(const MeasuredKernel&) = delete;
    MeasuredKernel& operator=(const MeasuredKernel&) = delete;

    [[nodiscard]] std::string name() const {
        return versions_ == 1 ? fmt::format("{} fixed", isa_.name)
                              : fmt::format("{} {} versions", isa_.name, versions_);
    }

    /// Hashes per second.
    double measure(double seconds) {
        if (probe_ != nullptr) (void)port_rate(*probe_);  // wakes the wide units up
        work_.warm_up(seconds);
        const double before = probe_ != nullptr ? port_rate(*probe_) : 0;
        const std::uint64_t first_cycle = have_cycle_counter() ? read_cycle_counter() : 0;
        const TimedWork::Timing timing = work_.time(seconds);
        const std::uint64_t cycles = have_cycle_counter() ? read_cycle_counter() - first_cycle : 0;
        const double after = probe_ != nullptr ? port_rate(*probe_) : 0;

        const double hashes = static_cast<double>(timing.units) * versions_;
        const double rate = hashes / timing.seconds;
        if (have_cycle_counter()) cycles_.add(static_cast<double>(cycles) / hashes);
        if (probe_ != nullptr && operations_) {
            port_rates_.add((before + after) / 2);
            shares_.add(*operations_ * rate / ((before + after) / 2));
        }
        return rate;
    }

    [[nodiscard]] Json details() const {
        return {{"isa", isa_.name},
                {"versions", versions_},
                {"cycles_per_hash", cycles_.json()},
                {"operations_per_hash", operations_ ? Json(*operations_) : Json(nullptr)},
                {"port_operations_per_second", port_rates_.json()},
                {"share_of_limit", shares_.json()},
                {"spreads",
                 {{"cycles_per_hash", cycles_.spread_json()},
                  {"port_operations_per_second", port_rates_.spread_json()},
                  {"share_of_limit", shares_.spread_json()}}}};
    }

private:
    void scan(std::uint64_t nonces) {
        std::array<Candidate, 1> none;
        (void)cpu::scan(isa_, job_, {0, nonces}, none);
    }

    const cpu::Isa isa_;
    const unsigned versions_;
    const Sha256dJob job_;
    const PortProbe* const probe_;
    const std::optional<double> operations_;
    TimedWork work_;
    Figure cycles_, port_rates_, shares_;
};

std::string kernel_text() {
    return fmt::format(
        "{}/hash: as {} counts them, not those of the core. The limit: operations per hash at the rate at which the "
        "ports\n"
        "took such operations just before and after; scalar code has no simple one.\n",
        kCycleCounter.short_units, kCycleCounter.instruction);
}

}  // namespace

Rows kernel_rows(const Setting& setting, std::span<const cpu::Isa> isas, const cpu::Features& features) {
    Rows rows;
    rows.text = [](std::size_t) { return kernel_text(); };
    rows.job = {{"header", block_100000().hex()}};
    const std::string& wanted = setting.options.devices.options.isa;
    for (const cpu::Isa& isa : isas) {
        if (wanted != "auto" && wanted.substr(0, wanted.find(':')) != isa.name) continue;
        if (!cpu::usable(isa, features)) {
            setting.note(fmt::format("kernel: {} is not measured: {}", isa.name, isa.missing));
            continue;
        }
        rows.job["forms"][isa.name] = isa.description;  // the faster one here, where there are several
        for (const unsigned versions : kVersionCounts) {
            const auto kernel = std::make_shared<MeasuredKernel>(isa, versions, setting.stop);
            if (!finds_the_block(isa, versions)) {
                throw VerificationError(
                    fmt::format("kernel: {} does not find exactly OpenSSL's hits around block 100000", kernel->name()));
            }
            rows.rows.push_back({kernel->name(), "hashes/s", Better::kHigher,
                                 [kernel](double seconds) { return kernel->measure(seconds); },
                                 [kernel] { return kernel->details(); }});
        }
    }
    if (rows.rows.empty())
        throw InputError(fmt::format("kernel: expected an instruction set that this CPU has, got {}", wanted));
    return rows;
}

Rows prepare_kernel(const Setting& setting) {
    std::vector<cpu::Isa> forms;
    const std::string& wanted = setting.options.devices.options.isa;
    const auto allowed = cpu::usable_forms(wanted, cpu::detect_features());
    const cpu::Isa* const named = allowed.size() == 1 ? allowed.front() : nullptr;
    for (const cpu::Isa& isa : cpu::isas()) {
        const bool is_named = named != nullptr && named->name == std::string_view(isa.name);
        forms.push_back(is_named ? *named : cpu::fastest_form(isa.name));
    }
    return kernel_rows(setting, forms);
}

}  // namespace gpuminer::bench
