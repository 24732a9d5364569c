#include "session/pattern_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "ir/unknown_label.h"
#include "question/label_model.h"
#include "session/compile.h"
#include "session/edge_label_facts.h"
#include "session/text_file.h"
#include "session/vertex_types.h"

namespace matcha::session {

namespace {

/// No pattern is longer; a graph given by mistake is.
constexpr std::size_t kLongestPattern = std::size_t{1} << 20;
/// The most ids that are compared with an unknown id, to suggest a similar one.
constexpr std::uint64_t kMostNearWords = 100'000;

bool has_ending(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

/// Whether the pattern is in a file of this name. Names of patterns have neither `/` nor such endings, and the text of
/// a pattern has them in labels only.
bool is_file(const std::string& text) {
  struct stat about = {};
  const bool exists = ::stat(text.c_str(), &about) == 0 && S_ISREG(about.st_mode);
  // A label may have `/`, too: `0:/m/x`.
  const bool labelled = text.find_first_of("([='\"") != std::string::npos || text.find(':') < text.find('/');
  if (labelled) return exists;
  for (std::string_view end : {".graph", ".lg", ".g", ".g6"}) {
    if (has_ending(text, end)) return true;
  }
  return text.find('/') != std::string::npos || (text.find_first_of(",:\n") == std::string::npos && exists);
}

/// The longest label of the graph that the text from `column` of a line on begins with, and that is longer than `word`:
/// `Mr. Hi` of `a:Mr. Hi-b`, which is read as the label `Mr.`; empty: there is none.
std::string longer_label(std::string_view line, std::uint32_t column, std::string_view word,
                         const runtime::LabelDictionary& dictionary) {
  const std::string_view text = line.substr(std::min<std::size_t>(column == 0 ? 0 : column - 1, line.size()));
  std::string longest;
  for (const std::string& label : dictionary.words()) {
    if (label.size() > std::max(word.size(), longest.size()) && label.starts_with(word) && text.find(label) <= 1) {
      longest = label;
    }
  }
  return longest;
}

/// A word that no edge has, and that is a vertex at the ends of edges alone: as if the columns of triples were taken in
/// another order.
bool is_turned_column(const std::string& literal, const runtime::Graph& graph,
                      const runtime::LabelDictionary& dictionary) {
  const std::shared_ptr<const runtime::IdNames>& names = graph.universe().names();
  if (names == nullptr || literal.front() != '\'' || code_of_literal(literal, dictionary)) return false;
  const std::optional<std::uint64_t> place = names->find(std::string_view(literal).substr(1, literal.size() - 2));
  const std::optional<std::uint32_t> rank =
      place ? graph.universe().rank(static_cast<std::int64_t>(*place)) : std::nullopt;
  return rank && graph.view().offsets != nullptr && graph.view().offsets[*rank] == graph.view().offsets[*rank + 1];
}

}  // namespace

bool PatternSource::vertex_labelled() const { return std::ranges::any_of(set_->patterns, &pattern::Pattern::labelled); }

bool PatternSource::is_determined_by_edge_labels() const {
  return !set_->motif && induced() == pattern::Induced::Edge && pattern::LabelModel::fits(set_->patterns.front());
}

std::optional<std::string> PatternSource::only_edge_label() const {
  const pattern::Pattern& first = set_->patterns.front();
  if (set_->motif || first.directed || !first.edge_labelled() || first.has_loops() || first.has_anti_edges()) return {};
  if (first.counts_edges() || (induced() == pattern::Induced::Vertex && !is_complete())) return {};
  if (!first.labelled() && first.size() > pattern::kMostUnlabelledVertices) return {};
  const std::vector<std::string> wanted = first.edge_labels.begin()->second;
  if (wanted.size() != 1 || pattern::is_variable(wanted.front())) return {};
  for (int u = 0; u < first.size(); ++u) {
    bool same = first.out[pattern::at(u)] != 0;
    pattern::for_each(first.out[pattern::at(u)], [&](int v) { same = same && first.labels_of(u, v) == wanted; });
    if (!same) return {};
  }
  return wanted.front();
}

bool PatternSource::sees_loops() const {
  return match() != pattern::Match::Iso || std::ranges::any_of(set_->patterns, &pattern::Pattern::has_loops);
}

bool PatternSource::is_untyped_query() const {
  return query_ && std::ranges::none_of(set_->labels, &pattern::LabelUse::of_edge);
}

void PatternSource::forget_edge_labels() {
  for (pattern::Pattern& one : set_->patterns) {
    one.edge_labels.clear();
    for (std::vector<std::string>& labels : one.loops) {
      if (!labels.empty()) labels = {""};
    }
  }
  std::erase_if(set_->labels, [](const pattern::LabelUse& use) { return use.of_edge; });
}

Status PatternSource::read() {
  std::string text = options_.text, name = options_.name;
  const std::string given = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!options_.query && !options_.no_files && is_file(given)) {
    name = given;
    if (const std::string why = read_pattern_file(name, text); !why.empty()) {
      return reporter_.error(Status::Input, fmt::format("cannot read the pattern `{}`: {}", name, why),
                             "a pattern is like `a-b,b-c,c-a`, a name such as `clique:4`, or a file");
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
  // Lines before it, so that errors have its number.
  if (name == options_.name) text.insert(0, options_.line - 1, '\n');
  const std::uint32_t file = sources_.add(name, std::move(text));
  if (options_.query) {
    query_ = query::read_query(sources_, file, options_.may_ask_columns, diagnostics_);
    if (query_ && !query::refuse_statement(*query_, diagnostics_)) set_ = query_->set;
  } else {
    set_ = pattern::read_pattern(sources_, file, diagnostics_, name != options_.name);
  }
  if (set_) loc_ = set_->loc;
  if (set_ && (options_.unlabelled || options_.unlabelled_edges)) forget_edge_labels();
  if (set_ && options_.unlabelled) {
    for (pattern::Pattern& one : set_->patterns) one.labels.assign(one.ids.size(), "");
    set_->labels.clear();
    if (set_->patterns.front().size() > pattern::kMostUnlabelledVertices) {
      diagnostics_.error(DiagId::PatternSize, loc_,
                         fmt::format("the pattern has {} vertices; at most {} are taken without labels",
                                     set_->patterns.front().size(), pattern::kMostUnlabelledVertices));
    }
  }
  if (set_ && !options_.labels.empty()) {
    const std::uint32_t labels = sources_.add("<labels>", options_.labels);
    if (set_->motif || set_->cliques) {
      diagnostics_.error(DiagId::PatternLabel, SourceLoc{labels, 1, 1, 1},
                         set_->motif ? "motifs have no labels" : "cliques of so many vertices have no labels");
    } else {
      pattern::set_labels(*set_, sources_, labels, diagnostics_);
    }
  }
  if (set_ && set_->asks_columns() && !options_.may_ask_columns) {
    diagnostics_.error(DiagId::PatternCondition, loc_,
                       "names and conditions of edges are about a table, and here is none",
                       "`matcha run --pattern P TABLE.csv` reads one, without `--per`");
  }
  if (set_ && !options_.per.empty()) check_orbits();
  reporter_.report(diagnostics_);
  if (diagnostics_.has_errors()) return Status::Query;
  return check_options();
}

/// Options that contradict each other.
Status PatternSource::check_options() const {
  const bool is_usual = options_.match == PatternOptions().match;
  if (query_ && (options_.embeddings || (!is_usual && options_.match != to_string(query_->match)))) {
    return reporter_.error_at(Status::Usage, sources_, loc_, "a query says which maps match", "leave the option out");
  }
  if (set_->cliques && (match() != pattern::Match::Iso || options_.embeddings)) {
    return reporter_.error_at(Status::Usage, sources_, loc_,
                              "cliques of more than 12 vertices, and of all sizes, count once each",
                              "leave `--match` and `--embeddings` out");
  }
  if (match() == pattern::Match::Iso) return Status::Ok;
  if (!options_.per.empty()) {
    return reporter_.error(Status::Usage, fmt::format("`--match {}` and `--per` exclude each other", options_.match),
                           "orbits are of subgraphs, whose vertices all differ");
  }
  if (options_.induced != "vertex") return Status::Ok;
  return reporter_.error(Status::Usage,
                         fmt::format("`--match {}` and `--induced vertex` exclude each other", options_.match),
                         "vertex-induced matches have vertices that all differ: `--match iso`");
}

void PatternSource::check_orbits() {
  if (set_->maximal) {
    diagnostics_.error(DiagId::PatternPlan, loc_, "maximal cliques are counted in the graph, not at each row",
                       "`clique:*` has all cliques at each vertex or edge");
  } else if (counts_cliques()) {
    if (!options_.embeddings && options_.algorithm == "auto") return;
    diagnostics_.error(DiagId::PatternPlan, loc_, "cliques at each row are counted by pivot trees, each once",
                       options_.embeddings ? "leave `--embeddings` out" : "leave `--algorithm` out");
  } else if (!set_->motif || directed() || set_->patterns.front().size() > 5) {
    diagnostics_.error(DiagId::PatternPlan, loc_,
                       fmt::format("counts at each of the {} are of `motif:2` to `motif:5`, and of `clique:K`",
                                   options_.per == "vertex" ? "vertices" : "edges"),
                       "leave `--per` out for one count of each pattern");
  } else if (options_.embeddings || options_.algorithm != "auto") {
    diagnostics_.error(DiagId::PatternPlan, loc_, "orbits are counted by identities, each subgraph once",
                       options_.embeddings ? "leave `--embeddings` out" : "leave `--algorithm` out");
  }
}

Status PatternSource::check_arcs(bool graph_keeps_arcs) const {
  if (directed() == graph_keeps_arcs) return Status::Ok;
  return reporter_.error_at(Status::Usage, sources_, loc_,
                            directed() ? "the pattern has arcs, and the graph would lose its own"
                                       : "the graph keeps its arcs, and the pattern has none",
                            directed()    ? "add --directed"
                            : set_->motif ? "`directed-motif:3` is all connected patterns of arcs of 3 vertices"
                                          : "write the arcs of the pattern as `a->b`, in quotes, or let the graph be "
                                            "undirected");
}

Status PatternSource::check_set(std::uint64_t graphs) const {
  const auto is_connected = [](const pattern::Pattern& one) { return one.connected(); };
  if (graphs <= 1 || std::ranges::all_of(set_->patterns, is_connected)) return Status::Ok;
  return reporter_.error_at(Status::Usage, sources_, loc_,
                            "the pattern is not connected, and its parts would match in different graphs of the set",
                            "write each graph into a file of its own");
}

void PatternSource::take_types(const runtime::LabelDictionary& dictionary) {
  for (pattern::Pattern& one : set_->patterns) session::take_types(one, dictionary);
}

Status PatternSource::report_unlabelled_edges() const {
  if (!query_) {
    return reporter_.error(Status::Usage, "the pattern has labels of edges, and the edges of the graph have none",
                           "give them with the graph; those of its file are read with --edge-labels");
  }
  const auto typed = std::ranges::find(set_->labels, true, &pattern::LabelUse::of_edge);
  return reporter_.error_at(Status::Input, sources_, typed != set_->labels.end() ? typed->loc : loc_,
                            "the query asks for a type, and the edges of the graph have none",
                            "give labels of edges with the graph (those of its file are read with --edge-labels), or "
                            "ask for edges of any type");
}

Status PatternSource::check_labels(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary) {
  take_types(dictionary);
  for (pattern::LabelUse& use : set_->labels) {
    if (!use.of_edge) use.literal = pattern::alternatives(with_types(use.literal, dictionary)).front();
  }
  if (query_) {
    if (const Status status = check_query(graph, dictionary); status != Status::Ok) return status;
    forget_unknown(dictionary);
    take_copies(dictionary);
  }
  ir::LabelWords labels;
  labels.words = words_and_types(dictionary);
  const std::size_t before = diagnostics_.all().size();
  std::set<std::string> seen;
  for (const pattern::LabelUse& use : set_->labels) {
    if (use.literal.front() != '\'' || !seen.insert(use.literal).second) continue;
    const std::string word = use.literal.substr(1, use.literal.size() - 2);
    if (dictionary.code(word)) continue;
    const std::string whole = longer_label(sources_.line(use.loc.file, use.loc.line), use.loc.column, word, dictionary);
    if (whole.empty()) {
      ir::report_unknown_label(word, use.loc, labels, diagnostics_);
      continue;
    }
    diagnostics_.error(DiagId::UnknownLabel, use.loc, fmt::format("no vertex or edge has the label `{}`", word),
                       fmt::format("a label with blanks or signs stands in quotes: `'{}'`", whole));
  }
  if (diagnostics_.has_errors()) {
    reporter_.report(diagnostics_, before);
    return Status::Query;
  }
  const runtime::GraphFacts& facts = graph.facts();
  if (set_->patterns.front().has_loops() && facts.loop_free && !facts.all_loops) {
    return reporter_.error_at(Status::Usage, sources_, loc_, "the pattern has a loop, and the graph has lost its own",
                              facts.directed ? "`--keep-loops` keeps them"
                                             : "an undirected graph has none; `--directed --keep-loops` keeps those of "
                                               "a file that has both arcs of each edge");
  }
  if (const Status found = find_constants(graph.universe()); found != Status::Ok) return found;
  const auto of_vertex = std::ranges::find(set_->labels, false, &pattern::LabelUse::of_edge);
  if (of_vertex == set_->labels.end() || graph.view().labels != nullptr || graph.vertex_count() == 0) return Status::Ok;
  return reporter_.error_at(Status::Input, sources_, of_vertex->loc, "the vertices of the graph have no labels",
                            "give them labels with `--labels FILE`, or `--vertices FILE --label COLUMN`");
}

/// Checks that the graph has lost nothing that a query can see.
Status PatternSource::check_query(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary) const {
  const runtime::GraphFacts& facts = graph.facts();
  if (!set_->patterns.front().edge_labelled() || graph.view().edge_info == nullptr) return Status::Ok;
  const bool counts_each = match() == pattern::Match::Edge;
  const auto typed = std::ranges::find(set_->labels, true, &pattern::LabelUse::of_edge);
  if (facts.blank_info && typed != set_->labels.end()) {
    return reporter_.error_at(Status::Input, sources_, typed->loc,
                              "the query asks for a type, and the edges of the file have none",
                              "types are a third column, or that of --edge-label; `-->` and `?p` are edges of any");
  }
  if (!facts.all_loops) {
    return reporter_.error_at(Status::Usage, sources_, loc_, "queries see loops, and the graph has lost its own",
                              "make it with `keep_loops`");
  }
  if (counts_each && facts.lost_repeats != 0) {
    return reporter_.error_at(
        Status::Input, sources_, loc_,
        fmt::format("the graph has left out {} repeated edge{}, and Cypher counts each relationship",
                    facts.lost_repeats, facts.lost_repeats == 1 ? "" : "s"),
        "`matcha query` on the file itself keeps them, not on a .mtg; SPARQL has each triple once");
  }
  if (query_->maybe_second_of_pair && !dictionary.copies().empty()) {
    return reporter_.error_at(Status::Input, sources_, *query_->maybe_second_of_pair,
                              "two relationships of one type between the same nodes are read as one each way, and the "
                              "graph has several one way",
                              "give them one direction each, or the file without its repeated lines");
  }
  for (const pattern::LabelUse& use : set_->labels) {
    if (facts.by_position && use.of_edge && is_turned_column(use.literal, graph, dictionary)) {
      return reporter_.error_at(
          Status::Input, sources_, use.loc,
          fmt::format("no edge has the label {}, which is a vertex where edges end", use.literal),
          "columns are source, target and label; of triples `head relation tail`: --src 0 --dst 2 --edge-label 1");
    }
  }
  return Status::Ok;
}

/// Where edges are repeated, each label is one of itself and its copies.
void PatternSource::take_copies(const runtime::LabelDictionary& dictionary) {
  hint_of_many_ = "leave types out, `-->`, or give relationships one direction";
  if (dictionary.copies().empty() || match() != pattern::Match::Edge) return;
  hint_of_many_ = fmt::format(
      "the file repeats relationships, and each type stands for up to {} of them: leave types out, `-->`, or count the "
      "file without its repeated lines",
      most_of_copies(dictionary) + 1);
  std::map<std::int64_t, std::string> copies;
  for (const runtime::LabelCopy& copy : dictionary.copies()) copies[copy.of] += fmt::format("|{}", copy.code);
  const auto add = [&](std::vector<std::string>& labels) {
    for (std::string& label : labels) {
      if (pattern::is_variable(label)) continue;
      std::string all;
      for (const std::string& one : pattern::alternatives(label)) {
        const std::optional<std::int64_t> code = code_of_literal(one, dictionary);
        const auto found = code ? copies.find(*code) : copies.end();
        all += (all.empty() ? "" : "|") + one + (found != copies.end() ? found->second : "");
      }
      label = all;
    }
  };
  for (pattern::Pattern& one : set_->patterns) {
    for (auto& [arc, labels] : one.edge_labels) add(labels);
    std::ranges::for_each(one.loops, add);
  }
}

/// Replaces labels that the graph does not have, which match nothing in a query.
void PatternSource::forget_unknown(const runtime::LabelDictionary& dictionary) {
  // Each such label gets its own large number, which no word has. With a common one, parallel edges would be one edge.
  std::map<std::string, std::string> numbers;
  const auto number_of = [&](const std::string& word) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    return numbers.try_emplace(word, fmt::format("{}", kLargest - static_cast<std::int64_t>(numbers.size())))
        .first->second;
  };
  const auto replace = [&](std::string& label) {
    std::string known;
    for (const std::string& one : pattern::alternatives(label)) {
      const bool is_label = !one.empty() && !pattern::is_variable(one);
      const std::optional<std::int64_t> code = is_label ? code_of_literal(one, dictionary) : std::nullopt;
      // The code of a copy is no label.
      const bool unknown = is_label && (!code || dictionary.label_of(*code) != *code);
      known += (known.empty() ? "" : "|") + (unknown ? number_of(one) : one);
    }
    label = known;
  };
  for (pattern::Pattern& one : set_->patterns) {
    std::ranges::for_each(one.labels, replace);
    for (auto& [arc, labels] : one.edge_labels) std::ranges::for_each(labels, replace);
    for (std::vector<std::string>& labels : one.loops) std::ranges::for_each(labels, replace);
  }
  for (pattern::LabelUse& use : set_->labels) replace(use.literal);
}

Status PatternSource::find_constants(const runtime::Universe& universe) {
  for (const pattern::ConstantUse& use : set_->constants) {
    const bool word = use.literal.front() == '\'';
    const std::string text = word ? use.literal.substr(1, use.literal.size() - 2) : use.literal;
    std::optional<std::int64_t> id;
    if (const auto given = options_.vertex_ids.find(text); given != options_.vertex_ids.end()) {
      id = given->second;
    } else if (universe.names() != nullptr) {
      const std::optional<std::uint64_t> place = universe.names()->find(text);
      if (place) id = static_cast<std::int64_t>(*place);
    } else {
      std::int64_t number = 0;
      const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), number);
      if (read.ec == std::errc() && read.ptr == text.data() + text.size()) id = number;
    }
    if (id && !universe.rank(*id)) id.reset();
    if (!id && !query_) {
      std::vector<std::string> known;
      const std::uint64_t most = universe.names() != nullptr ? std::min(universe.size(), kMostNearWords) : 0;
      for (std::uint64_t rank = 0; rank < most; ++rank) known.push_back(universe.id_text(rank));
      const std::string near = nearest_word(text, known);
      return reporter_.error_at(Status::Query, sources_, use.loc, fmt::format("the graph has no vertex `{}`", text),
                                near.empty() ? "" : fmt::format("did you mean `{}`?", near));
    }
    for (pattern::Pattern& one : set_->patterns) {
      for (int v = 0; v < one.size(); ++v) {
        if (one.constants[pattern::at(v)] == use.literal)
          one.bound[pattern::at(v)] = id ? fmt::format("{}", *id) : "none";
      }
    }
  }
  return Status::Ok;
}

