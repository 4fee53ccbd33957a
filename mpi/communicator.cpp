#include "mpi/communicator.hpp"

// The C interface alone: the C++ one is gone from MPI since version 3.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

namespace gpuminer::mpi {
namespace {

constexpr int kTag = 1;
constexpr std::chrono::microseconds kBetweenTests{100};  // between two looks whether something is complete

int int_of(std::size_t size) {
    if (size > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw std::runtime_error("a message between ranks has more than 2 GiB");
    return static_cast<int>(size);
}

/// False: `gives_up`, which is asked now and then, has said so before.
bool is_completed(MPI_Request request, const std::function<bool()>& gives_up) {
    for (;;) {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done != 0) return true;
        if (gives_up && gives_up()) return false;
        std::this_thread::sleep_for(kBetweenTests);
    }
}

void wait_for(MPI_Request request, const Communicator::Look& look) {
    const auto began = std::chrono::steady_clock::now();
    (void)is_completed(request, [&] {
        if (look) look(std::chrono::steady_clock::now() - began);
        return false;
    });
}

/// Until `mpirun` has taken what this process has written: MPICH's drops the rest of it when the job is aborted.
void wait_for_readers() {
    const auto end = std::chrono::steady_clock::now() + Communicator::kPatience;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        struct stat facts {};
        if (fstat(stream, &facts) != 0 || !S_ISFIFO(facts.st_mode)) continue;
        int unread = 0;
        while (ioctl(stream, FIONREAD, &unread) == 0 && unread > 0 && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(kBetweenTests);
    }
}

}  // namespace

struct Communicator::Requests {
    struct Sent {
        std::string bytes;  ///< stays where it is until MPI has read it
        MPI_Request request = MPI_REQUEST_NULL;
    };
    std::deque<Sent> sent;
    MPI_Win window = MPI_WIN_NULL;
};

Communicator::Communicator(int* argc, char*** argv) : requests_(std::make_unique<Requests>()) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    host_.assign(name.data(), static_cast<std::size_t>(length));
    MPI_Comm local = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &local_rank_);
    MPI_Comm_size(local, &local_size_);
    MPI_Comm_free(&local);
    MPI_Win_allocate(is_first() ? static_cast<MPI_Aint>(sizeof(*counter_)) : 0, sizeof(*counter_), MPI_INFO_NULL,
                     MPI_COMM_WORLD, static_cast<void*>(&counter_), &requests_->window);
    if (is_first()) *counter_ = 0;
    MPI_Barrier(MPI_COMM_WORLD);  // nobody takes before it is zero
    MPI_Win_lock_all(MPI_MODE_NOCHECK, requests_->window);
}

Communicator::~Communicator() {
    const auto began = std::chrono::steady_clock::now();
    const auto gives_up = [&] { return is_first() && std::chrono::steady_clock::now() - began > kPatience; };
    if (given_up_ || !wait_for_all(gives_up)) abort(exit_code_);
    while (!all_sent()) {  // at once, as all have read what concerns them
        if (gives_up()) abort(exit_code_);
        std::this_thread::sleep_for(kBetweenTests);
    }
    MPI_Win_unlock_all(requests_->window);
    MPI_Win_free(&requests_->window);
    MPI_Finalize();
}

std::string Communicator::broadcast(std::string bytes) {
    std::uint64_t size = bytes.size();
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    wait_for(request, look_);
    bytes.resize(size);
    MPI_Ibcast(bytes.data(), int_of(bytes.size()), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait_for(request, look_);
    return bytes;
}

std::vector<std::string> Communicator::gather(const std::string& bytes) {
    const int size = int_of(bytes.size());
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<int> sizes(ranks), begins(ranks);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Igather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    wait_for(request, look_);
    std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
    std::string all(is_first() ? static_cast<std::size_t>(begins.back() + sizes.back()) : 0, '\0');
    MPI_Igatherv(bytes.data(), size, MPI_BYTE, all.data(), sizes.data(), begins.data(), MPI_BYTE, 0, MPI_COMM_WORLD,
                 &request);
    wait_for(request, look_);
    std::vector<std::string> result;
    if (!is_first()) return result;
    for (std::size_t i = 0; i < ranks; ++i)
        result.push_back(all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(sizes[i])));
    return result;
}

bool Communicator::wait_for_all(const std::function<bool()>& gives_up) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    return is_completed(request, gives_up);
}

/// Takes away those that are.
bool Communicator::all_sent() {
    while (!requests_->sent.empty()) {
        int done = 0;
        MPI_Test(&requests_->sent.front().request, &done, MPI_STATUS_IGNORE);
        if (done == 0) return false;
        requests_->sent.pop_front();
    }
    return true;
}

std::uint64_t Communicator::take(std::uint64_t count) {
    std::uint64_t before = 0;
    MPI_Fetch_and_op(&count, &before, MPI_UINT64_T, 0, 0, MPI_SUM, requests_->window);
    MPI_Win_flush(0, requests_->window);
    return before;
}

void Communicator::reset_counter() {
    const std::uint64_t zero = 0;
    std::uint64_t before = 0;
    MPI_Fetch_and_op(&zero, &before, MPI_UINT64_T, 0, 0, MPI_REPLACE, requests_->window);
    MPI_Win_flush(0, requests_->window);
}

void Communicator::send(int to, std::string bytes) {
    Requests::Sent& sent = requests_->sent.emplace_back();
    sent.bytes = std::move(bytes);
    MPI_Isend(sent.bytes.data(), int_of(sent.bytes.size()), MPI_BYTE, to, kTag, MPI_COMM_WORLD, &sent.request);
}

std::optional<Message> Communicator::poll() {
    (void)all_sent();
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
}

void Communicator::abort(int exit_code) {
    wait_for_readers();
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
}

}  // namespace gpuminer::mpi
