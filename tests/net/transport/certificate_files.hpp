// Self-signed certificate and its key, as PEM files, for a server on this computer.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace gpuminer::test {

/// Writes both as PEM. `names`: as OpenSSL's subjectAltName has them, "DNS:localhost,IP:127.0.0.1".
inline void write_certificate(const std::string& certificate_file, const std::string& key_file,
                              const std::string& names) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    X509* const x = certificate.get();
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key.get());
    X509_NAME* const name = X509_get_subject_name(x);
    X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("gpuminer test"), -1, -1,
                               0);
    X509_set_issuer_name(x, name);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str()), X509_EXTENSION_free);
    X509_add_ext(x, extension.get(), -1);
    X509_sign(x, key.get(), EVP_sha256());

    const auto write = [](const std::string& path, const auto& content) {
        const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "w"), std::fclose);
        content(file.get());
    };
    write(certificate_file, [&](std::FILE* file) { PEM_write_X509(file, x); });
    write(key_file,
          [&](std::FILE* file) { PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

}  // namespace gpuminer::test
