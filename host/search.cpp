#include "host/search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "host/worker.hpp"

namespace gpuminer {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const SearchRequest& validated(const SearchRequest& request, const std::vector<std::unique_ptr<Device>>& devices) {
    if (request.start > request.end) {
        throw InputError("The first nonce has to be at or below the last one, but " + std::to_string(request.start) +
                         " is above " + std::to_string(request.end) + ".");
    }
    if (devices.empty()) throw NoDeviceError("There is no device to search with.");
    return request;
}

}  // namespace

struct Search::Impl {
    Impl(const SearchRequest& request, std::vector<std::unique_ptr<Device>> search_devices)
        : devices(std::move(search_devices)), context(validated(request, devices), devices.size()) {
        for (std::size_t i = 0; i < devices.size(); ++i) workers.emplace_back(context, *devices[i], i);
    }

    void run_workers();
    [[nodiscard]] Ending ending() const;
    [[nodiscard]] SearchReport report();

    std::vector<std::unique_ptr<Device>> devices;
    SearchContext context;
    std::deque<Worker> workers;

    mutable std::mutex mutex;  // guards everything below
    std::optional<Ending> stop_reason;
    std::optional<Clock::time_point> started;
    std::optional<double> duration;  ///< seconds, once the workers have ended
    bool paused = false;
};

void Search::Impl::run_workers() {
    {
        const std::lock_guard lock(mutex);
        started = Clock::now();
    }
    std::vector<std::thread> threads;
    threads.reserve(workers.size());
    for (Worker& worker : workers) {
        try {
            threads.emplace_back([&worker] { worker.run(); });
        } catch (const std::system_error& error) {
            worker.quarantine(std::string("no thread could be started for it: ") + error.what(), false);
        }
    }
    for (std::thread& thread : threads) thread.join();
    const std::lock_guard lock(mutex);
    duration = seconds_since(*started);
}

Ending Search::Impl::ending() const {
    const bool first_found = context.request.goal == Goal::kFirst && !context.hits.empty();
    if (first_found || context.partition.finished()) return Ending::kFinished;
    const std::lock_guard lock(mutex);
    return stop_reason.value_or(Ending::kFailed);
}

SearchReport Search::Impl::report() {
    SearchReport result;
    result.ending = ending();
    result.truncated = context.hits.truncate();
    for (const auto& [key, hash] : context.hits.entries()) {
        const std::uint32_t version = context.versions.version(key.version_index);
        const BlockHeader header = context.request.header.with_version(version).with_nonce(key.nonce);
        result.hits.push_back({version, key.nonce, hash, header});
    }
    for (const Worker& worker : workers) {
        const DeviceReport& device = worker.report();
        result.hashes += device.hashes;
        result.rejected_candidates += device.wrong_candidates;
        result.devices.push_back(device);
    }
    const std::lock_guard lock(mutex);
    result.seconds = *duration;
    return result;
}

Search::Search(const SearchRequest& request, std::vector<std::unique_ptr<Device>> devices)
    : impl_(std::make_unique<Impl>(request, std::move(devices))) {}

Search::~Search() = default;

SearchReport Search::run() {
    impl_->run_workers();
    return impl_->report();
}

void Search::stop(Ending why) {
    {
        const std::lock_guard lock(impl_->mutex);
        if (!impl_->stop_reason) impl_->stop_reason = why;
    }
    impl_->context.partition.stop();
}

void Search::set_paused(bool paused) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->paused = paused;
    }
    impl_->context.partition.set_paused(paused);
}

SearchProgress Search::progress() const {
    const SearchRequest& request = impl_->context.request;
    SearchProgress result;
    const std::uint64_t nonces = std::uint64_t{request.end} - request.start + 1;
    if (__builtin_mul_overflow(nonces, impl_->context.versions.size(), &result.hashes_total)) {
        result.hashes_total = std::numeric_limits<std::uint64_t>::max();
    }
    // What a distrusted device searched is hashed twice; the share done stays within the whole.
    result.hashes_done = std::min(impl_->context.hashes_done.load(std::memory_order_relaxed), result.hashes_total);
    const std::lock_guard lock(impl_->mutex);
    if (impl_->started) result.seconds = impl_->duration ? *impl_->duration : seconds_since(*impl_->started);
    result.paused = impl_->paused;
    return result;
}

std::vector<std::string> Search::take_messages() { return impl_->context.messages.take(); }

}  // namespace gpuminer
