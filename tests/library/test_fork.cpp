// The library in children of processes with threads, which are in the middle of its functions at that moment, and in
// threads that are cancelled.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "library/include/gpuminer.h"
#include "tests/catch.hpp"
#include "tests/library/oracle.hpp"

using namespace gpuminer::test;

namespace {

constexpr unsigned kPatience = 120;  ///< seconds until a child that waits for a lock is killed: a failure in any case

// Before main(): a child could wait for ever for a static variable that another thread was initialising.
const std::vector<Hash> kLeaves = some_hashes(33, 5);
const Hash kRoot = merkle_root(kLeaves), kFirst = sha256d(kLeaves.front());

bool searches() {
    gm_search search{};
    search.last = 40'000;
    const Hash zero{};
    search.target = zero.data();  // nothing meets it
    search.threads = 2;
    gm_search_result result{};
    return gm_search_header(&search, &result) == GM_OK && result.hashes == 40'001;
}

bool hashes_messages() {
    const std::uint8_t* const message = kLeaves.front().data();
    const std::size_t size = 32;
    Hash hash{};
    return gm_sha256d_messages(hash.data(), &message, &size, 1) == GM_OK && hash == kFirst;
}

bool hashes_trees() {
    Hash root{};
    return gm_merkle_root(root.data(), kLeaves.front().data(), kLeaves.size()) == GM_OK && root == kRoot;
}

constexpr std::array kKinds = {searches, hashes_messages, hashes_trees};

bool all_is_right() {
    return std::ranges::all_of(kKinds, [](const auto& kind) { return kind(); });
}

/// A child that ends with 0 where `function` returns true.
template <typename Function>
pid_t fork_to(const Function& function) {
    const pid_t child = fork();
    if (child != 0) return child;
    alarm(kPatience);
    _exit(function() ? 0 : 1);
}

bool succeeds(pid_t child) {
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Forks while another thread is in the first call of a function in this process.
bool children_of_first_call_succeed(bool (*kind)()) {
    std::atomic<bool> begun{false};
    std::jthread first([&] {
        begun = true;
        (void)kind();
    });
    while (!begun) std::this_thread::yield();
    std::array<pid_t, 4> children{};
    for (pid_t& child : children) child = fork_to(all_is_right);
    return std::ranges::all_of(children, succeeds);
}

}  // namespace

// First, while nothing in this process has called the library.
TEST_CASE("a child that is forked during a first call may use the library") {
    for (const auto& kind : kKinds) {
        for (int i = 0; i < 6; ++i) CHECK(succeeds(fork_to([&] { return children_of_first_call_succeed(kind); })));
    }
}

TEST_CASE("a child that is forked while threads use the library may use it") {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([](const std::stop_token& stop) {
            while (!stop.stop_requested()) (void)all_is_right();
        });
    }
    for (int i = 0; i < 20; ++i) CHECK(succeeds(fork_to(all_is_right)));
}

TEST_CASE("a thread that is cancelled while it searches ends without the process") {
    for (int i = 0; i < 4; ++i) {
        std::atomic<bool> begun{false};
        pthread_t thread{};
        const auto search_for_long = [](void* flag) -> void* {
            static_cast<std::atomic<bool>*>(flag)->store(true);
            const Hash zero{};  // nothing meets it
            gm_search search{};
            search.last = UINT32_MAX;
            search.target = zero.data();
            search.threads = 4;
            search.seconds = 0.2;
            gm_search_result result{};
            (void)gm_search_header(&search, &result);
            return nullptr;
        };
        REQUIRE(pthread_create(&thread, nullptr, search_for_long, &begun) == 0);
        while (!begun) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20 * i));
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, nullptr) == 0);
    }
}
