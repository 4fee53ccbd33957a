// Tests of shared libraries and of the user's folders.
#include "host/system/folders.hpp"
#include "host/system/shared_library.hpp"
#include "tests/catch.hpp"
#include "tests/environment.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("a shared library gives its functions, and the reason where it cannot be loaded") {
    SharedLibrary library("libm.so.6");
    REQUIRE(library.loaded());
    CHECK(library.failure().empty());
    const auto cosine = library.function<double (*)(double)>("cos");
    REQUIRE(cosine != nullptr);
    CHECK(cosine(0) == 1);
    CHECK(library.function<void (*)()>("no_such_function") == nullptr);
    library.unload();
    CHECK_FALSE(library.loaded());
    CHECK(library.function<double (*)(double)>("cos") == nullptr);

    const SharedLibrary absent("libnothing-of-the-kind.so.1");
    CHECK_FALSE(absent.loaded());
    CHECK(absent.failure().find("libnothing-of-the-kind.so.1") != std::string::npos);
    CHECK(absent.function<void (*)()>("main") == nullptr);
}

TEST_CASE("the user's folders: the XDG variables, else below HOME, and what is no absolute path is ignored") {
    const Environment home("HOME", "/home/u"), config("XDG_CONFIG_HOME", "/c"), state("XDG_STATE_HOME", "state"),
        cache("XDG_CACHE_HOME", nullptr);
    CHECK(home_folder() == "/home/u");
    CHECK(config_folder() == "/c/gpuminer");
    CHECK(state_folder() == "/home/u/.local/state/gpuminer");
    CHECK(cache_folder() == "/home/u/.cache/gpuminer");
    const Environment no_home("HOME", "home");
    CHECK(home_folder() == std::nullopt);
    CHECK(config_folder() == "/c/gpuminer");
    CHECK(state_folder() == std::nullopt);
    CHECK(cache_folder() == std::nullopt);
}
