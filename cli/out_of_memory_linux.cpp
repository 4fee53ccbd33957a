#include "cli/out_of_memory.hpp"

#include <malloc.h>
#include <openssl/crypto.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "cli/run/exit_codes.hpp"
#include "gpuminer_build_info.hpp"
#include "host/text/document.hpp"

namespace gpuminer {
namespace {

bool with_json = false;

void write_plainly(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written <= 0) return;  // nobody else is to be told
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// As error_json() writes it, but for spaces. `message` needs no escapes in JSON.
void write_error_document(const char* message) {
    static_assert(kDeviceFailed == 5 && kDocumentVersion == 1);
    const UtcText now = utc_now();
    for (const std::string_view part :
         {std::string_view(R"({"format": "gpuminer error", "format_version": 1, "program_version": ")"),
          std::string_view(kVersion), std::string_view(R"(", "time": ")"), std::string_view(now.data()),
          std::string_view(R"(", "error": ")"), std::string_view(message), std::string_view("\", \"exit_code\": 5}\n")})
        write_plainly(STDOUT_FILENO, part);
}

/// `message` needs no escapes in JSON.
[[noreturn]] void end(const char* message) {
    static std::atomic_flag ending;
    while (ending.test_and_set()) ::pause();  // another thread is at it
    for (const std::string_view part : {"gpuminer: ", message, "\n"}) write_plainly(STDERR_FILENO, part);
    if (with_json) write_error_document(message);
    ::_exit(kDeviceFailed);
}

/// Other threads than the first allocate from arenas of their own, for each of which glibc reserves 64 MiB. Where there
/// is no room for one, it maps and unmaps memory for each single allocation, and the checker makes some in every hash.
void share_a_small_address_space() {
    constexpr rlim_t kSmall = rlim_t{4} << 30;
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < kSmall) (void)::mallopt(M_ARENA_MAX, 1);
}

[[noreturn]] void end_of_memory() { end(kOutOfMemory); }

// OpenSSL 3 follows null pointers where an allocation of its initialization failed.
void* allocate_for_openssl(std::size_t size, const char* /*file*/, int /*line*/) {
    void* const memory = std::malloc(size);
    if (memory == nullptr && size > 0) end_of_memory();
    return memory;
}

void* reallocate_for_openssl(void* old, std::size_t size, const char* /*file*/, int /*line*/) {
    void* const memory = std::realloc(old, size);
    if (memory == nullptr && size > 0) end_of_memory();
    return memory;
}

void free_for_openssl(void* memory, const char* /*file*/, int /*line*/) { std::free(memory); }

[[noreturn]] void end_of_uncaught() {
    try {
        if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
        end(kOutOfMemory);
    } catch (const std::system_error& error) {
        if (out_of_resources(error)) end(kOutOfThreads);
    } catch (...) {  // a mistake in the program: with the trace that abort() leaves
    }
    std::abort();
}

}  // namespace

bool out_of_resources(const std::system_error& error) {
    const auto is = [&](std::errc condition) { return error.code() == std::make_error_condition(condition); };
    return is(std::errc::resource_unavailable_try_again) || is(std::errc::not_enough_memory) ||
           is(std::errc::too_many_files_open) || is(std::errc::too_many_files_open_in_system);
}

void end_when_out_of_memory(bool json) {
    with_json = json;
    share_a_small_address_space();
    std::set_new_handler(end_of_memory);
    std::set_terminate(end_of_uncaught);
    (void)CRYPTO_set_mem_functions(allocate_for_openssl, reallocate_for_openssl, free_for_openssl);
}

}  // namespace gpuminer
