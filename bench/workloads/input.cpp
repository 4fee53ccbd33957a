#include "bench/workloads/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/workloads/input_system.hpp"
#include "bench/workloads/timed_work.hpp"
#include "host/errors.hpp"

namespace gpuminer::bench {

Rows prepare_input(const Setting& setting);

namespace {

using Clock = std::chrono::steady_clock;
using Memory = std::span<std::uint8_t>;
using InputBytes = std::span<const std::uint8_t>;

constexpr std::size_t kBlock = 65'536;  ///< bytes of a read() that is not for one: what a pipe holds

class OpenFile {
public:
    explicit OpenFile(int number) : number_(number) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() { close(); }

    void close() {
        if (number_ >= 0) close_input(std::exchange(number_, -1));
    }
    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

/// The bytes, in a file in memory (no disk is measured), and the ways to hash the first `size` of them. Each way
/// returns its seconds, from where its clock begins to the end of the hash.
class InputWays {
public:
    InputWays(InputAmounts amounts, std::stop_token stop)
        : amounts_(std::move(amounts)),
          stop_(std::move(stop)),
          memory_(std::max(amounts_.few, amounts_.many)),
          file_(new_file_in_memory()) {
        std::mt19937_64 random(memory_.size());
        for (std::uint8_t& byte : memory_) byte = static_cast<std::uint8_t>(random() >> 56);
        for (const std::size_t size : {amounts_.few, amounts_.many})
            expected_.emplace_back(size, double_sha256_digest(memory(size)));
        const Memory few = memory(amounts_.few);
        for_pipe_.assign(few.begin(), few.end());
        if (!write_bytes(file_.number(), memory_)) refuse_input("expected memory for a file");
    }

    using Way = double (InputWays::*)(std::size_t size);

    double byte_by_byte(std::size_t size) {
        return seconds_of_hash([&] { return read_all(file_, memory(size), 1); });
    }
    double buffered_bytes(std::size_t size) {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(stream_of(file_.number()), std::fclose);
        if (!file) refuse_input("expected a file that can be opened");
        return seconds_of_hash([&] {
            for (std::uint8_t& byte : memory(size)) byte = static_cast<std::uint8_t>(std::getc(file.get()));
            return memory(size);
        });
    }
    double in_blocks(std::size_t size) {
        return seconds_of_hash([&] { return read_all(file_, memory(size), kBlock); });
    }
    double mapped(std::size_t size) {
        std::optional<Mapping> mapping;
        return seconds_of_hash([&] { return mapping.emplace(file_.number(), size).bytes(); });
    }
    double staged(std::size_t size) {
        const Memory read = read_all(file_, memory(size), kBlock);
        return seconds_of_hash([&] { return read; });
    }
    double pipe_at_once(std::size_t size) {
        return from_pipe(size, [] {});
    }
    double late_pipe(std::size_t size) { return from_pipe(size, amounts_.delay); }

    /// Throws VerificationError where the way hashed other bytes than there are, Interrupted.
    double nanoseconds_per_byte(Way way, std::size_t size, const std::string& name) {
        if (stop_.stop_requested()) throw Interrupted{};
        std::ranges::fill(memory(size), std::uint8_t{0});  // those of another way would do
        begin_again(file_.number());
        const double seconds = (this->*way)(size);
        if (std::ranges::find(expected_, std::pair(size, digest_)) == expected_.end())
            throw VerificationError(fmt::format("input: {} gives another hash than that of the bytes", name));
        return per_byte(seconds, size);
    }
    /// The same round, with the clock begun at the pipe's first byte.
    [[nodiscard]] double nanoseconds_from_first_byte(std::size_t size) const {
        return per_byte(seconds_from_first_byte_, size);
    }

private:
    static double in_seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }
    static double per_byte(double seconds, std::size_t size) { return seconds * 1e9 / static_cast<double>(size); }

    Memory memory(std::size_t size) { return Memory(memory_).first(size); }

    /// Input, then work: `input` returns the bytes.
    template <class Input>
    double seconds_of_hash(const Input& input) {
        const auto start = Clock::now();
        first_byte_ = start;
        digest_ = amounts_.hash(input());
        const auto end = Clock::now();
        seconds_from_first_byte_ = in_seconds(end - first_byte_);
        return in_seconds(end - start);
    }

    double from_pipe(std::size_t size, const std::function<void()>& delay) {
        const std::array<int, 2> ends = new_pipe();
        OpenFile input(ends[1]);
        std::jthread writer;
        const OpenFile output(ends[0]);  // is closed first, in case of an error, which ends the writer
        return seconds_of_hash([&] {
            writer = std::jthread([&] {
                delay();
                (void)write_bytes(input.number(), for_pipe_);
                input.close();  // and the reader waits no more
            });
            wait_for_bytes(output.number());
            first_byte_ = Clock::now();
            return read_all(output, memory(size), kBlock);
        });
    }

