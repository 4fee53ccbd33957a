// The judge of a pool, by its work and its replies to shares on the connection in use.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "net/pool/schedule.hpp"

namespace gpuminer::net {

/// Tells the schedule its findings. Of the connection in use, or the last one.
class PoolJudge {
public:
    /// `schedule` outlives the object.
    explicit PoolJudge(PoolSchedule& schedule) : schedule_(schedule) {}

    /// A connection to this pool comes into use.
    void begin(std::size_t pool);
    /// It has had a job for long enough, or a share was accepted: a login alone proves little.
    void has_worked();
    [[nodiscard]] bool worked() const { return worked_; }

    struct Misreading {
        VersionRolling rolling;  ///< to be tried from now on
        std::string sentence;
    };
    /// Each share was checked before it was sent: a hash above the target is that of another header, most likely of
    /// another version.
    [[nodiscard]] std::optional<Misreading> find_misreading(const StratumShare& share, const ShareReply& reply);
    /// Why the connection is to end: a pool that refuses one share after the other is left for a while.
    [[nodiscard]] std::optional<std::string> count_refusal(const ShareReply& reply, SteadyTime now);

private:
    PoolSchedule& schedule_;
    std::size_t pool_ = 0;
    bool worked_ = false;
    unsigned refusals_ = 0;  // since the last share that was accepted
};

}  // namespace gpuminer::net
