#include "bench/workloads/os.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/workloads/os_primitives.hpp"
#include "bench/workloads/timed_work.hpp"
#include "host/errors.hpp"
#include "host/files/path_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

/// A round is the same amount of work, however long that takes.
using Seconds = std::function<double()>;

Row row_of(const char* name, const char* unit, double per_second, std::size_t count, const Seconds& seconds,
           Json details) {
    details["per_round"] = count;
    return {name, unit, Better::kLower, [=](double) { return seconds() * per_second / static_cast<double>(count); },
            [=] { return details; }};
}

Row file_row(std::size_t most, const std::stop_token& stop) {
    const std::filesystem::path folder = folder_for_files();
    const std::size_t at_a_time = std::min(most, kFilesAtATime);
    const double room = room_for_files(folder);
    if (room < static_cast<double>(at_a_time)) {
        throw InputError(fmt::format("expected room for {} small files in {}, got {:.0f}", at_a_time,
                                     quoted_text(path_text(folder), 100), room));
    }
    (void)create_files(folder, 1, stop);
    const auto creating = std::make_shared<Figure>(), deleting = std::make_shared<Figure>();
    const auto files = std::make_shared<std::size_t>(0);
    return {"create file", "µs per file", Better::kLower,
            [=](double) {
                constexpr double kLongest = 0.25;  // some file systems take a millisecond for each
                const FileSeconds seconds = create_files(folder, most, stop, kLongest);
                const double microseconds = 1e6 / static_cast<double>(seconds.files);
                *files = seconds.files;
                creating->add(seconds.creating * microseconds);
                deleting->add(seconds.deleting * microseconds);
                return (seconds.creating + seconds.deleting) * microseconds;
            },
            [=, file_system = file_system_of(folder)]() -> Json {
                return {{"file_system", file_system},
                        {"microseconds_to_create", creating->json()},
                        {"microseconds_to_delete", deleting->json()},
                        {"per_round", *files}};  // of the last one
            }};
}

std::string os_text() {
    return fmt::format(
        "The clock covers\n"
        "- threads from the first creation to the last join,\n"
        "- {},\n"
        "- files opened, written (32 bytes), closed, and deleted,\n"
        "- blocks of 4 to 128 bytes allocated and freed.\n",
        kProcessesText);
}

}  // namespace

Rows os_rows(const Setting& setting, const OsAmounts& amounts) {
    Rows rows;
    rows.text = [](std::size_t) { return os_text(); };
    /// Adds what `make` returns, after a trial.
    const auto add = [&](const char* name, const std::function<Row()>& make) {
        try {
            rows.rows.push_back(make());
        } catch (const InputError& error) {
            setting.note(fmt::format("os: {} is not measured: {}", name, error.what()));
        }
    };
    const auto tried = [](const Seconds& seconds) {
        (void)seconds();
        return seconds;
    };
    const std::stop_token stop = setting.stop;
    add("create thread", [&] {
        const auto seconds = tried([stop, count = amounts.threads] { return create_threads(count, stop); });
        return row_of("create thread", "µs per thread", 1e6, amounts.threads, seconds, Json::object());
    });
    add("create process", [&] {
        const auto seconds = tried([stop, count = amounts.processes] { return create_processes(count, stop); });
        return row_of("create process", "µs per process", 1e6, amounts.processes, seconds, Json::object());
    });
    add("launch program", [&] {
        const auto program = trivial_program();
        if (!program) throw InputError(kNoTrivialProgram);
        const auto seconds =
            tried([stop, program, count = amounts.programs] { return launch_programs(*program, count, stop); });
        return row_of("launch program", "µs per launch", 1e6, amounts.programs, seconds, {{"program", *program}});
    });
    add("create file", [&] { return file_row(amounts.files, stop); });
    add("allocate memory", [&] {
        const auto blocks = std::make_shared<std::vector<void*>>(amounts.blocks);
        const auto seconds = tried([stop, blocks] { return allocate_blocks(*blocks, stop); });
        return row_of("allocate memory", "ns per block", 1e9, amounts.blocks, seconds, Json::object());
    });
    return rows;
}

Rows prepare_os(const Setting& setting) { return os_rows(setting, {}); }

}  // namespace gpuminer::bench
