// Tests of the journal's thread, over a played disk that writes, hangs, answers again and fails as they say.
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/abandonable_thread.hpp"
#include "host/errors.hpp"
#include "net/journal/journal.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/journal/played_disk.hpp"
#include "tests/net/transport/scripted_server.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using gpuminer::test::Disk;
using gpuminer::test::eventually;
using gpuminer::test::PlayedStore;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

constexpr JournalTiming kShort{.patience = milliseconds(50),
                               .after_hurry = milliseconds(5),
                               .at_end = milliseconds(50),
                               .at_end_if_late = milliseconds(5)};
constexpr JournalTiming kLong{.patience = std::chrono::hours(1),
                              .after_hurry = milliseconds(5),
                              .at_end = std::chrono::hours(1),
                              .at_end_if_late = std::chrono::hours(1)};

struct Played {
    std::shared_ptr<Disk> disk = std::make_shared<Disk>();
    std::vector<json> left = {};
    std::mutex mutex = {};
    std::vector<std::string> said = {};
    int changes = 0;
    bool required = true;

    ~Played() { disk->go_on(); }  // so that an abandoned thread ends

    std::unique_ptr<Journal> journal(const JournalTiming& timing, std::function<bool()> stopped = {}) {
        JournalEvents events{.say =
                                 [this](Severity, std::string text) {
                                     const std::lock_guard lock(mutex);
                                     said.push_back(std::move(text));
                                 },
                             .changed =
                                 [this] {
                                     const std::lock_guard lock(mutex);
                                     ++changes;
                                 },
                             .stopped = std::move(stopped),
                             .required = required};
        const bool hangs = disk->hangs();
        auto journal = std::make_unique<Journal>(std::make_unique<PlayedStore>(disk, left), std::move(events), timing);
        if (!hangs) {  // on a busy machine it may be open later
            REQUIRE(eventually([this] {
                const std::lock_guard lock(mutex);
                return changes == 1;
            }));
        }
        return journal;
    }
    bool has_said(const std::string& part) { return times_said(part) > 0; }
    int times_said(const std::string& part) {
        const std::lock_guard lock(mutex);
        int times = 0;
        for (const std::string& text : said) times += contains(text, part) ? 1 : 0;
        return times;
    }
};

/// Until the entry is released.
void wait_for(Journal& journal, JournalTicket ticket) {
    REQUIRE(eventually([&] { return journal.released() >= ticket; }));
}

json entry_of(int id) { return {{"event", "share"}, {"id", id}}; }
std::string line_of_entry(int id) { return entry_of(id).dump() + "\n"; }

}  // namespace

TEST_CASE("an entry is released when it is on disk", "[journal]") {
    Played played;
    played.left = {entry_of(0)};
    const auto journal = played.journal(kLong);
    CHECK(journal->take_open() == std::vector<json>{entry_of(0)});
    CHECK(journal->take_open().empty());
    CHECK(journal->path() == "played.jsonl");
    CHECK(journal->released() == 0);
    CHECK_FALSE(journal->next_release());
    played.disk->hang();
    const JournalTicket first = journal->append(entry_of(1));
    REQUIRE(eventually([&] { return played.disk->calls() == 2; }));
    const JournalTicket second = journal->append(entry_of(2));
    const JournalTicket third = journal->append(entry_of(3));
    CHECK(journal->released() == 0);
    CHECK(journal->next_release());
    std::thread waiting([&] { wait_for(*journal, first); });
    played.disk->go_on();
    waiting.join();
    CHECK(contains(played.disk->text(), line_of_entry(1)));
    wait_for(*journal, third);
    CHECK(second < third);
    CHECK(journal->released() == third);
    CHECK(played.disk->text() == line_of_entry(1) + line_of_entry(2) + line_of_entry(3));
    CHECK(played.disk->calls() == 3);  // those that had come in the meantime were written together
    REQUIRE(eventually([&] {
        const std::lock_guard lock(played.mutex);
        return played.changes == 3;
    }));
    CHECK(played.said.empty());
}

TEST_CASE("a disk that hangs is waited for once, with a warning, until it answers again", "[journal]") {
    Played played;
    const auto journal = played.journal(kShort);
    played.disk->hang();
    wait_for(*journal, journal->append(entry_of(1)));
    CHECK(played.times_said("the disk has not responded for 0.05 s") == 1);
    // Nobody waits for the next ones at all.
    const JournalTicket last = journal->append(entry_of(2));
    CHECK(journal->released() == last);
    wait_for(*journal, last);
    CHECK_FALSE(journal->next_release());
    CHECK(played.times_said("the disk has not responded") == 1);
    played.disk->go_on();
    REQUIRE(eventually([&] { return played.has_said("the disk responds again"); }));
    CHECK(eventually([&] { return played.disk->text() == line_of_entry(1) + line_of_entry(2); }));
    CHECK(played.times_said("the disk has not responded") == 1);
}

