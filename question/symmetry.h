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

  /// Orbits under the automorphisms that fix each vertex of `fixed`: item v is the orbit of v, with v.
  const std::vector<Mask>& orbits(Mask fixed);
  /// How many automorphisms fix each vertex of `fixed`; nothing beyond 2^62.
  std::optional<std::uint64_t> order(Mask fixed = 0);
  /// The same of all; nothing beyond 2^126.
  std::optional<unsigned __int128> wide_order();
  /// All of them, item v of each what vertex v is mapped to; nothing when there are more than `most`.
  std::optional<std::vector<std::vector<int>>> automorphisms(std::uint64_t most);

 private:
  /// Of the vertices outside `fixed`, one after the other; nothing beyond `most`.
  std::optional<unsigned __int128> product_of_orbits(Mask fixed, unsigned __int128 most);

  Pattern pattern_;
  std::map<Mask, std::vector<Mask>> orbits_;
  std::vector<Mask> rigid_;  ///< Of `orbits_`, those whose orbits have one vertex each.
};

/// What isomorphic patterns have in common.
struct CanonicalForm {
  /// The same for two patterns exactly when they are isomorphic, labels and directions included.
  std::string key;
  /// The vertices in an order in which isomorphic patterns look alike.
  std::vector<int> vertices;
};
CanonicalForm canonical_form(const Pattern& pattern);
std::string canonical_key(const Pattern& pattern);

/// One pattern of each isomorphism class of connected undirected graphs with `n` vertices (2 to 7), by number of edges,
/// then by canonical form.
std::vector<Pattern> connected_patterns(int n);

}  // namespace matcha::pattern
