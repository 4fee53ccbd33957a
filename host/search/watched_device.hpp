// Device that counts its calls, so that a watchdog sees whether it is inside one, and for how long the same one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/backend.h"
#include "host/search/self_test.hpp"

namespace gpuminer {

class WatchedDevice final : public Device {
public:
    explicit WatchedDevice(std::unique_ptr<Device> device)
        : device_(std::move(device)), info_(device_->info()), can_hang_(device_->can_hang()) {}

    // Constant, and so for any thread:
    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] bool can_hang() const override { return can_hang_; }
    /// Goes up whenever a call begins or ends; odd: inside one.
    [[nodiscard]] std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

    // For the device's own thread:
    [[nodiscard]] std::uint64_t batch() const override { return device_->batch(); }
    void attach_thread() override {
        const Call call(calls_);
        device_->attach_thread();
    }
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) override {
        const Call call(calls_);
        device_->scan(job, range, result);
    }
    /// The first time: attaches the thread and runs the self-test. Returns why the device is not to be used.
    [[nodiscard]] std::optional<std::string> prove() {
        if (proven_) return std::nullopt;
        attach_thread();
        auto reason = self_test(*this);
        proven_ = !reason;
        return reason;
    }

private:
    struct Call {
        explicit Call(std::atomic<std::uint64_t>& counted) : calls(counted) { ++calls; }
        ~Call() { ++calls; }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        std::atomic<std::uint64_t>& calls;
    };

    const std::unique_ptr<Device> device_;
    const DeviceInfo info_;
    const bool can_hang_;
    bool proven_ = false;
    std::atomic<std::uint64_t> calls_ = 0;
};

}  // namespace gpuminer
