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

/// A label as it was written.
struct LabelText {
  struct Word {
    std::string_view text;
    SourceLoc loc;
  };
  std::vector<Word>
      words;  ///< One of them; none: any label, and where it is an edge's, all that matters is that there is one.
  bool variable = false;  ///< `?` or `?p`: any label, each of which counts; the word is the name, or empty.
};

/// Vertices and edges as the user calls them, with the places where they were said; becomes a Pattern at the end.
/// A vertex is known by its name; number 3 has the name `v3`.
class Collector {
 public:
  explicit Collector(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// The vertex, which is a new one if none has that number, or that name; its index by order of appearance.
  std::size_t vertex(std::int64_t number, SourceLoc loc);
  std::size_t vertex(std::string_view name, SourceLoc loc);
  /// A new vertex, which gets a name in the end.
  std::size_t vertex_without_name(SourceLoc loc);

  /// A label, which is one of several words; `loc`: of the vertex with it.
  void label(std::size_t vertex, const LabelText& label, SourceLoc loc);
  /// The vertex of the graph that it is.
  void constant(std::size_t vertex, std::string_view word, SourceLoc loc);
  /// `sign` is one of `-`, `>`, `~`, or `|`: an arc in either direction.
  void edge(std::size_t u, std::size_t v, char sign, const LabelText& label, SourceLoc loc);

  /// The variable `?p` of edges keeps its name, also where it stands on one edge only.
  void keep_variable(const std::string& variable) { kept_.insert(variable); }

  /// Their images must differ, whatever maps are matches.
  void differ(std::size_t u, std::size_t v) { different_.emplace_back(u, v); }

  bool failed() const { return failed_; }
  void fail(DiagId id, SourceLoc loc, std::string message, std::string hint = {});

  /// The pattern, or nothing after an error. Requires: no arc may lie in either direction. Vertices are in ascending
  /// order of their numbers, or, if any of them was called by a name, in order of appearance.
  std::optional<Pattern> finish(SourceLoc whole);
  /// A pattern for each way to direct the arcs that may lie in either direction, but for those in which two arcs of one
  /// label would join the same vertices, which no graph has; the arcs as they were given first. Nothing after an error.
  std::optional<std::vector<Pattern>> finish_all(SourceLoc whole);
  /// The labels that were given, in order.
  const std::vector<LabelUse>& labels() const { return uses_; }
  /// The same for constants.
  const std::vector<ConstantUse>& constants() const { return constants_; }

 private:
  struct Vertex {
    std::string name;                    ///< Empty until the end: without one.
    std::optional<std::int64_t> number;  ///< Unless it was called by its name only.
    SourceLoc loc;
    std::string label;
    std::string constant;
  };
  struct Edge {
    std::size_t u, v;
    char sign;
    std::string label;
    SourceLoc loc;
  };

  std::size_t add(std::string name, std::optional<std::int64_t> number, SourceLoc loc);
  std::string spelled(std::size_t vertex) const;
  std::optional<std::string> literal(std::string_view word, SourceLoc loc);
  std::optional<std::string> literal(const LabelText& label, bool of_edge, SourceLoc loc);
  void name_variables();
  bool has_vertices(SourceLoc whole);
  void name_all();
  /// Indices of the vertices, as the pattern has them.
  std::vector<std::size_t> in_order() const;
  std::optional<Pattern> pattern_of(SourceLoc whole, const std::vector<std::pair<std::size_t, std::size_t>>& turned);
  bool has_twins() const;
  void add_edges(const std::vector<int>& index, Pattern& pattern);

  Diagnostics& diagnostics_;
  bool failed_ = false;
  bool named_ = false;  ///< Some vertex was called by a name, or by none.
  std::vector<Vertex> vertices_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::vector<Edge> edges_;
  std::vector<std::pair<std::size_t, std::size_t>> different_;
  std::set<std::string> kept_;
  std::vector<LabelUse> uses_;
  std::vector<ConstantUse> constants_;
};

}  // namespace matcha::pattern
