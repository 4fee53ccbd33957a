// report_of DOCUMENT.json [BASELINE.json]: the report of a run as a web page, printed for tests. With three documents
// or more: all side by side.
#include <exception>
#include <iostream>
#include <vector>

#include "bench/document/html_report.hpp"

int main(int argc, char** argv) {
    using namespace gpuminer::bench;
    try {
        if (argc < 2) {
            std::cerr << "usage: report_of DOCUMENT.json [BASELINE.json]\n       report_of DOCUMENT.json…\n";
            return 1;
        }
        std::vector<Document> documents;
        for (int i = 1; i < argc; ++i) documents.push_back(read_document(argv[i]));
        if (argc <= 3) {
            std::cout << html_report(documents.front(), argc == 3 ? &documents.back() : nullptr);
        } else {
            std::cout << comparison_report(documents);
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
