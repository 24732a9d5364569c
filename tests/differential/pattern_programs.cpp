#include "tests/differential/pattern_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <span>
#include <string_view>
#include <utility>

namespace matcha::differential {

namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string program() {
    std::string body = function(1, 2);
    std::string result = "sum(apply(f, vertices(g)))";
    if (one_in(3)) result += fmt::format(" / {}", 2 + pick(3));
    if (one_in(8)) result = fmt::format("({}) - 3", result);
    return fmt::format("def main(g: Graph) -> int:\n    def f(v):\n{}    return {}\n", body, result);
  }

 private:
  struct Table {
    std::string name;
    int keys;
  };
  struct Column {
    std::string name, list;
  };

  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return pick(n) == 0; }
  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }
  /// Mostly one of the innermost loops.
  const std::string& any() { return one_in(2) ? vertices_.back() : vertices_[pick(vertices_.size())]; }

  /// The steps of a function of `v`, indented.
  std::string function(int bindings, int depth) {
    const std::string indent(8, ' ');
    std::string text;
    vertices_.push_back("v");
    for (int i = 0; i < bindings + static_cast<int>(pick(2)); ++i) text += indent + binding() + "\n";
    text += indent + "return " + value(depth) + "\n";
    vertices_.pop_back();
    return text;
  }

  std::string binding() {
    if (one_in(3)) {
      const Column made{fresh("h"), set(1)};
      const std::string text = fmt::format("{} = {}", made.name, mapped(made.list, 1));
      columns_.push_back(made);
      return text;
    }
    const std::string name = fresh("t");
    const std::string outer = set(0);
    const std::string a = fresh("a"), b = fresh("b");
    vertices_.push_back(a);
    std::string rows;
    int keys = 1;
    switch (pick(4)) {
      case 0: rows = fmt::format("sum_by(apply(lambda {0}: ({0}, {1}), {2}))", a, value(0), outer); break;
      case 1: {
        const std::string inner = set(0);
        vertices_.push_back(b);
        const std::string first = one_in(3) ? a : fmt::format("min({}, {})", a, b);
        const std::string second = one_in(3) ? b : fmt::format("max({}, {})", a, b);
        rows = fmt::format("sum_by(flatten(apply(lambda {}: apply(lambda {}: ({}, {}, {}), {}), {})), keys=2)", a, b,
                           first, second, value(0), inner, outer);
        vertices_.pop_back();
        keys = 2;
        break;
      }
      default: rows = fmt::format("count_by(flatten(apply(lambda {}: {}, {})))", a, set(1), outer); break;
    }
    vertices_.pop_back();
    tables_.push_back({name, keys});
    return name + " = " + rows;
  }

  std::string mapped(const std::string& list, int depth) {
    const std::string x = fresh("x");
    vertices_.push_back(x);
    std::string text = fmt::format("apply(lambda {}: {}, {})", x, value(depth - 1), list);
    vertices_.pop_back();
    return text;
  }

  std::string set(int depth) {
    const std::string near = fmt::format("neighbor(g, {})", any());
    switch (pick(depth > 0 ? 9 : 14)) {
      case 0: return fmt::format("intersect({}, neighbor(g, {}))", near, any());
      case 1: return fmt::format("diff({}, neighbor(g, {}))", near, any());
      case 2: return fmt::format("diff({}, [{}])", near, any());
      case 3:
      case 4: {
        const std::string w = fresh("w");
        return fmt::format("apply(lambda {0}: {0}, lambda {0}: {1}, {2})", w, condition(w, 1), near);
      }
      case 5: return one_in(4) ? "vertices(g)" : near;
      default: return near;
    }
  }

  std::string condition(const std::string& w, int depth) {
    switch (pick(depth > 0 ? 10 : 7)) {
      case 0: return fmt::format("{} < {}", any(), w);
      case 1: return fmt::format("{} < {}", w, any());
      case 2: return fmt::format("has_edge(g, {}, {})", w, any());
      case 3: return fmt::format("not has_edge(g, {}, {})", w, any());
      case 4: return fmt::format("vertex_label(g, {}) {} {}", w, one_in(2) ? "==" : "!=", pick(2));
      case 7: return fmt::format("({} and {})", condition(w, 0), condition(w, 0));
      case 8: return fmt::format("({} or {})", condition(w, 0), condition(w, 0));
      case 9: return fmt::format("not ({} and {})", condition(w, 0), condition(w, 0));
      default: return fmt::format("{} != {}", w, any());
    }
  }

  std::string sum_over(const std::string& list, int depth) {
    const std::string x = fresh("x");
    vertices_.push_back(x);
    const std::string cond = one_in(2) ? fmt::format(" lambda {}: {},", x, condition(x, 1)) : "";
    std::string text = fmt::format("sum(apply(lambda {}: {},{} {}))", x, value(depth - 1), cond, list);
    vertices_.pop_back();
    return text;
  }

  std::string table_value(int depth) {
    const Table table = tables_[pick(tables_.size())];
    if (one_in(2)) {
      if (table.keys == 1) return fmt::format("get({}, {})", table.name, any());
      const std::string a = any(), b = any();
      if (one_in(2)) return fmt::format("get({}, {}, {})", table.name, a, b);
      return fmt::format("get({0}, min({1}, {2}), max({1}, {2}))", table.name, a, b);
    }
    const std::string k = fresh("k"), n = fresh("n");
    const std::string factor = one_in(6) ? "1" : one_in(3) ? fmt::format("{0} * ({0} - 1)", n) : n;
    if (table.keys == 1) vertices_.push_back(k);
    const std::string more = one_in(2) ? "" : " * " + value(depth - 1);
    std::string text = fmt::format("sum(apply(lambda {}, {}: {}{}, keys({}), values({})))", k, n, factor, more,
                                   table.name, table.name);
    if (table.keys == 1) vertices_.pop_back();
    return text;
  }

  std::string column_value(int depth) {
    const Column column = columns_[pick(columns_.size())];
    if (one_in(3)) return fmt::format("sum({})", column.name);
    const std::string x = fresh("x"), n = fresh("n");
    vertices_.push_back(x);
    const std::string more = one_in(2) ? "" : " * " + value(depth - 1);
    std::string text = fmt::format("sum(apply(lambda {}, {}: {}{}, {}, {}))", x, n, n, more,
                                   one_in(10) ? set(0) : column.list, column.name);
    vertices_.pop_back();
    return text;
  }

  std::string value(int depth) {
    if (depth <= 0) {
      switch (pick(6)) {
        case 0: return std::to_string(1 + pick(2));
        case 1: return fmt::format("(1 if {} else {})", condition(any(), 0), pick(2));
        case 2: return fmt::format("(size({}) - 1)", set(0));
        default: return fmt::format("size({})", set(0));
      }
    }
    switch (pick(12)) {
      case 0: return fmt::format("({} * {})", value(depth - 1), value(0));
      case 1: return fmt::format("({} {} {})", value(depth - 1), one_in(2) ? "+" : "-", value(0));
      case 2: {
        const std::string s = set(1);
        return fmt::format("size({0}) * (size({0}) - 1) / 2", s);
      }
      case 3: return fmt::format("{} / 2", sum_over(set(1), depth));
      case 4: {
        const std::string one = sum_over(set(0), 1);
        return fmt::format("({0} * {0} - {0}) / 2", one);
      }
      case 5:
      case 6:
      case 7:
        if (!tables_.empty()) return table_value(depth);
        return sum_over(set(1), depth);
      case 8:
      case 9:
        if (!columns_.empty()) return column_value(depth);
        return sum_over(set(1), depth);
      default: return sum_over(set(1), depth);
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> vertices_;  ///< Those in scope.
  std::vector<Table> tables_;
  std::vector<Column> columns_;
  int names_ = 0;
};

struct Word {
  std::size_t at, size;
};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The names, numbers and operators of the text, without comments.
std::vector<Word> words_of(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<Word> words;
  for (std::size_t at = begin; at < end;) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), end);
    } else if (text.substr(at, 3) == "\"\"\"") {
      at = std::min(text.find("\"\"\"", at + 3), end - 3) + 3;
    } else if (is_name(c)) {
      std::size_t next = at;
      while (next < end && is_name(text[next])) ++next;
      words.push_back({at, next - at});
      at = next;
    } else if (std::string_view("<>!=+-*/").find(c) != std::string_view::npos) {
      const std::size_t size = at + 1 < end && text[at + 1] == '=' ? 2 : 1;
      if (c != '=' || size == 2) words.push_back({at, size});
      at += size;
    } else {
      ++at;
    }
  }
  return words;
}

