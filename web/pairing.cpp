#include "web/pairing.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "host/errors.hpp"
#include "net/transport/own_address.hpp"
#include "net/transport/url.hpp"
#include "web/access.hpp"

namespace gpuminer::web {
namespace {

template <std::size_t size>
std::array<unsigned char, size> random_bytes() {
    std::array<unsigned char, size> bytes{};
    if (RAND_bytes(bytes.data(), size) != 1) throw InputError("pairing: the system provides no random numbers");
    return bytes;
}

std::string random_word() {
    const auto bytes = random_bytes<16>();
    std::array<unsigned char, 25> base64{};  // 24 characters, of which the last two are '='
    EVP_EncodeBlock(base64.data(), bytes.data(), bytes.size());
    std::string word(base64.begin(), base64.begin() + 22);
    for (char& c : word) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return word;
}

std::string random_digits() {
    constexpr std::uint32_t kCount = 100'000'000,
                            kEnd = UINT32_MAX / kCount * kCount;  // below kEnd all are equally likely
    for (;;) {
        std::uint32_t number = 0;
        for (const unsigned char byte : random_bytes<4>()) number = number << 8U | byte;
        if (number < kEnd) return fmt::format("{:08}", number % kCount);
    }
}

}  // namespace

Pairing::Secret Pairing::begin() {
    Secret secret{random_word(), random_digits()};
    const MutexLock lock(mutex_);
    secret_ = secret;
    end_ = now_() + kValidity;
    wrong_ = 0;
    return secret;
}

bool Pairing::is_valid() {
    const MutexLock lock(mutex_);
    if (secret_ && now_() >= end_) secret_.reset();
    return secret_.has_value();
}

Pairing::Answer Pairing::try_secret(std::string_view secret) {
    const MutexLock lock(mutex_);
    if (secret_ && now_() >= end_) secret_.reset();
    if (!secret_) return Answer::kNoneValid;
    const bool is_word = equal_in_constant_time(secret, secret_->word);
    const bool is_digits = equal_in_constant_time(secret, secret_->digits);
    const bool right = is_word || is_digits;
    if (right || ++wrong_ == kMostWrong) secret_.reset();
    return right ? Answer::kRight : Answer::kWrong;
}

PhoneAddress phone_address(const net::ListenAddress& address, const std::string& place,
                           const std::vector<std::string>& hosts, bool in_container) {
    if (address.is_unix()) return {"", "--http listens on a Unix socket, which only this machine reaches"};
    if (address.is_local())
        return {"", "--http listens on this machine alone; with --http 0.0.0.0:PORT others reach it"};
    const auto at = [&](const std::string& host) {
        const net::UrlParts parts = net::split_url(place);
        const std::uint16_t port = net::parse_port(parts.port.value_or("")).value_or(80);
        return PhoneAddress{fmt::format("http://{}/", net::host_and_port(host, port)), ""};
    };
    if (in_container) {
        if (!hosts.empty()) return at(hosts.front());
        return {"", "in a container the machine's address is unknown: name it by --http-host"};
    }
    const std::string host = net::address_for_others(address.host);
    if (host.empty()) return {"", "this machine has no address in a network"};
    return at(host);
}

bool runs_in_container() {
    if (const char* const manager = std::getenv("container"); manager != nullptr && *manager != '\0') return true;
    std::error_code error;
    return std::filesystem::exists("/.dockerenv", error) || std::filesystem::exists("/run/.containerenv", error);
}

}  // namespace gpuminer::web