pattern::Request PatternSource::request(bool rows) const {
  pattern::Request request;
  request.induced = induced();
  request.match = match();
  request.embeddings = options_.embeddings;
  request.rows = rows;
  request.algorithm = pattern::algorithm_of(options_.algorithm).value_or(pattern::Algorithm::Auto);
  request.plan = options_.plan - 1;
  request.by_degree = options_.by_degree;
  if (query_) request.columns = query_->columns;
  if (query_) request.variables = query_->variables;
  if (query_) request.hint_of_many = hint_of_many_;
  return request;
}

Status PatternSource::write(bool rows, const pattern::GraphSketch& sketch) {
  if (set_->cliques) {
    return reporter_.error_at(Status::Query, sources_, loc_,
                              "cliques of more than 12 vertices, and of all sizes, are counted without a program",
                              "`matcha run` counts them");
  }
  program_ = pattern::write_program(*set_, request(rows), sketch, loc_, diagnostics_);
  reporter_.report(diagnostics_);
  return program_ ? Status::Ok : Status::Query;
}

std::optional<pattern::PatternProgram> PatternSource::write_plan(std::size_t plan,
                                                                 const pattern::GraphSketch& sketch) const {
  Diagnostics ignored(sources_);
  pattern::Request other = request(false);
  other.plan = plan - 1;
  return pattern::write_program(*set_, other, sketch, loc_, ignored);
}

