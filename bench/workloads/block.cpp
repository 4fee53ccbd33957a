#include "bench/workloads/block.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/workloads/timed_work.hpp"
#include "cpu/batch/messages_kernels.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"
#include "host/block/hash256.hpp"

namespace gpuminer::bench {

Rows prepare_block(const Setting& setting);

namespace {

/// Bytes without and with witness of the transactions in the middle of each twentieth of block 702861 (2021-09-30,
/// 000000000000000000000c835b2adcaedc20fdf6ee440009c249452c726dafae, 2,500 transactions), ordered by the first. (The
/// longest, of 99,624 and 170,363 bytes, are in no middle.)
constexpr std::array<std::pair<std::size_t, std::size_t>, 20> kTransactionSizes{
    {{83, 192},  {113, 223}, {113, 223}, {114, 224}, {114, 224}, {114, 224}, {114, 224},
     {116, 226}, {116, 226}, {116, 226}, {123, 341}, {137, 247}, {150, 376}, {157, 373},
     {192, 192}, {221, 221}, {226, 226}, {268, 593}, {372, 372}, {958, 958}}};
constexpr std::size_t kTransactions = 2000;

// Deprecated, but the fastest way into OpenSSL: its successors take some 35 ns more for each hash.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Digest hash_by_openssl(std::span<const std::uint8_t> message) {
    Digest digest{};
    SHA256_CTX context;
    if (SHA256_Init(&context) != 1 || SHA256_Update(&context, message.data(), message.size()) != 1 ||
        SHA256_Final(digest.data(), &context) != 1)
        throw std::runtime_error("OpenSSL cannot compute SHA-256");
    return digest;
}
#pragma GCC diagnostic pop

Digest double_hash_by_openssl(std::span<const std::uint8_t> message) {
    return hash_by_openssl(hash_by_openssl(message));
}

using Digests = std::vector<Digest>;
/// Digests of pairs, which lie side by side, to the place of the first ones.
using HashPairs = std::function<void(std::uint8_t* hashes, std::size_t pairs)>;

/// The root takes the place of the first hash. There is room for one more than there are.
void make_root(Digests& level, std::size_t count, const HashPairs& hash_pairs) {
    for (; count > 1; count = (count + 1) / 2) {
        if (count % 2 == 1) level[count] = level[count - 1];  // the rule of odd levels
        hash_pairs(level.front().data(), (count + 1) / 2);
    }
}
std::size_t hashes_to_root(std::size_t count) {
    std::size_t hashes = 0;
    for (; count > 1; count = (count + 1) / 2) hashes += (count + 1) / 2;
    return hashes;
}

/// The kernels that are for one input at a time; those further down a list are faster where a CPU can run them.
template <class Kernel>
std::size_t single_kernel(std::span<const Kernel> kernels) {
    const cpu::Features features = cpu::detect_features();
    std::size_t found = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (kernels[i].width == 1 && kernels[i].usable(features)) found = i;
    }
    return found;
}

/// One thing to be hashed, and the ways to do so.
struct BlockTask {
    std::string name;
    std::size_t hashes, bytes;  ///< of a pass; bytes: those that are read from messages, or pairs
    Digests expected;
    using Pass = std::function<void(Digests& out)>;
    std::array<Pass, 3> passes;  ///< together, one stream, OpenSSL
};

constexpr std::array kBlockWays = {"", ", 1 stream", ", OpenSSL"};
constexpr std::size_t kOpenSsl = 2;

class MeasuredTask {
public:
    MeasuredTask(BlockTask task, const std::stop_token& stop) : task_(std::move(task)), out_(task_.expected.size()) {
        for (std::size_t way = 0; way < kBlockWays.size(); ++way) {
            works_.emplace_back(stop, 1, [this, way](std::uint64_t passes) {
                for (; passes != 0; --passes) task_.passes[way](out_);
            });
            run_and_verify(way, [&] { task_.passes[way](out_); });
        }
    }

    [[nodiscard]] std::string name(std::size_t way) const { return task_.name + kBlockWays[way]; }

    /// All ways, one after the other, so that they see the same clock; returns the figure of the first.
    double measure(double seconds) {
        for (std::size_t way = 0; way < kBlockWays.size(); ++way) {
            run_and_verify(way, [&] {
                works_[way].warm_up(seconds);
                const TimedWork::Timing timing = works_[way].time(seconds);
                latest_[way] = timing.seconds * 1e9 / static_cast<double>(timing.units);
            });
        }
        for (std::size_t way = 0; way < kBlockWays.size(); ++way) {
            per_byte_[way].add(latest_[way] / static_cast<double>(task_.bytes));
            if (way != kOpenSsl) gains_[way].add(latest_[kOpenSsl] / latest_[way]);
        }
        return nanoseconds_per_hash(0);
    }
    [[nodiscard]] double nanoseconds_per_hash(std::size_t way) const {
        return latest_[way] / static_cast<double>(task_.hashes);
    }
    [[nodiscard]] Json details(std::size_t way) const {
        return {{"ns_per_byte", per_byte_[way].json()},
                {"gain", gains_[way].json()},
                {"hashes", task_.hashes},
                {"bytes", task_.bytes},
                {"spreads", {{"ns_per_byte", per_byte_[way].spread_json()}, {"gain", gains_[way].spread_json()}}}};
    }

private:
    template <class Work>
    void run_and_verify(std::size_t way, const Work& work) {
        std::ranges::fill(out_, Digest{});
        work();
        if (out_ != task_.expected)
            throw VerificationError(fmt::format("block: {} gives other hashes than OpenSSL", name(way)));
    }

