// --events: the events of pool and solo as JSON lines for other programs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal/line_writer.hpp"
#include "host/backend.h"
#include "host/notices.hpp"
#include "host/search/mining_job.hpp"
#include "host/search/search_types.hpp"
#include "net/work_client.hpp"

namespace gpuminer {

/// Each line is an object with "event" and "time" (docs/json.md). Nobody waits for who reads them: a reader that has
/// left, or a disk that is full, ends the stream and nothing else, with a warning.
class EventStream {
public:
    /// Called with the event's name and its line; from any thread, to return at once.
    using Listener = std::function<void(std::string_view event, std::string_view line)>;

    /// `path`: a file, which is begun anew, "-": standard output; empty: the listener alone. Throws InputError.
    EventStream(const std::string& path, Listener listener);

    // From any thread:
    void start();
    void device(const DeviceInfo& info);
    /// Null: there is no work.
    void job(const MiningJob* job);
    void answered(const net::AnsweredFind& find);
    /// `hash_rate`: over the last few seconds.
    void rate(const SearchProgress& progress, double hash_rate, const net::WorkStatus& status);
    void notice(const Notice& notice);
    /// The last one: the document that --json prints, which may be that of an error.
    void end(const nlohmann::ordered_json& document);

private:
    void add(const char* event, const nlohmann::ordered_json& fields);

    std::unique_ptr<LineWriter> writer_;  ///< null: there is no file
    const Listener listener_;             ///< may be empty
};

}  // namespace gpuminer
