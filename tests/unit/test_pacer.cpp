// The thread between a work client and the search.
#include "host/cli/pacer.hpp"

#include "host/fleet.hpp"
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

class EndlessJob : public MiningJob {
public:
    BlockHeader header(std::uint64_t index) const override {
        BlockHeader header = genesis();
        header.bytes[4] = static_cast<std::uint8_t>(index);
        return header;
    }
    Hash256 target() const override { return {}; }
    std::uint32_t version_mask() const override { return 0; }
};

/// Takes 1 ms for a batch of 1000: about a million hashes a second.
Behaviour steady() {
    Behaviour behaviour = batches_of(1000);
    behaviour.hashing = false;
    behaviour.delay = 1ms;
    return behaviour;
}

struct Run {
    explicit Run(std::optional<double> limit)
        : fleet(devices_of({steady()})),
          search([](const Found&) {}, fleet),
          pacer(search, limit),
          result(std::async(std::launch::async, [this] { return search.run(); })) {}
    ~Run() {
        search.stop(Ending::kFinished);
        result.wait();
    }

    Fleet fleet;
    Search search;
    Pacer pacer;
    std::future<SearchReport> result;
};

}  // namespace

TEST_CASE("the rate is known before the first job, and the warm-up ends without one") {
    Run run(std::nullopt);
    while (run.pacer.hash_rate() == 0) std::this_thread::sleep_for(5ms);
    for (std::uint64_t then = 0; then != run.search.progress().hashes_done;) {  // or else it never ends
        then = run.search.progress().hashes_done;
        std::this_thread::sleep_for(300ms);
    }
    // An end of work does not make the devices slow.
    CHECK(run.pacer.hash_rate() > 0);
}

TEST_CASE("a limit of the hash rate is kept") {
    constexpr double kLimit = 50'000;
    Run run(kLimit);
    CHECK(run.pacer.hash_rate() == kLimit);  // as long as nothing else is known
    std::this_thread::sleep_for(50ms);
    CHECK(run.search.progress().hashes_done == 0);  // no warm-up
    run.pacer.set_job(std::make_shared<EndlessJob>());
    const auto before = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(1s);
    const std::uint64_t hashes = run.search.progress().hashes_done;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    CHECK(hashes > 0);
    // And what a tick lets through, and the batches of the beginning, which are small.
    CHECK(static_cast<double>(hashes) < kLimit * (seconds + 0.2) + 30'000);
    CHECK(run.pacer.hash_rate() <= kLimit);
}