constexpr std::array kComparisons = {"<", ">", "<=", ">=", "==", "!="};
constexpr std::array kOperators = {"+", "-", "*"};
constexpr std::array kKeywords = {"def", "return", "lambda", "sum",  "apply", "Graph",   "int",      "cond",
                                  "g",   "G",      "if",     "else", "keys",  "flatten", "vertices", "neighbor"};

template <typename Words>
bool is_in(const Words& words, std::string_view word) {
  return std::ranges::any_of(words, [&](std::string_view one) { return one == word; });
}

}  // namespace

std::string random_pattern_program(std::uint64_t seed) { return Generator(seed).program(); }

std::string changed(const std::string& text, const std::string& entry, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::string out = text;
  std::size_t begin = 0, end = text.size();
  if (const std::size_t def = text.find("def " + entry + "(");
      !entry.empty() && def != std::string::npos && pick(4) != 0) {
    begin = def;
    end = std::min(text.find("\ndef ", def), text.size());
  }
  for (int tries = 0; tries < 100; ++tries) {
    const std::vector<Word> words = words_of(out, begin, std::min(end, out.size()));
    const Word word = words[pick(words.size())];
    const std::string old = out.substr(word.at, word.size);
    std::string now = old;
    if (is_in(kComparisons, old)) {
      now = kComparisons[pick(kComparisons.size())];
    } else if (is_in(kOperators, old)) {
      now = kOperators[pick(kOperators.size())];
    } else if (old == "min" || old == "max") {
      now = old == "min" ? "max" : "min";
    } else if (old == "intersect" || old == "diff") {
      now = old == "diff" ? "intersect" : "diff";
    } else if (old == "and" || old == "or") {
      now = old == "and" ? "or" : "and";
    } else if (std::isdigit(static_cast<unsigned char>(old[0])) != 0) {
      now = std::to_string(pick(4));
    } else if (is_name(old[0]) && !is_in(kKeywords, old)) {
      const Word other = words[pick(words.size())];
      now = out.substr(other.at, other.size);
      if (!is_name(now[0]) || is_in(kKeywords, now)) continue;
    }
    if (now == old) continue;
    out.replace(word.at, word.size, now);
    end += now.size() - old.size();
    if (pick(4) != 0) return out;
  }
  return out;
}

