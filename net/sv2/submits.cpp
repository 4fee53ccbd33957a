#include "net/sv2/submits.hpp"

namespace gpuminer::net::sv2 {

std::uint32_t Submits::add(double difficulty) {
    waiting_.emplace(++last_, difficulty);
    if (waiting_.size() > kMost) waiting_.erase(waiting_.begin());
    return last_;
}

std::optional<double> Submits::take(std::uint32_t sequence) {
    const auto found = waiting_.extract(sequence);
    if (!found) return std::nullopt;
    return found.mapped();
}

Submits::Accepted Submits::accept(std::uint32_t last, std::uint32_t count) {
    Accepted accepted;
    const bool has_last = take(last).has_value();
    if (has_last && count > 0) --count;
    while (count > 0 && !waiting_.empty() && waiting_.begin()->first < last) {
        accepted.sequences.push_back(waiting_.begin()->first);
        waiting_.erase(waiting_.begin());
        --count;
    }
    if (has_last) accepted.sequences.push_back(last);
    accepted.surplus = count;
    return accepted;
}

}  // namespace gpuminer::net::sv2
