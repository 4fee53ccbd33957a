// PoolModel: its answers to what miners ask, and its judgement of their shares.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "tests/net/pool/submitted_hash.hpp"
#include "tests/simulation/pool_model.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/wire.hpp"

namespace gpuminer::simulation {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kSessionsKept = 30;

std::string result(const json& id, const std::string& value) {
    return fmt::format(R"({{"id":{},"result":{},"error":null}})", id.dump(), value);
}
std::string refusal(const json& id, const std::string& error) {
    return fmt::format(R"({{"id":{},"result":null,"error":{}}})", id.dump(), error);
}
std::uint32_t hex_number(const json& digits) {
    return static_cast<std::uint32_t>(std::stoul(digits.get_ref<const std::string&>(), nullptr, 16));
}

}  // namespace

void PoolModel::take(const std::shared_ptr<Wire>& wire, const json& message) {
    const std::string method = message.value("method", "");
    const json id = message.value("id", json());
    const json params = message.value("params", json::array());
    if (traits_.intercept && traits_.intercept(*wire, message)) return;
    if (method == "mining.submit") return answer_submit(wire, id, params);
    if (traits_.v2) return take_v2(wire, message);
    const bool is_extension = method == "mining.configure" || method == "mining.extranonce.subscribe" ||
                              method == "mining.suggest_difficulty";
    if (traits_.closes_on_extensions && is_extension) return wire->cut();
    if (method == "mining.configure") {
        answer_configure(*wire, id);
    } else if (method == "mining.subscribe") {
        answer_subscribe(*wire, id, params);
    } else if (method == "mining.authorize") {
        answer_authorize(*wire, id);
    } else if (method == "mining.extranonce.subscribe") {
        wire->side.takes_extranonce = true;
        wire->reply(result(id, "true"));
    } else if (method == "mining.suggest_difficulty") {
        wire->reply(!traits_.moody || world_.random.one_in(2) ? result(id, "true")
                                                              : refusal(id, R"([20,"Unknown method",null])"));
    }
}

void PoolModel::answer_configure(Wire& wire, const json& id) {
    if (traits_.refuses_configure) return wire.reply(refusal(id, R"([20,"Unknown method",null])"));
    if (traits_.ignores_configure) return;
    wire.side.rolls_versions = traits_.rolls_versions;
    wire.side.takes_extranonce = world_.random.one_in(2);
    wire.reply(
        result(id, fmt::format(R"({{"version-rolling":{},"version-rolling.mask":"{:08x}","subscribe-extranonce":{}}})",
                               traits_.rolls_versions, mask_, wire.side.takes_extranonce)));
}

void PoolModel::answer_subscribe(Wire& wire, const json& id, const json& params) {
    const std::string wanted = params.size() > 1 ? params[1].get<std::string>() : "";
    const auto known = sessions_.find(wanted);
    auto& session = wire.side.session;
    if (known != sessions_.end() && traits_.resumes) {
        ++world_.tally["resumed"];
        session = known->second;
        // A share of this connection is judged with the extranonce that it is told now.
        world_.shares.look_for_held_back(number_);
        std::erase_if(session->jobs, [&](const auto& job) { return job.second.extranonce1 != session->extranonce1; });
    } else {
        if (!wanted.empty()) forget(wanted);
        if (!wanted.empty() && traits_.moody && world_.random.one_in(4))
            return wire.reply(refusal(id, R"([20,"Unknown session",null])"));
        session = new_session();
    }
    session->rolls_versions |= wire.side.rolls_versions;
    wire.reply(result(id, fmt::format(R"([[["mining.notify","{}"]],"{}",{}])", session->id, session->extranonce1,
                                      traits_.extranonce2_size)));
    if (traits_.eager) send_first_job(wire);
}

