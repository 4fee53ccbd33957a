// PoolModel as it speaks Stratum V2: its answers to shares, in batches, late, and more than once.
#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

#include "net/sv2/messages.hpp"
#include "tests/simulation/pool_model.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/wire.hpp"

namespace gpuminer::simulation {

using net::sv2::encode;
using net::sv2::SubmitSharesError;
using net::sv2::SubmitSharesSuccess;
using std::chrono::milliseconds;

void PoolModel::answer_submit_v2(const std::shared_ptr<Wire>& wire, DueAnswer answer) {
    PoolSide& side = wire->side;
    // An answer counts shares without naming them: a pool that leaves one out answers none of those that follow.
    side.silent = side.silent || (!world_.calm && world_.random.one_in(100));
    if (side.silent) return;
    side.due.push_back(std::move(answer));
    if (!traits_.moody || world_.random.one_in(3)) return send_answers(*wire);
    send_answers_later(wire);
}

void PoolModel::send_answers_later(const std::shared_ptr<Wire>& wire) {
    world_.time.after(some_time(world_.random, milliseconds(1), milliseconds(2000)),
                      [this, wire] { send_answers(*wire); });
}

void PoolModel::send_error(Wire& wire, const DueAnswer& answer) {
    const std::uint32_t channel = wire.side.session->channel;
    const std::string frame = encode(SubmitSharesError{channel, answer.sequence, error_code(answer.error)});
    wire.answer(frame, {answer.nonce});
    if (is_odd()) wire.reply(frame);
}

void PoolModel::send_success(Wire& wire, const std::vector<DueAnswer>& accepted) {
    if (accepted.empty()) return;
    if (accepted.size() > 1) ++world_.tally["batches"];
    std::vector<std::uint32_t> nonces;
    for (const DueAnswer& answer : accepted) nonces.push_back(answer.nonce);
    const auto count = static_cast<std::uint32_t>(accepted.size());
    const std::string frame =
        encode(SubmitSharesSuccess{wire.side.session->channel, accepted.back().sequence, count, count});
    wire.answer(frame, nonces);
    if (!wire.side.delayed && is_odd()) wire.reply(frame);
}

void PoolModel::send_answers(Wire& wire) {
    PoolSide& side = wire.side;
    if (const auto late = std::exchange(side.delayed, std::nullopt))
        late->error.empty() ? send_success(wire, {*late}) : send_error(wire, *late);
    std::vector<DueAnswer> due = std::exchange(side.due, {});
    // The pool still looks at the last but one.
    if (due.size() > 1 && due.back().error.empty() && is_odd()) {
        ++world_.tally["delayed answers"];
        side.delayed = due.at(due.size() - 2);
        due.erase(due.end() - 2);
        send_answers_later(wire.shared_from_this());
    }
    for (const DueAnswer& answer : due) {
        if (!answer.error.empty()) send_error(wire, answer);
    }
    std::erase_if(due, [](const DueAnswer& answer) { return !answer.error.empty(); });
    send_success(wire, due);
}

bool PoolModel::is_odd() { return traits_.moody && world_.random.one_in(8); }

std::string PoolModel::error_code(const std::string& error) {
    switch (nlohmann::json::parse(error).at(0).get<int>()) {
        case 21: return world_.random.one_in(2) ? "invalid-job-id" : "stale-share";
        case 22: return "duplicate-share";
        case 23: return "difficulty-too-low";
        default: return "invalid-channel-id";
    }
}

}  // namespace gpuminer::simulation
