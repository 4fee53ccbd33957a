// Workload `scan`: the nonce search on each device and on all together, checked against a complete list of hits.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "bench/document/statistics.hpp"
#include "bench/workloads/energy.hpp"
#include "bench/workloads/gpu_limits.hpp"
#include "bench/workloads/known_hits.hpp"
#include "bench/workloads/open_devices.hpp"
#include "bench/workloads/port_limit.hpp"
#include "bench/workloads/ranks.hpp"
#include "bench/workloads/scan.hpp"
#include "bench/workloads/workload.hpp"

namespace gpuminer::bench {

Rows prepare_scan(const Setting& setting);

namespace {

/// Whether a search of a part found exactly what there is. Throws VerificationError.
void verify(const std::string& who, const SearchReport& report, const KnownSearch& search, NonceRange part) {
    for (const DeviceReport& device : report.devices) {
        if (!device.failure.empty()) throw VerificationError(fmt::format("{}: {}", device.info.name, device.failure));
    }
    if (report.rejected_candidates > 0) {
        throw VerificationError(fmt::format("{}: {} candidates are wrong: their hashes are above the target", who,
                                            report.rejected_candidates));
    }
    std::vector<KnownHit> found;
    for (const Hit& hit : report.hits) found.push_back({hit.version, hit.nonce});
    const std::vector<KnownHit> known = search.hits(part);
    const auto name = [](const KnownHit& hit) {
        return fmt::format("nonce {} of version {:08x}", hit.nonce, hit.version);
    };
    const auto differs = std::ranges::mismatch(found, known);
    if (differs.in2 != known.end() && (differs.in1 == found.end() || *differs.in2 < *differs.in1))
        throw VerificationError(fmt::format("{} missed {}, which is a hit", who, name(*differs.in2)));
    if (differs.in1 != found.end())
        throw VerificationError(
            fmt::format("{} found {}, which is not one of the known hits", who, name(*differs.in1)));
    if (const std::uint64_t hashes = part.count * search.versions; report.hashes != hashes)
        throw VerificationError(fmt::format("{} reported {} hashes of a range of {}", who, report.hashes, hashes));
}

/// A subject at a known search, round after round through the range whose hits are known.
class ScanRow {
public:
    ScanRow(std::shared_ptr<Subject> subject, KnownSearch known, std::stop_token stop)
        : subject_(std::move(subject)),
          known_(std::move(known)),
          versions_(known_.versions),
          stop_(std::move(stop)),
          next_(known_.range.first) {
        if (!alone() || !device_info().is_cpu()) return;
        subject_->devices.front()->probe = port_probe(device_info().kind);
        operations_ = operations_per_hash(device_info().kind, static_cast<unsigned>(versions_));
    }

    [[nodiscard]] std::string name() const { return subject_->name + " " + known_.form; }

    /// A single device's rate is that of the time inside its scans; several together are timed as a whole.
    double measure(double seconds) {
        if (rate_ == 0) return warm_up(seconds);
        const SearchReport report = search(rate_ * seconds);
        rate_ = static_cast<double>(report.hashes) / report.seconds;
        whole_rates_.push_back(rate_);
        for (const DeviceReport& device : report.devices) add(device);
        if (!alone()) return rate_;
        const TimedDevice& device = *subject_->devices.front();
        const double rate = static_cast<double>(device.hashes) / device.seconds;
        if (operations_ && !device.port_rates.empty())
            shares_.push_back(*operations_ * rate / bench::median(device.port_rates));
        rates_.push_back(rate);
        return rate;
    }

    [[nodiscard]] Json details() const {
        Json details{{"rate_with_host", bench::median(whole_rates_)}};
        if (alone()) add_limits(details);
        const CycleStats cycles = all_cycles();
        details["cycles_per_hash"] = cycles.empty() ? Json(nullptr) : Json(cycles.avg_per_hash());
        details.update(energy_.figures());
        details["hits_compared"] = hits_compared_;
        if (!threads_.empty()) details["threads"] = threads_json();
        return details;
    }

private:
    [[nodiscard]] bool alone() const { return subject_->devices.size() == 1; }
    [[nodiscard]] const DeviceInfo& device_info() const { return subject_->devices.front()->info(); }

