#include "web/page.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "gpuminer_build_info.hpp"
#include "web/api_description.hpp"
#include "web/page_pieces.hpp"

namespace gpuminer::web {
namespace {

/// "'sha256-…'", as a policy names a text.
std::string hash_source(std::string_view text) {
    std::array<unsigned char, 32> digest{};
    unsigned size = 0;
    EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
    std::array<unsigned char, 45> base64{};
    EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(digest.size()));
    return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(base64.data()));
}

/// The contents of all elements of this name.
std::vector<std::string_view> elements(std::string_view page, const std::string& name) {
    const std::string begin = "<" + name + ">", end = "</" + name + ">";
    std::vector<std::string_view> found;
    for (std::size_t at = page.find(begin); at != std::string_view::npos; at = page.find(begin, at)) {
        at += begin.size();
        found.push_back(page.substr(at, page.find(end, at) - at));
    }
    return found;
}

std::string sources(std::string_view page, const std::string& name) {
    std::string text;
    for (const std::string_view element : elements(page, name)) text += " " + hash_source(element);
    return text;
}

}  // namespace

std::string page_text() {
    std::string page;
    for (const std::string_view piece : kPageText) page += piece;
    return page;
}

std::string page_policy() {
    const std::string page = page_text();
    return fmt::format(
        "default-src 'none'; script-src{}; style-src{}; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'",
        sources(page, "script"), sources(page, "style"));
}

std::string touch_icon() {
    // The page's icon in two colours, 180 x 180 (PNG), as base64.
    constexpr std::string_view kIcon =
        "iVBORw0KGgoAAAANSUhEUgAAALQAAAC0AQMAAAAHA5RxAAAABlBMVEULYrj////0Ki1GAAAAMUlEQVR42u3IQQ0AIAwEsCUI"
        "wL9LBJAcJjZe7bNVwC9JvPftv5LrvW//nRzv/cwDIx73yIWX/Ig7UwAAAABJRU5ErkJggg==";
    std::string icon(kIcon.size() / 4 * 3, '\0');
    EVP_DecodeBlock(reinterpret_cast<unsigned char*>(icon.data()), reinterpret_cast<const unsigned char*>(kIcon.data()),
                    static_cast<int>(kIcon.size()));
    icon.resize(icon.size() - static_cast<std::size_t>(std::ranges::count(kIcon, '=')));
    return icon;
}

std::string api_description() {
    constexpr std::string_view kVersionPlace = "@VERSION@";
    std::string text;
    for (const std::string_view piece : kApiDescriptionText) text += piece;
    return text.replace(text.find(kVersionPlace), kVersionPlace.size(), kVersion);
}

}  // namespace gpuminer::web
