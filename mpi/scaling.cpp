// gpuminer-mpi-scaling: measurement of the overhead of the search over ranks, with devices that only wait. Prints one
// row.
//
// usage: mpirun -n N gpuminer-mpi-scaling RATE SECONDS LATENCY [mixed] [static] [stop]
//
// - RATE: hashes a second of all ranks together, as 1e12; with `mixed` every fourth rank has ten times as much as
// others.
// - SECONDS: that the work takes at this rate.
// - LATENCY: milliseconds that each message, and each way of an access to rank 0's memory, takes longer.
// - static: as --partition static.
// - stop: in the middle.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/workloads/paced_device.hpp"
#include "host/search/version_space.hpp"
#include "mpi/communicator.hpp"
#include "mpi/coordinator.hpp"
#include "mpi/loops.hpp"
#include "mpi/rank_worker.hpp"
#include "mpi/search_ledger.hpp"

using namespace gpuminer;
using namespace gpuminer::mpi;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Setting {
    double rate = 0;
    double seconds = 0;
    Seconds latency{0};
    bool mixed = false;
    bool is_static = false;

    [[nodiscard]] double rate_of(int rank, int ranks) const {
        const auto weight = [this](int any) { return mixed && any % 4 == 3 ? 10.0 : 1.0; };
        double all = 0;
        for (int any = 0; any < ranks; ++any) all += weight(any);
        return rate * weight(rank) / all;
    }
};

/// One machine's clock is that of all of its processes.
double now_in_seconds() { return Seconds(Clock::now().time_since_epoch()).count(); }

SearchRequest request_of(const Setting& setting) {
    constexpr double kAllNonces = 4'294'967'296;
    constexpr unsigned kFewestBits = 3, kMostBits = 24;  // a group of versions; BIP 323
    // As few versions as will do: a device's units end where a group of versions does.
    unsigned bits = kFewestBits;
    while (bits < kMostBits && std::ldexp(kAllNonces, static_cast<int>(bits)) < setting.rate * setting.seconds) ++bits;
    SearchRequest request;
    request.header = parse_header_hex(embedded_blocks().front().header_hex).header;
    request.target = {};
    request.version_mask = kBip323Mask & ~(kBip323Mask << bits);
    request.goal = Goal::kAll;
    request.partition = setting.is_static ? PartitionMode::kStatic : PartitionMode::kDynamic;
    const double nonces =
        std::clamp(std::ldexp(setting.rate * setting.seconds, -static_cast<int>(bits)), 1.0, kAllNonces);
    request.end = static_cast<std::uint32_t>(nonces - 1);
    return request;
}

