#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/diagnostics.h"
#include "question/conditions.h"
#include "question/pattern.h"

/// Readers of patterns. Errors (`pattern-…`) have their place in the text.
namespace matcha::pattern {

/// A label in a pattern, with the place of its word.
struct LabelUse {
  std::string literal;  ///< In the form of `Pattern::labels`.
  SourceLoc loc;
  bool of_edge = false;
};

/// A vertex of the graph named by a pattern.
struct ConstantUse {
  std::string literal;  ///< In the form of `Pattern::constants`.
  SourceLoc loc;
};

/// An edge as it is written, of a pattern that asks for columns.
struct EdgeUse {
  std::string name;  ///< Empty: it has none.
  int from = 0, to = 0;
  /// `>`: an arc; `-`: an edge of an undirected graph, or both arcs; `|`: an arc in either direction.
  char sign = '-';
  std::vector<std::string> labels;  ///< One of these, in the form of `Pattern::edge_labels`; empty: any.
  SourceLoc loc;
};

/// One pattern; or all patterns of a kind (`motif:4`), which are counted together; or alternatives.
struct PatternSet {
  std::vector<Pattern> patterns;
  bool motif = false;
  /// The result is the union of the patterns' matches, which differ in directions of arcs; no match is one of two
  /// patterns.
  bool alternatives = false;
  /// For `clique:K` with more vertices than a pattern may have: K; 0 for `clique:*`, cliques of every size. `patterns`
  /// then has one edge as a placeholder, and only the engine `cliques` answers.
  std::optional<std::uint32_t> cliques = {};
  bool maximal = false;            ///< Only cliques that are in no larger one, for each number of vertices.
  SourceLoc loc{};                 ///< The place of the whole pattern, or of its first line.
  std::vector<LabelUse> labels{};  ///< In the order of the text.
  std::vector<ConstantUse> constants{};
  std::vector<Condition>
      conditions{};              ///< All of them hold. Subjects are numbers of vertices, and of items of `edges`.
  bool by_line = false;          ///< Each line of the graph is an edge, since edges have names or conditions.
  std::vector<EdgeUse> edges{};  ///< If it asks for columns.

  bool asks_columns() const { return by_line || !conditions.empty(); }
};

/// Reads one of these from `file` of the source manager; nothing after an error:
/// - text: `0-1, 1-2, 2-0`; chains `0-1-2-0`; arcs `0>1` or `0->1`, `1<-0`; pairs that must not be adjacent `0~1` or
///   `0!1`; labels `0:a` anywhere a vertex stands (a number, a word, or a quoted word); labels of edges `0-1=b`, in
///   chains `0-1=b-2`; one of several labels `a|b`, any label of an edge `0>1=?`, or the same one `=?p`; a vertex of
///   the graph `0@17` or `0@'libc6'`; loops `0-0`; a vertex alone. Vertices are numbers of at most 18 digits, or names
///   of letters, digits and `_`, which are in order of appearance. They may stand in parentheses, where they need no
///   name, and labels of edges in brackets: `(a:person)-[:pays]->(b)<-[:owns]-(:bank)`. Separators are commas,
///   semicolons and white space; `#` begins a comment up to the end of the line.
/// - a name: `triangle`, `clique:5`; pattern_names() lists them; `motif:4` is all connected patterns of 4 vertices,
///   `clique:*` the cliques of all sizes, `clique:maximal` those that are in no larger one.
/// - `graph6:D?{` or `>>graph6<<D?{`, one graph (nauty's formats.txt).
/// - `adjacency:011101110`: the rows of the adjacency matrix one after the other, as GraphPi takes them.
/// - of a file, lines `u v` or `u LABEL v LABEL` as Peregrine has them: label -1 is any, and a `1` at the end of a
///   a line says that the two must not be adjacent.
/// - a `t/v/e` file: lines `t …`, `v id label …`, `e u v label …`, for arcs `a u v label …`. If all labels of edges
///   are 0, which files have where there are none, edges have no labels.
/// `is_file`: the text is that of a separate file.
std::optional<PatternSet> read_pattern(const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics,
                                       bool is_file = false);

/// Labels for the vertices of the one pattern, in their order, from `a,b,,3`; an empty one is any label. `file` is
/// their text. False after an error.
bool set_labels(PatternSet& set, const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics);

/// A label in its form, as of cells: `7` for `07`, and words as they are. Empty: a number that no label can be.
std::optional<std::string> label_form(std::string_view word);

/// Label text in the form of programs: a number as it is, a word in quotes; empty if programs cannot express it.
std::optional<std::string> label_literal(std::string_view word);

/// The pattern of a name with its parameters, such as `cycle:5`. Empty, without an error, if `word` is not a name but
/// joins vertices.
std::optional<PatternSet> named_pattern(std::string_view word, SourceLoc loc, Diagnostics& diagnostics);
/// True for the name of a pattern, or of a family of patterns: `house`, `clique`.
bool is_pattern_name(std::string_view word);
/// All of them with a description, for help: `clique:K`, `K vertices, each adjacent to all others`.
struct NamedPattern {
  std::string_view name;
  std::string_view meaning;
};
const std::vector<NamedPattern>& pattern_names();
/// The short name of an unlabelled pattern of up to 5 vertices, such as `house`; empty if it has none.
std::string known_name(const Pattern& pattern);

}  // namespace matcha::pattern
