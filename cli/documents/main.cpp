// gpuminer-cli-documents FOLDER: the generator of the command line's manual pages (*.1) and completions (gpuminer,
// _gpuminer, gpuminer.fish) in FOLDER, which exists. The build runs it; it is not installed.
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include "cli/documents/completions.hpp"
#include "cli/documents/man_pages.hpp"

namespace {

void write(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error(path + " cannot be written");
}

void write_all(const std::string& folder) {
    for (const auto& page : gpuminer::documents::man_pages()) write(folder + "/" + page.name + ".1", page.text);
    write(folder + "/gpuminer", gpuminer::documents::bash_completion());
    write(folder + "/_gpuminer", gpuminer::documents::zsh_completion());
    write(folder + "/gpuminer.fish", gpuminer::documents::fish_completion());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: gpuminer-cli-documents FOLDER\n");
        return 1;
    }
    try {
        write_all(argv[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-cli-documents: %s\n", error.what());
        return 1;
    }
    return 0;
}
