// Static content of the web server: its page, and the description of its API (OpenAPI 3.1).
#pragma once

#include <string>

namespace gpuminer::web {

/// HTML with style and scripts in it, and no data.
[[nodiscard]] std::string page_text();
/// The Content-Security-Policy that allows the page's own style and scripts, by their SHA-256, and nothing else.
[[nodiscard]] std::string page_policy();
/// JSON.
/// For home screens: a PNG.
[[nodiscard]] std::string touch_icon();
[[nodiscard]] std::string api_description();

}  // namespace gpuminer::web
