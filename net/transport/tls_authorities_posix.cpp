#include "net/transport/tls_authorities.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdlib>

#include "host/system/access.hpp"

namespace gpuminer::net {
namespace {

// Distributions' files of authorities. A statically linked OpenSSL knows only those of the
// distribution that built it.
constexpr const char* kSystemAuthorities[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, Red Hat
    "/etc/pki/tls/certs/ca-bundle.crt",                   // older ones of these
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",                                  // Alpine
};

bool is_readable(const char* file) { return !access_error(file, FileAccess::kRead); }

}  // namespace

void trust_system(SSL_CTX* context) {
    SSL_CTX_set_default_verify_paths(context);
    // What SSL_CERT_FILE and SSL_CERT_DIR name replaces the system's.
    const bool chosen = getenv(X509_get_default_cert_file_env()) != nullptr ||  //
                        getenv(X509_get_default_cert_dir_env()) != nullptr;
    if (chosen || is_readable(X509_get_default_cert_file())) return;
    for (const char* file : kSystemAuthorities) {
        if (is_readable(file) && SSL_CTX_load_verify_locations(context, file, nullptr) == 1) break;
    }
    ERR_clear_error();
}

}  // namespace gpuminer::net
