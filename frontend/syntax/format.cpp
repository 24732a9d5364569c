#include "frontend/format.h"

#include <algorithm>
#include <array>

#include <MatchaLexer.h>

#include "frontend/frontend.h"
#include "frontend/parse.h"
#include "frontend/syntax/encoding.h"
#include "frontend/syntax/pieces.h"

namespace matcha::frontend {
namespace {

using grammar::MatchaLexer;
using syntax::Piece;
using syntax::PieceLine;

constexpr std::size_t kIndent = 4;
/// Elements up to this many columns share lines, if all of them are that short.
constexpr std::size_t kWord = 32;

/// Operators at which an expression inside brackets can be broken, from weak to strong.
constexpr std::array<std::array<std::size_t, 3>, 5> kSigns{{
    {MatchaLexer::IF, MatchaLexer::ELSE, 0},
    {MatchaLexer::OR, 0, 0},
    {MatchaLexer::AND, 0, 0},
    {MatchaLexer::PLUS, MatchaLexer::MINUS, 0},
    {MatchaLexer::STAR, MatchaLexer::SLASH, MatchaLexer::PERCENT},
}};

/// Pieces [begin, end) of a line, between two commas, with their comments.
struct Element {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool comma = false;
  std::vector<std::string_view> before;  ///< Comments on separate lines.
  std::vector<std::string_view> behind;  ///< The first one is on the element's line.
};

/// Writes the pieces of one logical line.
class LineWriter {
 public:
  LineWriter(const std::vector<Piece>& pieces, std::string& out) : pieces_(pieces), out_(out) {}

  void run(std::size_t indent) {
    std::size_t end = pieces_.size();
    while (end > 0 && pieces_[end - 1].is_comment()) --end;
    start_line(indent);
    put(0, end, indent, 0, false);
    for (std::size_t i = end; i < pieces_.size(); ++i) out_ += (i > 0 ? "  " : "") + std::string(pieces_[i].text);
    out_ += '\n';
  }

 private:
  void start_line(std::size_t indent) {
    out_.append(indent, ' ');
    column_ = indent;
    fresh_ = true;
  }
  void new_line(std::size_t indent) {
    out_ += '\n';
    start_line(indent);
  }

  void write(std::string_view text) {
    out_ += text;
    Piece piece;
    piece.text = text;
    column_ += piece.width();
    fresh_ = false;
  }

  /// A comment inside an element ends its line, so the rest continues in the next one.
  void piece(const Piece& piece, std::size_t indent) {
    if (piece.is_comment()) {
      if (piece.own_line && !fresh_) new_line(indent + kIndent);
      write((fresh_ ? "" : "  ") + std::string(piece.text));
      new_line(indent + kIndent);
      return;
    }
    if (piece.space && !fresh_) write(" ");
    write(piece.text);
  }

  /// Columns of pieces on one line, without the space before the first.
  std::size_t width(std::size_t begin, std::size_t end) const {
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += pieces_[i].width() + (pieces_[i].space && i > begin ? 1 : 0);
    return sum;
  }

  bool has_comment(std::size_t begin, std::size_t end) const {
    return std::any_of(pieces_.begin() + static_cast<std::ptrdiff_t>(begin),
                       pieces_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Piece& piece) { return piece.is_comment(); });
  }

  /// Places of pieces [begin, end) outside of brackets and types; an opening bracket is one of them.
  std::vector<std::size_t> outer(std::size_t begin, std::size_t end) const {
    std::vector<std::size_t> places;
    for (std::size_t i = begin; i < end; ++i) {
      places.push_back(i);
      bool opens = pieces_[i].is_open() || (pieces_[i].type_bracket && pieces_[i].type == MatchaLexer::LESS);
      if (opens && pieces_[i].partner > i) i = pieces_[i].partner;
    }
    return places;
  }

  /// Writes pieces [begin, end) from the current column on; `tail` columns follow on their last line. `bracketed`:
  /// lines may be broken anywhere.
  void put(std::size_t begin, std::size_t end, std::size_t indent, std::size_t tail, bool bracketed) {
    if (!has_comment(begin, end) && column_ + width(begin, end) + tail <= kFormatWidth) {
      for (std::size_t i = begin; i < end; ++i) piece(pieces_[i], indent);
      return;
    }
    if (bracketed && put_by_signs(begin, end, indent, tail)) return;
    std::vector<std::size_t> broken = brackets_to_break(begin, end, indent, tail);
    for (std::size_t i = begin; i < end; ++i) {
      bool breaks = std::ranges::find(broken, i) != broken.end();
      piece(pieces_[i], indent);
      if (!breaks) continue;
      put_group(i, indent);
      i = pieces_[i].partner;
    }
  }

