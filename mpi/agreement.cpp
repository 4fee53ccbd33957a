#include "mpi/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "cli/commands.hpp"
#include "cli/logging.hpp"
#include "cli/output.hpp"
#include "host/errors.hpp"

namespace gpuminer::mpi {
namespace {

[[noreturn]] void end_job(Communicator& communicator, const std::exception& error, int exit_code) {
    log_error(fmt::format("rank {}: {}", communicator.rank(), error.what()));
    (void)wait_for_log();
    communicator.abort(exit_code);
}

}  // namespace

Agreement agree(Communicator& communicator, int code, const std::string& start) {
    const std::vector<std::string> codes = communicator.gather(code != 0 ? "failed" : "");
    std::string answer = "0";
    if (communicator.is_first()) {
        const bool failed = std::ranges::any_of(codes, [](const std::string& of_rank) { return !of_rank.empty(); });
        answer = !codes.front().empty() ? "2" : failed ? "1" : "0";
    }
    answer = communicator.broadcast(answer + start);
    const bool failed = answer.front() != '0';
    return {.first_failed = answer.front() == '2', .failed = failed, .start = failed ? "" : answer.substr(1)};
}

std::string begin_together(Communicator& communicator, const std::function<void()>& begin, const std::string& start) {
    begin();
    const Agreement agreement = agree(communicator, kSuccess, start);
    if (agreement.failed && communicator.is_first()) throw InputError("a rank cannot begin; its message says why");
    return agreement.start;
}

int or_end_the_job(Communicator& communicator, const std::function<int()>& action) {
    try {
        return action();
    } catch (const NoDeviceError&) {
        throw;
    } catch (const ClosedPipeError&) {
        communicator.abort(kClosedPipe);
    } catch (const InputError& error) {
        end_job(communicator, error, kBadInput);
    } catch (const std::exception& error) {
        end_job(communicator, error, kDeviceFailed);
    }
}

}  // namespace gpuminer::mpi
