// Tests that documents and their texts identify nobody.
#include "bench/document/shareable.hpp"

#include "tests/bench/bench_tools.hpp"
#include "tests/catch.hpp"

namespace gpuminer::bench {

TEST_CASE("paths are taken out of texts") {
    CHECK(without_identities("/home/alice/gpuminer bench") == "[path] bench");
    CHECK(without_identities("cannot open '/home/alice b/x': denied") == "cannot open '[path]': denied");
    CHECK(without_identities("in /tmp/x: no space; see ~/a, ./b and ../c.") ==
          "in [path]: no space; see [path], [path] and [path].");
    CHECK(without_identities("--csv=/home/a.csv @/home/h (/etc/x)") == "--csv=[path] @[path] ([path])");
    CHECK(without_identities(R"(in C:\Users\alice\x: no space; \\server\share\x "D:\a b" C: C:\ a\b)") ==
          R"(in [path]: no space; [path] "[path]" C: C:\ a\b)");
    CHECK(without_identities("'/home/unclosed and more") == "'[path] and more");
}

TEST_CASE("serial numbers and addresses are taken out of texts") {
    CHECK(without_identities("GPU-1a2b3c4d-0011-2233-4455-66778899aabb") == "GPU-[UUID]");
    CHECK(without_identities("1a2b3c4d00112233445566778899aabb") == "[UUID]");
    CHECK(without_identities("-i 0000:01:00.0 -c") == "-i [PCI address] -c");
    CHECK(without_identities("00000000:0A:1f.0") == "[PCI address]");
}

TEST_CASE("other texts stay as they are") {
    const std::string header(160, 'a'), target(64, '0');
    for (const std::string& text :
         {header, target, std::string("MH/s, n/a, and/or, cycles / hash"), std::string("kernel/avx2 fixed=11M"),
          std::string("10 % / 90 %: 12:34:56.7"), std::string("https://example.org/a"), std::string("</b>"),
          std::string("cmd /d /c exit 0 /c"), std::string("")}) {
        CHECK(without_identities(text) == text);
        CHECK(without_identities(without_identities(text)) == text);
    }
}

TEST_CASE("a document that can be published") {
    Document document = test::sample_document();
    document.command = "/home/alice/gpuminer bench";
    document.label = "/home/alice";             // her own words
    document.machine["host"] = "alice-laptop";  // of another program
    document.program["built"] = {{"user", "alice"}, {"with", "gcc"}};
    document.devices = {{{"name", "x"}, {"nested", {{"deep", {"/home/alice"}}}}}};
    document.measurements.at(0).details["host"] = "alice-laptop";
    document.measurements.at(1).details["host"] = "alice-server";
    make_shareable(document);
    const std::string once = dump(document);
    CHECK(document.command == "[path] bench");
    CHECK(document.label == "/home/alice");
    CHECK_FALSE(document.machine.contains("host"));
    CHECK(document.machine.contains("cpu"));
    CHECK(document.program["built"] == Json{{"with", "gcc"}});
    CHECK(document.devices[0]["nested"]["deep"][0] == "[path]");
    CHECK(document.measurements.at(0).details["host"] == "host 1");
    CHECK(document.measurements.at(1).details["host"] == "host 2");
    make_shareable(document);
    CHECK(dump(document) == once);
}

}  // namespace gpuminer::bench