std::optional<pattern::PatternProgram> PatternSource::write_for(const pattern::GraphSketch& sketch) const {
  return write_plan(options_.plan, sketch);
}

std::vector<std::string> PatternSource::columns_of_rows() const {
  using Task = codegen::CliqueTask;
  if (counts_cliques()) {
    const auto size = static_cast<std::uint32_t>(set_->patterns.front().size());
    return Task{set_->cliques.value_or(size), false, options_.per == "edge" ? Task::Per::Edge : Task::Per::Vertex}
        .columns();
  }
  return codegen::OrbitTask{set_->patterns.front().size(), options_.per == "edge",
                            induced() == pattern::Induced::Vertex}
      .columns();
}

bool PatternSource::counts_cliques() const {
  if (set_->cliques) return true;
  const pattern::Pattern& one = set_->patterns.front();
  return set_->patterns.size() == 1 && is_complete() && one.size() >= 2 && !one.directed && !one.labelled() &&
         !one.edge_labelled() && !one.has_loops() && !one.has_constants();
}

std::vector<int> PatternSource::row_vertices() const {
  if (query_ && !query_->columns.empty()) return query_->columns;
  std::vector<int> vertices(static_cast<std::size_t>(set_->patterns.front().size()));
  std::iota(vertices.begin(), vertices.end(), 0);
  return vertices;
}

