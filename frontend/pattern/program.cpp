#include "frontend/pattern/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/pattern/nest.h"
#include "frontend/pattern/order.h"

namespace matcha::frontend::pattern {

namespace {

/// Orders that `--list` shows.
constexpr int kListed = 8;
/// Factors of embeddings beyond this are not multiplied with: every embedding is met instead.
constexpr std::uint64_t kMostFactor = std::uint64_t{1} << 31;
/// Positions that a tuple has.
constexpr std::size_t kMostInTuple = 64;

/// A name that a program may define: letters, digits, `_`.
std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name) out += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
  return out.empty() || (out[0] >= '0' && out[0] <= '9') ? "pattern" + out : out;
}

std::vector<std::string> vertex_names(const Pattern& pattern) {
  std::vector<std::string> names;
  for (int v = 0; v < pattern.size(); ++v) names.push_back(fmt::format("v{}", pattern.id(v)));
  return names;
}

std::string plan_text(const Order& order, const std::vector<std::string>& names) {
  std::string text;
  for (int v : order.vertices) text += (text.empty() ? "" : " ") + names[static_cast<std::size_t>(v)];
  std::string restrictions;
  for (const auto& [larger, smaller] : direct_restrictions(order.larger)) {
    restrictions += fmt::format("{}{} > {}", restrictions.empty() ? "" : ", ", names[static_cast<std::size_t>(larger)],
                                names[static_cast<std::size_t>(smaller)]);
  }
  return restrictions.empty() ? text : fmt::format("{} | {}", text, restrictions);
}

/// `1.2 s`, for the comment at the top.
std::string short_time(double nanoseconds) {
  if (nanoseconds < 1e6) return fmt::format("{:.2g} us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return fmt::format("{:.2g} ms", nanoseconds / 1e6);
  return fmt::format("{:.3g} s", nanoseconds / 1e9);
}

/// One pattern on its way to a function.
class Writer {
 public:
  Writer(const Pattern& pattern, const Request& request, const GraphSketch& sketch)
      : given_(pattern),
        pattern_(normal(pattern, request.induced)),
        request_(request),
        model_(pattern_, request.induced, sketch),
        symmetry_(pattern_),
        names_(vertex_names(pattern)),
        automorphisms_(symmetry_.order()) {
    // Rows of embeddings are met one by one; so are embeddings that are too many times the subgraphs for a factor.
    const bool every = request.embeddings && (request.rows || !automorphisms_ || *automorphisms_ > kMostFactor);
    factor_ = request.embeddings && !every ? *automorphisms_ : 1;
    OrderSearch search;
    search.break_symmetry = !every;
    search.most = kListed;
    orders_ = best_orders(pattern_, model_, symmetry_, search);
  }

  std::vector<Choice> choices() const {
    std::vector<Choice> found;
    for (const Order& order : orders_) found.push_back({Algorithm::Extend, plan_text(order, names_), order.cost});
    return found;
  }
  std::string comment() const { return describe(given_, request_, automorphisms_); }

  /// Writes `def name(G: Graph)` and what is in it.
  void write(const std::string& name, Text& out) const {
    const Order& order = orders_.front();
    out.open(fmt::format("def {}(G: Graph) -> {}:", out.fresh(name),
                         request_.rows ? fmt::format("List<Tuple<int, {}>>", pattern_.size()) : "int"));
    Text draft;
    write_body(order, draft);
    if (draft.str().find("neighbor(R,") != std::string::npos) {
      out.line("# R has every arc backwards: its neighbors are where arcs come from.");
      out.line("R = mk_graph(apply(lambda e: mk_tuple(val=[get(e, 1), get(e, 0)]), edges(G)))");
    }
    write_body(order, out);
    out.close();
  }

 private:
  /// Anti-edges say nothing new of vertex-induced matches, and would hide automorphisms.
  static Pattern normal(Pattern pattern, Induced induced) {
    if (induced == Induced::Vertex) pattern.anti.assign(pattern.ids.size(), 0);
    return pattern;
  }

  void write_body(const Order& order, Text& out) const {
    const std::vector<std::string> bases;
    Nest nest(pattern_, model_.requirements(), order, names_, bases, request_.rows ? Answer::Rows : Answer::Count, out);
    if (factor_ == 1 || pattern_.size() == 1) {
      out.line("return " + nest.rest(0));
    } else {
      const std::string function = out.fresh("at_" + nest.name(order.vertices[0]));
      out.open(fmt::format("def {}({}):", function, nest.name(order.vertices[0])));
      nest.define(0);
      const std::string inner = nest.rest(1);
      out.line(fmt::format("return {} * {}", factor_, inner));
      out.close();
      out.line("return " + nest.walk(0, function));
    }
  }

  const Pattern& given_;
  Pattern pattern_;
  const Request& request_;
  CostModel model_;
  Symmetry symmetry_;
  std::vector<std::string> names_;
  std::optional<std::uint64_t> automorphisms_;
  std::uint64_t factor_ = 1;
  std::vector<Order> orders_;
};

std::string graph_comment(const GraphSketch& sketch) {
  return sketch.of_graph ? fmt::format("a graph of {} vertices and {} edges", sketch.vertices, sketch.edges)
                         : "a typical social network, since no graph was given";
}

void comment_lines(const std::string& text, Text& out) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.line("# " + text.substr(begin, end - begin));
    begin = end + 1;
  }
}