  /// The opening brackets whose contents get separate lines: those with comments, and as many others, from the
  /// right, as are needed for everything to fit.
  std::vector<std::size_t> brackets_to_break(std::size_t begin, std::size_t end, std::size_t indent,
                                             std::size_t tail) const {
    std::vector<std::size_t> whole;
    std::vector<std::size_t> broken;
    for (std::size_t i : outer(begin, end)) {
      if (!pieces_[i].is_open() || pieces_[i].partner <= i + 1) continue;
      (has_comment(i, pieces_[i].partner) ? broken : whole).push_back(i);
    }
    while (!whole.empty()) {
      std::size_t from = begin;
      std::size_t column = column_;
      std::size_t too_wide = 0;  // End of a part that does not fit.
      for (std::size_t k = 0; k <= broken.size() && too_wide == 0; ++k) {
        std::size_t to = k < broken.size() ? broken[k] + 1 : end;
        std::size_t behind = k < broken.size() ? 0 : tail;
        if (column + width(from, to) + behind > kFormatWidth) too_wide = to;
        if (too_wide != 0 || k == broken.size()) break;
        from = pieces_[broken[k]].partner;
        column = indent;
      }
      if (too_wide == 0) break;
      auto last = std::find_if(whole.rbegin(), whole.rend(), [&](std::size_t i) { return from <= i && i < too_wide; });
      if (last == whole.rend()) break;
      broken.insert(std::ranges::lower_bound(broken, *last), *last);
      whole.erase(std::next(last).base());
    }
    return broken;
  }

  /// Breaks an expression before its weakest operators outside of brackets; false if there are none.
  bool put_by_signs(std::size_t begin, std::size_t end, std::size_t indent, std::size_t tail) {
    if (has_comment(begin, end)) return false;
    const std::vector<std::size_t> places = outer(begin, end);
    std::size_t body = begin;  // Behind the colon of the last lambda, or the sign of a keyword argument.
    for (std::size_t i : places) {
      if (pieces_[i].type == MatchaLexer::COLON || pieces_[i].type == MatchaLexer::ASSIGN) body = i + 1;
    }
    for (const auto& signs : kSigns) {
      std::vector<std::size_t> cuts;
      for (std::size_t i : places) {
        if (i > body && !pieces_[i].unary && std::ranges::find(signs, pieces_[i].type) != signs.end())
          cuts.push_back(i);
      }
      if (cuts.empty()) continue;
      cuts.push_back(end);
      // The operands inside inner brackets are aligned.
      bool alone = body == begin && pieces_[begin - 1].is_open() && end < pieces_.size() && pieces_[end].is_close();
      // Sums are long and their terms short: as many on a line as fit.
      const bool fills = signs[0] == MatchaLexer::PLUS;
      const std::size_t inner = alone ? indent : indent + kIndent;
      put(begin, cuts[0], indent, 0, true);
      for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
        const std::size_t behind = k + 2 == cuts.size() ? tail : 0;
        const bool goes_on = fills && column_ + 1 + width(cuts[k], cuts[k + 1]) + behind <= kFormatWidth;
        if (!goes_on) new_line(inner);
        put(cuts[k], cuts[k + 1], inner, behind, true);
      }
      return true;
    }
    return false;
  }

  // Brackets

  static bool is_one_line(const Element& element) { return element.before.empty() && element.behind.empty(); }

  /// The position of the only element's own closing bracket, which is then broken instead: `sum(apply(`; else 0.
  std::size_t inner_bracket(const std::vector<Element>& elements) const {
    if (elements.size() != 1 || elements[0].comma || !is_one_line(elements[0])) return 0;
    const Element& element = elements[0];
    const std::vector<std::size_t> places = outer(element.begin, element.end);
    std::size_t last = places.back();
    bool ends = pieces_[last].is_open() && pieces_[last].partner == element.end - 1 && element.end - 1 > last + 1;
    if (!ends || has_comment(element.begin, last) || column_ + width(element.begin, last + 1) > kFormatWidth) return 0;
    for (std::size_t i : places) {
      bool plain = pieces_[i].type == MatchaLexer::NAME || pieces_[i].type == MatchaLexer::ASSIGN;
      if (i != last && !plain) return 0;
    }
    return last;
  }

  /// Writes the contents and the closing bracket of the bracket opened at `open`.
  void put_group(std::size_t open, std::size_t indent) {
    std::size_t close = pieces_[open].partner;
    std::vector<std::string_view> first;  // Comments on the line of the opening bracket.
    std::vector<std::string_view> last;   // Comments before the closing one.
    std::vector<Element> elements = elements_between(open, close, first, last);
    std::size_t inner = elements.empty() || !first.empty() || !last.empty() ? 0 : inner_bracket(elements);
    if (inner != 0) {
      for (std::size_t i = elements[0].begin; i <= inner; ++i) piece(pieces_[i], indent);
      put_group(inner, indent);
      write(pieces_[close].text);
      return;
    }
    for (std::string_view comment : first) write("  " + std::string(comment));
    bool words = elements.size() > 1 && std::ranges::all_of(elements, [&](const Element& element) {
                   return is_one_line(element) && !has_comment(element.begin, element.end) &&
                          width(element.begin, element.end) <= kWord;
                 });
    for (const Element& element : elements) {
      std::size_t size = width(element.begin, element.end) + (element.comma ? 1 : 0);
      bool goes_on = words && &element != elements.data() && column_ + 1 + size <= kFormatWidth;
      if (goes_on) {
        write(" ");
        fresh_ = true;
      } else {
        new_line(indent + kIndent);
      }
      put_element(element, indent + kIndent);
    }
    for (std::string_view comment : last) {
      new_line(indent + kIndent);
      write(comment);
    }
    new_line(indent);
    write(pieces_[close].text);
  }

