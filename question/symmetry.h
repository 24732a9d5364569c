#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "question/pattern.h"

/// Automorphisms and canonical forms, by nauty (McKay and Piperno, "Practical graph isomorphism, II").
namespace matcha::pattern {

/// The automorphisms of a pattern: permutations of its vertices that keep edges, directions, anti-edges and
/// labels, those of edges included.
class Symmetry {
 public:
  explicit Symmetry(const Pattern& pattern) : pattern_(pattern) {}

  /// Orbits of the automorphisms that fix each vertex of `fixed`: item v is the orbit that contains v.
  const std::vector<Mask>& orbits(Mask fixed);
  /// Number of automorphisms that fix each vertex of `fixed`; empty beyond 2^62.
  std::optional<std::uint64_t> order(Mask fixed = 0);
  /// Number of all automorphisms; empty beyond 2^126.
  std::optional<unsigned __int128> wide_order();
  /// All automorphisms, with item v the image of vertex v; empty if there are more than `most`.
  std::optional<std::vector<std::vector<int>>> automorphisms(std::uint64_t most);

 private:
  /// The product of the orbit sizes of the vertices outside `fixed`, fixed one after the other; empty beyond `most`.
  std::optional<unsigned __int128> product_of_orbits(Mask fixed, unsigned __int128 most);

  Pattern pattern_;
  std::map<Mask, std::vector<Mask>> orbits_;
  std::vector<Mask> rigid_;  ///< The keys of `orbits_` whose orbits have one vertex each.
};

/// The common representation of isomorphic patterns.
struct CanonicalForm {
  /// Equal for two patterns exactly if they are isomorphic, with labels and directions.
  std::string key;
  /// An order of the vertices in which isomorphic patterns are equal.
  std::vector<int> vertices;
};
CanonicalForm canonical_form(const Pattern& pattern);
std::string canonical_key(const Pattern& pattern);

/// One pattern of each isomorphism class of connected undirected graphs with `n` vertices (2 to 7), by number of edges,
/// then by canonical form.
std::vector<Pattern> connected_patterns(int n);
/// The same of directed graphs (2 to 4 vertices), by number of arcs, then by canonical form.
std::vector<Pattern> connected_digraphs(int n);

}  // namespace matcha::pattern
