#include "host/text/document.hpp"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gpuminer_build_info.hpp"

namespace gpuminer {

UtcText utc_text(std::chrono::system_clock::time_point time) {
    using namespace std::chrono;
    const auto second = floor<seconds>(time);
    const auto day = floor<days>(second);
    const year_month_day date(day);
    const hh_mm_ss clock(second - day);
    UtcText text{};
    fmt::format_to_n(text.data(), text.size() - 1, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
    return text;
}

nlohmann::ordered_json document_head(const char* command) {
    return {{"format", std::string("gpuminer ") + command},
            {"format_version", kDocumentVersion},
            {"program_version", kVersion},
            {"time", utc_now().data()}};
}

nlohmann::ordered_json document(const char* command, const nlohmann::ordered_json& body) {
    nlohmann::ordered_json all = document_head(command);
    for (const auto& [name, value] : body.items()) all[name] = value;
    return all;
}

}  // namespace gpuminer