std::vector<bool> PatternSource::label_columns() const {
  std::vector<bool> labels;
  for (const int column : row_vertices()) labels.push_back(column >= set_->patterns.front().size());
  return options_.per.empty() ? labels : std::vector<bool>();  // With `per` rows are of counts.
}

std::vector<std::string> PatternSource::vertex_names() const {
  if (!options_.per.empty()) return columns_of_rows();
  if (set_->cliques) return {"cliques"};
  if (query_ && !query_->headings.empty()) return query_->headings;
  std::vector<std::string> names;
  const pattern::Pattern& first = set_->patterns.front();
  for (int v = 0; v < first.size(); ++v) names.push_back(first.vertex_name(v));
  return names;
}

std::vector<std::string> PatternSource::count_names() const {
  std::vector<std::string> names;
  for (const pattern::Pattern& one : set_->patterns) {
    if (set_->motif) names.push_back(one.name.empty() ? to_text(one) : one.name);
  }
  return names;
}

pattern::Induced PatternSource::induced() const {
  const bool by_default = set_->motif && match() == pattern::Match::Iso;
  const bool vertex = options_.induced.empty() ? by_default : options_.induced == "vertex";
  return vertex ? pattern::Induced::Vertex : pattern::Induced::Edge;
}

pattern::Match PatternSource::match() const { return pattern::match_of(options_.match).value_or(pattern::Match::Iso); }

