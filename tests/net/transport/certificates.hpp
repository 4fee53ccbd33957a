// Certificates and the authority that signs them, made at test time.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <openssl/types.h>

namespace gpuminer::test {

struct CertificateSetting {
    std::string name = "127.0.0.1";  ///< an address or a DNS name
    int days = 30;                   ///< until it expires; negative: it has
    bool self_signed = false;        ///< not by the authority
    /// The names that it is for, as OpenSSL writes them ("DNS:a.example,IP:127.0.0.1"), and "none" for no such
    /// extension; empty: `name`, which is the subject's in any case.
    std::string alternative = {};
};

/// An authority, and servers' contexts with certificates that it has signed.
class Authority {
public:
    Authority();
    ~Authority();
    Authority(const Authority&) = delete;
    Authority& operator=(const Authority&) = delete;

    /// Writes the authority's own certificate, PEM.
    void save(const std::filesystem::path& file) const;

    struct Server {
        void save(const std::filesystem::path& file) const;  ///< its certificate, PEM

        std::shared_ptr<SSL_CTX> context;
        std::string fingerprint;  ///< SHA-256, 64 lower-case hex digits
    };
    [[nodiscard]] Server server(const CertificateSetting& setting) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gpuminer::test
