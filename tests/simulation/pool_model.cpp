// PoolModel: its construction, its events, its calls to miners. (Replies: pool_model_replies.cpp, V2:
// pool_model_v2.cpp.)
#include "tests/simulation/pool_model.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "host/text/text.hpp"
#include "net/sv2/messages.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/share_ledger.hpp"
#include "tests/simulation/wire.hpp"

namespace gpuminer::simulation {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kWorksKept = 4;  // that may come again; the client remembers eight

std::string random_hex(Random& random, std::size_t bytes) {
    std::string digits;
    while (digits.size() < 2 * bytes) digits += fmt::format("{:016x}", random.next());
    digits.resize(2 * bytes);
    return digits;
}

/// One hash in 1 to 8 meets it.
double easy_difficulty(Random& random) { return static_cast<double>(1 << random.below(4)) * 0x1p-32; }

json draw_fields(Random& random, const PoolTraits& traits) {
    json branches = json::array();
    for (auto left = random.below(3); left > 0; --left) branches.push_back(random_hex(random, 32));
    json work = {nullptr,  random_hex(random, 32), traits.coinbase1, traits.coinbase2,
                 branches, traits.version,         traits.nbits,     "65000000"};
    if (traits.moody) {
        const bool ors_bits = traits.version_of(0x2000, 0x2000) == 0x2000;
        work[2] = "0100000001" + random_hex(random, 40);
        work[3] = random_hex(random, 30);
        if (ors_bits && random.one_in(2)) work[5] = "2000e000";
        if (random.one_in(20)) work[6] = "207fffff";  // every other hash solves a block; else none does
    }
    return work;
}

std::string call(const std::string& method, const std::string& params) {
    return fmt::format(R"({{"id":null,"method":"{}","params":{}}})", method, params);
}

}  // namespace

PoolTraits PoolTraits::draw(Random& random) {
    PoolTraits traits;
    traits.resumes = !random.one_in(4);
    traits.rolls_versions = random.one_in(2);
    traits.closes_on_extensions = random.one_in(8);
    traits.refuses_configure = random.one_in(10);
    traits.ignores_configure = random.one_in(20);
    traits.eager = random.one_in(4);
    traits.difficulty_first = !random.one_in(4);
    traits.clean_at_login = random.one_in(2);
    traits.moody = true;
    traits.difficulty = easy_difficulty(random);
    if (!random.one_in(3)) traits.version_of = [](auto job, auto bits) { return job | bits; };
    return traits;
}

PoolTraits PoolTraits::draw_v2(Random& random) {
    PoolTraits traits = draw(random);
    traits.v2 = true;
    traits.resumes = false;
    traits.clean_at_login = true;
    traits.version_of = [](auto /*job*/, auto rolled) { return rolled; };
    traits.extranonce2_size = random.one_of(4U, 8U, 20U);
    traits.requires_extended = random.one_in(3);
    traits.refuses_standard = random.one_in(8);
    traits.refuses_difficulty = random.one_in(8);
    traits.keeps_extranonce = random.one_in(2);
    traits.numbers_by_channel = random.one_in(2);
    return traits;
}

PoolModel::PoolModel(PoolWorld& world, std::size_t number, PoolTraits traits)
    : world_(world), number_(number), traits_(std::move(traits)), mask_(traits_.mask) {
    new_work(true);
}

std::shared_ptr<PoolSession> PoolModel::session_of(const ConnectionId& connection) const {
    const auto wire = std::ranges::find(wires_, connection, [](const auto& any) { return any->id(); });
    return wire == wires_.end() ? nullptr : (*wire)->side.session;
}

bool PoolModel::would_accept(const FoundShare& share) const {
    return !known_.contains(share.hash) && std::ranges::any_of(sessions_, [&](const auto& entry) {
        const PoolSession& session = *entry.second;
        const auto job = session.jobs.find(share.job);
        if (job == session.jobs.end() || job->second.extranonce1 != share.extranonce1) return false;
        const auto is_its = [&](const auto& wire) {
            return wire->side.session == entry.second && wire->id() == share.origin && wire->client_open();
        };
        return traits_.resumes || std::ranges::any_of(wires_, is_its);
    });
}

void PoolModel::connected(const std::shared_ptr<Wire>& wire) {
    wire->side.number = ++connections_;
    wires_.push_back(wire);
}

void PoolModel::closed(const Wire& wire) {
    std::erase_if(wires_, [&](const auto& any) { return any.get() == &wire; });
}

// ----- what it tells miners -----

PoolWork PoolModel::draw_work(bool new_block) {
    json work = draw_fields(world_.random, traits_);
    if (traits_.v2) {
        work[7] = hex8(clock());
        if (!new_block) {
            work[1] = work_->at(1);
            work[6] = work_->at(6);
        }
    }
    return std::make_shared<const json>(std::move(work));
}

