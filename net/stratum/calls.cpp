// What a pool says by itself: jobs, difficulty, extranonce, and requests to the miner.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "net/stratum/session.hpp"
#include "net/stratum/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr std::size_t kMostJobs = 1000;  // ids kept of a pool that never sends a clean job

// Element `at` of the parameters; null where there is none.
const json& parameter(const json& params, std::size_t at) {
    static const json kNull;
    return params.is_array() && at < params.size() ? params[at] : kNull;
}

bool is_host_name(const std::string& text) {
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:[]";
    return text.size() <= 253 && text.find_first_not_of(kAllowed) == std::string::npos;
}

}  // namespace

void StratumSession::handle_call(const StratumMessage& message) {
    struct Call {
        std::string_view method;
        void (StratumSession::*function)(const json&);
    };
    static constexpr std::array kCalls = {
        Call{"mining.notify", &StratumSession::handle_notify},
        Call{"mining.set_difficulty", &StratumSession::handle_difficulty},
        Call{"mining.set_extranonce", &StratumSession::handle_extranonce},
        Call{"mining.set_version_mask", &StratumSession::handle_version_mask},
        Call{"client.reconnect", &StratumSession::handle_reconnect},
        Call{"client.show_message", &StratumSession::handle_show_message},
    };
    for (const Call& call : kCalls) {
        if (call.method == message.method) return (this->*call.function)(message.params);
    }
    handle_request(message);
}

// What has an id wants a reply; the rest is ignored.
void StratumSession::handle_request(const StratumMessage& message) {
    if (message.id.is_null()) return;
    if (message.method == "client.get_version") {
        handler_.send(stratum_result(message.id, options_.agent));
    } else if (message.method == "mining.ping" || message.method == "client.ping") {
        handler_.send(stratum_result(message.id, "pong"));
    } else {
        handler_.send(stratum_error(message.id, 20, "Unknown method"));
    }
}

void StratumSession::handle_notify(const json& params) {
    StratumNotify notify = parse_notify(params);
    if (subscribed_) return make_job(std::move(notify));
    if (early_ && early_->clean) notify.clean = true;
    early_ = std::move(notify);
}

void StratumSession::make_job(StratumNotify notify) {
    if (notify.clean) {
        valid_jobs_.clear();
        sent_.turn();
    }
    if (std::find(valid_jobs_.begin(), valid_jobs_.end(), notify.id) == valid_jobs_.end()) {
        valid_jobs_.push_back(notify.id);
        if (valid_jobs_.size() > kMostJobs) valid_jobs_.pop_front();
    }
    JobParameters setting;
    setting.extranonce1 = extranonce1_;
    setting.extranonce2_size = extranonce2_size_;
    setting.difficulty = difficulty_.value_or(1);
    setting.version_mask = version_mask_;
    setting.received = now_;
    setting.clock = options_.clock;
    setting.first_extranonce2 = options_.works->first_extranonce2();
    const auto earlier = options_.works->find(notify, setting);
    set_job(std::make_shared<const StratumJob>(std::move(notify), std::move(setting), earlier.get()));
}

void StratumSession::handle_difficulty(const json& params) {
    const std::optional<double> difficulty = real_number(parameter(params, 0));
    if (!difficulty || *difficulty <= 0) {
        return warn("the pool set a difficulty that is not a positive number: " + quoted_json(params));
    }
    const bool first = !difficulty_;
    difficulty_ = difficulty;
    handler_.difficulty(*difficulty);
    // It is for jobs to come (https://en.bitcoin.it/wiki/Stratum_mining_protocol), but a job that came before any
    // difficulty is meant to have it, too.
    if (first && job_) repeat_job(*difficulty);
}

void StratumSession::set_job(std::shared_ptr<const StratumJob> job) {
    job_ = std::move(job);
    options_.works->add(job_);
    if (waiting_ == Waiting::kJob) waiting_ = Waiting::kNothing;
    handler_.job(job_);
}

// The current job again, with headers of its own: with this difficulty and the version bits now in force, but the
// extranonce that it came with (a new one is for jobs to come).
void StratumSession::repeat_job(double difficulty) {
    StratumNotify notify = job_->notify();
    notify.clean = false;  // shares of it are as good as before
    JobParameters setting = job_->setting();
    setting.difficulty = difficulty;
    setting.version_mask = version_mask_;
    set_job(std::make_shared<const StratumJob>(std::move(notify), std::move(setting), job_.get()));
}

void StratumSession::handle_extranonce(const json& params) {
    set_extranonce("mining.set_extranonce", parameter(params, 0), parameter(params, 1));
}

// For jobs from the next one on. Throws ProtocolError: with a wrong one, all shares would be refused.
void StratumSession::set_extranonce(const char* where, const json& extranonce1, const json& extranonce2_size) {
    constexpr std::size_t kLongest = 32;  // digits
    if (!extranonce1.is_string()) throw ProtocolError(fmt::format("{}: expected a text as extranonce1", where));
    const auto& digits = extranonce1.get_ref<const std::string&>();
    if (digits.size() > kLongest || digits.size() % 2 != 0 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
        throw ProtocolError(fmt::format("{}: expected 0 to 16 bytes in hex as extranonce1, got {}", where,
                                        quoted_text(std::string_view(digits))));
    }
    const std::optional<std::int64_t> size = whole_number(extranonce2_size);
    if (!size || *size < 1 || *size > 8) {
        throw ProtocolError(fmt::format("{}: expected 1 to 8 as the size of extranonce2, got {}", where,
                                        quoted_json(extranonce2_size)));
    }
    extranonce1_.resize(digits.size() / 2);
    decode_hex(digits, extranonce1_);
    extranonce2_size_ = static_cast<unsigned>(*size);
}

void StratumSession::handle_version_mask(const json& params) {
    const std::optional<std::uint32_t> mask = read_mask(parameter(params, 0));
    if (!mask) return warn("the pool set version bits that are not hex digits: " + quoted_json(params));
    if (!rolling_ || *mask == version_mask_) return;
    version_mask_ = *mask;
    if (job_) repeat_job(job_->difficulty());  // valid at once (BIP 310)
}

// [], [host], [host, port], [host, port, seconds].
void StratumSession::handle_reconnect(const json& params) {
    constexpr std::int64_t kLongestWait = 3600;
    const json& host = parameter(params, 0);
    const json& port = parameter(params, 1);
    const std::string name = host.is_string() ? host.get<std::string>() : std::string();
    const std::int64_t number = port.is_null() || port == json("") ? 0 : whole_number(port).value_or(-1);
    if (!(host.is_string() || host.is_null()) || !is_host_name(name) || number < 0 || number > 65535) {
        return warn("the pool asks to connect to what is no host and port: " + quoted_json(params));
    }
    const std::int64_t wait = std::clamp<std::int64_t>(whole_number(parameter(params, 2)).value_or(0), 0, kLongestWait);
    handler_.reconnect(name, static_cast<std::uint16_t>(number), std::chrono::seconds(wait));
}

void StratumSession::handle_show_message(const json& params) {
    const json& text = params.is_string() ? params : parameter(params, 0);
    if (text.is_string()) handler_.show_message(printable(text.get_ref<const std::string&>()));
}

}  // namespace gpuminer::net
