#include "host/files/access_list.hpp"

#include <windows.h>

// After windows.h:
#include <aclapi.h>
#include <fcntl.h>
#include <io.h>
#include <sddl.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "host/system/last_error.hpp"
#include "host/system/wide_text.hpp"

namespace gpuminer {
namespace {

struct LocalFreed {
    void operator()(void* memory) const { LocalFree(memory); }
};
template <class T>
using Local = std::unique_ptr<T, LocalFreed>;

/// Whose process this is.
class User {
public:
    User() {
        HANDLE token = nullptr;
        DWORD size = 0;
        if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return;
        known_ = GetTokenInformation(token, TokenUser, facts_.data(), static_cast<DWORD>(facts_.size()), &size) != 0;
        CloseHandle(token);
    }
    /// Null: the system does not tell.
    [[nodiscard]] PSID sid() const {
        return known_ ? reinterpret_cast<const TOKEN_USER*>(facts_.data())->User.Sid : nullptr;
    }

private:
    alignas(TOKEN_USER) std::array<std::byte, sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE> facts_{};
    bool known_ = false;
};

PSID this_user() {
    static const User user;
    return user.sid();
}

/// "S-1-5-…"; empty where the system refuses.
std::wstring text_of(PSID sid) {
    LPWSTR text = nullptr;
    if (sid == nullptr || ConvertSidToStringSidW(sid, &text) == 0) return L"";
    const Local<wchar_t> freed(text);
    return text;
}

enum class Kind { kFile, kFolder };
/// The rights to what is the user's alone; null, and GetLastError(): the system refuses.
Local<void> rights_of_user(Kind kind) {
    // A list that takes nothing from the folder above ("P"). All rights ("FA") for two, of a folder also to what will
    // be made in it ("OICI").
    const std::wstring user = text_of(this_user()), begin = kind == Kind::kFolder ? L"(A;OICI;FA;;;" : L"(A;;FA;;;";
    const std::wstring text = L"D:P" + begin + user + L")" + begin + L"SY)";
    PSECURITY_DESCRIPTOR rights = nullptr;
    if (ConvertStringSecurityDescriptorToSecurityDescriptorW(text.c_str(), SDDL_REVISION_1, &rights, nullptr) == 0)
        return nullptr;
    return Local<void>(rights);
}

/// Makes it by `make`, which gets the rights.
template <class Make>
bool make_for_user(const std::filesystem::path& path, Kind kind, Make make) {
    const bool as_usual = is_on_a_share(path);
    const Local<void> rights = as_usual ? nullptr : rights_of_user(kind);
    SECURITY_ATTRIBUTES attributes{sizeof(SECURITY_ATTRIBUTES), rights.get(), FALSE};
    if ((rights || as_usual) && make(&attributes)) return true;
    errno = errno_of_last_error();
    return false;
}

/// Those who can read every file anyway, and the user.
bool is_trusted(PSID sid) {
    if (this_user() != nullptr && EqualSid(sid, this_user()) != 0) return true;
    for (const WELL_KNOWN_SID_TYPE known : {WinLocalSystemSid, WinBuiltinAdministratorsSid, WinCreatorOwnerRightsSid}) {
        if (IsWellKnownSid(sid, known) != 0) return true;
    }
    return false;
}

/// "Everyone", "NAME-OF-MACHINE\name"
std::string name_of(PSID sid) {
    constexpr DWORD kLongestName = 256;
    std::array<wchar_t, kLongestName> name{}, domain{};
    DWORD name_size = kLongestName, domain_size = kLongestName;
    SID_NAME_USE use{};
    if (LookupAccountSidW(nullptr, sid, name.data(), &name_size, domain.data(), &domain_size, &use) == 0)
        return utf8_of(text_of(sid));
    const std::string before = utf8_of(domain.data());
    return before.empty() ? utf8_of(name.data()) : before + "\\" + utf8_of(name.data());
}

/// Whom this entry lets do any of these; null: nobody.
PSID user_in(const ACL& list, DWORD number, ACCESS_MASK mask) {
    void* entry = nullptr;
    if (GetAce(const_cast<ACL*>(&list), number, &entry) == 0) return nullptr;
    const auto* const allowed = static_cast<const ACCESS_ALLOWED_ACE*>(entry);  // one with a condition begins alike
    const bool allows = allowed->Header.AceType == ACCESS_ALLOWED_ACE_TYPE ||
                        allowed->Header.AceType == ACCESS_ALLOWED_CALLBACK_ACE_TYPE;
    const bool is_for_others_below = (allowed->Header.AceFlags & INHERIT_ONLY_ACE) != 0;
    if (!allows || is_for_others_below || (allowed->Mask & mask) == 0) return nullptr;
    return const_cast<DWORD*>(&allowed->SidStart);
}

ACCESS_MASK mask_of(Use use) {
    constexpr ACCESS_MASK kGivingRights = GENERIC_ALL | WRITE_DAC | WRITE_OWNER;
    constexpr ACCESS_MASK kReading = FILE_READ_DATA | GENERIC_READ | kGivingRights;
    // The bits of writing and appending are, of folders, those of making files and folders in them.
    constexpr ACCESS_MASK kWriting =
        FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | GENERIC_WRITE | DELETE | kGivingRights;
    switch (use) {
        case Use::kReading: return kReading;
        case Use::kWriting: return kWriting;
        default: return kReading | kWriting;
    }
}

HANDLE handle_of(const File& file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file.get())); }

}  // namespace

