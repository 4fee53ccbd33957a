// TemplateJobs: the making of jobs from block templates, and the decision when a newer template is worth a new job.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/solo/state.hpp"
#include "net/solo/template_job.hpp"

namespace gpuminer::net {

/// Whether the devices should leave a job of `current` of this age for one of `fresh`: at once for another block, after
/// some time for more fees, and after a minute in any case, so that the time of the headers moves on.
[[nodiscard]] bool is_worth_a_job(const BlockTemplate& current, const BlockTemplate& fresh,
                                  std::chrono::steady_clock::duration age);

/// On the loop's thread.
class TemplateJobs {
public:
    explicit TemplateJobs(SoloState& state);

    /// Where a template comes from.
    struct Origin {
        std::size_t index;  ///< the node's number in SoloState::nodes
        std::string node;   ///< its name
        Chain chain;
        SteadyTime fetched_at;
        std::optional<std::uint32_t> previous_time;  ///< of the previous block, where has_window() says so
    };
    /// Whether the 20-minute rule of a test network bounds the time of this template's blocks.
    [[nodiscard]] static bool has_window(const BlockTemplate& fresh, Chain chain);
    /// Makes a job of the template, if it is worth one. Throws InputError where such a template cannot be mined.
    void use(std::shared_ptr<const BlockTemplate> fresh, const Origin& origin);
    /// No job any more.
    void drop_job() { publish(nullptr); }

    [[nodiscard]] bool has_job() const { return job_ != nullptr; }
    /// The current template's; call use() before.
    [[nodiscard]] const Hash256& previous_hash() const { return template_->previous_hash; }
    /// When another difficulty begins (easy_window.hpp); empty: not while this template is the current one.
    [[nodiscard]] std::optional<SteadyTime> window_opens() const { return window_opens_; }

private:
    void apply_window(const BlockTemplate& fresh, const Origin& origin, TemplateJobOptions& options);
    /// With --max-diff. Tells the user about a template that is too difficult.
    [[nodiscard]] bool is_easy_enough(const BlockTemplate& fresh);
    void publish(std::shared_ptr<const TemplateJob> job);
    void note_status(const BlockTemplate& fresh, const Origin& origin);

    SoloState& state_;
    const std::uint64_t first_extranonce_;  ///< of this run, at random: other miners with the same address have others
    std::size_t index_ = 0;                 ///< the node that gave the current template
    std::shared_ptr<const BlockTemplate> template_;
    std::shared_ptr<const TemplateJob> job_;  ///< null: nothing is searched
    SteadyTime published_at_{};
    std::optional<SteadyTime> window_opens_;
    std::optional<Hash256> told_of_window_;  ///< the previous hash for which the user was told
};

}  // namespace gpuminer::net
