// A lesson as text for a terminal of 80 columns.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "cli/explain/lesson.hpp"

namespace gpuminer::lesson {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::string_view kIndent = "   ", kDeeper = "     ";
constexpr std::string_view kMarked = "\033[31m\033[1m", kPlain = "\033[m";

std::string indented(std::string_view lines) {
    std::string out;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        out += fmt::format("{}{}\n", kIndent, lines.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::string filled(std::string_view text) {
    std::string lines, line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (!line.empty() && kIndent.size() + line.size() + 1 + word.size() > kColumns) {
            lines += line + "\n";
            line.clear();
        }
        if (!line.empty()) line += ' ';
        line += word;
        at = end + 1;
    }
    return lines + line + "\n";
}

bool differs(std::string_view line, std::string_view other, std::size_t at) {
    return at < other.size() && line[at] != other[at];
}

std::string colored(std::string_view line, std::string_view other) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool marked = differs(line, other, i), before = i > 0 && differs(line, other, i - 1);
        if (marked != before) out += marked ? kMarked : kPlain;
        out += line[i];
    }
    return out + (!line.empty() && differs(line, other, line.size() - 1) ? std::string(kPlain) : "");
}

/// A '^' under each character that is another one, and a line's end; nothing where none is.
std::string marks(std::string_view line, std::string_view other) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (differs(line, other, i)) out += std::string(i - out.size(), ' ') + '^';
    }
    return out.empty() ? "" : fmt::format("{}{}\n", kDeeper, out);
}

class TextWriter {
public:
    explicit TextWriter(bool colors) : colors_(colors) {}

    void operator()(const Paragraph& part) { text_ += indented(filled(part.text)); }
    void operator()(const Formulas& part) {
        for (const std::string& line : part.lines) text_ += fmt::format("{}{}\n", kDeeper, line);
    }
    void operator()(const Values& part) {
        for (const Value& value : part) {
            text_ += fmt::format("{}{}\n", kIndent, value.name);
            std::string_view other = value.compared_with;
            for (const std::string& line : value.lines) {
                text_ += fmt::format("{}{}\n", kDeeper, colors_ ? colored(line, other) : line) + marks(line, other);
                other = {};
            }
        }
    }
    void operator()(const Table& part) { text_ += indented(aligned_text(part)); }
    void operator()(const Bitmap&) {}

    void section(std::size_t number, const Section& section) {
        if (number > 1) text_ += "\n";
        text_ += fmt::format("{}. {}\n", number, section.title);
        for (const Part& part : section.parts) {
            if (std::holds_alternative<Bitmap>(part)) continue;
            text_ += "\n";
            std::visit(*this, part);
        }
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    const bool colors_;
    std::string text_;
};

}  // namespace

std::string text(const std::vector<Section>& sections, bool colors) {
    TextWriter writer(colors);
    for (std::size_t i = 0; i < sections.size(); ++i) writer.section(i + 1, sections[i]);
    return writer.take();
}

}  // namespace gpuminer::lesson
