// The woven search with the rounds of two nonces in turns.
#pragma once

#define GPUMINER_WOVEN_FIXED "search_program/woven_fixed_2.inc"
#define GPUMINER_WOVEN_ROLLED "search_program/woven_rolled_2.inc"
#include "cpu/scan/scan_woven.hpp"
