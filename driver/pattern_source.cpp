#include "driver/pattern_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "driver/compile.h"

namespace matcha::driver {

namespace {

namespace pattern = frontend::pattern;

/// No pattern is longer; a graph given by mistake is.
constexpr std::size_t kLongestPattern = std::size_t{1} << 20;

bool has_ending(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

/// Whether the pattern stands in a file of this name. Text and names of patterns have neither `/` nor such endings.
bool is_file(const std::string& text) {
  for (std::string_view end : {".graph", ".lg", ".g", ".g6"}) {
    if (has_ending(text, end)) return true;
  }
  struct stat about = {};
  return text.find('/') != std::string::npos || (text.find_first_of(",:\n") == std::string::npos &&
                                                 ::stat(text.c_str(), &about) == 0 && S_ISREG(about.st_mode));
}

}  // namespace

Status PatternSource::read() {
  std::string text = options_.text, name = "<pattern>";
  if (is_file(text)) {
    name = text;
    std::ifstream file(name, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file.good() && !file.eof()) {
      return reporter_.error(Status::Input, fmt::format("cannot read the pattern `{}`: {}", name, std::strerror(errno)),
                             "a pattern is like `0-1,1-2,2-0`, a name such as `clique:4`, or a file");
    }
    if (looks_like_graph(text)) {
      return reporter_.error(Status::Usage, fmt::format("`{}` is a graph, not a pattern", name),
                             "the pattern comes after --pattern; a shell wants `'0>1,1>2'` in quotes, as it takes `>` "
                             "for a file");
    }
    if (text.size() > kLongestPattern) {
      return reporter_.error(Status::Input, fmt::format("`{}` is too large for a pattern", name));
    }
    if (has_ending(name, ".g6")) text = "graph6:" + text;
  }
  const std::uint32_t file = sources_.add(name, std::move(text));
  loc_ = {file, 1, 1, static_cast<std::uint32_t>(std::max<std::size_t>(sources_.line(file, 1).size(), 1))};
  set_ = pattern::read_pattern(sources_, file, diagnostics_);
  if (set_ && (options_.unlabelled || options_.unlabelled_edges)) {
    for (pattern::Pattern& one : set_->patterns) one.edge_labels.clear();
  }
  if (set_ && options_.unlabelled) {
    for (pattern::Pattern& one : set_->patterns) one.labels.assign(one.ids.size(), "");
    if (set_->patterns.front().size() > pattern::kMostUnlabelledVertices) {
      diagnostics_.error(DiagId::PatternSize, loc_,
                         fmt::format("the pattern has {} vertices; at most {} are taken without labels",
                                     set_->patterns.front().size(), pattern::kMostUnlabelledVertices));
    }
  }
  if (set_ && !options_.labels.empty()) {
    const std::uint32_t labels = sources_.add("<labels>", options_.labels);
    if (set_->motif) {
      diagnostics_.error(DiagId::PatternLabel, SourceLoc{labels, 1, 1, 1}, "motifs have no labels");
    } else {
      pattern::set_labels(set_->patterns.front(), sources_, labels, diagnostics_);
    }
  }
  reporter_.report(diagnostics_);
  return diagnostics_.has_errors() ? Status::Query : Status::Ok;
}

Status PatternSource::check_arcs(bool graph_keeps_arcs) const {
  if (directed() == graph_keeps_arcs) return Status::Ok;
  return reporter_.error(
      Status::Usage,
      directed() ? "the pattern has arcs, and the graph would lose its own"
                 : "the graph keeps its arcs, and the pattern has none",
      directed() ? "add --directed" : "write the arcs of the pattern as `0>1`, or let the graph be undirected");
}

pattern::Request PatternSource::request(bool rows) const {
  pattern::Request request;
  request.induced = options_.induced == "edge" ? pattern::Induced::Edge : pattern::Induced::Vertex;
  request.embeddings = options_.embeddings;
  request.rows = rows;
  request.algorithm = pattern::algorithm_of(options_.algorithm).value_or(pattern::Algorithm::Auto);
  request.plan = options_.plan - 1;
  return request;
}

Status PatternSource::write(bool rows, const pattern::GraphSketch& sketch) {
  program_ = pattern::write_program(*set_, request(rows), sketch, loc_, diagnostics_);
  reporter_.report(diagnostics_);
  return program_ ? Status::Ok : Status::Query;
}

std::optional<pattern::PatternProgram> PatternSource::write_plan(std::size_t plan,
                                                                 const pattern::GraphSketch& sketch) const {
  Diagnostics unheard(sources_);
  pattern::Request other = request(false);
  other.plan = plan - 1;
  return pattern::write_program(*set_, other, sketch, loc_, unheard);
}

std::optional<double> PatternSource::cost_of(const pattern::GraphSketch& sketch) const {
  const std::optional<pattern::PatternProgram> program = write_plan(options_.plan, sketch);
  return program ? std::optional(program->cost) : std::nullopt;
}

std::vector<std::string> PatternSource::vertex_names() const {
  std::vector<std::string> names;
  for (const std::int64_t id : set_->patterns.front().ids) names.push_back(fmt::format("v{}", id));
  return names;
}

std::vector<std::string> PatternSource::count_names() const {
  std::vector<std::string> names;
  if (!set_->motif) return names;
  for (const pattern::Pattern& one : set_->patterns) names.push_back(one.name.empty() ? to_text(one) : one.name);
  return names;
}

std::string PatternSource::semantics(bool rows) const {
  const std::string what =
      set_->motif
          ? fmt::format("all {} connected patterns of {} vertices", set_->patterns.size(),
                        set_->patterns.front().size())
          : fmt::format("pattern {}{}", set_->patterns.front().name.empty() ? "" : set_->patterns.front().name + ": ",
                        to_text(set_->patterns.front()));
  return fmt::format("{}; {}{}, {}-induced", what, rows ? "list of " : "",
                     options_.embeddings ? "embeddings" : "subgraphs", options_.induced);
}

std::string PatternSource::meaning() const {
  return fmt::format("{} {}",
                     options_.embeddings ? "Every map of the pattern into the graph counts."
                                         : "Each subgraph counts once, however many maps of the pattern lead to it.",
                     options_.induced == "vertex"
                         ? "Between the vertices of a match there are the edges of the pattern and no others."
                         : "Between the vertices of a match there may be more edges than the pattern has.");
}

std::string PatternSource::stub() const {
  return edge_labelled()
             ? "def pattern(G: Graph) -> int:\n    return sum(apply(lambda v: sum(edge_info(G, v)), vertices(G)))\n"
             : "def pattern(G: Graph) -> int:\n    return size(vertices(G))\n";
}

}  // namespace matcha::driver