    /// Throws Interrupted.
    Memory read_all(const OpenFile& file, Memory into, std::size_t at_a_time) {
        for (Memory left = into; !left.empty();) {
            if (stop_.stop_requested()) throw Interrupted{};
            const std::size_t got = read_bytes(file.number(), left.first(std::min(at_a_time, left.size())));
            if (got == 0) break;  // the hash will be wrong
            left = left.subspan(got);
        }
        return into;
    }

    const InputAmounts amounts_;
    const std::stop_token stop_;
    std::vector<std::uint8_t> memory_;
    OpenFile file_;
    std::vector<std::uint8_t> for_pipe_;
    std::vector<std::pair<std::size_t, Digest>> expected_;  ///< by size
    // Of the latest round:
    Digest digest_{};
    Clock::time_point first_byte_;
    double seconds_from_first_byte_ = 0;
};

/// One way, and what its clock covers besides the hash.
struct InputWay {
    const char* name;
    bool many;
    const char* remark;
    InputWays::Way way;
};

constexpr InputWay kWays[] = {
    {"byte by byte", false, "the clock covers a system call for each byte", &InputWays::byte_by_byte},
    {"getc", false, "the clock covers a call of getc() for each byte", &InputWays::buffered_bytes},
    {"pipe", false, "the clock covers the start of the writer and the way through the pipe", &InputWays::pipe_at_once},
    {"late pipe", false, "the clock covers the wait for a writer that starts late", &InputWays::late_pipe},
    {"staged", false, "all bytes are in memory before the clock begins", &InputWays::staged},
    {"in blocks", true, "the clock covers copying the file, 64 KiB at a time", &InputWays::in_blocks},
    {"mapped", true, "the clock covers mapping the file, and its page faults", &InputWays::mapped},
    {"staged", true, "all bytes are in memory before the clock begins", &InputWays::staged},
};
constexpr const char* kFromFirstByte = "the same rounds, but the clock begins at the first byte";

constexpr const char* kInputText =
    "The time of input and double SHA-256 (a library's) over the number of bytes. The file is in memory: no disk is\n"
    "measured. The right figure is that of staged bytes; for the late pipe, from the first byte on. Factor: the "
    "figure\n"
    "over the right one.\n";

/// The figure's details. `right`: the right one for it, or itself.
Json beside(const char* remark, const Figure& figure, const Figure& right, std::size_t bytes) {
    const bool known = &figure != &right && figure.median() && right.median();
    return {{"remark", remark},
            {"right_ns_per_byte", known ? right.json() : Json(nullptr)},
            {"factor", known ? Json(*figure.median() / *right.median()) : Json(nullptr)},
            {"per_round", bytes}};
}

Row row_of_way(const InputWay& way, std::size_t bytes, const std::shared_ptr<InputWays>& ways,
               const std::shared_ptr<Figure>& staged) {
    const auto name = [bytes](const char* rest) {
        return fmt::format("{:g} MB, {}", static_cast<double>(bytes) * 1e-6, rest);
    };
    const bool late = way.way == &InputWays::late_pipe;
    const auto figure = way.way == &InputWays::staged ? staged : std::make_shared<Figure>();
    const auto from_first_byte = std::make_shared<Figure>();
    Row row{name(way.name), "ns per byte", Better::kLower,
            [=, whole_name = name(way.name), way = way.way](double) {
                const double nanoseconds = ways->nanoseconds_per_byte(way, bytes, whole_name);
                figure->add(nanoseconds);
                from_first_byte->add(ways->nanoseconds_from_first_byte(bytes));
                return nanoseconds;
            },
            [=, remark = way.remark] { return beside(remark, *figure, late ? *from_first_byte : *staged, bytes); }};
    if (late) {
        row.parts.push_back({name("late pipe, no wait"), [=] { return ways->nanoseconds_from_first_byte(bytes); },
                             [=] { return beside(kFromFirstByte, *from_first_byte, *staged, bytes); }});
    }
    return row;
}

}  // namespace

Rows input_rows(const Setting& setting, const InputAmounts& amounts) {
    Rows rows;
    try {
        const auto ways = std::make_shared<InputWays>(amounts, setting.stop);
        const auto few_staged = std::make_shared<Figure>(), many_staged = std::make_shared<Figure>();
        for (const InputWay& way : kWays) {
            rows.rows.push_back(way.many ? row_of_way(way, amounts.many, ways, many_staged)
                                         : row_of_way(way, amounts.few, ways, few_staged));
        }
        rows.text = [](std::size_t) { return kInputText; };
    } catch (const InputError& error) {
        setting.note(fmt::format("input is not measured: {}", error.what()));
    }
    return rows;
}

Rows prepare_input(const Setting& setting) { return input_rows(setting, {}); }

}  // namespace gpuminer::bench