std::uint32_t PoolModel::clock() const {
    const auto time = world_.time.now().time_since_epoch();
    return 0x65000000 + static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

void PoolModel::new_work(bool clean) {
    const PoolWork before = work_;
    const bool again = traits_.moody && !works_.empty() && world_.random.one_in(4);  // the same work, under another id
    if (again) {
        work_ = works_[world_.random.below(works_.size())];
    } else {
        const bool announced = clean && !announced_.empty();
        work_ = announced ? announced_[world_.random.below(announced_.size())] : draw_work(clean);
        works_.push_back(work_);
        if (works_.size() > kWorksKept) works_.erase(works_.begin());
    }
    if (traits_.v2 && before && before->at(1) != work_->at(1)) clean = true;  // back to an earlier block
    if (clean) {
        announced_.clear();
        world_.shares.look_for_held_back(number_);
        for (const auto& [id, session] : sessions_) session->jobs.clear();
    }
    job_ = fmt::format("{:x}", ++counter_);
    for (const auto& wire : std::vector(wires_)) {
        if (wire->side.wants_jobs) send_job(*wire, clean);
    }
    if (traits_.v2 && traits_.moody && world_.random.one_in(2)) announce_block();
}

void PoolModel::send_job(Wire& wire, bool clean) {
    if (traits_.v2) return send_job_v2(wire, clean);
    PoolSession& session = *wire.side.session;
    PoolSession::Job job{work_, session.extranonce1, wire.side.told_difficulty ? session.difficulty : 1};
    if (const auto known = session.jobs.find(job_); known != session.jobs.end())
        job.difficulty = std::min(job.difficulty, known->second.difficulty);  // shares of before are good
    session.jobs[job_] = job;
    json params = *job.work;
    params[0] = job_;
    params.push_back(clean);
    wire.notify(call("mining.notify", params.dump()), job_, clean);
}

void PoolModel::send_difficulty(Wire& wire) {
    PoolSession& session = *wire.side.session;
    if (traits_.v2) return wire.reply(target_frame(session));
    wire.reply(call("mining.set_difficulty", json::array({session.difficulty}).dump()));
    if (std::exchange(wire.side.told_difficulty, true)) return;
    const auto job = session.jobs.find(job_);  // that came before is meant to have it, too
    if (job != session.jobs.end()) job->second.difficulty = std::min(job->second.difficulty, session.difficulty);
}

void PoolModel::change_difficulty() {
    const std::shared_ptr<Wire> wire = any_wire();
    if (!wire) return;
    wire->side.session->difficulty = easy_difficulty(world_.random);
    for (const auto& other : std::vector(wires_)) {
        if (other->side.wants_jobs && other->side.session == wire->side.session) send_difficulty(*other);
    }
}

void PoolModel::change_extranonce() {
    const std::shared_ptr<Wire> wire = any_wire();
    const auto is_of_it = [&](const auto& other) { return other->side.session == wire->side.session; };
    if (!wire || std::ranges::any_of(
                     wires_, [&](const auto& other) { return is_of_it(other) && !other->side.takes_extranonce; }))
        return;
    PoolSession& session = *wire->side.session;
    session.extranonce1 = last_extranonce_ = fmt::format("{:02x}{:06x}", number_, ++counter_);
    for (const auto& other : std::vector(wires_)) {
        if (is_of_it(other))
            other->reply(traits_.v2 ? extranonce_frame(session)
                                    : call("mining.set_extranonce", fmt::format(R"(["{}",4])", session.extranonce1)));
    }
    new_work(world_.random.one_in(2));
}

void PoolModel::change_mask() {
    mask_ = world_.random.one_of(0x1fffe000U, 0x0000e000U, 0x00ffe000U, 0x1fffffe0U);
    for (const auto& wire : std::vector(wires_)) {
        if (wire->side.rolls_versions)
            wire->reply(call("mining.set_version_mask", fmt::format(R"(["{:08x}"])", mask_)));
    }
}

// ----- what happens to it -----

void PoolModel::live() {
    Random& random = world_.random;
    const auto chance = random.below(100);
    if (chance < 50) return new_work(random.percent(40));
    if (chance < 60) return change_difficulty();
    if (chance < 68) return change_extranonce();
    if (chance < 72) return traits_.v2 ? announce_block() : change_mask();
    if (chance < 76) return restart();
    const std::shared_ptr<Wire> wire = any_wire();
    if (!wire) return;
    if (chance < 84) return wire->cut();
    if (chance < 87) return wire->fall_silent();
    if (chance < 90) return ask_to_reconnect(*wire);
    if (traits_.v2 && chance < 98) return disturb(*wire);
    if (chance < 94) return wire->reply(call("client.show_message", R"(["Welcome"])"));
    if (chance < 98) return wire->reply(R"({"id":77,"method":"mining.ping","params":[]})");
    wire->reply("<html>");
}

void PoolModel::ask_to_reconnect(Wire& wire) {
    const std::uint16_t port = world_.random.one_in(2) ? 0 : 3334;
    if (traits_.v2) return wire.reply(net::sv2::encode(net::sv2::Reconnect{"", port}));
    wire.reply(call("client.reconnect", fmt::format(R"(["",{},{}])", port, world_.random.below(4))));
}

void PoolModel::restart() {
    ++world_.tally["restarts"];
    if (world_.random.one_in(2)) {
        world_.shares.look_for_held_back(number_);
        sessions_.clear();
        order_.clear();
    }
    cut_all();
    up_ = false;
    world_.time.after(some_time(world_.random, milliseconds(10), milliseconds(5000)), [this] {
        up_ = true;
        new_work(world_.random.one_in(2));
    });
}

void PoolModel::cut_all() {
    for (const auto& wire : std::vector(wires_)) wire->cut();
}

void PoolModel::shut_down_for_good() {
    cut_all();
    gone_ = true;
}

void PoolModel::forget(const std::string& session) {
    world_.shares.look_for_held_back(number_);
    sessions_.erase(session);
    std::erase(order_, session);
}

std::shared_ptr<Wire> PoolModel::any_wire() {
    std::vector<std::shared_ptr<Wire>> logged_in;
    std::ranges::copy_if(wires_, std::back_inserter(logged_in), [](const auto& wire) { return wire->side.wants_jobs; });
    return logged_in.empty() ? nullptr : logged_in[world_.random.below(logged_in.size())];
}

}  // namespace gpuminer::simulation
