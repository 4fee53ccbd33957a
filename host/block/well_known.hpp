// Two headers that more than one program carries, as hex digits with their true nonces. Needs no library: baremetal/
// has none.
#pragma once

namespace gpuminer {

inline constexpr char kGenesisHeader[] =
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd"
    "7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c";
inline constexpr char kBlock100000Header[] =
    "0100000050120119172a610421a6c3011dd330d9df07b63616c2cc1f1cd00200000000006657a925"
    "2aacd5c0b2940996ecff952228c3067cc38d4885efb5a4ac4247e9f337221b4d4c86041b0f2b5710";

}  // namespace gpuminer
