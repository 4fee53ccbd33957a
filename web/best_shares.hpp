// The ten best shares and blocks of all runs, by the difficulties of their hashes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::web {

struct BestShare {
    std::int64_t time = 0;  ///< seconds since 1970
    double difficulty = 0;  ///< of its hash
    std::string hash;       ///< 64 hex digits, display order
    std::string server;
};

/// Each hash once, the best first.
class BestShares {
public:
    static constexpr std::size_t kMost = 10;

    void add(BestShare share);
    /// An array; restore() takes it, or any other JSON, and adds what is a share in it.
    [[nodiscard]] nlohmann::ordered_json json() const;
    void restore(const nlohmann::ordered_json& json);
    [[nodiscard]] const std::vector<BestShare>& all() const { return shares_; }

private:
    std::vector<BestShare> shares_;
};

}  // namespace gpuminer::web
