#include "cli/run/events.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/terminal/line_file.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/output.hpp"
#include "gpuminer_build_info.hpp"
#include "host/block/hash256.hpp"
#include "host/errors.hpp"
#include "host/text/document.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

using std::chrono::milliseconds;
using Json = nlohmann::ordered_json;

Json event_of(const char* event, const Json& fields) {
    Json line{{"event", event}, {"time", utc_now().data()}};
    line.update(fields);
    return line;
}

Json fields_of(const Notice& notice) {
    return {{"severity", severity_name(notice.severity)}, {"text", printable(notice.text)}};
}

bool is_regular_file(const std::string& path) {
    if (path == "-") return false;
    std::error_code none_yet;
    const auto type = std::filesystem::status(path, none_yet).type();
    return type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found;
}

class EventFile {
public:
    EventFile(const std::string& path, bool has_result)
        : has_result_(has_result),
          name_(path == "-" ? "standard output" : "the file " + quoted_text(path, 100)),
          file_(path == "-" ? LineFile(copy_of_standard_output()) : LineFile(path, Existing::kReplaced)) {
        if (file_.error() != 0)
            throw InputError(fmt::format("--events: cannot write {}: {}", name_, reason(file_.error())));
    }

    Taken take(const OutLine& line) {
        if (ended_) return Taken::kDone;
        const Taken taken = file_.write(text_of(line) + "\n");
        ended_ = file_.error() != 0;
        if (ended_ && !(has_result_ && file_.error() == EPIPE))  // as for any result, where `| head` has enough
            log_warning(fmt::format("events end here{}: cannot write {}: {}", has_result_ ? "" : ", mining continues",
                                    name_, reason(file_.error())));
        return taken;
    }

private:
    static std::string text_of(const OutLine& line) {
        const bool told = line.kind == OutLine::Kind::kLeftOut;
        return told ? json_text(event_of("notice", fields_of({Severity::kWarning, line.text}))) : line.text;
    }
    static std::string reason(int error) { return std::generic_category().message(error); }

    const bool has_result_;
    const std::string name_;
    LineFile file_;
    bool ended_ = false;
};

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

EventStream::EventStream(const std::string& path, Listener listener, bool has_result)
    : listener_(std::move(listener)), is_result_(has_result && path == "-"), is_file_(is_regular_file(path)) {
    if (!path.empty()) {
        const auto file = std::make_shared<EventFile>(path, is_result_);
        writer_ = std::make_unique<LineWriter>("the events", [file](const OutLine& line) { return file->take(line); });
    }
    add("start", {{"format", "gpuminer events"}, {"format_version", 1}, {"program_version", kVersion}});
}

void EventStream::add(const char* event, const Json& fields) {
    if (!anybody()) return;
    std::string line = json_text(event_of(event, fields));
    if (listener_) listener_(event, line);
    if (writer_) writer_->add({OutLine::Kind::kText, std::move(line)});
}

void EventStream::device(const DeviceInfo& info) {
    add("device", {{"name", info.name}, {"backend", info.backend}, {"model", info.model}});
}

void EventStream::job(const MiningJob* job) {
    if (job == nullptr) return add("job", {{"difficulty", nullptr}, {"version_mask", nullptr}});
    add("job", {{"difficulty", difficulty_of(job->target())}, {"version_mask", hex8(job->version_mask())}});
}

void EventStream::answered(const net::AnsweredFind& find) {
    add(find.is_block ? "block" : "share", {{"verdict", find.verdict},
                                            {"hash", find.hash},
                                            {"difficulty", find.difficulty},
                                            {"share_difficulty", find.share_difficulty},
                                            {"latency_ms", optional(find.latency_ms)},
                                            {"server", find.server},
                                            {"reason", find.reason}});
}

void EventStream::second(const web::RunSample& now) {
    const net::WorkStatus& status = now.status;
    add("rate", {{"hash_rate", now.hash_rate},
                 {"hashes", now.progress.hashes_done},
                 {"seconds", now.progress.seconds},
                 {"paused", now.progress.paused},
                 {"connected", status.connected},
                 {"accepted", status.accepted},
                 {"rejected", status.rejected},
                 {"stale", status.stale},
                 {"unanswered", status.unanswered},
                 {"blocks", status.blocks}});
}

void EventStream::notice(const Notice& notice) { add("notice", fields_of(notice)); }

void EventStream::end(const web::DocumentText& document) {
    std::string begin = json_text(event_of("end", Json::object()));
    begin.pop_back();  // the brace: the document, which may be long, is text already
    begin += ",\"document\":";
    if (listener_) {
        constexpr std::size_t kMost = 32'768;  // bytes: readers of the page's stream are left no longer ones
        if (const std::string text = document(kMost); !text.empty()) listener_("end", begin + text + "}");
    }
    if (writer_) write_end(begin, document);
}

void EventStream::write_end(const std::string& begin, const web::DocumentText& document) {
    constexpr milliseconds kPatience{200};
    constexpr std::size_t kBytesPerMillisecond = 4096;  // of a slow disk
    constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
    if (is_result_) {
        while (!writer_->wait(kPatience)) std::this_thread::sleep_for(kPatience);  // as for any other result
        write_to_standard_output(begin);
        write_to_standard_output(document(kAny));
        return write_to_standard_output("}\n");
    }
    std::string line = begin + document(kAny) + "}";
    const milliseconds patience = kPatience + milliseconds(is_file_ ? line.size() / kBytesPerMillisecond : 0);
    (void)writer_->wait(kPatience);  // as the only line that waits it may have any length
    writer_->add({OutLine::Kind::kText, std::move(line)});
    (void)writer_->wait(patience);
}

}  // namespace gpuminer
