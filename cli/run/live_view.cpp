#include "cli/run/live_view.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "cli/options/algorithms.hpp"
#include "cli/terminal/logging.hpp"
#include "host/block/hash256.hpp"
#include "host/errors.hpp"
#include "host/files/own_file.hpp"
#include "host/text/text.hpp"
#include "net/journal/file.hpp"
#include "web/token_file.hpp"

namespace gpuminer {
namespace {

constexpr unsigned kKeptEvery = 600;       // samples: a file of 40 KB every ten minutes wears no flash card out
constexpr unsigned kRecordKeptAfter = 60;  // samples since the last time
constexpr std::size_t kMostKept = std::size_t{4} << 20;  // bytes

std::filesystem::path keepsake_path(const std::string& name) {
    return net::default_journal_path(name + "-history").replace_extension(".json");
}

std::string read_keepsake(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > kMostKept)
        return "";
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Whole or not at all, and never a worse best difficulty than what another run has written by now. Whether a power cut
/// takes it away does not matter, and at the end nobody waits for a disk.
void replace_keepsake(const std::filesystem::path& path, const std::string& keepsake) {
    make_folders(folder_of(path));
    const File lock = open_own_file(std::filesystem::path(path) += ".lock", Make::kIfMissing, "the lock");
    wait_for_lock(lock);  // of those who end at the same moment, one reads what the other wrote
    const std::filesystem::path fresh = std::filesystem::path(path) += ".new";  // of whoever has the lock
    std::error_code error;
    std::filesystem::remove(fresh, error);  // a killed run's
    try {
        write_text(open_own_file(fresh, Make::kAlways, "the file"), web::with_best_of(keepsake, read_keepsake(path)),
                   fresh);
        std::filesystem::rename(fresh, path, error);
        if (error) throw InputError(fmt::format("cannot write {}: {}", shown_path(path), error.message()));
    } catch (const InputError&) {
        std::error_code ignored;
        std::filesystem::remove(fresh, ignored);
        throw;
    }
}

}  // namespace

LiveView::LiveView(const std::string& command, const Algorithm& algorithm)
    : monitor_({.command = command, .has_server = command != "mine"}) {
    try {
        const std::filesystem::path path = keepsake_path(state_name(command, algorithm));
        monitor_.restore(read_keepsake(path));
        best_kept_ = monitor_.best_before();
        keeper_ = std::make_unique<LineWriter>("the history", [path, warned = false](const OutLine& line) mutable {
            if (line.kind == OutLine::Kind::kLeftOut) return Taken::kDone;
            try {
                replace_keepsake(path, line.text);
            } catch (const InputError& error) {
                if (!std::exchange(warned, true))
                    log_warning(fmt::format("the history of --http is not kept for the next run: {}", error.what()));
            }
            return Taken::kDone;
        });
    } catch (const InputError& error) {
        log_debug(fmt::format("the history of --http is not kept for the next run: {}", error.what()));
    }
}

LiveView::~LiveView() {
    dashboard_.reset();
    keep();
}

void LiveView::listen(const HttpOptions& http) {
    listening_.emplace([this](const Notice& notice) { monitor_.notice(notice); });
    const web::AccessRules rules{.token = http.token_file.empty() ? "" : web::read_or_make_token(http.token_file),
                                 .open_reads = http.address.is_local(),
                                 .extra_hosts = http.hosts};
    dashboard_ = std::make_unique<web::Dashboard>(web::WebOptions{http.address, rules}, monitor_);
}

EventStream::Listener LiveView::listener() {
    if (!dashboard_) return {};
    return [this](std::string_view event, std::string_view line) { dashboard_->publish(event, line); };
}

void LiveView::offer(web::Controls controls) {
    if (dashboard_) dashboard_->offer(std::move(controls));
}

void LiveView::second(const web::RunSample& now) {
    monitor_.sample(now);
    const double best = now.progress.best ? difficulty_of(*now.progress.best) : 0;
    const bool is_record = best > best_kept_;
    if (++samples_ - kept_at_ < (is_record ? kRecordKeptAfter : kKeptEvery)) return;
    if (is_record) best_kept_ = best;
    keep();
}

void LiveView::keep() {
    if (keeper_ && samples_ > 0) keeper_->add({OutLine::Kind::kText, monitor_.keepsake()});
    kept_at_ = samples_;
}

}  // namespace gpuminer
