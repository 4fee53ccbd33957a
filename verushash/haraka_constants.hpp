// The round constants of Haraka v2: numbers that both forms of VerusHash need, and the only thing that they share.
#pragma once

#include <cstdint>

namespace gpuminer::verushash {

struct RoundConstant {
    std::uint64_t high;
    std::uint64_t low;
};

/// Round keys of 128 bits in the order of their use. Source: Kölbl, Lauridsen, Mendel, Rechberger, "Haraka v2 –
/// Efficient Short-Input Hashing for Post-Quantum Applications", appendix.
constexpr RoundConstant kHarakaConstants[40] = {
    {0x0684704ce620c00a, 0xb2c5fef075817b9d}, {0x8b66b4e188f3a06b, 0x640f6ba42f08f717},
    {0x3402de2d53f28498, 0xcf029d609f029114}, {0x0ed6eae62e7b4f08, 0xbbf3bcaffd5b4f79},
    {0xcbcfb0cb4872448b, 0x79eecd1cbe397044}, {0x7eeacdee6e9032b7, 0x8d5335ed2b8a057b},
    {0x67c28f435e2e7cd0, 0xe2412761da4fef1b}, {0x2924d9b0afcacc07, 0x675ffde21fc70b3b},
    {0xab4d63f1e6867fe9, 0xecdb8fcab9d465ee}, {0x1c30bf84d4b7cd64, 0x5b2a404fad037e33},
    {0xb2cc0bb9941723bf, 0x69028b2e8df69800}, {0xfa0478a6de6f5572, 0x4aaa9ec85c9d2d8a},
    {0xdfb49f2b6b772a12, 0x0efa4f2e29129fd4}, {0x1ea10344f449a236, 0x32d611aebb6a12ee},
    {0xaf0449884b050084, 0x5f9600c99ca8eca6}, {0x21025ed89d199c4f, 0x78a2c7e327e593ec},
    {0xbf3aaaf8a759c9b7, 0xb9282ecd82d40173}, {0x6260700d6186b017, 0x37f2efd910307d6b},
    {0x5aca45c221300443, 0x81c29153f6fc9ac6}, {0x9223973c226b68bb, 0x2caf92e836d1943a},
    {0xd3bf9238225886eb, 0x6cbab958e51071b4}, {0xdb863ce5aef0c677, 0x933dfddd24e1128d},
    {0xbb606268ffeba09c, 0x83e48de3cb2212b1}, {0x734bd3dce2e4d19c, 0x2db91a4ec72bf77d},
    {0x43bb47c361301b43, 0x4b1415c42cb3924e}, {0xdba775a8e707eff6, 0x03b231dd16eb6899},
    {0x6df3614b3c755977, 0x8e5e23027eca472c}, {0xcda75a17d6de7d77, 0x6d1be5b9b88617f9},
    {0xec6b43f06ba8e9aa, 0x9d6c069da946ee5d}, {0xcb1e6950f957332b, 0xa25311593bf327c1},
    {0x2cee0c7500da619c, 0xe4ed0353600ed0d9}, {0xf0b1a5a196e90cab, 0x80bbbabc63a4a350},
    {0xae3db1025e962988, 0xab0dde30938dca39}, {0x17bb8f38d554a40b, 0x8814f3a82e75b442},
    {0x34bb8a5b5f427fd7, 0xaeb6b779360a16f6}, {0x26f65241cbe55438, 0x43ce5918ffbaafde},
    {0x4ce99a54b9f3026a, 0xa2ca9cf7839ec978}, {0xae51a51a1bdff7be, 0x40c06e2822901235},
    {0xa0c1613cba7ed22b, 0xc173bc0f48a659cf}, {0x756acc0302288288, 0x4ad6bdfde9c59da1},
};

}  // namespace gpuminer::verushash
