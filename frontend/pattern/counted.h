#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/pattern/pattern.h"
#include "ir/support/diagnostics.h"

/// Edges of a pattern that are counted, and not just there: `0>1=?`, `0>1=?p`, `0>1=a|b`.
namespace matcha::frontend::pattern {

/// With `Match::Edge` an edge without a label, if others have some, is one of any label: a pair of vertices is no edge.
Pattern with_edges(Pattern pattern, Match match);

/// Reports what has no program (`pattern-plan`): `rows` of matches with edges that are counted, and with `Match::Edge`
/// a variable on several edges. False then.
bool check_counted(const Pattern& pattern, Match match, bool rows, SourceLoc loc, Diagnostics& diagnostics);

/// Constants that no graph has been asked for are numbers, and so ids; false after an error (`pattern-plan`).
bool bind_numbers(Pattern& pattern, SourceLoc loc, Diagnostics& diagnostics);

/// A number that each match of the vertices counts for.
struct Factor {
  Mask vertices = 0;  ///< That it depends on.
  std::string text;   ///< As a program computes it.
};

/// How many ways there are to choose edges for the variables of a pattern without `'a'|'b'`, as a product. `names` are
/// those of the vertices in the program. With `Match::Edge` no edge is chosen twice, nor one that a label has fixed;
/// then variables stand on one edge each.
std::vector<Factor> factors_of(const Pattern& pattern, Match match, const std::vector<std::string>& names);

/// A pattern whose edges have one label each, or a variable, and how often its number counts.
struct Expansion {
  Pattern pattern;
  std::uint64_t factor = 1;
};

/// The patterns that one with labels such as `'a'|'b'` is the sum of, alike ones once: for each way to choose one label
/// of several. `embeddings`: their embeddings are to be added up, else subgraphs. One of them: the pattern has no such
/// labels. With `Match::Edge` two edges that join the same vertices are not given the same label; there may be no way.
/// Nothing if there would be more than `most`.
std::optional<std::vector<Expansion>> expansions_of(const Pattern& pattern, Match match, bool embeddings,
                                                    std::size_t most);

}  // namespace matcha::frontend::pattern
