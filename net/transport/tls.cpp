#include "net/transport/tls.hpp"

#include <array>
#include <ctime>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/text/text.hpp"
#include "net/transport/tls_authorities.hpp"

namespace gpuminer::net {
namespace {

bool is_verified(const TlsOptions& options) { return !options.insecure && options.fingerprint.empty(); }

std::string last_error() {
    const unsigned long first = ERR_peek_error();
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    if (ERR_SYSTEM_ERROR(first)) return std::generic_category().message(ERR_GET_REASON(first));  // "No such file …"
    return reason != nullptr ? reason : "unknown reason";
}

[[noreturn]] void refuse_ca_file(const TlsOptions& options, const std::string& why) {
    throw InputError(
        fmt::format("expected a file of certificates in PEM form, got {}: {}", quoted_text(options.ca_file, 200), why));
}

struct FreeInfos {
    void operator()(STACK_OF(X509_INFO) * infos) const { sk_X509_INFO_pop_free(infos, X509_INFO_free); }
};

void trust_given(SSL_CTX* context, const TlsOptions& options) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(
        BIO_new_mem_buf(options.ca_pem.data(), static_cast<int>(options.ca_pem.size())), BIO_free);
    const std::unique_ptr<STACK_OF(X509_INFO), FreeInfos> infos(
        PEM_X509_INFO_read_bio(text.get(), nullptr, nullptr, nullptr));
    if (!infos) refuse_ca_file(options, last_error());
    X509_STORE* const store = SSL_CTX_get_cert_store(context);
    int certificates = 0;
    for (int i = 0; i < sk_X509_INFO_num(infos.get()); ++i) {
        const X509_INFO* const info = sk_X509_INFO_value(infos.get(), i);
        if (info->x509 != nullptr) certificates += X509_STORE_add_cert(store, info->x509);
        if (info->crl != nullptr) (void)X509_STORE_add_crl(store, info->crl);
    }
    ERR_clear_error();
    if (certificates == 0) refuse_ca_file(options, "it has no certificates");
    // The file may hold the server's own certificate, or an authority that another one has signed.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
}

void set_up(SSL_CTX* context, const TlsOptions& options) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    if (!is_verified(options)) {
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
        return;
    }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    if (options.ca_file.empty()) {
        trust_system(context);
    } else {
        trust_given(context, options);
    }
}

std::string date_of(const ASN1_TIME* time) {
    std::tm parts{};
    if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown date";
    return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

struct FreeNames {
    void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

// " ('a.example', 'b.example')": what the certificate is for; the text is the server's, so not trusted.
std::string names_of(const X509* certificate) {
    constexpr int kMost = 4;
    const std::unique_ptr<GENERAL_NAMES, FreeNames> names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    std::string text;
    int shown = 0;
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()) && shown < kMost; ++i) {
        const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
        if (name->type != GEN_DNS) continue;
        const std::string_view dns(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                                   static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
        text += (shown++ == 0 ? " (" : ", ") + quoted_text(dns, 80);
    }
    return text.empty() ? text : text + ")";
}

struct FreeCertificate {
    void operator()(X509* certificate) const { X509_free(certificate); }
};

}  // namespace

void read_ca_file(TlsOptions& options) {
    constexpr std::size_t kLongest = std::size_t{8} << 20;  // bytes; a distribution's bundle has 0.2 MiB
    if (options.ca_file.empty()) return;
    FileText file = read_file(options.ca_file, kLongest, FileKind::kRegular);
    if (!file.failure.empty()) refuse_ca_file(options, file.failure);
    options.ca_pem = std::move(file.text);
}

std::shared_ptr<const TlsContext> make_tls_context(const TlsOptions& options, std::string advice) {
    auto made = std::make_shared<TlsContext>();
    made->options = options;
    made->advice = std::move(advice);
    made->context.reset(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    if (!made->context) throw NetworkError("OpenSSL cannot be used: " + last_error());
    set_up(made->context.get(), options);
    return made;
}

void check_tls_options(const TlsOptions& options) {
    if (!options.ca_file.empty()) (void)make_tls_context(options, {});  // nothing else can be wrong
}

bool expect_server(SSL* connection, const std::string& host, const TlsOptions& options) {
    X509_VERIFY_PARAM* parameters = SSL_get0_param(connection);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str()) == 1) return true;  // an address; SNI is for names only
    ERR_clear_error();
    SSL_set_tlsext_host_name(connection, host.c_str());
    if (!is_verified(options)) return true;
    // Names in the extension for them only, not in the subject; a "*" stands for the whole of the first label.
    X509_VERIFY_PARAM_set_hostflags(parameters,
                                    X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(parameters, host.c_str(), host.size()) == 1;
}

std::string verification_failure(X509_STORE_CTX* verification, const std::string& host, const std::string& advice) {
    const int error = X509_STORE_CTX_get_error(verification);
    const X509* certificate = X509_STORE_CTX_get_current_cert(verification);
    switch (error) {
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return fmt::format("the certificate of {} is for other names{}", host,
                               certificate != nullptr ? names_of(certificate) : "");
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return fmt::format("the certificate of {} has expired on {}", host,
                               date_of(certificate != nullptr ? X509_get0_notAfter(certificate) : nullptr));
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return fmt::format("the certificate of {} is not valid before {}; is this machine's clock right?", host,
                               date_of(certificate != nullptr ? X509_get0_notBefore(certificate) : nullptr));
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        case X509_V_ERR_CERT_SIGNATURE_FAILURE:
            return fmt::format("the certificate of {} is not signed by an authority that this system trusts ({})", host,
                               advice);
        default:
            return fmt::format("the certificate of {} is not valid: {}", host, X509_verify_cert_error_string(error));
    }
}

std::optional<std::string> fingerprint_failure(const SSL* connection, const std::string& host,
                                               const TlsOptions& options) {
    if (options.fingerprint.empty()) return std::nullopt;
    const std::unique_ptr<X509, FreeCertificate> certificate(SSL_get1_peer_certificate(connection));
    std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (!certificate || X509_digest(certificate.get(), EVP_sha256(), digest.data(), &size) != 1) {
        return fmt::format("{} shows no certificate", host);
    }
    const std::string fingerprint = to_hex({digest.data(), size});
    if (fingerprint == options.fingerprint) return std::nullopt;
    return fmt::format("the certificate of {} has the fingerprint {}, not the one of --tls-fingerprint", host,
                       fingerprint);
}

std::string handshake_failure(unsigned long error, const std::string& message, const std::string& place) {
    const int reason = ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
    if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG ||
        reason == SSL_R_HTTP_REQUEST) {
        return fmt::format("{} does not speak TLS on this port; it may not be the server's port for TLS", place);
    }
    return fmt::format("the TLS handshake with {} failed: {}", place, message);
}

}  // namespace gpuminer::net
