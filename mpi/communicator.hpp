// MPI as the search uses it: messages, and a counter in rank 0's memory. All calls on the main thread
// (MPI_THREAD_FUNNELED).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
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
    /// MPI_Finalize; collective.
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

    /// Collective: rank 0's bytes for all.
    [[nodiscard]] std::string broadcast(std::string bytes);
    /// Collective: everybody's bytes, by rank, at rank 0; nothing elsewhere.
    [[nodiscard]] std::vector<std::string> gather(const std::string& bytes);

    /// Collective: nobody goes on before all are there.
    void wait_for_all();

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
    struct Requests;  ///< of sends that are not completed

    int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
    std::string host_;
    std::uint64_t* counter_ = nullptr;  ///< in rank 0's window
    std::unique_ptr<Requests> requests_;
};

}  // namespace gpuminer::mpi
