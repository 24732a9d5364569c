#include "tools/man_text.h"

#include <algorithm>
#include <vector>

namespace matcha::tools {

namespace {

/// The characters that roff would change or take for its own.
std::string_view roff_character(char c) {
  switch (c) {
    case '\\': return "\\e";
    case '-': return "\\-";
    case '\'': return "\\(aq";
    case '`': return "\\(ga";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    default: return {};
  }
}

std::string roff_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view special = roff_character(c);
    if (special.empty()) {
      out += c;
    } else {
      out += special;
    }
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Where the mark that begins at `at` ends again, or npos.
std::size_t closing(std::string_view text, std::size_t at, std::string_view mark) {
  const bool opens = text.substr(at, mark.size()) == mark && at + mark.size() < text.size();
  if (!opens || text[at + mark.size()] == ' ') return std::string_view::npos;
  return text.find(mark, at + mark.size());
}

/// Code, emphasis and links within a paragraph.
std::string inline_text(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  const auto take = [&](std::string_view mark, const char* font) {
    const std::size_t end = closing(text, at, mark);
    if (end == std::string_view::npos) return false;
    const std::string_view inside = text.substr(at + mark.size(), end - at - mark.size());
    out += font + (mark == "`" ? roff_escaped(inside) : inline_text(inside)) + "\\fR";
    at = end + mark.size();
    return true;
  };
  while (at < text.size()) {
    if (take("`", "\\fB") || take("**", "\\fB") || take("*", "\\fI")) continue;
    const std::size_t middle = text[at] == '[' ? text.find("](", at) : std::string_view::npos;
    const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle);
    if (end != std::string_view::npos) {
      out += inline_text(text.substr(at + 1, middle - at - 1));
      at = end + 1;
      continue;
    }
    out += roff_escaped(text.substr(at++, 1));
  }
  return out;
}

/// The cells of a row, without the `\` of `\|`.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t at = 1; at < row.size(); ++at) {
    if (row.substr(at, 2) == "\\|") {
      cell += row[++at];
    } else if (row[at] == '|') {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += row[at];
    }
  }
  return cells;
}

/// One reading of a Markdown text, line by line.
class Reader {
 public:
  std::string read(std::string_view markdown) {
    while (!markdown.empty()) {
      const std::size_t end = std::min(markdown.find('\n'), markdown.size());
      line(markdown.substr(0, end));
      markdown.remove_prefix(std::min(end + 1, markdown.size()));
    }
    finish();
    return out_;
  }

 private:
  void line(std::string_view text) {
    if (text.starts_with("```")) {
      finish();
      fenced_ = !fenced_;
      return;
    }
    if (fenced_ || (paragraph_.empty() && text.starts_with("    "))) {
      code_ += std::string(fenced_ ? text : text.substr(4)) + "\n";
      return;
    }
    if (trimmed(text).empty() || !code_.empty()) finish();
    if (trimmed(text).empty()) return;
    if (text.starts_with("#")) {
      finish();
      out_ += ".SS " + inline_text(trimmed(text.substr(text.find_first_not_of('#')))) + "\n";
      after_heading_ = true;
    } else if (text.starts_with("|")) {
      row(text);
    } else {
      const bool item = text.starts_with("- ");
      if (item) finish();
      if (item) item_ = true;
      paragraph_ += std::string(paragraph_.empty() ? "" : " ") + std::string(trimmed(item ? text.substr(2) : text));
    }
  }

  /// The first row of a table and the line under it are left out.
  void row(std::string_view text) {
    if (rows_++ < 2) return;
    const std::vector<std::string> cells = cells_of(text);
    if (cells.empty()) return;
    std::string rest;
    for (std::size_t at = 1; at < cells.size(); ++at)
      rest += (rest.empty() || cells[at].empty() ? "" : "; ") + cells[at];
    out_ += ".TP\n" + start(inline_text(cells[0])) + "\n" + start(inline_text(rest.empty() ? cells[0] : rest)) + "\n";
    after_heading_ = false;
  }

  /// Ends the paragraph of the collected lines.
  void finish() {
    rows_ = 0;
    if (!code_.empty()) {
      if (!after_heading_) out_ += ".PP\n";
      out_ += roff_lines(code_);
    } else if (!paragraph_.empty()) {
      if (item_) {
        out_ += ".IP \\(bu 2\n";
      } else if (!after_heading_) {
        out_ += ".PP\n";
      }
      out_ += start(inline_text(paragraph_)) + "\n";
    } else {
      return;
    }
    after_heading_ = false;
    item_ = false;
    code_.clear();
    paragraph_.clear();
  }

  /// A line that begins with a full stop is no request.
  static std::string start(std::string line) { return line.starts_with('.') ? "\\&" + line : line; }

  std::string out_;
  std::string paragraph_;
  std::string code_;
  std::size_t rows_ = 0;  ///< The rows of the current table, the heading included.
  bool item_ = false;
  bool fenced_ = false;
  bool after_heading_ = true;  ///< Where a new paragraph needs no request.
};

}  // namespace

std::string roff_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.starts_with('.')) out += "\\&";
    out += roff_escaped(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string roff_lines(std::string_view lines) {
  std::string out = ".EX\n" + roff_text(lines);
  if (!out.ends_with('\n')) out += '\n';
  return out + ".EE\n";
}

std::string roff_of_markdown(std::string_view markdown) { return Reader().read(markdown); }

std::string_view section_of(std::string_view markdown, std::string_view heading) {
  const std::string title = "\n## " + std::string(heading) + "\n";
  const std::size_t at = markdown.find(title);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = markdown.substr(at + title.size());
  return rest.substr(0, rest.find("\n## "));
}

}  // namespace matcha::tools