std::vector<NaiveProgram> naive_programs() {
  return {
      {"4-cycles, by a table of ways for each vertex", R"(def main(g: Graph) -> int:
    def at(u):
        ways = count_by(flatten(apply(lambda v: neighbor(g, v), neighbor(g, u))))
        return sum(apply(lambda w, n: n * (n - 1) if w != u else 0, keys(ways), values(ways)))
    return sum(apply(at, vertices(g))) / 8
)"},
      {"diamonds, by a table of common neighbours", R"(def main(g: Graph) -> int:
    def pairs(w):
        near = neighbor(g, w)
        return flatten(apply(lambda u: apply(lambda v: (u, v), lambda v: u < v, near), near))
    shared = count_by(flatten(apply(pairs, vertices(g))))
    def at(e):
        n = get(shared, get(e, 0), get(e, 1))
        return n * (n - 1) / 2
    return sum(apply(at, edges(g)))
)"},
      {"K(2,3), by a table of common neighbours", R"(def main(g: Graph) -> int:
    def pairs(w):
        near = neighbor(g, w)
        return flatten(apply(lambda u: apply(lambda v: (u, v), lambda v: u < v, near), near))
    shared = count_by(flatten(apply(pairs, vertices(g))))
    return sum(apply(lambda n: n * (n - 1) * (n - 2) / 6, values(shared)))
)"},
      {"paths of four, by a table of degrees", R"(def main(g: Graph) -> int:
    degree = sum_by(apply(lambda v: (v, size(neighbor(g, v))), vertices(g)))
    def at(e):
        u = get(e, 0)
        v = get(e, 1)
        return (get(degree, u) - 1) * (get(degree, v) - 1) - size(intersect(neighbor(g, u), neighbor(g, v)))
    return sum(apply(at, edges(g))) / 2
)"},
      {"paths of five, by a table of ways", R"(def main(g: Graph) -> int:
    def at(m):
        def side(a):
            return size(diff(neighbor(g, a), [m]))
        ways = apply(side, neighbor(g, m))
        both = sum(ways) * sum(ways) - sum(apply(lambda n: n * n, ways))
        def meets(a):
            def with(b):
                shared = size(diff(intersect(neighbor(g, a), neighbor(g, b)), [m]))
                closed = 1 if has_edge(g, a, b) else 0
                return shared + closed * (size(neighbor(g, a)) - 2) + closed * (size(neighbor(g, b)) - 2) + closed
            return sum(apply(with, lambda b: b != a, neighbor(g, m)))
        return both - sum(apply(meets, neighbor(g, m)))
    return sum(apply(at, vertices(g))) / 2
)"},
      {"triangles, by a condition in the value", R"(def main(g: Graph) -> int:
    def at(u):
        def second(v):
            return sum(apply(lambda w: 1 if has_edge(g, u, w) else 0, neighbor(g, v)))
        return sum(apply(second, neighbor(g, u)))
    return sum(apply(at, vertices(g))) / 6
)"},
      {"tailed triangles, by a list of triangles beside the neighbours", R"(def main(g: Graph) -> int:
    def at(u):
        near = neighbor(g, u)
        corners = apply(lambda v: size(intersect(near, neighbor(g, v))), near)
        return sum(apply(lambda v, n: n * (size(neighbor(g, v)) - 2), near, corners))
    return sum(apply(at, vertices(g))) / 2
)"},
      {"butterflies, by a table of triangles at vertices", R"(def main(g: Graph) -> int:
    def rows(u):
        def over(v):
            third = apply(lambda w: w, lambda w: v < w, intersect(neighbor(g, u), neighbor(g, v)))
            return flatten(apply(lambda w: [u, v, w], third))
        return flatten(apply(over, apply(lambda v: v, lambda v: u < v, neighbor(g, u))))
    corner = count_by(flatten(apply(rows, vertices(g))))
    def pairs(e):
        n = size(intersect(neighbor(g, get(e, 0)), neighbor(g, get(e, 1))))
        return n * (n - 1) / 2
    return sum(apply(lambda n: n * (n - 1) / 2, values(corner))) - sum(apply(pairs, edges(g)))
)"},
      {"edges between unlike vertices", R"(def main(g: Graph) -> int:
    unlike = lambda e: vertex_label(g, get(e, 0)) != 1 and (vertex_label(g, get(e, 1)) == 1 or vertex_label(g, get(e, 1)) == 5)
    return sum(apply(lambda e: 1, unlike, edges(g)))
)"},
      {"paths whose ends do not both see a third", R"(def main(g: Graph) -> int:
    def at(u):
        def ends(a):
            apart = lambda b: b != a and not (has_edge(g, a, b) and vertex_label(g, b) == 0)
            return size(apply(lambda b: b, apart, neighbor(g, u)))
        return sum(apply(ends, neighbor(g, u)))
    return sum(apply(at, vertices(g)))
)"},
  };
}

}  // namespace matcha::differential
