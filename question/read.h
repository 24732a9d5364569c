#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/support/diagnostics.h"
#include "question/pattern.h"

/// Readers of patterns. Errors (`pattern-…`) have their place in the text.
namespace matcha::pattern {

/// A label that a pattern asks for, with the place of its word.
struct LabelUse {
  std::string literal;  ///< As `Pattern::labels` has it.
  SourceLoc loc;
  bool of_edge = false;
};

/// A vertex of the graph that a pattern asks for.
struct ConstantUse {
  std::string literal;  ///< As `Pattern::constants` has it.
  SourceLoc loc;
};

/// One pattern, all patterns of a kind (`motif:4`), which are counted together, or several that a match may be one of.
struct PatternSet {
  std::vector<Pattern> patterns;
  bool motif = false;
  /// A match is one of any of the patterns, which are alike but for the direction of arcs, and none is one of two.
  bool alternatives = false;
  SourceLoc loc{};                 ///< Of the whole pattern, or of its first line.
  std::vector<LabelUse> labels{};  ///< In the order of the text.
  std::vector<ConstantUse> constants{};
};

/// Reads one of these from `file` of the source manager; nothing after an error:
/// - text: `0-1, 1-2, 2-0`; chains `0-1-2-0`; arcs `0>1` or `0->1`, `1<-0`; pairs that must not be adjacent `0~1` or
///   `0!1`; labels `0:a` anywhere a vertex stands (a number, a word, or a quoted word); labels of edges `0-1=b`, in
///   chains `0-1=b-2`; one of several labels `a|b`, any label of an edge `0>1=?`, or the same one `=?p`; a vertex of
///   the graph `0@17` or `0@'libc6'`; loops `0-0`; a vertex alone. Vertices are numbers of at most 18 digits, or names
///   of letters, digits and `_`, which are in order of appearance. They may stand in parentheses, where they need no
///   name, and labels of edges in brackets: `(a:person)-[:pays]->(b)<-[:owns]-(:bank)`. Separators are commas,
///   semicolons and white space; `#` begins a comment up to the end of the line.
/// - a name: `triangle`, `clique:5`; pattern_names() lists them; `motif:4` is all connected patterns of 4 vertices.
/// - `graph6:D?{` or `>>graph6<<D?{`, one graph (nauty's formats.txt).
/// - `adjacency:011101110`: the rows of the adjacency matrix one after the other, as GraphPi takes them.
/// - of a file, lines `u v` or `u LABEL v LABEL` as Peregrine has them: label -1 is any, and a `1` at the end of a
///   a line says that the two must not be adjacent.
/// - a `t/v/e` file: lines `t …`, `v id label …`, `e u v label …`, for arcs `a u v label …`. If all labels of edges
///   are 0, which files have where there are none, edges have no labels.
/// `is_file`: the text is that of a file of its own.
std::optional<PatternSet> read_pattern(const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics,
                                       bool is_file = false);

/// Labels for the vertices of the one pattern, in their order, from `a,b,,3`; an empty one is any label. `file` is
/// their text. False after an error.
bool set_labels(PatternSet& set, const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics);

/// Label text as a program writes it: a number as it is, a word in quotes; nothing if no program can write it.
std::optional<std::string> label_literal(std::string_view word);

/// The pattern of a name and its parameters such as `cycle:5`; nothing without an error when `word` is no name, but
/// joins vertices.
std::optional<PatternSet> named_pattern(std::string_view word, SourceLoc loc, Diagnostics& diagnostics);
/// Whether a pattern, or a family of patterns, is called so: `house`, `clique`.
bool is_pattern_name(std::string_view word);
/// All of them with what they are, for help: `clique:K`, `K vertices, each adjacent to all others`.
struct NamedPattern {
  std::string_view name;
  std::string_view meaning;
};
const std::vector<NamedPattern>& pattern_names();
/// A short name of an unlabelled pattern of up to 5 vertices that has one, such as `house`; else empty.
std::string known_name(const Pattern& pattern);

}  // namespace matcha::pattern