/// Of the calling thread.
double cpu_seconds() {
    timespec time{};
    (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Figures {
    double first_began = 0, last_ended = 0, hashes = 0, groups = 0, taking = 0, longest_taking = 0, ended = 0;
    double cpu = 0;  ///< seconds of the main thread, while it looked for messages
};

std::string to_text(const Figures& figures) {
    return nlohmann::json{figures.first_began, figures.last_ended,     figures.hashes, figures.groups,
                          figures.taking,      figures.longest_taking, figures.ended,  figures.cpu}
        .dump();
}

Figures figures_of(const std::string& text) {
    const auto json = nlohmann::json::parse(text);
    return {json[0], json[1], json[2], json[3], json[4], json[5], json[6], json[7]};
}

class Rank {
public:
    Rank(Communicator& communicator, const Setting& setting, const RankStart& start)
        : communicator_(communicator),
          latency_(setting.latency),
          devices_([&] { return open(setting, start.request); }),
          search_(start.request, start.record.group_size, devices_),
          worker_(search_, start, static_cast<unsigned>(communicator.size()),
                  [this](std::uint64_t count) { return take(count); }) {}

    /// `wish`: of rank 0.
    Figures run(Coordinator* coordinator, const std::function<Coordinator::Wish()>& wish) {
        const double cpu_before = cpu_seconds();
        if (coordinator != nullptr) {
            (void)lead(communicator_, worker_, *coordinator,
                       {.wish = wish, .heard = [] {}, .report = [] { return std::string(); }});
        } else {
            follow(
                communicator_, worker_,
                [this] {
                    std::this_thread::sleep_for(latency_);
                    return 0;
                },
                [] { return std::string(); });
        }
        figures_.ended = now_in_seconds();
        figures_.cpu = cpu_seconds() - cpu_before;
        const auto seconds = [](Clock::time_point time) { return Seconds(time.time_since_epoch()).count(); };
        if (device_->first_began) figures_.first_began = seconds(*device_->first_began);
        figures_.last_ended = seconds(device_->last_ended);
        figures_.hashes = static_cast<double>(device_->hashes);
        return figures_;
    }

private:
    std::unique_ptr<Fleet> open(const Setting& setting, const SearchRequest& request) {
        auto device = std::make_unique<bench::PacedDevice>(
            0, setting.rate_of(communicator_.rank(), communicator_.size()), request);
        device_ = device.get();
        std::vector<std::unique_ptr<Device>> devices;
        devices.push_back(std::move(device));
        return std::make_unique<Fleet>(std::move(devices));
    }

    std::uint64_t take(std::uint64_t count) {
        const auto before = Clock::now();
        std::this_thread::sleep_for(2 * latency_);
        const std::uint64_t first = communicator_.take(count);
        const double taken = Seconds(Clock::now() - before).count();
        ++figures_.groups;
        figures_.taking += taken;
        figures_.longest_taking = std::max(figures_.longest_taking, taken);
        return first;
    }

    Communicator& communicator_;
    const Seconds latency_;
    bench::PacedDevice* device_ = nullptr;
    Figures figures_;
    RankDevices devices_;
    RankSearch search_;
    RankWorker worker_;
};

/// `told_to_stop`: when rank 0 was; 0: the search was not stopped.
void print(const Setting& setting, const std::vector<Figures>& ranks, double told_to_stop) {
    double began = ranks.front().first_began, ended = 0, first_ended = 1e300, hashes = 0, groups = 0, taking = 0,
           longest = 0, stopped = 0;
    for (const Figures& rank : ranks) {
        if (rank.first_began > 0) began = std::min(began, rank.first_began);
        ended = std::max(ended, rank.last_ended);
        first_ended = std::min(first_ended, rank.last_ended);
        hashes += rank.hashes;
        groups += rank.groups;
        taking += rank.taking;
        longest = std::max(longest, rank.longest_taking);
        stopped = std::max(stopped, rank.ended);
    }
    const double took = ended - began;
    fmt::print(
        "ranks {:3}  rate {:8.2e}  latency {:3.1f} ms{}{}  worked {:6.3f} s of {:6.3f} s: {:5.1f} %  idle at the end "
        "{:4.0f} ms"
        "  groups {:4.1f} per rank and s  taking {:7.1f} us, at most {:5.1f} ms  rank 0 busy {:4.1f} %{}\n",
        ranks.size(), setting.rate, 1e3 * setting.latency.count(), setting.mixed ? "  mixed" : "",
        setting.is_static ? "  static" : "", hashes / setting.rate, took, 100 * hashes / setting.rate / took,
        1e3 * (ended - first_ended), groups / static_cast<double>(ranks.size()) / took, 1e6 * taking / groups,
        1e3 * longest, 100 * ranks.front().cpu / took,
        told_to_stop > 0 ? fmt::format("  stopped after {:3.0f} ms", 1e3 * (stopped - told_to_stop)) : "");
}

}  // namespace

int main(int argc, char** argv) {
    Communicator communicator(&argc, &argv);
    if (argc < 4) {
        fmt::print(stderr, "usage: mpirun -n N gpuminer-mpi-scaling RATE SECONDS LATENCY [mixed] [static] [stop]\n");
        return 1;
    }
    const auto has_word = [&](const std::string& word) {
        return std::find(argv + 4, argv + argc, word) != argv + argc;
    };
    const Setting setting{std::atof(argv[1]), std::atof(argv[2]), Seconds(std::atof(argv[3]) / 1e3), has_word("mixed"),
                          has_word("static")};
    const RankStart start{request_of(setting), {.group_size = kVersionsPerJob, .done = {}, .hits = {}}, std::nullopt};
    SearchLedger ledger(start.request, start.record);
    Coordinator coordinator(
        ledger, static_cast<unsigned>(communicator.size()),
        setting.is_static ? [&](std::uint64_t count) { return communicator.take(count); } : Coordinator::Take());
    Rank rank(communicator, setting, start);
    const double stop_at = has_word("stop") ? now_in_seconds() + setting.seconds / 2 : 0;
    double told_to_stop = 0;
    const Figures figures = rank.run(communicator.is_first() ? &coordinator : nullptr, [&]() -> Coordinator::Wish {
        const bool stops = stop_at > 0 && now_in_seconds() >= stop_at;
        if (stops && told_to_stop == 0) told_to_stop = now_in_seconds();
        return {.paused = false, .stopped = stops};
    });
    std::vector<Figures> all;
    for (const std::string& text : communicator.gather(to_text(figures))) all.push_back(figures_of(text));
    if (communicator.is_first()) print(setting, all, told_to_stop);
    return 0;
}
