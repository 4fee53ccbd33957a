#include "baremetal/report.hpp"

#include "host/thread_columns.hpp"

namespace gpuminer::baremetal {
namespace {

constexpr std::size_t kColumns = sizeof(kThreadColumns) / sizeof(kThreadColumns[0]);

/// As cycle_cells() of the program for Linux.
void add_figure(Line& cell, double value) {
    constexpr double kMany = 1e5;  // from here on fractions say nothing
    value < kMany ? cell.decimal(value, 2) : cell.grouped(rounded(value));
}

/// A row of the table of threads, cell by cell.
void write_cells(const Run& run, std::size_t index, Line (&cells)[kColumns]) {
    const Worker& worker = run.workers[index];
    const CycleStats& cycles = worker.cycles;
    for (Line& cell : cells) cell.clear();
    cells[0].add("#").number(index);
    cells[1].hex(worker.piece.first, 8).add('-').hex(worker.piece.first + worker.piece.count - 1, 8);
    cells[2].decimal(run.seconds(worker.ticks), 3).add(" s");
    if (cycles.empty()) {
        for (std::size_t i = 3; i < kColumns; ++i) cells[i].add('-');
        return;
    }
    add_figure(cells[3], cycles.avg_per_hash());
    add_figure(cells[4], cycles.max_per_hash);
    add_figure(cells[5], cycles.min_per_hash);
    cells[6].grouped(cycles.cycles);
}

/// As many blanks between columns as there is room for, two at most.
void print_threads(const Console& console, const Run& run) {
    std::size_t widths[kColumns];
    Line cells[kColumns];
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = Text(kThreadColumns[i]).size;
    for (std::size_t row = 0; row < run.size; ++row) {
        write_cells(run, row, cells);
        for (std::size_t i = 0; i < kColumns; ++i) {
            if (cells[i].text().size > widths[i]) widths[i] = cells[i].text().size;
        }
    }
    std::size_t width = 0;
    for (const std::size_t column : widths) width += column;
    const std::size_t gap = width + 2 * (kColumns - 1) <= Console::kColumns ? 2 : 1;
    const auto print_row = [&](const Text(&texts)[kColumns]) {
        Line line;
        std::size_t end = 0;  // of the column
        for (std::size_t i = 0; i < kColumns; ++i) {
            end += widths[i] + (i > 0 ? gap : 0);
            if (i > 0) line.pad_to(end - texts[i].size);  // the first column is on the left
            line.add(texts[i]);
        }
        console.line(line);
    };
    Text texts[kColumns];
    for (std::size_t i = 0; i < kColumns; ++i) texts[i] = kThreadColumns[i];
    print_row(texts);
    for (std::size_t row = 0; row < run.size; ++row) {
        write_cells(run, row, cells);
        for (std::size_t i = 0; i < kColumns; ++i) texts[i] = cells[i].text();
        print_row(texts);
    }
}

void print_interruptions(const Console& console, const Run& run) {
    console.line("slices that took longer than the median of those around them, by");
    const Interruptions::Rows rows = run.interruptions();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Line line;
        line.add("  ").add(kInterruptionNames[i]).add(": ").grouped(rows[i].slices);
        if (rows[i].slices != 0) line.add(", together ").decimal(rows[i].seconds, 6).add(" s");
        console.line(line);
    }
}

void print_hits(const Console& console, const Run& run) {
    if (run.hits() == 0) console.entry("hits", run.finished() ? "none in this range" : "none so far");
    for (std::size_t i = 0; i < run.size; ++i) {
        const Worker& worker = run.workers[i];
        for (std::size_t j = 0; j < worker.hits && j < Worker::kHits; ++j) {
            const Header solved = run.config.header.with_nonce(worker.hit_nonces[j]);
            const Number256 hash = hash_of(solved);
            Line line;
            console.line(line.add("hit         nonce ").number(solved.nonce()).add(", hash"));
            line.clear();
            line.pad_to(12);
            for (std::size_t k = sizeof(hash.bytes); k-- > 0;) line.hex_bytes(&hash.bytes[k], 1);  // display order
            console.line(line);
        }
        if (worker.hits > Worker::kHits) {
            Line line;
            console.line(line.add("note: thread ")
                             .number(i)
                             .add(" found ")
                             .grouped(worker.hits - Worker::kHits)
                             .add(" more, which are not listed"));
        }
    }
}

}  // namespace

