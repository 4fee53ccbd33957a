// The system's authorities for TLS.
#pragma once

#include <openssl/types.h>

namespace gpuminer::net {

/// Has the context trust them, or in their place those that SSL_CERT_FILE and SSL_CERT_DIR name.
void trust_system(SSL_CTX* context);

}  // namespace gpuminer::net
