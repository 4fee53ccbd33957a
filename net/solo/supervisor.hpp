// SoloSupervisor: the solo client on its event loop, from templates to submitted blocks.
#pragma once

#include <functional>

#include "net/journal/journal.hpp"
#include "net/solo/block_submitter.hpp"
#include "net/solo/state.hpp"
#include "net/solo/template_source.hpp"
#include "net/transport/off_loop.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// On the loop's thread.
class SoloSupervisor {
public:
    /// References outlive it. `changed` is called when status(), idle() or assembled() may have changed. Throws
    /// InputError for a certificate file that cannot be used.
    SoloSupervisor(SoloState& state, OffLoop& off_loop, Journal& journal, std::function<void()> changed);

    void start() { templates_.begin_round(); }
    void take(const JobHit& found) { submitter_.take(found); }
    /// No more jobs; blocks are still submitted.
    void finish();
    /// No more calls.
    void stop();
    /// The journal has written something, or has been opened.
    void journal_changed() { submitter_.send_released(); }
    /// Every node has answered for every block.
    [[nodiscard]] bool idle() const { return submitter_.book().idle(); }
    /// Every hit is in the journal's queue, and was released from it.
    [[nodiscard]] bool assembled() const { return submitter_.assembled(); }
    [[nodiscard]] WorkStatus status() const;

private:
    void look_later();

    SoloState& state_;
    Journal& journal_;
    const std::function<void()> changed_;
    BlockSubmitter submitter_;
    TemplateSource templates_;
    bool look_posted_ = false;
};

}  // namespace gpuminer::net