    const BlockTask task_;
    Digests out_;
    std::vector<TimedWork> works_;
    std::array<double, kBlockWays.size()> latest_{};
    std::array<Figure, kBlockWays.size()> per_byte_, gains_;
};

using Transactions = std::vector<std::vector<std::uint8_t>>;

BlockTask task_of_messages(const char* name, const std::shared_ptr<const Transactions>& transactions,
                           const BlockHashes& hashes) {
    const auto messages = std::make_shared<std::vector<Message>>();
    BlockTask task{name, transactions->size(), 0, {}, {}};
    for (const auto& transaction : *transactions) {
        messages->push_back({transaction.data(), transaction.size()});
        task.bytes += transaction.size();
        task.expected.push_back(double_sha256_digest(transaction));
    }
    const cpu::MessagePlan single = cpu::plan_with(single_kernel(cpu::message_kernels()));
    // `transactions` is there as long as what points into it.
    task.passes = {[=, kept = transactions](Digests& out) { hashes.messages(out.front().data(), *messages); },
                   [=](Digests& out) { cpu::hash_messages(single, out.front().data(), *messages); },
                   [=](Digests& out) {
                       for (std::size_t i = 0; i < messages->size(); ++i)
                           out[i] = double_hash_by_openssl({(*messages)[i].data, (*messages)[i].size});
                   }};
    return task;
}

/// `ids`: the leaves.
BlockTask task_of_root(const Digests& ids, const BlockHashes& hashes) {
    const auto level = std::make_shared<Digests>(ids.size() + 1);
    const auto root_by = [=](HashPairs hash_pairs) {
        return [=, hash_pairs = std::move(hash_pairs)](Digests& out) {
            std::ranges::copy(ids, level->begin());
            make_root(*level, ids.size(), hash_pairs);
            out.front() = level->front();
        };
    };
    const auto by_openssl = [](std::uint8_t* bytes, std::size_t pairs) {
        for (std::size_t i = 0; i < pairs; ++i) {
            const Digest hash = double_hash_by_openssl(std::span(bytes + 64 * i, 64));
            std::ranges::copy(hash, bytes + 32 * i);
        }
    };
    const cpu::BatchKernel& single = cpu::batch_kernels()[single_kernel(cpu::batch_kernels())];
    Digests expected(1);
    root_by(by_openssl)(expected);
    const std::size_t count = hashes_to_root(ids.size());
    return {
        "root",
        count,
        64 * count,
        expected,
        {root_by([=](std::uint8_t* bytes, std::size_t pairs) { hashes.pairs(bytes, bytes, pairs); }),
         root_by([&single](std::uint8_t* bytes, std::size_t pairs) { cpu::run_batch(single, bytes, bytes, pairs); }),
         root_by(by_openssl)}};
}

Row row_of_task(BlockTask task, const std::stop_token& stop) {
    const auto measured = std::make_shared<MeasuredTask>(std::move(task), stop);
    Row row{measured->name(0), "ns per hash", Better::kLower,
            [=](double seconds) { return measured->measure(seconds); }, [=] { return measured->details(0); }};
    for (std::size_t way = 1; way < kBlockWays.size(); ++way) {
        row.parts.push_back({measured->name(way), [=] { return measured->nanoseconds_per_hash(way); },
                             [=] { return measured->details(way); }});
    }
    return row;
}

}  // namespace

BlockTransactions usual_block() {
    std::mt19937_64 random(kTransactions);
    const auto transaction = [&random](std::size_t size) {
        std::vector<std::uint8_t> bytes(size);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() >> 56);
        return bytes;
    };
    std::vector<std::pair<std::size_t, std::size_t>> sizes;
    while (sizes.size() < kTransactions) sizes.insert(sizes.end(), kTransactionSizes.begin(), kTransactionSizes.end());
    std::ranges::shuffle(sizes, random);
    BlockTransactions block{"2,000 transactions, their sizes by 20 percentiles of block 702861's", {}, {}};
    for (const auto& [without_witness, whole] : sizes) {
        block.without_witness.push_back(transaction(without_witness));
        block.whole.push_back(transaction(whole));
    }
    return block;
}

Rows block_rows(const Setting& setting, const BlockTransactions& block, const BlockHashes& hashes) {
    const auto kept = std::make_shared<const BlockTransactions>(block);
    BlockTask ids = task_of_messages("txids", {kept, &kept->without_witness}, hashes);
    BlockTask root = task_of_root(ids.expected, hashes);
    Rows rows;
    rows.rows.push_back(row_of_task(std::move(ids), setting.stop));
    rows.rows.push_back(row_of_task(task_of_messages("wtxids", {kept, &kept->whole}, hashes), setting.stop));
    if (root.hashes != 0) rows.rows.push_back(row_of_task(std::move(root), setting.stop));
    rows.text = [kept](std::size_t) {
        return fmt::format(
            "{}.\n"
            "Gain: OpenSSL's time over the row's. 1 stream: this program's fastest kernel for\n"
            "one message at a time. A figure per hash and one per byte are not to be\n"
            "compared: a hash reads some hundred bytes.\n",
            kept->name);
    };
    rows.job = {{"name", block.name}, {"transactions", block.whole.size()}};
    return rows;
}

Rows prepare_block(const Setting& setting) {
    return block_rows(setting, setting.options.block ? *setting.options.block : usual_block());
}

}  // namespace gpuminer::bench
