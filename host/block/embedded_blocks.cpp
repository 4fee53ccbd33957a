// The blocks that the program carries, each with its true nonce.
#include "host/block/header.hpp"
#include "host/block/well_known.hpp"

namespace gpuminer {
namespace {

constexpr EmbeddedBlock kBlocks[] = {
    {"genesis", "Bitcoin's first block, 2009-01-03", kGenesisHeader},
    {"1", "the first block after it",
     "010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd"
     "1e4ba744bbbe680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e61bc6649ffff001d01e36299"},
    {"170", "the first payment between two people, 2009-01-12",
     "0100000055bd840a78798ad0da853f68974f3d183e2bd1db6a842c1feecf222a00000000ff104ccb"
     "05421ab93e63f8c3ce5c2c2e9dbb37de2764b3a3175c8166562cac7d51b96a49ffff001d283e9e70"},
    {"32256", "the first block with a difficulty above 1, 2009-12-30",
     "010000004b0360d834a330ec7833e30e1f523ee05a0793361e29a73421964f980000000027b64a02"
     "0af294e903feed93768705336a20090612a043f47af462a2f5e5b564f8ee3a4b6ad8001dd3a43707"},
    {"100000", "Bitcoin block 100000, 2010-12-29; its nonce is 274148111", kBlock100000Header},
    {"419328", "the block that activated relative lock times (CSV), 2016-07-04",
     "00000020422ec39ea4260ebf42421dbf863357c49852dac2b40418050000000000000000f9de9f6a"
     "7328843df7f1a372451d854ce8431be9dde68630d95a97737079570e31ee7a57fd260518be71a750"},
    {"814464", "its hash begins with 82 zero bits; rolled version bits, 2023-10-30",
     "00600020e6dcb370d521458f71579b469d57c4fc9ae9303d8153030000000000000000006cb324e6"
     "313c2631c567f6a823890c7dd2358536ef1feae8a1fe1abed13836feb3283f6594810417e73d88eb"},
    {"870000", "Bitcoin block 870000, with rolled version bits, 2024-11-12",
     "00a03d29cc75988098fafae62060cfa7993d2139fbca1bbb67c001000000000000000000491fdec6"
     "19a67b72c6cf5545e97e7d55596d7baf94a4cd336229c4b6d2d5d1ea625e3367e4c4021778595fa1"},
    {"testnet3-genesis", "the first block of testnet3",
     "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd"
     "7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff001d1aa4ae18"},
    {"testnet4-genesis", "the first block of testnet4",
     "0100000000000000000000000000000000000000000000000000000000000000000000004e7b2b91"
     "28fe0291db0693af2ae418b767e657cd407e80cb1434221eaea7a07a046f3566ffff001dbb0c7817"},
    {"signet-genesis", "the first block of the default signet",
     "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd"
     "7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a008f4d5fae77031e8ad22203"},
};

}  // namespace

std::span<const EmbeddedBlock> embedded_blocks() { return kBlocks; }

}  // namespace gpuminer
