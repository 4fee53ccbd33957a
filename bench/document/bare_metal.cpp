#include "bench/document/bare_metal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/text/text.hpp"
#include "host/thread_columns.hpp"

namespace gpuminer::bench {
namespace {

constexpr std::size_t kLargestReport = std::size_t{4} << 20;
constexpr std::string_view kThreadHeadings = "thread,processor,first,last,hashes,seconds,avg,max,min,cycles";

/// Up to the next separator, which is dropped.
std::string_view take_until(std::string_view& rest, char separator) {
    const std::size_t size = std::min(rest.find(separator), rest.size());
    const std::string_view front = rest.substr(0, size);
    rest.remove_prefix(std::min(size + 1, rest.size()));
    return front;
}

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The file as names and values, then rows; it gives each value when it is asked for, or says what is wrong with it.
class Reader {
public:
    Reader(std::string_view text, std::string name) : name_(std::move(name)) {
        while (!text.empty() && !in_table_) read_line(trimmed(take_until(text, '\n')));
        if (value("format") != "gpuminer bare metal" || number<unsigned>("format_version", 1, 1) != 1 || !in_table_)
            refuse("another file");
        while (!text.empty()) {
            const std::string_view line = trimmed(take_until(text, '\n'));
            if (!line.empty()) rows_.push_back(line);
        }
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw InputError(fmt::format("{}: expected GPUMINER.CSV as BOOTX64.EFI writes it, got {}", name_, what));
    }

