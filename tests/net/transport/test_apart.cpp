// Tests of calls on threads of their own, whose results and failures come to the event loop.
#include "net/transport/apart.hpp"

#include <cstdlib>
#include <future>
#include <memory>
#include <stdexcept>

#include <boost/asio/io_context.hpp>

#include "tests/catch.hpp"

using namespace gpuminer::net;

namespace {

struct Answer {
    int number = 0;
    std::string failure;
};

Answer answer_of(const std::function<Answer()>& call) {
    EventLoop loop;
    Answer answer;
    bool done = false;
    call_apart<Answer>(loop, call, [&](Answer given) {
        answer = std::move(given);
        done = true;
    });
    while (!done) loop.context().run_one();
    return answer;
}

}  // namespace

TEST_CASE("a call apart gives its result, or why it has none") {
    const Answer answer = answer_of([] { return Answer{7, ""}; });
    CHECK(answer.number == 7);
    CHECK(answer.failure.empty());
    CHECK(answer_of([]() -> Answer { throw std::runtime_error("no memory"); }).failure == "no memory");
}

TEST_CASE("a call apart whose loop is gone ends by itself") {
    const auto gone = std::make_shared<std::promise<void>>();
    const auto ended = std::make_shared<std::promise<void>>();
    {
        const EventLoop loop;
        call_apart<Answer>(
            loop,
            [gone, ended] {
                gone->get_future().wait();
                ended->set_value();
                return Answer{};
            },
            [](const Answer&) { std::abort(); });  // nobody waits for it
    }
    gone->set_value();
    ended->get_future().wait();
}
