// Trust in TLS servers: authorities, names, fingerprints, and sentences for faults. OpenSSL without sockets.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <openssl/types.h>

#include "net/transport/endpoint.hpp"

namespace gpuminer::net {

/// What connections with the same options share.
struct TlsContext {
    TlsOptions options;
    /// Stands behind "… not signed by an authority that this system trusts", in parentheses: pools and nodes have
    /// different options.
    std::string advice;
    std::shared_ptr<SSL_CTX> context;
};

/// Reads ca_file, if there is one, into ca_pem. Throws InputError where it cannot be read.
void read_ca_file(TlsOptions& options);

/// TLS 1.2 or later and the authorities to be trusted. Throws InputError where ca_pem has no certificates.
[[nodiscard]] std::shared_ptr<const TlsContext> make_tls_context(const TlsOptions& options, std::string advice);

/// Throws InputError as make_tls_context() will.
void check_tls_options(const TlsOptions& options);

/// For one connection, before its handshake: the name to be told to the server (SNI) and expected in its certificate.
/// False: OpenSSL does not take the name, so that nobody would compare it.
[[nodiscard]] bool expect_server(SSL* connection, const std::string& host, const TlsOptions& options);

/// In a verify callback that has been told of a failure: what is wrong, as a plain sentence.
[[nodiscard]] std::string verification_failure(X509_STORE_CTX* verification, const std::string& host,
                                               const std::string& advice);

/// After the handshake: what is wrong with the certificate if it is to have a fingerprint; empty: nothing.
[[nodiscard]] std::optional<std::string> fingerprint_failure(const SSL* connection, const std::string& host,
                                                             const TlsOptions& options);

/// Why a handshake failed that no certificate was to blame for. `error`: OpenSSL's packed error code, or 0. (It does
/// not suggest to do without TLS: whoever can disturb a handshake would then get the password.)
[[nodiscard]] std::string handshake_failure(unsigned long error, const std::string& message, const std::string& place);

}  // namespace gpuminer::net
