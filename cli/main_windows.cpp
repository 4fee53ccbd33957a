// main() of gpuminer.exe. (CommandLineToArgvW is in a library that loads user32.dll, and a program with that is not
// told of the end of the user's session.)
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program.hpp"
#include "host/system/wide_text.hpp"

namespace {

/// So that getenv() gives UTF-8: what it makes of them itself is in the system's code page.
void translate_variables() {
    std::vector<std::string> assignments;
    for (wchar_t* const* variable = _wenviron; variable != nullptr && *variable != nullptr; ++variable) {
        if (std::wstring_view(*variable).starts_with(L"GPUMINER_")) assignments.push_back(gpuminer::utf8_of(*variable));
    }
    for (const std::string& assignment : assignments) (void)_putenv(assignment.c_str());
}

}  // namespace

/// The C library's start-up code (mingw-w64) leaves words with * and ? as they are.
extern "C" {
extern int _dowildcard;
int _dowildcard = 0;
int wmain(int argc, wchar_t** argv);
}

/// There is no configuration file of the system: folders that all users share are for all of them to write to.
int wmain(int argc, wchar_t** argv) {
    translate_variables();
    std::vector<std::string> words;
    for (int i = 0; i < argc; ++i) words.push_back(gpuminer::utf8_of(argv[i]));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return gpuminer::run_program(argc, arguments.data(), {.system_config = ""});
}