    /// What the first round tells is forgotten. It begins with a part that has a hit in any case, as short rounds of
    /// slow devices have none.
    double warm_up(double seconds) {
        constexpr std::uint32_t kBefore = 1 << 16;
        constexpr std::uint64_t kNonces = 1 << 17;
        (void)search({known_.header.nonce() - kBefore, kNonces});
        find_rate();
        const double rate = measure(seconds);
        rates_.clear();
        whole_rates_.clear();
        shares_.clear();
        threads_.clear();
        energy_ = {};
        return rate;
    }

    /// Ranges that double until one takes long enough to say something.
    void find_rate() {
        constexpr double kLongEnough = 0.05;
        constexpr double kFirstHashes = 1 << 18;
        for (double hashes = kFirstHashes;; hashes *= 2) {
            const SearchReport report = search(hashes);
            rate_ = static_cast<double>(report.hashes) / report.seconds;
            if (report.seconds >= kLongEnough || report.hashes >= known_.range.count * versions_) return;
        }
    }

    /// The next part of the known range with about so many hashes; from its beginning again where it does not fit.
    NonceRange next_part(double hashes) {
        const NonceRange all = known_.range;
        constexpr double kFewest = 1 << 12;
        const double nonces =
            std::clamp(hashes / static_cast<double>(versions_), kFewest, static_cast<double>(all.count));
        const auto count = static_cast<std::uint64_t>(nonces);
        if (next_ + count > all.first + all.count) next_ = all.first;
        const NonceRange part{static_cast<std::uint32_t>(next_), count};
        next_ += count;
        return part;
    }

    SearchReport search(double hashes) { return search(next_part(hashes)); }

    SearchReport search(NonceRange part) {
        Search search({.header = known_.header,
                       .target = known_.target,
                       .start = part.first,
                       .end = static_cast<std::uint32_t>(part.first + (part.count - 1)),
                       .version_mask = known_.version_mask,
                       .goal = Goal::kAll},
                      *subject_->fleet);
        for (const auto& device : subject_->devices) device->reset();
        const std::stop_callback stopping(stop_, [&] { search.stop(Ending::kInterrupted); });
        SearchReport report = energy_.measure([&](const auto& joined) { return search.run(joined); });
        if (report.ending == Ending::kInterrupted) throw Interrupted{};
        verify(name(), report, known_, part);
        hits_compared_ += report.hits.size();
        return report;
    }

    void add(const DeviceReport& device) {
        if (device.cycles.empty()) return;
        const auto found =
            std::ranges::find(threads_, device.info.name, [](const DeviceReport& r) { return r.info.name; });
        if (found == threads_.end()) {
            threads_.push_back(device);
            return;
        }
        found->hashes += device.hashes;
        found->seconds += device.seconds;
        found->cycles.merge(device.cycles);
    }

    [[nodiscard]] CycleStats all_cycles() const {
        CycleStats all;
        for (const DeviceReport& thread : threads_) all.merge(thread.cycles);
        return all;
    }

    [[nodiscard]] Json threads_json() const {
        Json rows = Json::array();
        for (const DeviceReport& thread : threads_) {
            rows.push_back({{"name", thread.info.name},
                            {"hashes", thread.hashes},
                            {"seconds", thread.seconds},
                            {"avg", thread.cycles.avg_per_hash()},
                            {"max", thread.cycles.max_per_hash},
                            {"min", thread.cycles.min_per_hash},
                            {"cycles", thread.cycles.cycles}});
        }
        return rows;
    }