PatternProgram one_program(const Pattern& pattern, const Request& request, const GraphSketch& sketch) {
  const Writer writer(pattern, request, sketch);
  PatternProgram program;
  program.choices = writer.choices();
  Text out;
  comment_lines(writer.comment(), out);
  const Choice& first = program.choices.front();
  out.line(fmt::format("# Order {} (estimated {} of one core, for {}).", first.plan, short_time(first.cost),
                       graph_comment(sketch)));
  out.line("");
  writer.write(identifier(pattern.name.empty() ? "pattern" : pattern.name), out);
  program.text = out.str();
  return program;
}

PatternProgram motif_program(const PatternSet& set, const Request& request, const GraphSketch& sketch) {
  Text out;
  const std::size_t n = set.patterns.size();
  out.line(
      fmt::format("# All {} connected patterns of {} vertices, by number of edges; `motifs` gives their counts in this "
                  "order.",
                  n, set.patterns.front().size()));
  std::vector<std::string> functions;
  for (std::size_t i = 0; i < n; ++i) {
    const Pattern& pattern = set.patterns[i];
    const Writer writer(pattern, request, sketch);
    out.line("");
    comment_lines(writer.comment(), out);
    functions.push_back(fmt::format("pattern_{}{}", i, pattern.name.empty() ? "" : "_" + identifier(pattern.name)));
    writer.write(functions.back(), out);
  }
  const bool tuple = n <= kMostInTuple;
  out.line("");
  out.open(fmt::format("def motifs(G: Graph) -> {}:", tuple ? fmt::format("Tuple<int, {}>", n) : "List<int>"));
  std::string values;
  for (const std::string& function : functions) {
    values += fmt::format("{}\n        {}(G)", values.empty() ? "" : ",", function);
  }
  out.line(fmt::format("return {}{}])", tuple ? "mk_tuple(val=[" : "mk_list(val=[", values));
  out.close();
  PatternProgram program;
  program.text = out.str();
  return program;
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::Auto: return "auto";
    case Algorithm::Extend: return "extend";
    case Algorithm::Join: return "join";
    case Algorithm::Decompose: return "decompose";
  }
  return "";
}

std::optional<Algorithm> algorithm_of(std::string_view name) {
  for (Algorithm algorithm : {Algorithm::Auto, Algorithm::Extend, Algorithm::Join, Algorithm::Decompose}) {
    if (name == to_string(algorithm)) return algorithm;
  }
  return std::nullopt;
}

std::string describe(const Pattern& pattern, const Request& request, std::optional<std::uint64_t> automorphisms) {
  std::string text = fmt::format("Pattern {}{}\n", pattern.name.empty() ? "" : pattern.name + ": ", to_text(pattern));
  text += request.rows ? "Lists " : "Counts ";
  text += request.embeddings ? "embeddings (every map of the pattern into the graph), " : "subgraphs (each once), ";
  text += request.induced == Induced::Vertex ? "vertex-induced: a match has no edges but the pattern's."
                                             : "edge-induced: a match may have further edges between its vertices.";
  if (!automorphisms || *automorphisms > 1) {
    text += fmt::format("\nThe pattern has {} automorphisms",
                        automorphisms ? fmt::format("{}", *automorphisms) : "very many");
    text +=
        request.embeddings ? ": each subgraph is as many embeddings." : "; restrictions on ids keep one match of each.";
  }
  return text + "\n";
}

std::optional<PatternProgram> write_program(const PatternSet& set, const Request& request, const GraphSketch& sketch,
                                            SourceLoc loc, Diagnostics& diagnostics) {
  if (set.motif && request.rows) {
    diagnostics.error(DiagId::PatternPlan, loc, "the matches of all motifs are not listed together",
                      "list one pattern at a time; `matcha pattern --list` with the motif names them");
    return std::nullopt;
  }
  PatternProgram program =
      set.motif ? motif_program(set, request, sketch) : one_program(set.patterns.front(), request, sketch);
  program.directed = set.patterns.front().directed;
  program.labelled = set.patterns.front().labelled();
  return program;
}

}  // namespace matcha::frontend::pattern
