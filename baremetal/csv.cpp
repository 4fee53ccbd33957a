// GPUMINER.CSV: lines NAME,VALUE, then a table of the threads (docs/bare-metal.md).
#include "baremetal/report.hpp"
#include "host/thread_columns.hpp"

namespace gpuminer::baremetal {
namespace {

/// Text that only grows, in a buffer of somebody else's; more than fits is noticed.
class Writer {
public:
    Writer(char* buffer, std::size_t capacity) : buffer_(buffer), capacity_(capacity) {}

    void line(const Line& line) {
        put(line.text());
        put("\r\n");  // RFC 4180
    }
    [[nodiscard]] std::size_t size() const { return fits_ ? size_ : 0; }

private:
    void put(Text text) {
        fits_ = fits_ && text.size <= capacity_ - size_;
        for (std::size_t i = 0; fits_ && i < text.size; ++i) buffer_[size_++] = text[i];
    }

    char* buffer_;
    std::size_t capacity_, size_ = 0;
    bool fits_ = true;
};

void put(Writer& writer, Text name, const Line& value) {
    Line line;
    writer.line(line.add(name).add(',').add(value.text()));
}

void put(Writer& writer, Text name, std::uint64_t value) {
    Line line;
    put(writer, name, line.number(value));
}

/// Names that others chose: in quotes, without any of their own.
void put_name(Writer& writer, Text name, Text value) {
    Line line;
    line.add('"');
    for (std::size_t i = 0; i < value.size; ++i)
        line.add(value[i] >= ' ' && value[i] <= '~' && value[i] != '"' ? value[i] : '?');
    put(writer, name, line.add('"'));
}

void put_thread(Writer& writer, const Run& run, std::size_t index) {
    const Worker& worker = run.workers[index];
    const CycleStats& cycles = worker.cycles;
    const bool counted = !cycles.empty();
    Line line;
    line.number(index).add(',').number(worker.processor).add(',');
    line.number(worker.piece.first).add(',').number(worker.piece.first + worker.piece.count - 1).add(',');
    line.number(worker.hashes).add(',').decimal(run.seconds(worker.ticks), 6).add(',');
    const double figures[] = {cycles.avg_per_hash(), cycles.max_per_hash, cycles.min_per_hash};
    for (const double value : figures) {
        if (counted) line.decimal(value, 4);
        line.add(',');
    }
    writer.line(line.number(cycles.cycles));
}

}  // namespace

std::size_t csv_capacity(std::size_t workers) { return 8192 + 256 * workers; }

std::size_t write_csv(const Run& run, char* buffer, std::size_t capacity) {
    Writer writer(buffer, capacity);
    const Config& config = run.config;
    const Machine& machine = run.machine;
    put_name(writer, "format", "gpuminer bare metal");
    put(writer, "format_version", 1);
    put_name(writer, "program_version", GPUMINER_VERSION);
    put_name(writer, "compiler", __VERSION__);
    put_name(writer, "flags", GPUMINER_FLAGS);
    put_name(writer, "cpu", machine.processor);
    put_name(writer, "hypervisor", machine.hypervisor);
    put_name(writer, "firmware", machine.firmware);
    put(writer, "processors", machine.processors);
    put_name(writer, "boot_processor", machine.boot_processor_works ? "works" : "free");
    put_name(writer, "isa", run.options.form->name);
    put_name(writer, "form", run.options.form->description);
    put_name(writer, "interrupts", run.interrupts());
    Line line;
    put(writer, "header", line.hex_bytes(config.header.bytes, sizeof(config.header.bytes)));
    line.clear();
    for (std::size_t i = sizeof(config.target.bytes); i-- > 0;) line.hex_bytes(&config.target.bytes[i], 1);
    put(writer, "target", line);
    put(writer, "start", config.first);
    put(writer, "end", config.last);
    put(writer, "slice", config.slice);
    put(writer, "threads", run.size);
    put_name(writer, "ended", run.finished() ? "finished" : "stopped");
    put(writer, "hashes", run.hashes());
    put(writer, "hits", run.hits());
    put(writer, "counter_hz", machine.counter_hz);
    line.clear();
    put(writer, "seconds", line.decimal(run.seconds(run.longest_ticks()), 6));
    const Interruptions::Rows longer = run.interruptions();
    for (std::size_t i = 0; i < longer.size(); ++i) {
        Line name;
        put(writer, name.add("longer_").add(kInterruptionKeys[i]).add("_slices").text(), longer[i].slices);
        name.clear();
        line.clear();
        put(writer, name.add("longer_").add(kInterruptionKeys[i]).add("_seconds").text(),
            line.decimal(longer[i].seconds, 9));
    }
    line.clear();
    writer.line(line.add("thread,processor,first,last,hashes,seconds,avg,max,min,cycles"));
    for (std::size_t i = 0; i < run.size; ++i) put_thread(writer, run, i);
    return writer.size();
}

}  // namespace gpuminer::baremetal
