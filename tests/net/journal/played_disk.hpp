// A disk that tests play, for the journal. It writes, hangs, answers again and fails as they say.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "net/journal/file.hpp"

namespace gpuminer::test {

/// What the disk does, and what is on it. Outlives a journal that abandons its thread.
class Disk {
public:
    void hang() {
        const std::lock_guard lock(mutex_);
        hangs_ = true;
    }
    bool hangs() const {
        const std::lock_guard lock(mutex_);
        return hangs_;
    }
    void go_on() {
        const std::lock_guard lock(mutex_);
        hangs_ = false;
        changed_.notify_all();
    }
    void fail_with(std::string reason) {
        const std::lock_guard lock(mutex_);
        failure_ = std::move(reason);
    }
    void call() {
        std::unique_lock lock(mutex_);
        ++calls_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !hangs_; });
        if (!failure_.empty()) throw InputError(failure_);
    }
    void put(std::string_view lines) {
        const std::lock_guard lock(mutex_);
        text_ += lines;
    }
    std::string text() const {
        const std::lock_guard lock(mutex_);
        return text_;
    }
    int calls() const {
        const std::lock_guard lock(mutex_);
        return calls_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool hangs_ = false;
    int calls_ = 0;
    std::string failure_;
    std::string text_;
};

class PlayedStore final : public net::JournalStore {
public:
    PlayedStore(std::shared_ptr<Disk> disk, std::vector<nlohmann::json> left)
        : disk_(std::move(disk)), left_(std::move(left)) {}
    std::vector<nlohmann::json> open(const std::stop_token& /*stop*/) override {
        disk_->call();
        return left_;
    }
    std::filesystem::path path() const override { return "played.jsonl"; }
    void append(std::string_view lines) override {
        disk_->call();
        disk_->put(lines);
    }

private:
    const std::shared_ptr<Disk> disk_;
    const std::vector<nlohmann::json> left_;
};

}  // namespace gpuminer::test
