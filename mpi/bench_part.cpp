#include "mpi/bench_part.hpp"

#include <exception>
#include <memory>

#include "bench/machine.hpp"
#include "bench/workloads/scan.hpp"
#include "cli/commands.hpp"
#include "host/errors.hpp"
#include "mpi/rank_part.hpp"

namespace gpuminer::mpi {

using bench::Json;

BenchPart::BenchPart(const Communicator& communicator, const Options& options)
    : communicator_(communicator),
      options_({.devices = share_of(options.devices, communicator)}),
      devices_(built_in_backends(), options_.devices,
               [this](const std::string& sentence) { notes_.push_back(sentence); }),
      facts_({{"devices", Json::array()}, {"no_device", ""}, {"notes", Json::array()}}) {
    try {
        rows_ = bench::scan_rows_of_all(
            {options_, stop_.get_token(), devices_, [this](const std::string& note) { notes_.push_back(note); }});
        for (const auto& device : devices_.all()) facts_["devices"].push_back(bench::device_facts(device->info()));
        facts_["notes"] = notes_;
    } catch (const NoDeviceError& error) {  // which has what the notes say
        facts_["no_device"] = error.what();
    }
}

BenchPart::~BenchPart() {
    stop();
    if (thread_.joinable()) thread_.join();
}

RoundResult BenchPart::round(bool rolled, double seconds) {
    if (rows_.empty()) return {{"value", 0.0}};
    try {
        return {{"value", rows_.at(rolled ? 1 : 0).measure(seconds)}};
    } catch (const bench::Interrupted&) {
        return {{"interrupted", true}};
    } catch (const bench::VerificationError& error) {
        return {{"wrong", error.what()}};
    } catch (const std::exception& error) {
        return {{"failed", error.what()}};
    }
}

void BenchPart::begin_round(bool rolled, double seconds) {
    ended_ = false;
    thread_ = std::thread([this, rolled, seconds] {
        result_ = round(rolled, seconds);
        ended_ = true;
    });
}

std::optional<RoundResult> BenchPart::end_of_round() {
    if (!ended_) return std::nullopt;
    thread_.join();
    return result_;
}

/// The energy of a machine's CPUs is none of the ranks' that share it.
Json BenchPart::details(bool rolled) const {
    if (rows_.empty()) return Json::object();
    Json details = rows_.at(rolled ? 1 : 0).details();
    details["host"] = communicator_.host();
    if (communicator_.local_size() > 1) {
        for (const char* figure : {"joules_per_gh", "hashes_per_joule", "power_w"}) details[figure] = nullptr;
    }
    return details;
}

}  // namespace gpuminer::mpi
