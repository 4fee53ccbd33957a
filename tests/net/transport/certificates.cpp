#include "tests/net/transport/certificates.hpp"

#include <array>
#include <cstdio>
#include <stdexcept>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "host/text/text.hpp"

namespace gpuminer::test {
namespace {

using Key = std::shared_ptr<EVP_PKEY>;
using Certificate = std::shared_ptr<X509>;

void require(bool good) {
    if (!good) throw std::runtime_error("OpenSSL: " + std::string(ERR_reason_error_string(ERR_get_error())));
}

Key make_key() {
    Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    require(key != nullptr);
    return key;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()), X509_EXTENSION_free);
    require(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

Certificate make_certificate(const Key& key, const std::string& name, int days, X509* issuer, EVP_PKEY* signer,
                             const std::string& alternative = {}) {
    Certificate certificate(X509_new(), X509_free);
    static long serial = 1000;
    X509* raw = certificate.get();
    const bool good =
        X509_set_version(raw, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(raw), ++serial) == 1 &&
        X509_gmtime_adj(X509_getm_notBefore(raw), -100L * 86400) != nullptr &&
        X509_gmtime_adj(X509_getm_notAfter(raw), days * 86400L) != nullptr && X509_set_pubkey(raw, key.get()) == 1 &&
        X509_NAME_add_entry_by_txt(X509_get_subject_name(raw), "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0) == 1 &&
        X509_set_issuer_name(raw, X509_get_subject_name(issuer != nullptr ? issuer : raw)) == 1;
    require(good);
    if (issuer == nullptr && name == "test authority") {
        add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE");
    } else if (alternative != "none") {
        const bool address = name.find_first_not_of("0123456789.") == std::string::npos;
        add_extension(raw, raw, NID_subject_alt_name,
                      !alternative.empty() ? alternative : (address ? "IP:" : "DNS:") + name);
    }
    require(X509_sign(raw, signer, EVP_sha256()) != 0);
    return certificate;
}

void write_pem(const std::filesystem::path& path, X509* certificate) {
    const std::unique_ptr<FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "w"), std::fclose);
    require(file && PEM_write_X509(file.get(), certificate) == 1);
}

}  // namespace

struct Authority::Impl {
    Key key = make_key();
    Certificate certificate = make_certificate(key, "test authority", 365, nullptr, key.get());
};

Authority::Authority() : impl_(std::make_unique<Impl>()) {}
Authority::~Authority() = default;

void Authority::save(const std::filesystem::path& file) const { write_pem(file, impl_->certificate.get()); }

void Authority::Server::save(const std::filesystem::path& file) const {
    write_pem(file, SSL_CTX_get0_certificate(context.get()));
}

Authority::Server Authority::server(const CertificateSetting& setting) const {
    const Key key = make_key();
    const Certificate certificate =
        setting.self_signed ? make_certificate(key, setting.name, setting.days, nullptr, key.get(), setting.alternative)
                            : make_certificate(key, setting.name, setting.days, impl_->certificate.get(),
                                               impl_->key.get(), setting.alternative);
    Server server;
    server.context.reset(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    require(SSL_CTX_use_certificate(server.context.get(), certificate.get()) == 1 &&
            SSL_CTX_use_PrivateKey(server.context.get(), key.get()) == 1);
    std::array<std::uint8_t, 32> digest{};
    require(X509_digest(certificate.get(), EVP_sha256(), digest.data(), nullptr) == 1);
    server.fingerprint = to_hex(digest);
    return server;
}

}  // namespace gpuminer::test