  void put_element(const Element& element, std::size_t indent) {
    for (std::string_view comment : element.before) {
      write(comment);
      new_line(indent);
    }
    put(element.begin, element.end, indent, element.comma ? 1 : 0, true);
    if (element.comma) write(",");
    for (std::size_t i = 0; i < element.behind.size(); ++i) {
      if (i > 0) new_line(indent);
      write((i == 0 ? "  " : "") + std::string(element.behind[i]));
    }
  }

  std::vector<Element> elements_between(std::size_t open, std::size_t close, std::vector<std::string_view>& first,
                                        std::vector<std::string_view>& last) const {
    std::vector<Element> elements;
    std::vector<std::string_view> before;
    bool inside = false;  // Within the last element.
    for (std::size_t i : outer(open + 1, close)) {
      const Piece& piece = pieces_[i];
      if (piece.type == MatchaLexer::COMMA) {
        elements.back().comma = true;
        inside = false;
      } else if (!piece.is_comment()) {
        if (!inside) elements.push_back({i, i, false, std::move(before), {}});
        before.clear();
        inside = true;
        elements.back().end = (piece.is_open() || piece.type_bracket) && piece.partner > i ? piece.partner + 1 : i + 1;
      } else if (inside && !ends_element(i, close)) {
        elements.back().end = i + 1;
      } else if (elements.empty()) {
        (piece.own_line ? before : first).push_back(piece.text);
      } else if (!piece.own_line) {
        elements.back().behind.push_back(piece.text);
      } else {
        before.push_back(piece.text);
      }
    }
    last = std::move(before);
    return elements;
  }

  /// True if only comments are between position `i` and the next comma or the closing bracket.
  bool ends_element(std::size_t i, std::size_t close) const {
    while (i < close && pieces_[i].is_comment()) ++i;
    return i >= close || pieces_[i].type == MatchaLexer::COMMA;
  }

  const std::vector<Piece>& pieces_;
  std::string& out_;
  std::size_t column_ = 0;
  bool fresh_ = true;  ///< Nothing but spaces on the line.
};

/// True if a blank line precedes line `i`: one before and after each function of the file, others as in the text, but
/// none at the start of a block.
bool blank_before(const std::vector<PieceLine>& lines, std::size_t i) {
  if (i == 0) return false;
  const PieceLine& line = lines[i];
  const PieceLine& previous = lines[i - 1];
  if (line.depth > previous.depth) return false;
  if (line.depth == 0 && previous.depth > 0) return true;
  if (line.depth == 0) {
    // Comments right above a function belong to it.
    bool above = previous.is_comment() && line.blank_lines == 0;
    std::size_t def = i;
    while (def < lines.size() && lines[def].is_comment() && def + 1 < lines.size() && lines[def + 1].blank_lines == 0) {
      ++def;
    }
    bool before_def = def < lines.size() && lines[def].begins_def() && lines[def].depth == 0;
    if (before_def && !above) return true;
  }
  return line.blank_lines > 0;
}

/// Makes every line break from `begin` on `\n`.
void unify_breaks(std::string& text, std::size_t begin) {
  std::size_t end = begin;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text.compare(i, 2, "\r\n") == 0) ++i;
    text[end++] = text[i] == '\r' ? '\n' : text[i];
  }
  text.resize(end);
}

/// The tree of a file as a text; nothing after errors.
std::optional<std::string> tree_of(std::uint32_t file, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  Program program;
  std::uint32_t decls = 0;
  program.main = parse_file(file, *program.arena, decls, diagnostics);
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return print_ast(program);
}

}  // namespace

std::optional<std::string> format(std::uint32_t file, Diagnostics& diagnostics) {
  const std::optional<std::string> tree = tree_of(file, diagnostics);
  if (!tree) return std::nullopt;
  std::string_view text = diagnostics.sources().text(file);
  syntax::SourceText source{file, text, syntax::LineIndex(file, text), diagnostics, {}, {}};
  std::optional<std::string> plain = syntax::one_byte_a_character(source);
  if (!plain) return std::nullopt;
  std::vector<PieceLine> lines = syntax::piece_lines(syntax::raw_tokens(*plain), text);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (blank_before(lines, i)) out += '\n';
    const std::size_t begin = out.size();
    LineWriter(lines[i].pieces, out).run(lines[i].depth * kIndent);
    if (lines[i].is_docstring()) unify_breaks(out, begin);
  }
  SourceManager sources;
  Diagnostics scratch(sources);
  if (tree_of(sources.add("formatted", out), scratch) != tree) return std::nullopt;
  return out;
}

}  // namespace matcha::frontend