bool PatternSource::is_complete() const {
  const pattern::Pattern& first = set_->patterns.front();
  bool all = !set_->motif;
  for (int v = 0; v < first.size(); ++v) all = all && (first.out[pattern::at(v)] | pattern::bit(v)) == first.all();
  return all;
}

std::string PatternSource::semantics(bool rows) const {
  const pattern::Pattern& first = set_->patterns.front();
  const std::string counted =
      set_->motif ? fmt::format("all {} connected patterns of {} vertices", set_->patterns.size(), first.size())
                  : fmt::format("pattern {}{}{}", first.name.empty() ? "" : first.name + ": ", to_text(first),
                                set_->alternatives
                                    ? fmt::format(", or its arcs in {} other directions", set_->patterns.size() - 1)
                                    : "");
  if (set_->cliques || (!options_.per.empty() && counts_cliques())) {
    const std::uint32_t size = set_->cliques.value_or(static_cast<std::uint32_t>(first.size()));
    return fmt::format("{}cliques of {} vertices{}; subgraphs, edge- and vertex-induced alike",
                       set_->maximal ? "maximal " : "", size == 0 ? "each number of" : std::to_string(size),
                       options_.per.empty() ? "" : " at each " + options_.per);
  }
  const std::string list = rows ? "list of " : "";
  if (match() == pattern::Match::Homo) {
    return fmt::format("{}; {}homomorphisms: vertices may share their image (--match iso: all differ)", counted, list);
  }
  if (match() == pattern::Match::Edge) {
    return fmt::format(
        "{}; {}maps with edges that all differ, vertices may share their image (--match iso: all differ)", counted,
        list);
  }
  const std::string kind = is_complete() ? "edge- and vertex-induced alike"
                           : induced() == pattern::Induced::Vertex
                               ? "vertex-induced (--induced edge: those with further edges too)"
                               : "edge-induced (--induced vertex: only those without further edges)";
  if (!options_.per.empty()) {
    return fmt::format("orbits of the connected patterns of 2 to {} vertices at each {}; subgraphs, {}", first.size(),
                       options_.per, kind);
  }
  return fmt::format("{}; {}{}, {}", counted, list, options_.embeddings ? "embeddings" : "subgraphs", kind);
}

