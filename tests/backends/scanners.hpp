// All ways to scan on this machine: each backend's devices, each instruction set, each variant of a GPU kernel.
#pragma once

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cpu/isa.hpp"
#include "host/gpu/engine.hpp"
#include "tests/kernel/scan_tools.hpp"

namespace gpuminer {
#define GPUMINER_BACKEND(variable) extern const Backend variable;
#include "gpuminer_backends.inc"
#undef GPUMINER_BACKEND
}  // namespace gpuminer

namespace gpuminer::test {

inline const std::vector<const Backend*>& backends() {
    static const std::vector<const Backend*> all{
#define GPUMINER_BACKEND(variable) &(variable),
#include "gpuminer_backends.inc"
#undef GPUMINER_BACKEND
    };
    return all;
}

/// One way to scan jobs of one form (one header, or several versions).
struct Scanner {
    std::string name;
    std::function<void(const Sha256dJob&, NonceRange, Candidates&)> scan;

    [[nodiscard]] Keys keys(const Sha256dJob& job, NonceRange range) const {
        Candidates found;
        scan(job, range, found);
        if (found.overflow()) FAIL("more candidates than fit");
        Keys keys;
        for (const Candidate& c : found.items()) keys.emplace_back(c.version_index, c.nonce);
        std::sort(keys.begin(), keys.end());
        return keys;
    }
};

/// The scanners of one backend: of its devices that differ, each with every variant it offers.
class Scanners {
public:
    explicit Scanners(const char* backend_name) {
        for (const Backend* const backend : backends()) {
            if (std::string(backend->name) == backend_name) open(*backend);
        }
        if (devices_.empty() && reasons_.empty()) reasons_ = "it is not part of this build";
    }

    [[nodiscard]] const std::vector<Scanner>& of_form(bool rolled) const { return scanners_[rolled]; }
    [[nodiscard]] const std::vector<std::shared_ptr<Device>>& devices() const { return devices_; }
    /// Why there is no device.
    [[nodiscard]] const std::string& reasons() const { return reasons_; }

private:
    void open(const Backend& backend) {
        if (backend.is_cpu()) return open_cpu(backend);
        for (const Probe& probe : backend.probe({})) {
            if (probe.usable) {
                add(backend.open(probe, {.tuning_seconds = 0}));
            } else {
                reasons_ += (reasons_.empty() ? "" : "; ") + probe.reason;
            }
        }
    }

    /// One thread of each instruction set.
    void open_cpu(const Backend& backend) {
        for (const cpu::Isa& isa : cpu::isas()) {
            if (!cpu::usable(isa, cpu::detect_features())) {
                std::cout << "not here: cpu:" << isa.name << ", " << isa.missing << std::endl;
                continue;
            }
            const DeviceOptions options{.threads = 1, .isa = isa.name};
            add(backend.open(backend.probe(options).front(), options));
        }
    }

    void add(std::shared_ptr<Device> device) {
        devices_.push_back(device);
        gpu::Engine* const engine = gpu::engine_of(*device);
        for (const bool rolled : {false, true}) {
            if (engine == nullptr) {
                scanners_[rolled].push_back({device->info().name, [device](auto& job, auto range, auto& found) {
                                                 ScanResult result;
                                                 device->scan(job, range, result);
                                                 found = result.candidates;
                                             }});
                continue;
            }
            for (const gpu::KernelVariant& variant : engine->variants(rolled)) {
                engine->prepare(variant, rolled);
                scanners_[rolled].push_back({device->info().name + " " + to_string(variant),
                                             [device, engine, variant](auto& job, auto range, auto& found) {
                                                 engine->scan(variant, job, range, found);
                                             }});
            }
        }
        device->attach_thread();
    }

    std::vector<std::shared_ptr<Device>> devices_;
    std::vector<Scanner> scanners_[2];
    std::string reasons_;
};

}  // namespace gpuminer::test
