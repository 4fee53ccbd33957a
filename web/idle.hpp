// Reasons why nothing is searched.
#pragma once

#include <array>
#include <string_view>

#include "host/search/search_types.hpp"
#include "net/work_client.hpp"

namespace gpuminer::web {

/// The reasons, in a few words each.
inline constexpr std::array<std::string_view, 7> kIdleReasons = {"paused",
                                                                 "on battery",
                                                                 "every device is paused",
                                                                 "waiting for devices",
                                                                 "no job yet",
                                                                 "the job could not be read",
                                                                 "no work from a server"};

/// One of kIdleReasons; empty: devices are at work. `status`: null where there is no server.
[[nodiscard]] std::string_view why_idle(const SearchProgress& progress, const net::WorkStatus* status);

}  // namespace gpuminer::web
