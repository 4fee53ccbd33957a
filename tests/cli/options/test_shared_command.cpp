// Tests of the command line that documents show.
#include "cli/options/shared_command.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace gpuminer {
namespace {

std::string shared(std::vector<const char*> words) {
    return command_to_share(static_cast<int>(words.size()), words.data());
}

}  // namespace

TEST_CASE("names of files are not in the command that documents show") {
    CHECK(shared({"/home/alice/gpuminer", "bench", "all", "--json", "my run.json", "--report=my page.html"}) ==
          "gpuminer bench all --json FILE --report=F.html");
    CHECK(shared({"gpuminer", "bench", "-cmy.toml", "-c", "my.toml", "--baseline", "old.json", "@headers"}) ==
          "gpuminer bench -cFILE -c FILE --baseline F.json @FILE");
}

TEST_CASE("other words of the command are as they were typed") {
    CHECK(shared({"gpuminer", "bench", "--json", "kernel", "-t", "2", "--label", "mine"}) ==
          "gpuminer bench --json kernel -t 2 --label mine");
    CHECK(shared({"gpuminer", "bench", "--json", "--quick"}) == "gpuminer bench --json --quick");
    CHECK(shared({"gpuminer", "bench", "--json"}) == "gpuminer bench --json");
    CHECK(shared({"gpuminer", "bench", "--report"}) == "gpuminer bench --report");
    CHECK(shared({}).empty());
}

}  // namespace gpuminer
