// main() for the test programs where Catch2 is version 2; version 3 brings its own (Catch2WithMain).
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
