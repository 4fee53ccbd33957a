// The woven search with the rounds of four nonces in turns.
#pragma once

#define GPUMINER_WOVEN_FIXED "search_program/woven_fixed_4.inc"
#define GPUMINER_WOVEN_ROLLED "search_program/woven_rolled_4.inc"
#include "cpu/scan/scan_woven.hpp"
