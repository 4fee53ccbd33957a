#include "cli/commands.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/explain/avalanche.hpp"
#include "cli/explain/explain.hpp"
#include "cli/options/available.hpp"
#include "cli/options/header_argument.hpp"
#include "cli/report/devices_report.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "cpu/machine/topology.hpp"
#include "host/block/verify.hpp"
#include "host/devices/devices.hpp"
#include "host/text/document.hpp"
#include "host/text/json_text.hpp"
#include "net/bitcoin/block_view.hpp"

namespace gpuminer {
namespace {

constexpr int kJsonIndent = 2;

int print(std::string_view text) {
    Output output;
    output.write(text);
    output.finish();
    return kSuccess;
}

std::string block_text(const net::BlockView& block) {
    const std::string height =
        block.height ? fmt::format("{}, in the coinbase (BIP 34)", *block.height) : "not in the coinbase (BIP 34)";
    const char* const bip54 = !block.bip54 ? "unknown" : *block.bip54 ? "followed" : "not followed";
    return fmt::format(
        "transactions   {}, of the header's merkle root\n"
        "height         {}\n"
        "BIP 54         {} (nLockTime = height - 1, nSequence other than ffffffff)\n",
        block.transactions, height, bip54);
}

nlohmann::ordered_json block_json(const net::BlockView& block) {
    nlohmann::ordered_json json = {{"transactions", block.transactions}, {"height", nullptr}, {"bip54", nullptr}};
    if (block.height) json["height"] = *block.height;
    if (block.bip54) json["bip54"] = *block.bip54;
    return json;
}

int run_verify(const Options& options) {
    const std::vector<HeaderInput> headers = read_headers_of(options);
    bool all_valid = true;
    for (const HeaderInput& header : headers) {
        const VerifiedText verified = verify_one(options, header, headers.size() > 1, &header != &headers.front());
        print(verified.text);
        all_valid = all_valid && verified.valid;
    }
    return all_valid ? kSuccess : kNotFound;
}

int run_explain(const Options& options) {
    HeaderInput input = read_header_of(options);
    if (options.nonce) {
        input.header.set_nonce(*options.nonce);
        input.has_nonce = true;
    }
    const Explanation explanation = explain(input);
    std::optional<Avalanche> changes;
    if (options.against) {
        input.header.set_nonce(*options.against);
        changes = avalanche(explanation, explain(input));
    }
    const auto sections = [&](bool steps) {
        std::vector<lesson::Section> result = explain_sections(explanation, steps);
        if (changes) result.push_back(avalanche_section(*changes));
        return result;
    };
    if (options.html_file) {
        OutputFile(*options.html_file)
            .write(lesson::html(sections(true), "The double hash of a block header", explanation.hash.hex()));
    }
    if (!options.json) {
        if (!Output::has_colors()) return print(lesson::text(sections(options.steps)));
        Output output;
        output.write_colored(lesson::text(sections(options.steps), true));
        output.finish();
        return kSuccess;
    }
    nlohmann::ordered_json json = explain_json(explanation, options.steps);
    if (changes) json["against"] = avalanche_json(*changes);
    return print(json_text(document("explain", json), kJsonIndent) + "\n");
}

int run_devices(const Options& options, const ProgramSetup& setup) {
    DeviceSelection selection = options.devices;
    selection.devices.clear();  // all of them are listed
    const std::vector<ListedDevice> devices = list_devices(built_in_backends(), selection, setup.fleet_times.probe);
    if (options.json) return print(devices_json(devices));
    return print(devices_text(devices, columns_of(kStandardOutput)) + std::string(system_note()));
}

void warn_of_threads(const DeviceOptions& devices) {
    const std::size_t available = cpu::usable_hardware_threads().size();
    if (devices.threads.value_or(0) > available)
        log_warning(fmt::format("-t {0}: {0} threads share {1} hardware threads", *devices.threads, available));
}

}  // namespace

VerifiedText verify_one(const Options& options, const HeaderInput& header, bool several, bool follows) {
    Verification verification;
    std::optional<net::BlockView> block;
    try {
        verification = verify_header(header, options.target);
        if (!header.transactions.empty()) block = net::view_block(header.header, header.transactions);
    } catch (const InputError& error) {
        throw in_header(options, header, error);
    }
    std::string text;
    if (options.json) {
        nlohmann::ordered_json json = verify_json(verification);
        if (block) json["block"] = block_json(*block);
        text = json_text(document("verify", json), several ? -1 : kJsonIndent) + "\n";
    } else {
        text = (follows ? "\n" : "") + verify_text(verification) + (block ? block_text(*block) : "");
    }
    return {text, verification.valid};
}

int run_command(const Options& options, SignalThread& signals, const ProgramSetup& setup) {
    warn_of_threads(options.devices.options);
    switch (options.command.value_or(Command::kMine)) {
        case Command::kMine:
        case Command::kGrind: return run_search(options, signals, setup);
        case Command::kVerify: return run_verify(options);
        case Command::kPool: return options.mining.probe ? run_probe(options) : run_pool(options, signals, setup);
        case Command::kSolo: return run_solo(options, signals, setup);
        case Command::kBench: return run_bench(options, signals);
        case Command::kCompare: return run_compare(options);
        case Command::kDevices: return run_devices(options, setup);
        case Command::kExplain: return run_explain(options);
        case Command::kJournal: return run_journal(options);
        case Command::kPair:
        case Command::kStatus:
        case Command::kPause:
        case Command::kResume: return run_control(options);
        case Command::kConfig: break;  // needs no options and is over
    }
    return kBadInput;
}

}  // namespace gpuminer