    /// CPUs: of what the ports took just then; GPUs: of what their machine code allows at the highest clock.
    void add_limits(Json& details) const {
        Device& device = *subject_->devices.front()->device();
        double share = shares_.empty() ? 0 : bench::median(shares_);
        if (const auto variant = gpu::variant_of(device, known_.rolled())) {
            const double limit = GpuLimits().hashes_per_second(device.info(), *variant, known_.rolled());
            if (limit > 0) share = bench::median(rates_) / limit;
            details["setup"] = to_string(*variant);
        }
        details["operations_per_hash"] = operations_ ? Json(*operations_) : Json(nullptr);
        details["share_of_limit"] = share > 0 ? Json(share) : Json(nullptr);
        details["limit"] = share > 0 ? Json(bench::median(rates_) / share) : Json(nullptr);
    }

    const std::shared_ptr<Subject> subject_;
    const KnownSearch known_;
    const std::uint64_t versions_;
    const std::stop_token stop_;
    std::uint64_t next_;  ///< the nonce at which the next round begins
    std::optional<double> operations_;

    double rate_ = 0;                                   ///< hashes per second, of the latest search as a whole
    std::vector<double> rates_, whole_rates_, shares_;  ///< of each round
    std::vector<DeviceReport> threads_;                 ///< of CPU threads, over all rounds
    Energy energy_;
    std::uint64_t hits_compared_ = 0;  ///< with the list, warm-up included
};

Json job_json(const std::vector<KnownSearch>& searches) {
    Json json{{"header", searches.front().header.hex()}, {"target", searches.front().target.hex()}};
    for (const KnownSearch& search : searches) {
        json[search.form] = {{"first_nonce", search.range.first},
                             {"nonces", search.range.count},
                             {"versions", search.versions},
                             {"known_hits", search.all_hits.size()}};
    }
    return json;
}

Row row_of(const std::shared_ptr<Subject>& subject, const KnownSearch& known, const std::stop_token& stop) {
    const auto row = std::make_shared<ScanRow>(subject, known, stop);
    return {row->name(), "hashes/s", Better::kHigher, [row](double seconds) { return row->measure(seconds); },
            [row] { return row->details(); }};
}

/// The sum over all ranks, and each of them.
Row row_of(Ranks& ranks, bool rolled, const std::stop_token& stop) {
    const char* const form = rolled ? "rolled" : "fixed";
    const auto latest = std::make_shared<std::vector<double>>();
    const auto details = std::make_shared<std::vector<Json>>();
    const auto measure = [&ranks, rolled, stop, latest](double seconds) {
        *latest = ranks.measure(rolled, seconds, stop);
        return std::accumulate(latest->begin(), latest->end(), 0.0);
    };
    const auto count = [&ranks, rolled, details] {
        *details = ranks.details(rolled);
        return Json{{"ranks", ranks.names().size()}};
    };
    Row row{fmt::format("all {}", form), "hashes/s", Better::kHigher, measure, count};
    for (std::size_t i = 0; i < ranks.names().size(); ++i) {
        row.parts.push_back({fmt::format("{} {}", ranks.names()[i], form), [latest, i] { return latest->at(i); },
                             [details, i] { return details->at(i); }});
    }
    return row;
}

}  // namespace

std::vector<Row> scan_rows_of_all(const Setting& setting) {
    const auto subject = std::make_shared<Subject>(setting.devices.all_together("all"));
    std::vector<Row> rows;
    for (const KnownSearch& search : known_searches(*setting.options.devices.algorithm))
        rows.push_back(row_of(subject, search, setting.stop));
    return rows;
}

Rows prepare_scan(const Setting& setting) {
    const std::vector<KnownSearch> searches = known_searches(*setting.options.devices.algorithm);
    Rows rows;
    rows.job = job_json(searches);
    if (Ranks* const ranks = setting.options.ranks) {
        for (const std::string& sentence : ranks->notes()) setting.note(sentence);
        for (const KnownSearch& search : searches) rows.rows.push_back(row_of(*ranks, search.rolled(), setting.stop));
        return rows;
    }
    for (Subject& opened : setting.devices.subjects()) {
        const auto subject = std::make_shared<Subject>(std::move(opened));
        for (const KnownSearch& search : searches) rows.rows.push_back(row_of(subject, search, setting.stop));
    }
    return rows;
}

}  // namespace gpuminer::bench
