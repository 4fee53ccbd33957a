#include "net/solo/supervisor.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "host/files/path_text.hpp"

namespace gpuminer::net {

SoloSupervisor::SoloSupervisor(SoloState& state, OffLoop& off_loop, Journal& journal, std::function<void()> changed)
    : state_(state),
      journal_(journal),
      changed_(std::move(changed)),
      submitter_(state, off_loop, journal),
      templates_(state, off_loop, submitter_) {
    state_.on_change = [this] {
        changed_();
        look_later();
    };
}

// Not within the change, which may be a part of others.
void SoloSupervisor::look_later() {
    if (std::exchange(look_posted_, true)) return;
    state_.loop.post([this] {
        look_posted_ = false;
        templates_.look();
        changed_();
    });
}

void SoloSupervisor::finish() {
    journal_.hurry();
    submitter_.send_released();
    state_.finish();
}

void SoloSupervisor::stop() {
    journal_.hurry();
    submitter_.send_released();
    submitter_.stop();  // first: a call that ends may let another begin
    templates_.stop();
}

WorkStatus SoloSupervisor::status() const {
    WorkStatus status = submitter_.book().counts();
    state_.add_to(status);
    status.details["journal"] = path_text(journal_.path());
    return status;
}

}  // namespace gpuminer::net
