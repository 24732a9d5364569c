#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "question/pattern.h"

/// Matches drawn from a graph, for the cost model.
namespace matcha::pattern {

/// Matches of a small pattern. Match `i` stands for `weights[i]` matches, so a weighted sum over the sample estimates
/// the sum over all matches.
struct MatchSample {
  double matches = 0;     ///< Estimated number of all matches, injective, without regard to symmetry.
  bool is_bound = false;  ///< None was drawn, and `matches` is about the most that there may be.
  std::vector<double> weights;
  std::vector<std::vector<std::uint32_t>> images;  ///< Item i: the images of the vertices of the pattern.
};

/// A set of candidates by vertices of a pattern: neighbours of all of `in` and of none of `off`, in the order of the
/// program's ids before all of `below` and after all of `above`.
struct Candidates {
  Mask in = 0, off = 0, below = 0, above = 0;
  auto operator<=>(const Candidates&) const = default;
};

/// Some vertices of a set of a graph; each stands for `each` of them.
struct Members {
  std::vector<std::uint32_t> vertices;
  double each = 1;
};

/// A graph that answers queries of samples. The owner of a graph implements it; the front end has none.
class GraphSampler {
 public:
  virtual ~GraphSampler() = default;
  /// Matches of a connected undirected pattern with labels and anti-edges, the same ones each time.
  virtual MatchSample draw(const Pattern& pattern) const = 0;
  /// Neighbours of all of `in`, which is not empty, and of none of `off`, the same ones each time.
  virtual Members members(const std::vector<std::uint32_t>& in, const std::vector<std::uint32_t>& off) const = 0;
  /// The place of `v` in the order of the ids that a program compares; no two vertices have the same.
  virtual std::uint64_t rank(std::uint32_t v) const = 0;
};

/// Restrictions of ids among up to kMostRelated vertices: bit (u, v) is set if u must have a larger id than v.
using Relation = std::uint64_t;
inline constexpr int kMostRelated = 8;
inline constexpr Relation relation_bit(int u, int v) { return Relation{1} << (u * kMostRelated + v); }

/// Matches of a sample that satisfy a relation once their vertices are renamed by an automorphism of the pattern.
struct ArrangedMatches {
  struct Match {
    std::size_t image = 0;
    std::size_t automorphism = 0;
    double weight = 0;
  };
  std::vector<Match> matches;  ///< Some of them; each stands for `weight`.
  double weight = 0;           ///< The number of matches that satisfy the relation.
  double all = 0;              ///< The number of all matches of the sample.
  double effective = 0;        ///< How many matches of equal weights would be as good as the sample (Kish).
};

/// Draws the matches of every pattern once; patterns that differ only in the numbers of vertices share a sample.
class MatchSamples {
  struct Sample;
  /// The conditions of a part of an undirected pattern: rows of bits of its edges, of its anti-edges, and its labels.
  using PartKey = std::tuple<std::uint64_t, std::uint64_t, std::vector<std::string>, decltype(Pattern::edge_labels)>;

 public:
  explicit MatchSamples(std::unique_ptr<const GraphSampler> sampler);
  ~MatchSamples();

  /// A sample; item v of `column` is the column with the images of vertex v of the requested pattern.
  struct Found {
    const MatchSample* sample = nullptr;
    std::vector<int> column;
    Sample* drawn = nullptr;
  };
  Found of(const Pattern& pattern);
  /// The same for the part of an undirected pattern on up to kMostRelated vertices, renumbered in ascending order.
  const Found& of_part(const Pattern& pattern, Mask part);
  /// The matches that satisfy a relation of the pattern's vertices. Null: none were drawn, or there are too many
  /// automorphisms.
  static const ArrangedMatches* maybe_arranged(const Found& found, Relation relation);
  /// The sizes of a set in these matches.
  const std::vector<double>& sizes(const Found& found, Relation relation, const Candidates& set) const;

 private:
  std::unique_ptr<const GraphSampler> sampler_;
  std::map<std::string, std::unique_ptr<Sample>> by_key_;
  std::map<PartKey, Found> parts_;
};

}  // namespace matcha::pattern
