// The verdict of a server on what was submitted to it: of a pool on a share, of a node on a block.
#pragma once

namespace gpuminer::net {

enum class SubmitVerdict {
    kAccepted,
    kStale,     ///< too late: there is newer work
    kRejected,  ///< for any other reason
};

}  // namespace gpuminer::net
