// HTTP's Basic authentication (RFC 7617).
#pragma once

#include <string>

namespace gpuminer::net {

/// "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==": the value of Authorization or Proxy-Authorization.
[[nodiscard]] std::string basic_authorization(const std::string& user, const std::string& password);

}  // namespace gpuminer::net
