// The command pool --probe: what a pool's server is and offers.
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/output.hpp"
#include "host/text/document.hpp"
#include "host/text/format.hpp"
#include "host/text/json_text.hpp"
#include "net/pool/probe.hpp"

namespace gpuminer {
namespace {

using Json = nlohmann::ordered_json;
using net::PoolFacts;
using net::PoolProbe;

const char* protocol_of(const PoolProbe& probe) { return probe.url.stratum_v2 ? "Stratum V2" : "Stratum V1"; }

std::string time_of(std::uint32_t seconds) {
    return utc_text(std::chrono::system_clock::time_point(std::chrono::seconds(seconds))).data();
}

std::string facts_text(const PoolProbe& probe, const PoolFacts& facts) {
    std::string text = probe.url.text + "\n";
    const auto line = [&](std::string_view name, std::string_view value) {
        text += fmt::format("  {:14}{}\n", name, value);
    };
    line("protocol", fmt::format("{}{}", protocol_of(probe), probe.url.tls ? " over TLS" : ""));
    line("latency", fmt::format("{:.0f} ms", facts.latency_ms));
    line("version bits", facts.version_bits == 0 ? "none" : fmt::format("{:08x}", facts.version_bits));
    if (facts.extranonce1) line("extranonce", fmt::format("{} bytes of the pool's", *facts.extranonce1));
    if (facts.extranonce2) line("", fmt::format("{} bytes of the miner's", *facts.extranonce2));
    if (const auto& certificate = facts.certificate) {
        line("certificate",
             fmt::format("{} to {}", time_of(certificate->valid_from), time_of(certificate->not_valid_after)));
        line("", probe.url.authority ? "signed by the URL's authority key"
                                     : "not checked, as the URL has no authority key");
    }
    if (facts.difficulty) line("difficulty", difficulty_text(*facts.difficulty));
    return text;
}

Json facts_json(const PoolProbe& probe, const PoolFacts& facts) {
    Json certificate;
    if (facts.certificate) {
        certificate = {{"valid_from", time_of(facts.certificate->valid_from)},
                       {"not_valid_after", time_of(facts.certificate->not_valid_after)},
                       {"checked", probe.url.authority.has_value()}};
    }
    return {{"url", probe.url.text},
            {"protocol", protocol_of(probe)},
            {"tls", probe.url.tls},
            {"latency_ms", facts.latency_ms},
            {"version_bits", fmt::format("{:08x}", facts.version_bits)},
            {"extranonce1_bytes", or_null(facts.extranonce1)},
            {"extranonce2_bytes", or_null(facts.extranonce2)},
            {"certificate", std::move(certificate)},
            {"difficulty", or_null(facts.difficulty)}};
}

}  // namespace

int run_probe(const Options& options) {
    for (const std::string& warning : options.mining.warnings) log_warning(warning);
    const PoolProbe& probe = *options.mining.probe;
    const PoolFacts facts = net::probe_pool(probe);
    Output output;
    output.write(options.json ? json_text(document("probe", facts_json(probe, facts)), 1) + "\n"
                              : facts_text(probe, facts));
    output.finish();
    return kSuccess;
}

}  // namespace gpuminer
