#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/support/diagnostics.h"
#include "question/pattern.h"

/// Edges of a pattern that are counted, not only required to exist: `0>1=?`, `0>1=?p`, `0>1=a|b`.
namespace matcha::pattern {

/// The purpose of expansions.
enum class ExpandTo {
  Subgraphs,   ///< Their numbers are added up.
  Embeddings,  ///< The numbers of their embeddings are added up.
  Rows,        ///< Embeddings are listed.
};

/// With `Match::Edge`, if some edges have labels, an edge without one stands for an edge of any label, since then a
/// pair of vertices is no edge.
Pattern with_edges(Pattern pattern, Match match);

/// The pattern with the first of several labels, `'a'|'b'`, on each edge.
Pattern with_first_labels(const Pattern& pattern);

/// False, and an error (`pattern-plan`), if there is no program: with `rows` a list of subgraphs with edges that are
/// counted, and with `Match::Edge` a variable on several edges. `purpose`: Rows for lists of other matches.
bool check_counted(const Pattern& pattern, Match match, bool rows, ExpandTo purpose, SourceLoc loc,
                   Diagnostics& diagnostics);

/// Reads constants that were not looked up in a graph as numbers, which are ids; false after an error (`pattern-plan`).
bool bind_numbers(Pattern& pattern, SourceLoc loc, Diagnostics& diagnostics);

/// A factor of the number that each match of the vertices counts for.
struct Factor {
  Mask vertices = 0;  ///< The vertices that it depends on.
  std::string text;   ///< The expression in a program.
};

/// The number of ways to choose edges for the variables of a pattern without `'a'|'b'`, as a product. `names` are those
/// of the vertices in the program. With `Match::Edge` no edge is chosen twice, nor one that a label has fixed; then
/// each variable is on one edge.
std::vector<Factor> factors_of(const Pattern& pattern, Match match, const std::vector<std::string>& names);

/// A loop over the edges that a variable of the pattern can be in a match.
struct LabelLoop {
  std::string variable;  ///< The variable of the pattern: `?p`, or `?`.
  std::string label;     ///< The name of the edge's label in the program.
  std::string end;       ///< The name of one of the edge's ends in the program.
  std::string edges;     ///< `cond=lambda end, label: …, neighbor(G, u), edge_info(G, u)`: the list that is iterated.
};

/// The variables of a pattern as in `factors_of`, each a loop inside the one before. Together the loops have one item
/// for each way to choose edges.
std::vector<LabelLoop> label_loops_of(const Pattern& pattern, Match match, const std::vector<std::string>& names);

/// A pattern with one label, or a variable, on each edge, and the factor of its count.
struct Expansion {
  Pattern pattern;
  std::uint64_t factor = 1;
};

/// The patterns that one with labels such as `'a'|'b'`, or several patterns, are the sum of, alike ones once but for
/// rows: for each way to choose one label of several, and for subgraphs of one pattern for each of `type_parts`. One of
/// them: there is one pattern, without such labels. With `Match::Edge` two edges that join the same vertices are not
/// given the same label; there may be no way. Nothing if there would be more than `most`.
std::optional<std::vector<Expansion>> expansions_of(const std::vector<Pattern>& patterns, const Semantics& semantics,
                                                    ExpandTo purpose, std::size_t most);

}  // namespace matcha::pattern
