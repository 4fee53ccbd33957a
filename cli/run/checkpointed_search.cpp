#include "cli/run/checkpointed_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/errors.hpp"
#include "host/text/format.hpp"

namespace gpuminer {
namespace {

bool is_same_name(const std::filesystem::path& one, const std::filesystem::path& other) {
    const auto normal = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::absolute(path, ignored).lexically_normal();
    };
    return normal(one) == normal(other);
}

}  // namespace

std::unique_ptr<CheckpointedSearch> CheckpointedSearch::prepare(const Options& options, const SearchRequest& request) {
    const auto& [checkpoint, resume] = std::pair(options.checkpoint_file, options.resume_file);
    if (!checkpoint && !resume) return nullptr;
    std::unique_ptr<CheckpointedSearch> checkpointed(
        new CheckpointedSearch(request, checkpoint ? *checkpoint : *resume));
    std::error_code ignored;
    const bool either = checkpoint && resume && is_same_name(*checkpoint, *resume);  // go on with it, or else begin it
    if (resume && !(either && !std::filesystem::exists(*resume, ignored))) {
        checkpointed->resume(either ? *checkpoint : *resume);
    } else {
        checkpointed->source_ = std::make_shared<RequestSource>(request, SearchRecord{});
    }
    return checkpointed;
}

void CheckpointedSearch::resume(const std::filesystem::path& from) {
    CheckpointFile file = CheckpointFile::open(from);
    try {
        const Checkpoint earlier = parse_checkpoint(file.read(), *request_.header.algorithm);
        require_same_search(earlier, request_);
        source_ = std::make_shared<RequestSource>(request_, earlier.record);
    } catch (const InputError& error) {
        throw InputError(fmt::format("--resume {}: {}", shown_path(from), error.what()));
    }
    resumed_from_ = from;
    if (from == path_) file_ = std::move(file);
}

std::string CheckpointedSearch::beginning_text() const {
    if (resumed_from_.empty()) return "";
    const auto total = static_cast<double>(source_->total_hashes().value_or(0));
    const double share = 100 * static_cast<double>(source_->hashes_before()) / std::max(total, 1.0);
    return fmt::format("resumes from {}: {:.1f} % of the range done, {} hits found", shown_path(resumed_from_), share,
                       grouped(source_->record().hits.size()));
}

void CheckpointedSearch::make_file() {
    if (!file_) file_ = CheckpointFile::create(path_, checkpoint_text(make_checkpoint(request_, source_->record())));
}

void CheckpointedSearch::begin(std::function<void(Severity, std::string)> say, const CheckpointTimes& times,
                               std::function<SearchRecord()> record) {
    if (!record) record = [source = source_] { return source->record(); };
    const auto checkpoint = [this, record = std::move(record)] { return make_checkpoint(request_, record()); };
    writer_.emplace(std::move(*file_), checkpoint, std::move(say), times);
}

std::string CheckpointedSearch::finish() {
    try {
        writer_->finish();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace gpuminer
