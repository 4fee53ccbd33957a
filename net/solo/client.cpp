#include "net/solo/client.hpp"

#include "net/solo/block_submitter.hpp"
#include "net/solo/state.hpp"
#include "net/solo/template_source.hpp"

namespace gpuminer::net {
namespace {

class SoloClient final : public WorkClient {
public:
    SoloClient(const SoloOptions& options, WorkCallbacks callbacks)
        : shared_(options, std::move(callbacks)), submitter_(shared_), templates_(shared_, submitter_) {}

    ~SoloClient() override {
        {
            const std::lock_guard lock(shared_.mutex);
            shared_.stop = true;
        }
        shared_.changed.notify_all();
        templates_.cancel();  // all at once, before one is waited for
        submitter_.cancel();
    }

    void found(const JobHit& found) override { submitter_.found(found); }

    [[nodiscard]] WorkStatus status() const override {
        const std::lock_guard lock(shared_.mutex);
        return shared_.status;
    }

    bool finish(std::chrono::milliseconds patience) override {
        {
            const std::lock_guard lock(shared_.mutex);
            shared_.finishing = true;
        }
        shared_.changed.notify_all();
        return submitter_.finish(patience);
    }

private:
    mutable SoloState shared_;
    BlockSubmitter submitter_;
    TemplateSource templates_;
};

}  // namespace

std::unique_ptr<WorkClient> make_solo_client(const SoloOptions& options, WorkCallbacks callbacks) {
    return std::make_unique<SoloClient>(options, std::move(callbacks));
}

}  // namespace gpuminer::net