TEST_CASE("where nothing waits, a disk that hangs is noticed by released()", "[journal]") {
    Played played;
    const auto journal = played.journal(kShort);
    played.disk->hang();
    const JournalTicket ticket = journal->append(entry_of(1));
    REQUIRE(journal->next_release());
    CHECK(eventually([&] { return journal->released() == ticket; }));
    CHECK(played.has_said("the disk has not responded"));
}

TEST_CASE("the queue is bounded, and the entries that it has no room for are told", "[journal]") {
    Played played;
    const auto journal = played.journal(kShort);
    played.disk->hang();
    JournalTicket ticket = 1;
    int entries = 0;
    for (; ticket != 0 && entries < 100'000; ++entries) ticket = journal->append(entry_of(entries));
    CHECK(ticket == 0);
    CHECK(entries > 10'000);
    CHECK(eventually([&] { return journal->released() + 1 == static_cast<JournalTicket>(entries); }));
    played.disk->go_on();
    CHECK(eventually([&] { return played.has_said("continues without 1 entries"); }));
}

TEST_CASE("what cannot be written is released, with a warning a minute", "[journal]") {
    Played played;
    const auto journal = played.journal(kLong);
    played.disk->fail_with("cannot write the journal 'played.jsonl': No space left on device");
    wait_for(*journal, journal->append(entry_of(1)));
    wait_for(*journal, journal->append(entry_of(2)));
    CHECK(played.times_said("No space left on device; shares and blocks are still sent") == 1);
    played.disk->fail_with("");
    wait_for(*journal, journal->append(entry_of(3)));
    CHECK(played.disk->text() == line_of_entry(3));
}

TEST_CASE("a file that cannot be opened is an error of the constructor", "[journal]") {
    Played played;
    played.disk->fail_with("expected a regular file");
    CHECK(input_error([&] { (void)played.journal(kLong); }) == "expected a regular file");
    CHECK(played.said.empty());
}

TEST_CASE("without a journal that is not required mining goes on, with a warning", "[journal]") {
    Played played;
    played.required = false;
    played.disk->fail_with("cannot make the folder '/x'");
    const auto journal = played.journal(kLong);
    CHECK(played.times_said("mining without a journal: cannot make the folder '/x'; shares and blocks found while "
                            "no server answers would be lost at exit") == 1);
    CHECK(journal->append(entry_of(1)) == 0);
    wait_for(*journal, 0);
    CHECK(journal->take_open().empty());
}

TEST_CASE("a disk that hangs at the opening delays nothing else", "[journal]") {
    Played played;
    played.left = {entry_of(0)};
    played.disk->hang();
    SECTION("and what earlier runs left comes later") {
        const auto journal = played.journal(kShort);
        CHECK(played.has_said("the disk has not responded"));
        CHECK(journal->take_open().empty());
        const JournalTicket ticket = journal->append(entry_of(1));
        CHECK(journal->released() == ticket);
        played.disk->go_on();
        CHECK(eventually([&] { return played.has_said("responds again"); }));
        CHECK(journal->take_open() == std::vector<json>{entry_of(0)});
        CHECK(eventually([&] { return played.disk->text() == line_of_entry(1); }));
    }
    SECTION("also where it fails in the end") {
        const auto journal = played.journal(kShort);
        const JournalTicket ticket = journal->append(entry_of(1));
        played.disk->fail_with("cannot open the journal");
        played.disk->go_on();
        CHECK(eventually([&] { return played.has_said("cannot open the journal; shares and blocks are still sent"); }));
        wait_for(*journal, ticket);
        CHECK(journal->append(entry_of(2)) == 0);
    }
    SECTION("a stop ends the waiting") {
        const auto journal = played.journal(kLong, [] { return true; });
        CHECK(journal->take_open().empty());
        CHECK(played.said.empty());
        played.disk->go_on();
    }
}

TEST_CASE("a program that ends waits for the disk a moment", "[journal]") {
    Played played;
    SECTION("and what is queued is written where it answers") {
        auto journal = played.journal(kLong);
        for (int id = 0; id < 100; ++id) journal->append(entry_of(id));
        journal.reset();
        CHECK(contains(played.disk->text(), line_of_entry(99)));
    }
    SECTION("a thread that it keeps is abandoned, and the entries that are lost are told") {
        auto journal = played.journal(kShort);
        played.disk->hang();
        journal->append(entry_of(1));
        REQUIRE(eventually([&] { return played.disk->calls() == 2; }));
        journal->append(entry_of(2));
        journal.reset();
        CHECK(any_abandoned_threads());
        CHECK(played.has_said("2 entries of the journal 'played.jsonl' were lost"));
        played.disk->go_on();
        CHECK(eventually([&] { return played.disk->text() == line_of_entry(1) + line_of_entry(2); }));
    }
    SECTION("hurry() ends the waiting for an entry") {
        JournalTiming timing = kShort;
        timing.patience = std::chrono::hours(1);
        const auto journal = played.journal(timing);
        played.disk->hang();
        std::thread waiting([&] { wait_for(*journal, journal->append(entry_of(1))); });
        journal->hurry();
        waiting.join();
        CHECK_FALSE(played.has_said("has not responded"));
    }
}
