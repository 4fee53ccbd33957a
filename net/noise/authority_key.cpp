#include "net/noise/authority_key.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/bytes.hpp"
#include "net/bitcoin/base58.hpp"

namespace gpuminer::net {

AuthorityKey parse_authority_key(std::string_view text) {
    constexpr std::size_t kKeyPrefixSize = 2;
    constexpr std::uint64_t kKnownKeyVersion = 1;
    AuthorityKey key{};
    const Bytes bytes = decode_base58check(text);
    if (bytes.size() != kKeyPrefixSize + key.size()) {
        throw InputError(
            fmt::format("it has {} bytes, but a version and a key have {}", bytes.size(), kKeyPrefixSize + key.size()));
    }
    const std::uint64_t version = load_le(std::span(bytes).first(kKeyPrefixSize));
    if (version != kKnownKeyVersion) {
        throw InputError(fmt::format("its version is {}, but only {} is known", version, kKnownKeyVersion));
    }
    std::copy(bytes.begin() + kKeyPrefixSize, bytes.end(), key.begin());
    if (!is_public_key(key)) throw InputError("it is no key of the curve secp256k1");
    return key;
}

}  // namespace gpuminer::net
