// Standard output and error of a rank: only rank 0 prints lines that would be the same on all.
#pragma once

#include <string>

namespace gpuminer::mpi {

class RankStreams {
public:
    /// Of another rank than the first, standard output is nothing from now on, and standard error is kept until
    /// release() or show().
    explicit RankStreams(bool first);
    ~RankStreams();
    RankStreams(const RankStreams&) = delete;
    RankStreams& operator=(const RankStreams&) = delete;

    /// Standard error is what it was, and what was kept is dropped.
    void release();
    /// The same, but for what was kept: it is shown, with this before it.
    void show(const std::string& name);

private:
    [[nodiscard]] std::string kept() const;

    int standard_error_ = -1;  ///< -1: it is where it was
    int kept_ = -1;
};

}  // namespace gpuminer::mpi
