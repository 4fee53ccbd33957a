#include <cstddef>

#include <openssl/evp.h>

#include "net/transport/url.hpp"

namespace gpuminer::net {

std::string basic_authorization(const std::string& user, const std::string& password) {
    const std::string text = user + ':' + password;
    std::string encoded(4 * ((text.size() + 2) / 3) + 1, '\0');  // EVP_EncodeBlock() adds a zero byte
    const int length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    encoded.resize(static_cast<std::size_t>(length));
    return "Basic " + encoded;
}

}  // namespace gpuminer::net