std::shared_ptr<PoolSession> PoolModel::new_session() {
    const auto session = std::make_shared<PoolSession>();
    session->id = fmt::format("{}-{}", number_, ++counter_);
    session->extranonce1 = traits_.extranonce1.value_or(fmt::format("{:02x}{:06x}", number_, ++counter_));
    session->difficulty = traits_.difficulty;
    sessions_.emplace(session->id, session);
    order_.push_back(session->id);
    const auto is_used = [&](const std::string& other) {
        return other == session->id || std::ranges::any_of(wires_, [&](const auto& any) {
                   return any->side.session && any->side.session->id == other;
               });
    };
    const auto unused = std::ranges::find_if_not(order_, is_used);
    if (order_.size() > kSessionsKept && unused != order_.end()) forget(std::string(*unused));
    return session;
}

void PoolModel::answer_authorize(Wire& wire, const json& id) {
    if (!wire.side.session) return wire.cut();
    if (!traits_.takes_logins) return wire.reply(refusal(id, R"([24,"Unauthorized worker",null])"));
    wire.side.authorized = true;
    wire.reply(result(id, "true"));
    if (!traits_.eager) send_first_job(wire);
    if (traits_.after_login) traits_.after_login(wire);
}

void PoolModel::send_first_job(Wire& wire) {
    wire.side.wants_jobs = true;
    if (traits_.difficulty_first) send_difficulty(wire);
    const bool clean = traits_.clean_at_login;
    if (clean) {  // as it says
        world_.shares.look_for_held_back(number_);
        std::erase_if(wire.side.session->jobs, [&](const auto& job) { return job.first != job_; });
    }
    send_job(wire, clean);
    if (!traits_.difficulty_first) send_difficulty(wire);
}

void PoolModel::answer_submit(const std::shared_ptr<Wire>& wire, const json& id, const json& params) {
    const std::string error = judge(*wire, params);
    if (traits_.before_reply && traits_.before_reply(*wire, params, error)) return;
    if (traits_.v2) return answer_submit_v2(wire, {id, hex_number(params.at(4)), error});
    if (!world_.calm && world_.random.one_in(50)) return;  // never answered
    const std::string line = error.empty() ? result(id, "true") : refusal(id, error);
    if (!traits_.moody || world_.random.one_in(2)) return wire->reply(line);
    // Later than others that came after it, and than jobs.
    world_.time.after(some_time(world_.random, milliseconds(1), milliseconds(2000)),
                      [wire, line] { wire->reply(line); });
}

std::string PoolModel::judge(Wire& wire, const json& params) {
    constexpr const char* kStale = R"([21,"Job not found",null])";
    if (wire.side.channel_closed) return R"([24,"Channel closed",null])";
    if (!wire.side.authorized) {
        world_.shares.refused(params, "the login was not over");
        return R"([24,"Unauthorized worker",null])";
    }
    const auto found = wire.side.session->jobs.find(params.at(1));
    if (wire.side.session->future.contains(params.at(1)))
        world_.shares.refused(params, "its job's block has not begun");
    if (found == wire.side.session->jobs.end()) return kStale;
    const PoolSession::Job& job = found->second;
    if (traits_.v2) look_at_fields(*wire.side.session, params);
    const std::uint32_t rolled = rolled_version(wire, job, params);
    const Hash256 hash = test::submitted_hash(*job.work, rolled, job.extranonce1, params);
    if (test::difficulty_of_hash(hash) < 0.999 * job.difficulty) {
        world_.shares.refused(params, "its difficulty is too low");
        return R"([23,"Low difficulty share",null])";
    }
    if (!known_.insert(hash.hex()).second) return R"([22,"Duplicate share",null])";
    world_.shares.accepted(params, hash.hex());
    return {};
}

std::uint32_t PoolModel::rolled_version(const Wire& wire, const PoolSession::Job& job, const json& params) {
    const std::uint32_t version = hex_number(job.work->at(5));
    const std::uint32_t sent = params.size() > 5 ? hex_number(params[5]) : 0;
    const bool rolls = traits_.v2 ? job.rolls_versions : wire.side.session->rolls_versions;
    const std::uint32_t bits = traits_.v2 ? sent ^ version : sent;
    if (bits != 0 && (!rolls || (bits & ~0x1fffffe0U) != 0))
        world_.shares.refused(params, "it has version bits that it must not have");
    return params.size() > 5 ? traits_.version_of(version, sent) : version;
}

}  // namespace gpuminer::simulation
