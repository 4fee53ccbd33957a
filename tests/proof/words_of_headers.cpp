// The words that the host makes of headers, for test_header_words.py: 80 bytes each from standard input; of each
// header, to standard output, the midstate, the tail and the tables of one version, then those of this version and
// another one.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "kernel/sha256d_job.hpp"

namespace {

void write_words(std::span<const std::uint32_t> words) { std::fwrite(words.data(), 4, words.size(), stdout); }

void write_job(std::span<const std::uint8_t> header, const std::vector<std::uint32_t>& versions) {
    const gpuminer::Sha256dJob job(header, versions, 0);
    for (const auto& midstate : job.midstates()) write_words(midstate);
    write_words(job.tail());
    write_words(job.job_words());
    for (std::size_t i = 0; i < versions.size(); ++i) write_words(job.version_words(i));
}

}  // namespace

int main() {
    std::vector<std::uint8_t> header(80);
    while (std::fread(header.data(), 1, header.size(), stdin) == header.size()) {
        const std::uint32_t version =
            std::uint32_t{header[3]} << 24 | std::uint32_t{header[2]} << 16 | std::uint32_t{header[1]} << 8 | header[0];
        write_job(header, {version});
        write_job(header, {~version, version});
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}
