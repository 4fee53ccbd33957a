// Tests of the choice of ISA that are ARM64's alone.
#include "cpu/form_choice.hpp"
#include "cpu/isa.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

TEST_CASE("each ISA of ARM64 needs its own feature") {
    CHECK(cpu::find_isa("neon")->needs == &cpu::Features::asimd);
    CHECK(cpu::find_isa("sha2")->needs == &cpu::Features::sha2);
}

TEST_CASE("where nothing was timed, SHA-2 instructions come first, and NEON where there are none") {
    const cpu::Features raspberry_pi_4{.asimd = true};
    const cpu::Features neoverse_n1{.asimd = true, .sha2 = true};
    CHECK(cpu::fastest_of(cpu::usable_forms("auto", raspberry_pi_4), std::nullopt).name == std::string("neon"));
    CHECK(cpu::fastest_of(cpu::usable_forms("auto", neoverse_n1), std::nullopt).name == std::string("sha2"));
}
