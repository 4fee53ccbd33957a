// The C library's mbrtowc() in UTF-8, in place of msvcrt's, which takes bytes for Latin-1: std::filesystem::path makes
// UTF-16 of a std::string by it. (The other way, wcrtomb(), cannot be replaced: libstdc++ leaves it one byte of room.
// So path::string() is for ASCII here, and path_text() for names of files.)
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cwchar>

namespace gpuminer {
namespace {

/// Of a character whose bytes have not all come.
struct Begun {
    std::uint32_t bits = 0;  ///< that its bytes have had
    unsigned bytes = 0;      ///< of all of it; 0: none is begun
    unsigned left = 0;       ///< of them
};

constexpr unsigned kBitsAt = 8, kBytesAt = 4, kLeft = 0xf;

Begun begun_of(std::mbstate_t state) {
    const auto word = static_cast<std::uint32_t>(state);
    return {word >> kBitsAt, word >> kBytesAt & kLeft, word & kLeft};
}

std::mbstate_t state_of(const Begun& begun) {
    return static_cast<std::mbstate_t>(begun.bits << kBitsAt | begun.bytes << kBytesAt | begun.left);
}

/// False: no character begins with it.
bool begin(Begun& begun, unsigned char byte) {
    struct Lead {
        unsigned char first, last, mask;
        unsigned bytes;
    };
    constexpr std::array kLeads = {Lead{0x00, 0x7f, 0x7f, 1}, Lead{0xc2, 0xdf, 0x1f, 2}, Lead{0xe0, 0xef, 0x0f, 3},
                                   Lead{0xf0, 0xf4, 0x07, 4}};
    for (const Lead& lead : kLeads) {
        if (byte < lead.first || byte > lead.last) continue;
        begun = {static_cast<std::uint32_t>(byte & lead.mask), lead.bytes, lead.bytes - 1};
        return true;
    }
    return false;
}

/// False: it does not go on with it. Not with what shorter forms, surrogates and numbers above 10ffff would have.
bool go_on(Begun& begun, unsigned char byte) {
    constexpr unsigned char kMark = 0x80, kMarkMask = 0xc0, kBits = 0x3f;
    if ((byte & kMarkMask) != kMark) return false;
    begun.bits = begun.bits << 6 | (byte & kBits);
    --begun.left;
    if (begun.bytes == 3 && begun.left == 1) return begun.bits >= 0x20 && (begun.bits < 0x360 || begun.bits > 0x37f);
    if (begun.bytes == 4 && begun.left == 2) return begun.bits >= 0x10 && begun.bits <= 0x10f;
    return true;
}

/// Of two units the first is known when all bytes but one have come.
bool gives_unit(const Begun& begun) { return begun.left == 0 || (begun.bytes == 4 && begun.left == 1); }

wchar_t unit_of(const Begun& begun) {
    constexpr std::uint32_t kFirst = 0xd800 - (0x10000 >> 10), kSecond = 0xdc00, kMask = 0x3ff;
    if (begun.bytes < 4) return static_cast<wchar_t>(begun.bits);
    return static_cast<wchar_t>(begun.left == 1 ? kFirst + (begun.bits >> 4) : kSecond | (begun.bits & kMask));
}

}  // namespace
}  // namespace gpuminer

extern "C" {

std::size_t mbrtowc(wchar_t* unit, const char* bytes, std::size_t count, std::mbstate_t* state) {
    using namespace gpuminer;
    constexpr auto kWrong = static_cast<std::size_t>(-1), kIncomplete = static_cast<std::size_t>(-2);
    static thread_local std::mbstate_t own;
    if (state == nullptr) state = &own;
    if (bytes == nullptr) {
        *state = {};
        return 0;
    }
    Begun begun = begun_of(*state);
    for (std::size_t i = 0; i < count; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        if (!(begun.left == 0 ? begin(begun, byte) : go_on(begun, byte))) {
            errno = EILSEQ;
            return kWrong;
        }
        if (!gives_unit(begun)) continue;
        if (unit != nullptr) *unit = unit_of(begun);
        const bool is_end = begun.bytes == 1 && begun.bits == 0;
        *state = begun.left == 0 ? std::mbstate_t{} : state_of(begun);
        return is_end ? 0 : i + 1;
    }
    *state = state_of(begun);
    return kIncomplete;
}

std::size_t mbrlen(const char* bytes, std::size_t count, std::mbstate_t* state) {
    static thread_local std::mbstate_t own;
    return mbrtowc(nullptr, bytes, count, state != nullptr ? state : &own);
}

/// Here as the C library has the three in one object.
std::size_t mbsrtowcs(wchar_t* units, const char** bytes, std::size_t most, std::mbstate_t* state) {
    std::mbstate_t own{};
    if (state == nullptr) state = &own;
    const char* at = *bytes;
    for (std::size_t done = 0; units == nullptr || done < most; ++done) {
        const std::size_t size = mbrtowc(units != nullptr ? units + done : nullptr, at, 4, state);
        if (size == static_cast<std::size_t>(-1)) return size;
        if (size == 0) {
            if (units != nullptr) *bytes = nullptr;
            return done;
        }
        at += size;
    }
    *bytes = at;
    return most;
}
}