Rights::Rights(const File& file)
    : known_(GetSecurityInfo(handle_of(file), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                             &owner_, nullptr, &list_, nullptr, &memory_) == ERROR_SUCCESS) {}

Rights::Rights(const std::filesystem::path& folder)
    : known_(GetNamedSecurityInfoW(const_cast<wchar_t*>(folder.c_str()), SE_FILE_OBJECT,
                                   OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner_, nullptr, &list_,
                                   nullptr, &memory_) == ERROR_SUCCESS) {}

Rights::~Rights() { LocalFree(memory_); }

std::string Rights::other_owner() const {
    const bool has_none = !known_ || owner_ == nullptr || IsWellKnownSid(owner_, WinWorldSid) != 0;  // FAT
    return has_none || is_trusted(owner_) ? "" : name_of(owner_);
}

std::string Rights::other_user(Use use) const {
    if (!known_ || list_ == nullptr) return "everybody";
    if (const std::string owner = other_owner(); !owner.empty()) return owner;
    for (DWORD number = 0; number < list_->AceCount; ++number) {
        const PSID user = user_in(*list_, number, mask_of(use));
        if (user != nullptr && !is_trusted(user)) return name_of(user);
    }
    return "";
}

bool is_on_a_share(const std::filesystem::path& path) {
    constexpr std::size_t kLongestPath = 32768;
    std::wstring volume(kLongestPath, L'\0');
    return GetVolumePathNameW(path.c_str(), volume.data(), static_cast<DWORD>(volume.size())) != 0 &&
           GetDriveTypeW(volume.c_str()) == DRIVE_REMOTE;
}

int make_file_for_user(const std::filesystem::path& path) {
    HANDLE handle = INVALID_HANDLE_VALUE;
    const bool made = make_for_user(path, Kind::kFile, [&](SECURITY_ATTRIBUTES* attributes) {
        handle = CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, attributes,
                             CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
        return handle != INVALID_HANDLE_VALUE;
    });
    if (!made) return -1;
    return ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_RDWR | _O_APPEND | _O_BINARY | _O_NOINHERIT);
}

bool make_folder_for_user(const std::filesystem::path& folder) {
    return make_for_user(folder, Kind::kFolder, [&](SECURITY_ATTRIBUTES* attributes) {
        return CreateDirectoryW(folder.c_str(), attributes) != 0;
    });
}

void close_to_others(const File& file) {
    constexpr DWORD kSharedWithAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle = ReOpenFile(handle_of(file), WRITE_DAC, kSharedWithAll, 0);
    if (handle == INVALID_HANDLE_VALUE) return;
    if (const Local<void> rights = rights_of_user(Kind::kFile))
        (void)SetKernelObjectSecurity(handle, DACL_SECURITY_INFORMATION, rights.get());
    CloseHandle(handle);
}

void close_folder_to_others(const std::filesystem::path& folder) {
    if (is_on_a_share(folder)) return;
    if (const Local<void> rights = rights_of_user(Kind::kFolder))
        (void)SetFileSecurityW(folder.c_str(), DACL_SECURITY_INFORMATION, rights.get());
}

}  // namespace gpuminer
