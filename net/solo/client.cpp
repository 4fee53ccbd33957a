#include "net/solo/client.hpp"

#include <utility>

#include "net/solo/block_submitter.hpp"
#include "net/solo/state.hpp"
#include "net/solo/template_source.hpp"

namespace gpuminer::net {
namespace {

class SoloClient final : public WorkClient {
public:
    SoloClient(const SoloOptions& options, const SoloNodes& nodes, WorkCallbacks callbacks)
        : state_(options, nodes, std::move(callbacks)), submitter_(state_), templates_(state_, submitter_) {}

    ~SoloClient() override {
        templates_.request_stop();  // all threads at once, before one is waited for
        submitter_.request_stop();
    }

    void found(const JobHit& found) override { submitter_.found(found); }

    [[nodiscard]] WorkStatus status() const override {
        WorkStatus status = submitter_.status();
        state_.add_to(status);
        return status;
    }

    bool finish(std::chrono::milliseconds patience) override {
        state_.finish();
        return submitter_.finish(patience);
    }

    WorkStatus end() override {
        templates_.request_stop();
        submitter_.request_stop();
        templates_.join();
        submitter_.join();
        return status();
    }

private:
    SoloState state_;
    BlockSubmitter submitter_;
    TemplateSource templates_;
};

}  // namespace

std::unique_ptr<WorkClient> make_solo_client(const SoloOptions& options, const SoloNodes& nodes,
                                             WorkCallbacks callbacks) {
    return std::make_unique<SoloClient>(options, nodes, std::move(callbacks));
}

}  // namespace gpuminer::net
