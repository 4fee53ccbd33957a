// Fuzzer of bitcoin.conf. In any text a node is found, or it is refused with a plain sentence without the password.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/node/bitcoin_conf.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

/// A data folder whose bitcoin.conf is a file in memory.
class DataFolder {
public:
    DataFolder() : file_(memfd_create("bitcoin.conf", 0)) {
        std::string name = std::filesystem::temp_directory_path() / "gpuminer-fuzz-XXXXXX";
        demand(mkdtemp(name.data()) != nullptr, "there is a folder");
        path_ = name;
        std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(file_), path_ / "bitcoin.conf");
    }
    ~DataFolder() { std::filesystem::remove_all(path_); }
    DataFolder(const DataFolder&) = delete;
    DataFolder& operator=(const DataFolder&) = delete;

    void write(const std::string& text) const {
        demand(
            ftruncate(file_, 0) == 0 && pwrite(file_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
            "bitcoin.conf is written");
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    int file_;
    std::filesystem::path path_;
};

void check_values(const BitcoinConf& conf, const std::string& text) {
    for (const Chain chain : kAllChains) {
        for (const char* name : {"rpcport", "rpcuser", "datadir", "chain", "testnet"}) {
            const auto value = conf.value(name, chain);
            if (!value) continue;
            demand(text.find(*value) != std::string::npos, "a value stands in the text");
            demand(trimmed(*value) == *value && value->find('\n') == std::string::npos &&
                       value->find('#') == std::string::npos,
                   "a value is a line's, without comments and white space");
        }
    }
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const DataFolder folder;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const BitcoinConf conf(text);
    check_values(conf, text);
    folder.write(text);
    try {
        const LocalNode node = find_local_node(folder.path(), std::nullopt);
        demand(node.access.url.port != 0, "a node has a port");
        fuzz::demand_plain_sentence(node.access.url.text());
        demand(node.access.url.password.empty() != node.access.cookie_file.empty(), "a password or a cookie, not both");
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
        for (const Chain chain : kAllChains) {
            fuzz::demand_unseen(conf.value("rpcpassword", chain).value_or(""), text, error.what());
        }
    }
    return 0;
}
