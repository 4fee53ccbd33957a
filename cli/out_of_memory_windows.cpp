#include "cli/out_of_memory.hpp"

#include <windows.h>

#include <io.h>  // after windows.h

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "cli/run/exit_codes.hpp"
#include "cli/terminal/terminal.hpp"
#include "gpuminer_build_info.hpp"
#include "host/text/document.hpp"

namespace gpuminer {
namespace {

bool with_json = false;

void write_plainly(int descriptor, std::string_view text) {
    (void)::_write(descriptor, text.data(), static_cast<unsigned>(text.size()));  // nobody else is to be told
}

/// As error_json() writes it, but for spaces. `message` needs no escapes in JSON.
void write_error_document(const char* message) {
    static_assert(kDeviceFailed == 5 && kDocumentVersion == 1);
    const UtcText now = utc_now();
    for (const std::string_view part :
         {std::string_view(R"({"format": "gpuminer error", "format_version": 1, "program_version": ")"),
          std::string_view(kVersion), std::string_view(R"(", "time": ")"), std::string_view(now.data()),
          std::string_view(R"(", "error": ")"), std::string_view(message), std::string_view("\", \"exit_code\": 5}\n")})
        write_plainly(kStandardOutput, part);
}

/// `message` needs no escapes in JSON.
[[noreturn]] void end(const char* message) {
    static std::atomic_flag ending;
    while (ending.test_and_set()) Sleep(INFINITE);  // another thread is at it
    for (const std::string_view part : {"gpuminer: ", message, "\n"}) write_plainly(kStandardError, part);
    if (with_json) write_error_document(message);
    std::_Exit(kDeviceFailed);
}

[[noreturn]] void end_of_memory() { end(kOutOfMemory); }

[[noreturn]] void end_of_uncaught() {
    try {
        if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
        end(kOutOfMemory);
    } catch (const std::system_error& error) {
        if (out_of_resources(error)) end(kOutOfThreads);
    } catch (...) {  // a mistake in the program
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
    std::set_new_handler(end_of_memory);
    std::set_terminate(end_of_uncaught);
}

}  // namespace gpuminer
