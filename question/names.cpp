#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "question/read.h"
#include "question/scan.h"
#include "question/symmetry.h"

namespace matcha::pattern {

namespace {

/// Named patterns of few vertices, as edges such as `01 12 20`.
struct SmallPattern {
  std::string_view name;
  std::string_view edges;
  std::string_view meaning;
};

const SmallPattern kSmall[] = {
    {"edge", "01", "two adjacent vertices"},
    {"wedge", "01 12", "a path of 3 vertices; or `cherry`"},
    {"triangle", "01 02 12", "3 vertices, all adjacent"},
    {"square", "01 12 23 03", "a cycle of 4 vertices"},
    {"tailed-triangle", "01 02 12 23", "a triangle and one more vertex at a corner; or `paw`"},
    {"diamond", "01 02 12 13 23", "a 4-clique less an edge"},
    {"pentagon", "01 12 23 34 04", "a cycle of 5 vertices"},
    {"house", "01 12 23 03 04 14", "a square with a triangle on an edge"},
    {"fork", "01 02 03 34", "a star of 4 vertices with a longer ray; or `chair`"},
    {"bull", "01 02 12 13 24", "a triangle with tails at two corners"},
    {"cricket", "01 02 12 03 04", "a triangle with two tails at a corner"},
    {"lollipop", "01 02 12 23 34", "a triangle with a tail of two edges"},
    {"banner", "01 12 23 03 04", "a square with a tail"},
    {"bowtie", "01 02 12 03 04 34", "two triangles that share a vertex; or `butterfly`"},
    {"dart", "01 02 12 13 23 14", "a diamond with a tail at its chord"},
    {"kite", "01 02 12 13 23 34", "a diamond with a tail at a corner off its chord"},
    {"gem", "01 12 23 40 41 42 43", "a path of 4 vertices and a vertex adjacent to all of it"},
};

/// Patterns with one parameter K, from `least` to `most`.
struct Family {
  std::string_view name;
  int least;
  int most;
  std::string_view meaning;
};

bool is_motif(const Family& family) { return family.name.ends_with("motif"); }

/// Larger than cliques of any graph.
constexpr int kMostOfClique = 1'000'000'000;

const Family kFamilies[] = {
    {"clique", 2, kMostOfClique,
     "K vertices, all adjacent; `K4` or `4-clique` is `clique:4`; `clique:*`: each K; `clique:maximal`"},
    {"path", 2, 12, "K vertices in a row; `P4` is `path:4`"},
    {"cycle", 3, 12, "K vertices in a ring; `C5` or `5-cycle` is `cycle:5`"},
    {"star", 2, 12, "one vertex and K - 1 adjacent to it; `claw` is `star:4`"},
    {"wheel", 3, 11, "a cycle of K vertices and a hub adjacent to all of it"},
    {"book", 1, 10, "K triangles on one edge"},
    {"motif", 2, 6, "every connected pattern of K vertices"},
    {"directed-motif", 2, 4, "every connected pattern of arcs of K vertices; the 13 of 3 have the names of triads"},
};

/// The connected triads by the usual names (Holland and Leinhardt 1970), as arcs.
const SmallPattern kTriads[] = {
    {"021D", "10 12", ""},
    {"021U", "01 21", ""},
    {"021C", "01 12", ""},
    {"111D", "01 10 21", ""},
    {"111U", "01 10 12", ""},
    {"030T", "01 12 02", ""},
    {"030C", "01 12 20", ""},
    {"201", "01 10 12 21", ""},
    {"120D", "10 12 02 20", ""},
    {"120U", "01 21 02 20", ""},
    {"120C", "01 12 02 20", ""},
    {"210", "01 12 21 02 20", ""},
    {"300", "01 10 12 21 02 20", ""},
};

/// Other common names.
struct Alias {
  std::string_view name;
  std::string_view meant;
};

const Alias kAliases[] = {
    {"cherry", "wedge"},     {"paw", "tailed-triangle"}, {"claw", "star:4"}, {"tetrahedron", "clique:4"},
    {"butterfly", "bowtie"}, {"hourglass", "bowtie"},    {"chair", "fork"},  {"hexagon", "cycle:6"},
};

bool is_number(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

/// Our name of an alias: of `paw`, `K4`, `C5`, `P4`, `4-clique`, `5-cycle` or `star4`; else the word itself.
std::string usual_name(std::string_view word) {
  for (const Alias& alias : kAliases) {
    if (word == alias.name) return std::string(alias.meant);
  }
  if (word.size() > 1 && is_number(word.substr(1))) {
    constexpr std::string_view kLetters = "KkCcPp";
    constexpr std::string_view kMeant[] = {"clique", "cycle", "path"};
    const std::size_t letter = kLetters.find(word[0]);
    if (letter != std::string_view::npos) return fmt::format("{}:{}", kMeant[letter / 2], word.substr(1));
  }
  for (const Family& family : kFamilies) {
    std::string_view number = word.starts_with(family.name) ? word.substr(family.name.size()) : std::string_view();
    if (number.starts_with('-') || number.starts_with('_')) number.remove_prefix(1);
    if (is_number(number)) return fmt::format("{}:{}", family.name, number);
  }
  const std::size_t dash = word.find('-');
  const std::string_view family = word.substr(dash == std::string_view::npos ? word.size() : dash + 1);
  if ((family == "clique" || family == "cycle") && is_number(word.substr(0, dash))) {
    return fmt::format("{}:{}", family, word.substr(0, dash));
  }
  return std::string(word);
}

Pattern small(const SmallPattern& known, bool arcs = false) {
  Pattern pattern = Pattern::empty(1);
  const auto parse = [&known](std::size_t i) { return known.edges[i] - '0'; };
  int most = 0;
  for (std::size_t i = 0; i < known.edges.size(); i += 3) most = std::max({most, parse(i), parse(i + 1)});
  pattern = Pattern::empty(most + 1);
  for (std::size_t i = 0; i < known.edges.size(); i += 3) {
    arcs ? pattern.add_arc(parse(i), parse(i + 1)) : pattern.add_edge(parse(i), parse(i + 1));
  }
  pattern.directed = arcs;
  pattern.name = known.name;
  return pattern;
}

/// Every connected pattern of `k` vertices, named if it has a usual name.
std::vector<Pattern> motifs_of(int k, bool arcs) {
  std::vector<Pattern> patterns = arcs ? connected_digraphs(k) : connected_patterns(k);
  if (!arcs) {
    for (Pattern& pattern : patterns) pattern.name = known_name(pattern);
    return patterns;
  }
  std::map<std::string, std::string_view> names;
  for (const SmallPattern& triad : kTriads) names.emplace(canonical_key(small(triad, true)), triad.name);
  for (Pattern& pattern : patterns) {
    const auto found = names.find(canonical_key(pattern));
    if (found != names.end()) pattern.name = found->second;
  }
  return patterns;
}

Pattern member(std::string_view family, int k) {
  const int extra = family == "wheel" ? 1 : family == "book" ? 2 : 0;
  Pattern pattern = Pattern::empty(k + extra);
  for (int v = 0; v < k; ++v) {
    if (family == "clique") {
      for (int u = 0; u < v; ++u) pattern.add_edge(u, v);
    }
    if (family == "star" && v > 0) pattern.add_edge(0, v);
    if (family == "path" && v > 0) pattern.add_edge(v - 1, v);
    if (family == "cycle" || family == "wheel") pattern.add_edge(v, (v + 1) % k);
    if (family == "wheel") pattern.add_edge(v, k);
    if (family == "book") pattern.add_edge(v, k);
    if (family == "book") pattern.add_edge(v, k + 1);
  }
  if (family == "book") pattern.add_edge(k, k + 1);
  pattern.name = fmt::format("{}:{}", family, k);
  return pattern;
}

/// The sizes of the two sides of `K2,3`.
std::optional<std::pair<int, int>> sides_of(std::string_view word) {
  const std::size_t comma = word.find(',');
  if (!word.starts_with('K') || comma == std::string_view::npos) return std::nullopt;
  const std::string_view first = word.substr(1, comma - 1), second = word.substr(comma + 1);
  constexpr std::size_t kMostDigits = 3;
  if (!is_number(first) || !is_number(second) || std::max(first.size(), second.size()) > kMostDigits)
    return std::nullopt;
  return std::pair(std::stoi(std::string(first)), std::stoi(std::string(second)));
}

/// Every vertex of one side is adjacent to every vertex of the other.
std::optional<PatternSet> complete_bipartite(std::pair<int, int> sides, SourceLoc loc, Diagnostics& diagnostics) {
  const auto [first, second] = sides;
  if (first < 1 || second < 1 || first + second > kMostUnlabelledVertices) {
    diagnostics.error(DiagId::PatternName, loc,
                      fmt::format("`K{},{}` has {} vertices; a side has at least 1, and both have at most {}", first,
                                  second, first + second, kMostUnlabelledVertices));
    return std::nullopt;
  }
  PatternSet set;
  Pattern& pattern = set.patterns.emplace_back(Pattern::empty(first + second));
  for (int u = 0; u < first; ++u) {
    for (int v = first; v < first + second; ++v) pattern.add_edge(u, v);
  }
  pattern.name = fmt::format("K{},{}", first, second);
  return set;
}

/// Cliques that are no patterns: of more vertices than these have, or with 0 of each number of vertices.
PatternSet cliques_of(std::uint32_t size) {
  PatternSet set;
  set.cliques = size;
  set.patterns.push_back(member("clique", 2));
  set.patterns.back().name = size == 0 ? "clique:*" : fmt::format("clique:{}", size);
  return set;
}

PatternSet maximal_cliques() {
  PatternSet set = cliques_of(0);
  set.maximal = true;
  set.patterns.back().name = "clique:maximal";
  return set;
}

std::optional<PatternSet> of_family(const Family& family, std::string_view parameter, SourceLoc loc,
                                    Diagnostics& diagnostics) {
  if (family.name == "clique" && parameter == "*") return cliques_of(0);
  if (family.name == "clique" && parameter == "maximal") return maximal_cliques();
  int k = 0;
  const char* const end = parameter.data() + parameter.size();
  const std::from_chars_result read = std::from_chars(parameter.data(), end, k);
  if (parameter.empty() || read.ec != std::errc() || read.ptr != end || k < family.least || k > family.most) {
    diagnostics.error(DiagId::PatternName, loc,
                      fmt::format("`{}` takes a number from {} to {} of vertices: `{}:{}`", family.name, family.least,
                                  family.most, family.name, std::clamp(4, family.least, family.most)),
                      fmt::format("it is {}", family.meaning));
    return std::nullopt;
  }
  if (k > kMostUnlabelledVertices) return cliques_of(static_cast<std::uint32_t>(k));
  PatternSet set;
  set.motif = is_motif(family);
  if (set.motif) {
    set.patterns = motifs_of(k, family.name != "motif");
  } else {
    set.patterns.push_back(member(family.name, k));
  }
  return set;
}

}  // namespace

std::optional<PatternSet> named_pattern(std::string_view word, SourceLoc loc, Diagnostics& diagnostics) {
  const std::string meant = usual_name(word);
  if (meant == word && !is_letter(word[0])) return std::nullopt;
  word = meant;
  if (const auto sides = sides_of(word)) return complete_bipartite(*sides, loc, diagnostics);
  if (word.find_first_of(" \t\r\n") != std::string_view::npos) return std::nullopt;
  if (word.substr(0, 7) == "graph6:" || word.substr(0, 10) == "adjacency:") return std::nullopt;
  const std::string_view name = word.substr(0, word.find(':'));
  const bool parameter = name.size() < word.size();
  for (const SmallPattern& known : kSmall) {
    if (name != known.name) continue;
    if (parameter) {
      diagnostics.error(DiagId::PatternName, loc, fmt::format("`{}` takes no number", name),
                        fmt::format("it is {}", known.meaning));
      return std::nullopt;
    }
    PatternSet set;
    set.patterns.push_back(small(known));
    return set;
  }
  for (const Family& family : kFamilies) {
    if (name == family.name) {
      return of_family(family, parameter ? word.substr(name.size() + 1) : std::string_view{}, loc, diagnostics);
    }
  }
  // `tailed-triangel` is not an edge; `a-b` is.
  const bool joins = word.find_first_of("-<>~!,;=([@") != std::string_view::npos;
  std::vector<std::string> names;
  for (const NamedPattern& known : pattern_names()) {
    const std::string_view one = known.name.substr(0, known.name.find(':'));
    if (!joins || one.find('-') != std::string_view::npos) names.emplace_back(one);
  }
  const std::size_t own = names.size();
  for (const Alias& alias : kAliases) {
    if (!joins) names.emplace_back(alias.name);
  }
  const std::string near = nearest_word(joins ? word : name, names);
  names.resize(own);
  if (joins && near.empty()) return std::nullopt;
  diagnostics.error(DiagId::PatternName, loc, fmt::format("no pattern is called `{}`", joins ? word : name),
                    near.empty() ? fmt::format("known: {}; vertices are joined by signs, as in `a-b,b-c` or `0-1,1-2`, "
                                               "and one alone stands in parentheses: `(a)`",
                                               fmt::join(names, ", "))
                                 : fmt::format("did you mean `{}`?", near));
  return std::nullopt;
}

bool is_pattern_name(std::string_view word) {
  return std::ranges::any_of(kSmall, [&](const SmallPattern& known) { return known.name == word; }) ||
         std::ranges::any_of(kFamilies, [&](const Family& family) { return family.name == word; });
}

const std::vector<NamedPattern>& pattern_names() {
  static const std::vector<NamedPattern> names = [] {
    static const char* const kWithParameter[] = {"clique:K", "path:K", "cycle:K", "star:K",
                                                 "wheel:K",  "book:K", "motif:K", "directed-motif:K"};
    std::vector<NamedPattern> all;
    for (std::size_t i = 0; i < std::size(kFamilies); ++i) all.push_back({kWithParameter[i], kFamilies[i].meaning});
    for (const SmallPattern& known : kSmall) all.push_back({known.name, known.meaning});
    return all;
  }();
  return names;
}

std::string known_name(const Pattern& pattern) {
  constexpr int kMostVerticesOfNames = 5;
  if (pattern.labelled() || pattern.edge_labelled() || pattern.directed || pattern.has_anti_edges()) return {};
  if (pattern.size() < 2 || pattern.size() > kMostVerticesOfNames) return {};
  static const std::map<std::string, std::string> names = [] {
    std::map<std::string, std::string> by_key;
    for (const SmallPattern& known : kSmall) by_key.emplace(canonical_key(small(known)), known.name);
    for (const Family& family : kFamilies) {
      if (is_motif(family)) continue;
      for (int k = family.least; k <= kMostVerticesOfNames; ++k) {
        const Pattern one = member(family.name, k);
        if (one.size() <= kMostVerticesOfNames) by_key.emplace(canonical_key(one), one.name);
      }
    }
    return by_key;
  }();
  const auto found = names.find(canonical_key(pattern));
  return found == names.end() ? std::string{} : found->second;
}

}  // namespace matcha::pattern
