#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/cliques/clique_task.h"
#include "engines/identities/orbit_task.h"
#include "ir/support/source.h"
#include "planner/program.h"
#include "question/query/query.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"
#include "session/reporter.h"
#include "session/signature.h"

namespace matcha::session {

/// A pattern, and the meaning of its matches.
struct PatternOptions {
  std::string text;                ///< Text, a name or a file; empty: no pattern.
  std::string name = "<pattern>";  ///< The place of the text, for errors, if it is no file itself;
  std::uint32_t line = 1;          ///< and its line there.
  std::string labels;              ///< `a,b,c`, one for each vertex.
  std::string induced;        ///< `vertex` or `edge`; empty: motifs are vertex-induced, other patterns edge-induced.
  std::string match = "iso";  ///< `iso`, `homo` or `edge`.
  std::string algorithm = "auto";
  std::size_t plan = 1;  ///< The number of the plan in the order of `--list`.
  bool embeddings = false;
  std::string per;                ///< `vertex` or `edge`: of a set of motifs, a row for each with counts of its orbits.
  bool no_files = false;          ///< The text is no name of a file.
  bool query = false;             ///< The text is a query of another language, which defines its matches.
  bool unlabelled = false;        ///< Forget the labels of the pattern.
  bool unlabelled_edges = false;  ///< Forget those of its edges.
  std::string parallel;           ///< `merge` or `keep`; empty: edges with names or conditions are kept.
  bool may_ask_columns = false;   ///< Names and conditions of edges are answered by the caller.
  bool by_degree = true;          ///< Programs leave out vertices with too few neighbours.
  /// The ids of vertices that the pattern names, by these names, if the graph does not know the names; nothing: no
  /// vertex has the name.
  std::map<std::string, std::optional<std::int64_t>, std::less<>> vertex_ids = {};
};

/// A pattern, and the programs for it. Errors go to the reporter.
class PatternSource {
 public:
  PatternSource(const PatternOptions& options, const Reporter& reporter) : options_(options), reporter_(reporter) {}

  /// Reads and checks the pattern.
  Status read();
  /// Checks that the pattern fits a graph that keeps its arcs, or does not.
  Status check_arcs(bool graph_keeps_arcs) const;
  /// Checks that matches are in one graph each, if the file has a set of this many graphs, which are counted as one.
  Status check_set(std::uint64_t graphs) const;
  /// Whether the graph has the labels that the pattern asks for, and any at all: every word is reported in its place.
  /// A number that no vertex has is none of its errors: nothing matches.
  /// Vertices of the graph that the pattern asks for are looked up; one that it does not have is an error, and so are
  /// loops if the graph has lost its own.
  Status check_labels(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary);
  /// Labels of vertices become those of the dictionary that have their types, as `check_labels` makes them.
  void take_types(const runtime::LabelDictionary& dictionary);
  /// The program that answers; `rows`: lists matches. An error of cliques that are no patterns (PatternSet::cliques).
  Status write(bool rows, const pattern::GraphSketch& sketch);
  /// The program of another plan, as `--plan` counts them; nothing if there is none. After `write`.
  std::optional<pattern::PatternProgram> write_plan(std::size_t plan, const pattern::GraphSketch& sketch) const;

  /// The program that `write` would make for another sketch, for counts; nothing if there is none. After `write`.
  std::optional<pattern::PatternProgram> write_for(const pattern::GraphSketch& sketch) const;
  /// Takes such a program instead of the one that it wrote.
  void take(pattern::PatternProgram program) { program_ = std::move(program); }

  const pattern::PatternSet& set() const { return *set_; }
  bool has_program() const { return program_.has_value(); }
  /// After `write`.
  const pattern::PatternProgram& program() const { return *program_; }
  bool directed() const { return set_->patterns.front().directed; }
  bool vertex_labelled() const;
  bool edge_labelled() const { return set_->patterns.front().edge_labelled(); }
  /// One pattern with labels on all arcs, which determine its number of matches (LabelModel).
  bool is_determined_by_edge_labels() const;
  /// The one label of all edges, as a program writes it, of an undirected pattern that asks for nothing of edges with
  /// other labels; every vertex has such an edge. Nothing for other patterns.
  std::optional<std::string> only_edge_label() const;
  /// Edges may have any label from now on.
  void forget_edge_labels();
  /// Whether a loop of the graph can be the image of an edge.
  bool sees_loops() const;
  /// Whether it reads a graph that keeps its loops; others do not know of them.
  bool reads_loops() const { return edge_labelled() || sees_loops(); }
  /// A query with relationships that have no types.
  bool is_untyped_query() const;
  /// Reports that the graph has no labels of edges, but the pattern has some.
  Status report_unlabelled_edges() const;
  /// The pattern as a function of a graph `G`, with the type of its result: an int, of motifs a tuple or list of them,
  /// or with `rows` a list of rows. Programs that `write` makes take and give the same.
  Signature signature(bool rows) const;
  /// The vertices that rows of matches have, in order: all, or those that a query asks for; beyond their number, labels
  /// of edges that it asks for.
  std::vector<int> row_vertices() const;
  /// The variables of these, `?p`.
  std::vector<std::string> variables() const { return query_ ? query_->variables : std::vector<std::string>(); }
  /// For each column of these rows, true if it has labels.
  std::vector<bool> label_columns() const;
  /// A name for each of its vertices, in the order of the rows that list matches: its own, or `v0`, `v1`, …; with
  /// `per`, of the columns of the rows.
  std::vector<std::string> vertex_names() const;
  /// The sources that have the pattern. After `read`.
  const SourceManager& sources() const { return sources_; }
  SourceLoc loc() const { return loc_; }
  /// Motifs: the names of the counts, in their order: a name such as `star:4`, or the text of its edges.
  /// Empty for one pattern, which has one count.
  std::vector<std::string> count_names() const;
  pattern::Induced induced() const;
  /// With `per`: the names of the columns of its rows.
  std::vector<std::string> columns_of_rows() const;
  /// Whether it is cliques without labels, of one size or all.
  bool counts_cliques() const;
  /// Whether there are no pairs that may have a further edge.
  bool is_complete() const;
  /// Reports if the counts that `per` asks for do not exist.
  void check_orbits();
  pattern::Match match() const;
  /// The objects that are counted, in a line, with the option that counts others.
  std::string semantics(bool rows) const;
  /// The definition of a match, in sentences.
  std::string meaning() const;

 private:
  Status check_options() const;
  Status check_query(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary) const;
  void forget_unknown(const runtime::LabelDictionary& dictionary);
  void take_copies(const runtime::LabelDictionary& dictionary);
  Status find_constants(const runtime::Universe& universe);
  pattern::Request request(bool rows) const;

  const PatternOptions& options_;
  const Reporter& reporter_;
  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  SourceLoc loc_;
  std::optional<pattern::PatternSet> set_;
  std::optional<query::Query> query_;  ///< The query, if there is one; its pattern is in `set_`.
  std::string hint_of_many_;
  std::optional<pattern::PatternProgram> program_;
};

}  // namespace matcha::session
