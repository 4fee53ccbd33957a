// The MPI functions that the search needs: messages, and a counter in rank 0's memory. All calls on the main thread
// (MPI_THREAD_FUNNELED).
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuminer::mpi {

struct Message {
    int from = 0;
    std::string bytes;
};

/// One per process. An error within MPI ends the job, as MPI's default is.
class Communicator {
public:
    /// MPI_Init; collective, as all that says so.
    Communicator(int* argc, char*** argv);
    /// MPI_Finalize; collective. Rank 0 waits for the others as long as kPatience, and then aborts the job.
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool is_first() const { return rank_ == 0; }
    /// Ranks on this machine, and which of them this one is.
    [[nodiscard]] int local_size() const { return local_size_; }
    [[nodiscard]] int local_rank() const { return local_rank_; }
    [[nodiscard]] const std::string& host() const { return host_; }

    /// Called now and then while broadcast() and gather() wait for others, with how long that has taken; it may end the
    /// job.
    using Look = std::function<void(std::chrono::steady_clock::duration)>;
    void look_while_waiting(Look look) { look_ = std::move(look); }
    /// Collective: rank 0's bytes for all.
    [[nodiscard]] std::string broadcast(std::string bytes);
    /// Collective: everybody's bytes, by rank, at rank 0; nothing elsewhere.
    [[nodiscard]] std::vector<std::string> gather(const std::string& bytes);

    /// So long rank 0 waits for ranks that are to end: one that stands still would keep the whole job.
    static constexpr std::chrono::seconds kPatience{5};
    /// The code to abort with at the end.
    void set_exit_code(int code) { exit_code_ = code; }
    /// Some have been waited for in vain: the end aborts the job at once.
    void give_up_on_others() { given_up_ = true; }

    /// Collective: nobody goes on before all are there. False: `gives_up`, which is asked now and then, has said so.
    [[nodiscard]] bool wait_for_all(const std::function<bool()>& gives_up = {});

    /// Adds to the common counter, and returns what it was before. Rank 0 has to be polling meanwhile.
    [[nodiscard]] std::uint64_t take(std::uint64_t count);

    /// The common counter is 0 again. Rank 0's, while nobody else takes.
    void reset_counter();

    /// Returns at once; the bytes are on their way.
    void send(int to, std::string bytes);
    /// A message that has come, and progress for the others' take(). Empty: there is none.
    [[nodiscard]] std::optional<Message> poll();

    /// Ends the whole job.
    [[noreturn]] void abort(int exit_code);

private:
    [[nodiscard]] bool all_sent();

    struct Requests;  ///< of sends that are not completed

    int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
    int exit_code_ = 0;
    bool given_up_ = false;
    Look look_;
    std::string host_;
    std::uint64_t* counter_ = nullptr;  ///< in rank 0's window
    std::unique_ptr<Requests> requests_;
};

}  // namespace gpuminer::mpi