std::string PatternSource::meaning() const {
  if (match() == pattern::Match::Homo) return "Every map of the pattern into the graph that keeps its edges counts.";
  if (match() == pattern::Match::Edge) {
    return "Every map of the pattern into the graph counts that takes no two edges to the same one.";
  }
  return fmt::format("{} {}",
                     options_.embeddings ? "Every map of the pattern into the graph counts."
                                         : "Each subgraph counts once, however many maps of the pattern lead to it.",
                     induced() == pattern::Induced::Vertex
                         ? "Between the vertices of a match there are the edges of the pattern and no others."
                         : "Between the vertices of a match there may be more edges than the pattern has.");
}

Signature PatternSource::signature(bool rows) const {
  Signature signature;
  const bool has_columns = !options_.per.empty();
  signature.entry = set_->cliques || (has_columns && counts_cliques()) ? "cliques"
                    : has_columns                                      ? "orbits"
                    : set_->motif                                      ? "motifs"
                                                                       : "pattern";
  signature.maybe_types = std::make_shared<frontend::TypeTable>();
  frontend::TypeTable& types = *signature.maybe_types;
  const frontend::Type* const one = types.int_type();
  signature.params.push_back({"G", types.graph(edge_labelled() ? one : nullptr)});
  const auto ints = [&](std::size_t count) { return types.tuple(std::vector<const frontend::Type*>(count, one)); };
  const std::size_t motifs = set_->patterns.size();
  if (!options_.per.empty()) {
    signature.result = types.list(ints(columns_of_rows().size()));
  } else if (set_->cliques == 0U) {
    signature.result = types.list(one);
  } else if (set_->motif) {
    signature.result = motifs <= pattern::kMostInTuple ? ints(motifs) : types.list(one);
  } else if (rows) {
    const std::size_t columns = row_vertices().size();
    signature.result = types.list(columns == 1 ? one : ints(columns));
  } else {
    signature.result = one;
  }
  return signature;
}

}  // namespace matcha::session
