// TemplateJob: a node's block template as a mining job, and a hit of that job as a whole block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/search/mining_job.hpp"
#include "net/bitcoin/block_template.hpp"
#include "net/bitcoin/coinbase.hpp"

namespace gpuminer::net {

/// The clocks that a job reads; tests pass their own. Called by any number of threads.
struct JobClocks {
    std::function<std::int64_t()> steady_ms;  ///< milliseconds; never goes back
    std::function<std::int64_t()> unix_time;  ///< seconds since 1970, as the computer's clock says
    [[nodiscard]] static JobClocks system();
};

struct TemplateJobOptions {
    Bytes script;                     ///< scriptPubKey that the coinbase pays
    std::string signature;            ///< in the coinbase's input; empty: none
    std::size_t extranonce_size = 8;  ///< bytes, 0…8; as many headers there are as it has values
    /// The extranonce of header 0. Miners that pay the same script from the same template need different ones to have
    /// different work.
    std::uint64_t first_extranonce = 0;
    /// Bounds of the header's time beside the template's own, seconds since 1970. A testnet that demands another
    /// difficulty from blocks 20 minutes after the one before needs them: `latest_time` for a block of full difficulty,
    /// `earliest_time` and `nbits` for one of the least. Both the same: a fixed time.
    std::optional<std::uint32_t> earliest_time, latest_time;
    std::optional<std::uint32_t> nbits;  ///< in place of the template's
    JobClocks clocks = JobClocks::system();
};

class TemplateJob final : public MiningJob {
public:
    /// The template's age is counted from here on. Throws InputError where the coinbase would be too long, or the
    /// output script or the bounds of the time make no sense.
    TemplateJob(std::shared_ptr<const BlockTemplate> block_template, TemplateJobOptions options);

    /// The index is added to the first extranonce. Its time is the template's plus the template's age in whole seconds,
    /// but neither ahead of this computer's clock nor outside the bounds; the template's own where the clock is behind
    /// it.
    [[nodiscard]] BlockHeader header(std::uint64_t index) const override;
    [[nodiscard]] Hash256 target() const override { return target_; }
    /// Bits of BIP 320 that the template leaves zero and that no deployment (BIP 9) uses.
    [[nodiscard]] std::uint32_t version_mask() const override;
    [[nodiscard]] bool ends_with_first_hit() const override { return true; }  // a tip takes one block

    /// The block with this header, as serialised: what submitblock takes, in hex digits. `header` is one of
    /// header(index), with whatever version, time and nonce. Throws std::invalid_argument where its merkle root is
    /// another one.
    [[nodiscard]] std::string block_hex(std::uint64_t index, const BlockHeader& header) const;
    [[nodiscard]] std::string block_hex(const JobHit& found) const { return block_hex(found.index, found.hit.header); }

    [[nodiscard]] const BlockTemplate& block_template() const { return *template_; }
    [[nodiscard]] const Coinbase& coinbase() const { return coinbase_; }

private:
    [[nodiscard]] std::uint64_t extranonce(std::uint64_t index) const { return options_.first_extranonce + index; }
    [[nodiscard]] std::uint32_t time_now() const;

    std::shared_ptr<const BlockTemplate> template_;
    TemplateJobOptions options_;
    Coinbase coinbase_;
    BlockHeader blank_;  ///< without merkle root and time
    Hash256 target_;
    std::uint32_t earliest_ = 0, latest_ = 0;  ///< bounds of the time, inclusive
    std::int64_t made_at_ = 0;                 ///< by the steady clock
};

}  // namespace gpuminer::net
