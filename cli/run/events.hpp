// --events: the events of a run as JSON lines for other programs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal/line_writer.hpp"
#include "web/run_observer.hpp"

namespace gpuminer {

/// Each line is an object with "event" and "time" (docs/json.md). Nobody waits for who reads them, but for a result: a
/// reader that has left, or a disk that is full, ends the stream and nothing else, with a warning.
class EventStream final : public web::RunObserver {
public:
    /// Called with the event's name and its line; from any thread, to return at once.
    using Listener = std::function<void(std::string_view event, std::string_view line)>;

    /// `path`: a file, which is begun anew, "-": standard output; empty: the listener alone. `has_result`: the last
    /// event is what the program is there for: on standard output it is waited for, and what cannot be written is an
    /// error. Throws InputError.
    EventStream(const std::string& path, Listener listener, bool has_result);

    void device(const DeviceInfo& info) override;
    void job(const MiningJob* job) override;
    void answered(const net::AnsweredFind& find) override;
    void second(const web::RunSample& now) override;
    void notice(const Notice& notice) override;
    /// Throws as Output does, where the result cannot be written.
    void end(const web::DocumentText& document) override;

private:
    [[nodiscard]] bool anybody() const { return listener_ || writer_; }
    void add(const char* event, const nlohmann::ordered_json& fields);
    void write_end(const std::string& begin, const web::DocumentText& document);

    std::unique_ptr<LineWriter> writer_;  ///< null: there is no file
    const Listener listener_;             ///< may be empty
    const bool is_result_;                ///< the last event is one, on standard output
    const bool is_file_;                  ///< a regular one, whose disk is waited for
};

}  // namespace gpuminer
