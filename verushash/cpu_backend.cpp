#include "verushash/cpu_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/thread_device.hpp"
#include "host/text/text.hpp"
#include "verushash/algorithm.hpp"
#include "verushash/scanner.hpp"

namespace gpuminer {
namespace verushash {
namespace {

/// The last nonces of a slice are not interleaved with others, so it is worth some length.
constexpr std::uint64_t kSmallestSlice = 1 << 13;

class VerusHashDevice final : public cpu::ThreadDevice {
public:
    VerusHashDevice(const FastForm& form, DeviceInfo info, unsigned hardware_thread, const DeviceOptions& options)
        : ThreadDevice(std::move(info), hardware_thread, options, kSmallestSlice), form_(form) {}

protected:
    void scan_slice(const ScanJob& any, NonceRange slice, ScanResult& result) override {
        const auto& job = any.as<VerusJob>();
        if (!scanner_) scanner_.emplace(form_);  // here: workers start in parallel
        if (prepared_ != job.serial_number()) scanner_->set_header(job.header());
        prepared_ = job.serial_number();
        scanner_->scan(slice, job.target_top(), result.candidates);
    }

private:
    const FastForm& form_;
    std::optional<Scanner> scanner_;
    std::uint64_t prepared_ = 0;  ///< serial number of the scanner's job
};

/// Those that --isa allows. Throws InputError for a name that is none, NoDeviceError for one that cannot run here.
const FastForm* choose_form(const std::string& isa) {
    if (isa == "auto") return usable_fast_form();
    std::string names = "auto";
    for (const FastForm& form : fast_forms()) {
        names += fmt::format(", {}", form.name);
        if (form.name != isa) continue;
        if (!form.usable()) throw NoDeviceError(fmt::format("--isa {} cannot run here: {}", isa, form.missing));
        return &form;
    }
    throw InputError(fmt::format("expected one of {} as --isa for verushash, got {}", names, quoted_text(isa)));
}

std::vector<Probe> probe(const DeviceOptions& options) {
    const FastForm* const form = choose_form(options.isa);
    std::vector<Probe> probes(1);
    if (form != nullptr) {
        probes = cpu::thread_probes(options, form->name, form->description);
    } else {
        probes[0].info.name = probes[0].info.backend = kCpuBackendName;
        probes[0].usable = probes[0].used_by_default = false;
        probes[0].reason = why_no_fast_form();
    }
    for (Probe& probe : probes) probe.info.algorithm = &kVerusHash;
    return probes;
}

std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions& options) {
    const auto forms = fast_forms();
    const auto form = std::ranges::find(forms, probe.info.kind, &FastForm::name);
    if (form == forms.end()) throw DeviceError("there is no CPU device " + probe.info.name);
    return std::make_unique<VerusHashDevice>(*form, probe.info, probe.index, options);
}

}  // namespace
}  // namespace verushash

const Backend kVerusHashCpuBackend{kCpuBackendName.data(), verushash::probe, verushash::open, &kVerusHash};

}  // namespace gpuminer
