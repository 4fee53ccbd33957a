// Authorities of Windows' own store.
//
// Windows fetches an authority into it when its own TLS first meets it. An authority that it distrusts stays there: a
// second store has its certificate, too, or a property the day from which on it is distrusted.
#include "net/transport/tls_authorities.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <windows.h>

#include <wincrypt.h>  // after windows.h, and after OpenSSL, some of whose types are macros in it

#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

namespace gpuminer::net {
namespace {

/// Whether the user or the authority restricts it to other uses than servers.
bool is_for_servers(PCCERT_CONTEXT certificate) {
    DWORD size = 0;
    if (CertGetEnhancedKeyUsage(certificate, 0, nullptr, &size) == 0) return false;
    std::vector<CERT_ENHKEY_USAGE> usage(size / sizeof(CERT_ENHKEY_USAGE) + 1);  // with what it points to
    SetLastError(0);
    if (CertGetEnhancedKeyUsage(certificate, 0, usage.data(), &size) == 0) return false;
    const CERT_ENHKEY_USAGE& uses = usage.front();
    if (uses.cUsageIdentifier == 0)
        return GetLastError() == static_cast<DWORD>(CRYPT_E_NOT_FOUND);  // else: for nothing
    for (DWORD i = 0; i < uses.cUsageIdentifier; ++i) {
        if (std::string_view(uses.rgpszUsageIdentifier[i]) == szOID_PKIX_KP_SERVER_AUTH) return true;
    }
    return false;
}

/// Whether Windows distrusts it, or what it signs from some day on, and that day has come.
bool is_distrusted(HCERTSTORE distrusted, PCCERT_CONTEXT certificate) {
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    for (const DWORD property : {CERT_DISALLOWED_FILETIME_PROP_ID, CERT_NOT_BEFORE_FILETIME_PROP_ID}) {
        FILETIME day{};
        DWORD size = sizeof day;
        if (CertGetCertificateContextProperty(certificate, property, &day, &size) != 0 &&
            CompareFileTime(&day, &now) <= 0)
            return true;
    }
    if (distrusted == nullptr) return false;
    PCCERT_CONTEXT same = CertFindCertificateInStore(distrusted, X509_ASN_ENCODING | PKCS_7_ASN_ENCODING, 0,
                                                     CERT_FIND_EXISTING, certificate, nullptr);
    if (same == nullptr) return false;
    (void)CertFreeCertificateContext(same);
    return true;
}

void trust(X509_STORE* store, PCCERT_CONTEXT certificate) {
    const unsigned char* bytes = certificate->pbCertEncoded;
    const std::unique_ptr<X509, decltype(&X509_free)> parsed(
        d2i_X509(nullptr, &bytes, static_cast<long>(certificate->cbCertEncoded)), X509_free);
    if (parsed) X509_STORE_add_cert(store, parsed.get());
}

}  // namespace

void trust_system(SSL_CTX* context) {
    const char* const file = std::getenv(X509_get_default_cert_file_env());
    const char* const folder = std::getenv(X509_get_default_cert_dir_env());
    if (file != nullptr || folder != nullptr) {
        // (Not by OpenSSL's default paths: whoever may write on this disk could make theirs.)
        if (file != nullptr) (void)SSL_CTX_load_verify_file(context, file);
        if (folder != nullptr) (void)SSL_CTX_load_verify_dir(context, folder);
        return ERR_clear_error();
    }
    const HCERTSTORE store = CertOpenSystemStoreW(0, L"ROOT");
    if (store == nullptr) return;
    const HCERTSTORE distrusted = CertOpenSystemStoreW(0, L"Disallowed");
    PCCERT_CONTEXT certificate = nullptr;
    while ((certificate = CertEnumCertificatesInStore(store, certificate)) != nullptr) {
        if (is_for_servers(certificate) && !is_distrusted(distrusted, certificate))
            trust(SSL_CTX_get_cert_store(context), certificate);
    }
    (void)CertCloseStore(store, 0);
    if (distrusted != nullptr) (void)CertCloseStore(distrusted, 0);
    ERR_clear_error();
}

}  // namespace gpuminer::net
