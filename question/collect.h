#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/support/diagnostics.h"
#include "question/pattern.h"
#include "question/read.h"

namespace matcha::pattern {

/// At most 18 digits, so that every number of a vertex is an id.
std::optional<std::int64_t> parse_id(std::string_view digits);

/// A label as written.
struct LabelText {
  struct Word {
    std::string_view text;
    SourceLoc loc;
  };
  std::vector<Word> words;  ///< One of these labels; empty: any label, and for an edge, only its existence counts.
  bool variable = false;  ///< `?` or `?p`: any label, each of which counts as a match; the word is the name, or empty.
};

/// The vertices and edges named by the user, with their places in the text; becomes a Pattern at the end. A vertex is
/// identified by its name; number 3 has the name `v3`.
class Collector {
 public:
  explicit Collector(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// The index of the vertex with that number or name, in order of first use; adds a new vertex if there is none.
  std::size_t vertex(std::int64_t number, SourceLoc loc);
  std::size_t vertex(std::string_view name, SourceLoc loc);
  /// A new vertex, which is named at the end.
  std::size_t vertex_without_name(SourceLoc loc);

  /// Adds a label, possibly one of several words, to a vertex; `loc`: of that vertex.
  void label(std::size_t vertex, const LabelText& label, SourceLoc loc);
  /// Sets the vertex of the graph that must be the image.
  void constant(std::size_t vertex, std::string_view word, SourceLoc loc);
  /// `sign` is one of `-`, `>`, `~`, or `|`: an arc in either direction. `name`: of the edge; empty: none.
  void edge(std::size_t u, std::size_t v, char sign, const LabelText& label, SourceLoc loc, std::string_view name = {});

  /// Adds a condition. Its subjects are vertices and edges, both numbered from 0 as they were added.
  void condition(Condition term) { conditions_.push_back(std::move(term)); }
  /// The vertex or the edge of this name; an edge gets its own with `name_edge`.
  std::optional<Subject> subject(std::string_view name) const;
  /// Gives the next edge a name. Each line of the graph is then a separate edge.
  void name_edge(std::string_view name, SourceLoc loc);
  /// Each line of the graph is a separate edge, as after `name_edge`.
  void count_lines() { by_line_ = true; }
  /// The number of the next edge.
  std::size_t edge_count() const { return edges_.size(); }
  /// The edges with names, in order.
  std::vector<Subject> named_edges() const;

  /// Keeps the name of the variable `?p` of edges, even if only one edge has it.
  void keep_variable(const std::string& variable) { kept_.insert(variable); }

  /// Requires different images of two vertices, for every kind of matches.
  void differ(std::size_t u, std::size_t v) { different_.emplace_back(u, v); }

  bool failed() const { return failed_; }
  void fail(DiagId id, SourceLoc loc, std::string message, std::string hint = {});

  /// The pattern; empty after an error. Requires: every arc has a direction. Vertices are in ascending order of their
  /// numbers, or, if any of them has a name, in order of first use.
  std::optional<Pattern> finish(SourceLoc whole);
  /// One pattern for each choice of directions of the undirected arcs, the arcs as written first. Choices in which two
  /// arcs of one label would join the same vertices are left out, because no graph has such arcs. Empty after an error.
  std::optional<std::vector<Pattern>> finish_all(SourceLoc whole);
  /// The labels of the pattern, in order.
  const std::vector<LabelUse>& labels() const { return uses_; }
  /// The same for constants.
  const std::vector<ConstantUse>& constants() const { return constants_; }
  /// After `finish`: adds conditions and edges to the set, if it asks for columns.
  void put_columns(PatternSet& set) const;

 private:
  struct Vertex {
    std::string name;                    ///< Empty until the end for a vertex without a name.
    std::optional<std::int64_t> number;  ///< Empty if it was only called by its name.
    SourceLoc loc;
    std::string label;
    std::string constant;
  };
  struct Edge {
    std::size_t u, v;
    char sign;
    std::string label;
    SourceLoc loc;
    std::string name;
  };

  std::size_t add(std::string name, std::optional<std::int64_t> number, SourceLoc loc);
  std::string spelled(std::size_t vertex) const;
  std::optional<std::string> literal(std::string_view word, SourceLoc loc);
  std::optional<std::string> literal(const LabelText& label, bool of_edge, SourceLoc loc);
  void name_variables();
  bool has_vertices(SourceLoc whole);
  void name_all();
  /// Indices of the vertices in the pattern's order.
  std::vector<std::size_t> in_order() const;
  std::optional<Pattern> pattern_of(SourceLoc whole, const std::vector<std::pair<std::size_t, std::size_t>>& turned);
  bool has_duplicate_arcs() const;
  void add_edges(const std::vector<int>& index, Pattern& pattern);

  Diagnostics& diagnostics_;
  bool failed_ = false;
  bool named_ = false;  ///< Some vertex has a name, or none at all.
  std::vector<Vertex> vertices_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::vector<Edge> edges_;
  std::vector<Edge> given_edges_;  ///< The edges as written, once the pattern is finished.
  std::vector<Condition> conditions_;
  std::map<std::string, std::size_t, std::less<>> edge_by_name_;
  bool by_line_ = false;
  std::vector<std::pair<std::size_t, std::size_t>> different_;
  std::set<std::string> kept_;
  std::vector<LabelUse> uses_;
  std::vector<ConstantUse> constants_;
};

}  // namespace matcha::pattern