    [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
    [[nodiscard]] std::string value(const std::string& name) const {
        const auto found = values_.find(name);
        if (found == values_.end()) refuse(fmt::format("one without {}", name));
        return std::string(found->second);
    }
    template <class Number>
    [[nodiscard]] Number number(const std::string& name, Number least, Number most) const {
        return number_of(name, value(name), least, most);
    }
    template <class Number>
    [[nodiscard]] Number number_of(const std::string& name, std::string_view text, Number least, Number most) const {
        const auto number = parse_whole<Number>(text);
        if (!number || !(*number >= least && *number <= most)) refuse(fmt::format("{} {}", name, quoted_text(text)));
        return *number;
    }
    [[nodiscard]] const std::vector<std::string_view>& rows() const { return rows_; }

private:
    void read_line(std::string_view line) {
        in_table_ = line == kThreadHeadings;
        std::string_view text = line;
        const std::string name(take_until(text, ','));
        if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
        if (!in_table_ && !values_.emplace(name, text).second) refuse("one with two of " + quoted_text(name));
    }

    const std::string name_;
    bool in_table_ = false;
    std::map<std::string, std::string_view> values_;
    std::vector<std::string_view> rows_;
};

BareMetalThread read_thread(const Reader& reader, std::string_view row) {
    const auto number = [&]<class Number>(const char* name, Number least, Number most) {
        return reader.number_of(name, take_until(row, ','), least, most);
    };
    constexpr std::uint32_t kMost32 = 0xffffffff;
    constexpr double kMost = 1e15;
    BareMetalThread thread;
    (void)number("thread", 0U, kMost32);
    (void)number("processor", 0U, kMost32);
    thread.first = number("first", 0U, kMost32);
    thread.last = number("last", thread.first, kMost32);
    const std::uint64_t count = std::uint64_t{thread.last} - thread.first + 1;
    thread.cycles.hashes = number("hashes", count, count);
    thread.seconds = number("seconds", 0.0, kMost);
    const double average = number("avg", 0.0, kMost);
    thread.cycles.max_per_hash = number("max", average, kMost);
    thread.cycles.min_per_hash = number("min", 0.0, average);
    constexpr std::uint64_t kMostCycles = std::uint64_t{1} << 62;
    thread.cycles.cycles = number("cycles", std::uint64_t{1}, kMostCycles);
    constexpr double kRounding = 1e-3;
    if (!row.empty() || std::abs(thread.cycles.avg_per_hash() - average) > kRounding)
        reader.refuse("a thread whose figures contradict each other");
    return thread;
}

/// The pieces of the range, one after the other.
void read_threads(const Reader& reader, BareMetalReport& report) {
    std::uint64_t next = report.start;
    for (const std::string_view row : reader.rows()) {
        const BareMetalThread& thread = report.threads.emplace_back(read_thread(reader, row));
        if (thread.first != next) reader.refuse("threads whose pieces are not the range");
        next = std::uint64_t{thread.last} + 1;
    }
    if (report.threads.empty() || next != std::uint64_t{report.end} + 1)
        reader.refuse("threads whose pieces are not the range");
    (void)reader.number("threads", report.threads.size(), report.threads.size());
}

/// Of all threads.
void require_sums(const Reader& reader, const BareMetalReport& report) {
    double longest = 0;
    for (const BareMetalThread& thread : report.threads) longest = std::max(longest, thread.seconds);
    constexpr double kRounding = 2e-6;
    if (std::abs(longest - report.seconds) > kRounding)
        reader.refuse("seconds that are not those of the longest thread");
    const std::uint64_t nonces = std::uint64_t{report.end} - report.start + 1;
    (void)reader.number("hashes", nonces, nonces);
}

std::optional<Interruptions::Rows> read_interruptions(const Reader& reader) {
    const auto name = [](const char* key, const char* of) { return fmt::format("longer_{}_{}", key, of); };
    if (!reader.has(name(kInterruptionKeys[0], "slices"))) return std::nullopt;
    Interruptions::Rows rows{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].slices = reader.number(name(kInterruptionKeys[i], "slices"), std::uint64_t{0}, std::uint64_t{1} << 32);
        rows[i].seconds = reader.number(name(kInterruptionKeys[i], "seconds"), 0.0, 1e12);
    }
    return rows;
}

/// What cannot be compared with anything.
void require_comparable(const Reader& reader, const BareMetalReport& report, const std::string& name) {
    if (report.hypervisor == "TCGTCGTCGTCG") {
        throw InputError(name +
                         ": expected a run on a processor, got one on QEMU's emulator (TCG), whose cycles are "
                         "the time of its host and no performance");
    }
    if (const std::string ended = reader.value("ended"); ended != "finished")
        throw InputError(fmt::format("{}: expected a finished search, got {}", name,
                                     ended == "stopped" ? "a stopped one" : quoted_text(ended)));
}

}  // namespace

CycleStats BareMetalReport::cycles() const {
    CycleStats all;
    for (const BareMetalThread& thread : threads) all.merge(thread.cycles);
    return all;
}

BareMetalReport parse_bare_metal_report(std::string_view text, const std::string& name) {
    const Reader reader(text, name);
    constexpr std::uint32_t kMost32 = 0xffffffff;
    BareMetalReport report;
    report.hypervisor = reader.value("hypervisor");
    require_comparable(reader, report, name);
    report.compiler = reader.value("compiler"), report.flags = reader.value("flags");
    report.cpu = reader.value("cpu");
    report.isa = reader.value("isa"), report.form = reader.value("form");
    report.interrupts = reader.value("interrupts");
    report.processors = reader.number("processors", 1U, kMost32);
    report.version = reader.value("program_version");
    const std::string boot_processor = reader.value("boot_processor");
    report.boot_processor_works = boot_processor == "works";
    if (!report.boot_processor_works && boot_processor != "free")
        reader.refuse("boot_processor " + quoted_text(boot_processor));
    try {
        report.header = parse_header_hex(reader.value("header")).header;
        report.target = target_from_hex(reader.value("target"));
    } catch (const InputError& error) {
        throw InputError(name + ": " + error.what());
    }
    report.start = reader.number("start", 0U, kMost32);
    report.end = reader.number("end", report.start, kMost32);
    report.slice = reader.number("slice", std::uint64_t{256}, std::uint64_t{1} << 24);
    if (!std::has_single_bit(report.slice)) reader.refuse("a slice that is no power of two");
    report.hits = reader.number("hits", std::uint64_t{0}, std::uint64_t{1} << 32);
    report.counter_hz = reader.number("counter_hz", 1e6, 1e12);
    report.seconds = reader.number("seconds", 0.0, 1e12);
    report.interruptions = read_interruptions(reader);
    read_threads(reader, report);
    require_sums(reader, report);
    return report;
}

BareMetalReport read_bare_metal_report(const std::string& path) {
    const std::string name = quoted_text(path, 100);
    const FileText file = read_file(path, kLargestReport, FileKind::kAny);
    if (!file.failure.empty()) throw InputError("cannot read " + name + ": " + file.failure);
    return parse_bare_metal_report(file.text, name);
}

}  // namespace gpuminer::bench
