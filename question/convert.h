#pragma once

#include <cstdint>
#include <vector>

#include "question/pattern.h"

namespace matcha::pattern {

/// A pattern with additional edges on the same vertices.
struct Supergraph {
  Pattern pattern;
  /// Its factor in the number of vertex-induced matches of the original pattern.
  std::int64_t factor = 1;
};

/// The edge-induced counts whose weighted sum is a vertex-induced count, the pattern itself first:
///
///     induced(P) = sum over Q of (-1)^(e(Q) - e(P)) copies(P, Q) edge_induced(Q)
///
/// where Q runs over the patterns with P's vertices and at least its edges, one of each isomorphism class, and
/// copies(P, Q) is the number of subgraphs of Q with all its vertices that are isomorphic to P (inclusion-exclusion
/// over the pairs that are not adjacent in P; Pattern Morphing, section 3). Empty for directed patterns, patterns with
/// anti-edges, and when there would be more than `most`.
std::vector<Supergraph> supergraphs(const Pattern& pattern, std::size_t most);

}  // namespace matcha::pattern
