// A search whose progress --checkpoint and --resume keep in a file.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/options/options.hpp"
#include "host/checkpoint/checkpoint_writer.hpp"
#include "host/search/request_source.hpp"

namespace gpuminer {

class CheckpointedSearch {
public:
    /// Null where neither option is given. Opens and reads what --resume names; with --checkpoint of the same name only
    /// where it is there. Throws InputError, also where it is another search's.
    [[nodiscard]] static std::unique_ptr<CheckpointedSearch> prepare(const Options& options,
                                                                     const SearchRequest& request);

    [[nodiscard]] const std::shared_ptr<RequestSource>& source() const { return source_; }
    /// What a line says of it: "goes on from 'file': …"; empty: it is a new one.
    [[nodiscard]] std::string beginning_text() const;

    /// Makes the file, where there is none yet. Throws InputError where that fails.
    void make_file();
    /// Writes from now on, after make_file(). `say`: as CheckpointWriter's. `record`: in place of the source's, from
    /// any thread.
    void begin(std::function<void(Severity, std::string)> say, const CheckpointTimes& times,
               std::function<SearchRecord()> record = {});
    /// Once the search has ended. Returns why its end is not in the file; empty: it is.
    [[nodiscard]] std::string finish();

private:
    CheckpointedSearch(const SearchRequest& request, std::filesystem::path path)
        : request_(request), path_(std::move(path)) {}
    void resume(const std::filesystem::path& from);

    const SearchRequest request_;
    const std::filesystem::path path_;    ///< what is written
    std::filesystem::path resumed_from_;  ///< empty: a new search
    std::optional<CheckpointFile> file_;  ///< open already; empty: to be made
    std::shared_ptr<RequestSource> source_;
    std::optional<CheckpointWriter> writer_;
};

}  // namespace gpuminer
