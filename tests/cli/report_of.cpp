// report_of DOCUMENT.json [BASELINE.json]: the report of a run as a web page, printed for tests.
#include <exception>
#include <iostream>

#include "bench/document/html_report.hpp"

int main(int argc, char** argv) {
    using namespace gpuminer::bench;
    try {
        if (argc != 2 && argc != 3) {
            std::cerr << "usage: report_of DOCUMENT.json [BASELINE.json]\n";
            return 1;
        }
        const Document document = read_document(argv[1]);
        if (argc == 2) {
            std::cout << html_report(document);
        } else {
            const Document baseline = read_document(argv[2]);
            std::cout << html_report(document, &baseline);
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
