#include "mpi/verify.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/terminal/output.hpp"
#include "mpi/messages.hpp"

namespace gpuminer::mpi {
namespace {

constexpr std::size_t kOfAPart = 500;         // headers
constexpr std::size_t kPartsOfARank = 2;      // in work, so that no rank waits for the next one
constexpr std::size_t kPartsUnprinted = 256;  // a rank that is late holds the others up at last: texts take memory
constexpr std::chrono::microseconds kPauseOfVerify{200};

VerifiedText verify_part(const Options& options, const std::vector<HeaderInput>& headers, bool several, bool follows) {
    VerifiedText all{"", true};
    for (const HeaderInput& header : headers) {
        const VerifiedText one = verify_one(options, header, several, follows);
        all.text += one.text;
        all.valid = all.valid && one.valid;
        follows = true;
    }
    return all;
}

class Dealer {
public:
    Dealer(Communicator& communicator, const Options& options, const std::vector<HeaderInput>& headers, bool several)
        : communicator_(communicator),
          options_(options),
          headers_(headers),
          several_(several),
          in_work_(static_cast<std::size_t>(communicator.size())) {}

    bool run() {
        while (printed_ < parts()) {
            while (auto message = communicator_.poll()) take(*message);
            const bool dealt = deal();
            print();
            if (!dealt) std::this_thread::sleep_for(kPauseOfVerify);
        }
        for (int rank = 1; rank < communicator_.size(); ++rank) communicator_.send(rank, to_cbor(nullptr));
        output_.finish();
        return all_valid_;
    }

private:
    [[nodiscard]] std::size_t parts() const { return (headers_.size() + kOfAPart - 1) / kOfAPart; }
    [[nodiscard]] std::vector<HeaderInput> part(std::size_t number) const {
        const auto begin = headers_.begin() + static_cast<std::ptrdiff_t>(number * kOfAPart);
        const std::size_t count = std::min(kOfAPart, headers_.size() - number * kOfAPart);
        return {begin, begin + static_cast<std::ptrdiff_t>(count)};
    }

    /// One part: to a rank that has little, or else for this one. False: there is nothing to be dealt for now.
    bool deal() {
        if (next_ == parts() || next_ >= printed_ + kPartsUnprinted) return false;
        const auto least = std::min_element(in_work_.begin() + 1, in_work_.end());
        const bool follows = next_ > 0;
        if (least == in_work_.end() || *least >= kPartsOfARank) {
            done_[next_] = verify_part(options_, part(next_), several_, follows);
        } else {
            ++*least;
            nlohmann::json headers = nlohmann::json::array();
            for (const HeaderInput& header : part(next_)) headers.push_back({header.header.hex(), header.has_nonce});
            communicator_.send(static_cast<int>(least - in_work_.begin()),
                               to_cbor({next_, several_, follows, std::move(headers)}));
        }
        ++next_;
        return true;
    }
    void take(const Message& message) {
        const nlohmann::json json = nlohmann::json::from_cbor(message.bytes);
        --in_work_[static_cast<std::size_t>(message.from)];
        done_[json[0].get<std::size_t>()] = {json[1].get<std::string>(), json[2].get<bool>()};
    }
    void print() {
        for (auto first = done_.begin(); first != done_.end() && first->first == printed_; first = done_.erase(first)) {
            output_.write(first->second.text);
            all_valid_ = all_valid_ && first->second.valid;
            ++printed_;
        }
    }

    Communicator& communicator_;
    const Options& options_;
    const std::vector<HeaderInput>& headers_;
    const bool several_;
    std::vector<std::size_t> in_work_;          // parts, by rank
    std::map<std::size_t, VerifiedText> done_;  // by part, not printed yet
    std::size_t next_ = 0, printed_ = 0;        // parts
    bool all_valid_ = true;
    Output output_;
};

}  // namespace

bool lead_verify(Communicator& communicator, const Options& options, const std::vector<HeaderInput>& headers,
                 bool several) {
    return Dealer(communicator, options, headers, several).run();
}

void follow_verify(Communicator& communicator, const Options& options) {
    for (;;) {
        const auto message = communicator.poll();
        if (!message) {
            std::this_thread::sleep_for(kPauseOfVerify);
            continue;
        }
        const nlohmann::json json = nlohmann::json::from_cbor(message->bytes);
        if (json.is_null()) return;
        std::vector<HeaderInput> headers;
        for (const nlohmann::json& header : json[3]) {
            headers.push_back(parse_header_hex(header[0].get<std::string>(), *options.devices.algorithm));
            headers.back().has_nonce = header[1];
        }
        const VerifiedText verified = verify_part(options, headers, json[1], json[2]);
        communicator.send(0, to_cbor({json[0], verified.text, verified.valid}));
    }
}

}  // namespace gpuminer::mpi