bool is_emulated(const Machine& machine) { return Text(machine.hypervisor) == "TCGTCGTCGTCG"; }

std::uint64_t Run::hashes() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += workers[i].progress();
    return sum;
}

std::uint64_t Run::hits() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += workers[i].hits;
    return sum;
}

const char* Run::interrupts() const {
    if (config.mask_interrupts) return "masked";
    std::size_t open = 0;
    for (std::size_t i = 0; i < size; ++i) open += workers[i].interrupts_open ? 1 : 0;
    return open == size ? "open" : open == 0 ? "masked by the firmware" : "masked by the firmware on some";
}

std::uint64_t Run::longest_ticks() const {
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < size; ++i) longest = workers[i].ticks > longest ? workers[i].ticks : longest;
    return longest;
}

Interruptions::Rows Run::interruptions() const {
    Interruptions::Rows all{};
    for (std::size_t i = 0; i < size; ++i) merge(all, workers[i].interruptions.rows());
    return all;
}

void print_machine(const Console& console, const Machine& machine) {
    console.entry("processor", machine.processor);
    console.entry("firmware", machine.firmware);
    Line counter;
    counter.decimal(static_cast<double>(machine.counter_hz) / 1e9, 3).add(" GHz, ");
    console.entry(
        "counter",
        counter.add(machine.counter_is_stated ? "as the processor states it" : "measured against the firmware's clock")
            .text());
    if (machine.hypervisor[0] == 0) return;
    Line line;
    line.add("note: this is no bare metal but a virtual machine (").add(machine.hypervisor).add(")");
    if (is_emulated(machine))
        line.add(", of QEMU's emulator: times and cycles below are the host's and measure nothing");
    console.line(line);
}

void print_job(const Console& console, const Config& config) {
    constexpr std::size_t kWithoutNonce = 76, kBytesPerLine = 32;
    Line line;
    for (std::size_t i = 0; i < kWithoutNonce; i += kBytesPerLine) {
        const std::size_t left = kWithoutNonce - i;
        line.clear();
        line.hex_bytes(config.header.bytes + i, left < kBytesPerLine ? left : kBytesPerLine);
        console.entry(i == 0 ? "header" : "", line.text());
    }
    line.clear();
    for (std::size_t i = sizeof(config.target.bytes); i-- > 0;) line.hex_bytes(&config.target.bytes[i], 1);
    console.entry("target", line.text());
    line.clear();
    line.hex(config.first, 8).add('-').hex(config.last, 8).add(" (").grouped(config.range().count);
    console.entry("range", line.add(config.range().count == 1 ? " nonce)" : " nonces)").text());
}

void print_results(const Console& console, const Run& run) {
    print_hits(console, run);
    const double seconds = run.seconds(run.longest_ticks());
    Line line;
    line.decimal(seconds, 3).add(" s, ").grouped(run.hashes()).add(" hashes");
    if (seconds > 0 && !is_emulated(run.machine))
        line.add(", ").decimal(static_cast<double>(run.hashes()) / seconds / 1e6, 3).add(" MH/s");
    console.entry("total time", line.text());
    console.line("");
    print_threads(console, run);
    line.clear();
    console.line(
        line.add("c/h: reference cycles per hash, counted by ").add(run.machine.has_rdtscp ? "rdtscp" : "rdtsc"));
    print_interruptions(console, run);
}

}  // namespace gpuminer::baremetal
