// A lesson as an HTML page of one file.
#include <cassert>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/explain/lesson.hpp"
#include "cli/explain/lesson_page.hpp"

namespace gpuminer::lesson {
namespace {

constexpr std::size_t kLongTable = 16;  // rows; longer ones are folded away at first

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string marked(std::string_view line, std::string_view other) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string character = escaped(line.substr(i, 1));
        out += i < other.size() && line[i] != other[i] ? fmt::format("<mark>{}</mark>", character) : character;
    }
    return out;
}

/// One horizontal stroke for each run of ones.
std::string strokes(const std::vector<bool>& row, std::size_t y) {
    std::string path;
    for (std::size_t x = 0; x < row.size();) {
        std::size_t end = x;
        while (end < row.size() && row[end]) ++end;
        if (end > x) path += fmt::format("M{} {}.5h{}", x, y, end - x);
        x = end + 1;
    }
    return path;
}

class PageWriter {
public:
    void operator()(const Paragraph& part) { out_ += fmt::format("<p>{}</p>\n", escaped(part.text)); }
    void operator()(const Formulas& part) {
        out_ += "<pre>";
        for (const std::string& line : part.lines) out_ += escaped(line) + "\n";
        out_ += "</pre>\n";
    }
    void operator()(const Values& part) {
        out_ += "<dl>\n";
        for (const Value& value : part) {
            out_ += fmt::format("<dt>{}</dt>\n", escaped(value.name));
            std::string_view other = value.compared_with;
            for (const std::string& line : value.lines) {
                out_ += fmt::format("<dd><code>{}</code></dd>\n", marked(line, other));
                other = {};
            }
        }
        out_ += "</dl>\n";
    }
    void operator()(const Table& part) {
        const bool is_long = part.rows.size() > kLongTable;
        if (is_long) out_ += fmt::format("<details><summary>All {} rows</summary>\n", part.rows.size());
        out_ += "<div class=\"table\"><table>\n<thead>";
        row(part.headings, "th scope=\"col\"", "th");
        out_ += "</thead>\n<tbody>\n";
        for (const auto& cells : part.rows) row(cells, "td", "td");
        out_ += is_long ? "</tbody></table></div></details>\n" : "</tbody></table></div>\n";
    }
    void operator()(const Bitmap& part) {
        std::string path;
        for (std::size_t y = 0; y < part.rows.size(); ++y) path += strokes(part.rows[y], y);
        const std::size_t width = part.rows.empty() ? 0 : part.rows.front().size();
        out_ += fmt::format(
            "<figure><svg role=\"img\" aria-label=\"{0}\" viewBox=\"0 0 {1} {2}\" preserveAspectRatio=\"none\""
            " height=\"{3}\"><path stroke=\"currentColor\" d=\"{4}\"/></svg>\n<figcaption>{0}</figcaption></figure>\n",
            escaped(part.description), width, part.rows.size(), 5 * part.rows.size(), path);
    }

    void section(std::size_t number, const Section& section) {
        out_ += fmt::format("<section id=\"s{0}\">\n<h2>{0}. {1}</h2>\n", number, escaped(section.title));
        for (const Part& part : section.parts) std::visit(*this, part);
        out_ += "</section>\n";
    }
    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    void row(const std::vector<std::string>& cells, std::string_view open, std::string_view close) {
        out_ += "<tr>";
        for (const std::string& cell : cells) out_ += fmt::format("<{}>{}</{}>", open, escaped(cell), close);
        out_ += "</tr>\n";
    }

    std::string out_;
};

/// Puts a text in the place of that name.
void fill(std::string& page, std::string_view place, const std::string& text) {
    const std::size_t at = page.find(place);
    assert(at != std::string::npos);
    page.replace(at, place.size(), text);
}

}  // namespace

std::string html(const std::vector<Section>& sections, std::string_view title, std::string_view about) {
    std::string contents;
    PageWriter writer;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        contents += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", i + 1, escaped(sections[i].title));
        writer.section(i + 1, sections[i]);
    }
    std::string page;
    for (const std::string_view piece : kLessonPageText) page += piece;
    fill(page, "@title@", escaped(title));
    fill(page, "@lesson@",
         fmt::format(
             "<header>\n<p class=\"brand\">gpuminer explain</p>\n<h1>{}</h1>\n<p class=\"about\"><code>{}</code></p>\n"
             "</header>\n<nav><ol>\n{}</ol></nav>\n{}",
             escaped(title), escaped(about), contents, writer.take()));
    return page;
}

}  // namespace gpuminer::lesson
