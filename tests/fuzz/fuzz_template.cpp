// Fuzzer of block templates. Each is understood or refused with a plain sentence, and an understood one becomes headers
// and blocks that agree with each other.
#include <cstdint>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/solo/template_job.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

void check_template(const BlockTemplate& block) {
    demand(block.height >= 1, "a block has a height");
    demand(block.min_time <= block.time && block.time <= block.max_time, "the template's time is one that it allows");
    demand(block.target == target_from_nbits(block.nbits), "the target is that of the bits");
    demand(block.transactions.size() <= 100'000, "the number of transactions is bounded");
}

void check_job(const TemplateJob& job) {
    const BlockTemplate& block = job.block_template();
    const BlockHeader header = job.header(7);
    demand(header != job.header(8), "each index has a header of its own");
    demand(header.previous_hash() == block.previous_hash && header.nbits() == block.nbits,
           "the header has the template's fields");
    demand(header.time() >= block.time && header.time() <= block.max_time, "the header's time is within its bounds");
    demand((header.version() & job.version_mask()) == 0, "bits to be rolled are zero");
    demand((job.version_mask() & ~0x1fffe000u) == 0, "only BIP 320's bits are rolled");

    const TransactionIds coinbase = transaction_ids(job.coinbase().in_block(7));
    demand(coinbase.txid == job.coinbase().txid(7), "the coinbase has one txid in both its forms");
    demand(coinbase.has_witness() == block.witness_commitment.has_value(), "a commitment comes with a witness");
    if (block.transactions.empty()) {
        demand(header.merkle_root() == display_order(coinbase.txid), "a lone coinbase is the merkle root");
    }
    const std::string hex = job.block_hex(7, header);
    demand(hex.starts_with(header.hex()), "a block begins with its header");
    std::string end;
    if (!block.transactions.empty()) end = to_hex(block.transactions.back().data);
    demand(hex.ends_with(end), "a block ends with its last transaction");
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const nlohmann::json result = nlohmann::json::parse(data, data + size, nullptr, false);
    if (result.is_discarded()) return 0;
    try {
        const auto block = std::make_shared<const BlockTemplate>(parse_block_template(result));
        check_template(*block);
        TemplateJobOptions options;
        options.script = {0x51};
        options.signature = "/fuzz/";
        try {
            check_job(TemplateJob(block, options));
        } catch (const InputError& error) {  // the node's flags leave no room in the coinbase
            fuzz::demand_plain_sentence(error.what());
            demand(!block->coinbase_flags.empty(), "only flags take the room");
        }
    } catch (const NetworkError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
    return 0;
}
