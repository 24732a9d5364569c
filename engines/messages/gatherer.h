#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engines/messages/forest.h"

namespace matcha::runtime::messages {

/// A row much longer than the images that may be in it is searched for each; so many items are walked in the time of
/// one search, roughly.
inline constexpr std::uint64_t kSearch = 16;

/// Images of a vertex of the pattern, each with the maps of what is below it.
template <typename Number>
struct ImagesOf {
  std::vector<std::uint32_t> ranks;
  std::vector<Number> maps;
  Zeros<Number> by_rank;                              ///< All 0 between two uses.
  bool ascend = true;                                 ///< The ranks do.
  std::vector<std::pair<std::uint32_t, Number>> few;  ///< While they are found.

  void clear() {
    ranks.clear();
    maps.clear();
    ascend = true;
  }
  void add(std::uint32_t rank, Number number) {
    ranks.push_back(rank);
    maps.push_back(number);
  }
};

/// Finds the images of the vertices of trees that are tied to cuts, for one image of these after the other. Belongs to
/// a thread. Numbers have 64 bits, or 128 for a forest with wide sums.
template <typename Number>
class GathererOf {
 public:
  using Images = ImagesOf<Number>;

  /// The forest must outlive it.
  explicit GathererOf(const Forest& forest) : forest_(&forest), images_(static_cast<std::size_t>(forest.size())) {}

  /// Finds those of the root of such a tree, and of the vertices below it from which numbers go up, for these images of
  /// the cuts that it has ties to. Where the root has none, neither need the others be right.
  void gather(const Node& node, const CutImages& cuts);
  /// The same; gives their maps in all.
  Number gather_maps(int root, const CutImages& cuts);
  /// The maps of all that hangs on a node whose image this is; 0 where it does not fit.
  Number weight(const Node& node, std::uint32_t image);
  /// Those of a child for this image of its parent; not 0 is all that is said of one with `Sums::Some`.
  Number sum(const Node& child, std::uint32_t parent_image);
  /// The maps of the pendants and blocks of a node, which are there for these images of cuts; its own is one of them.
  Number maps_below(const Node& node, std::uint32_t image, const CutImages& cuts);
  /// What the last call found.
  Images& of(int vertex) { return images_[static_cast<std::size_t>(vertex)]; }

 private:
  Number* by_rank(Images& images);
  void begin(const Node& node, const CutImages& cuts, Images& mine);
  void find(const Node& node, const Node& child);
  void find_few(const Node& node, const Node& child);
  void send(const Images& from, const EdgeSide& up, Images& to, std::vector<std::uint32_t>& reached);
  void meet(Images& mine, const Node& child);
  void ask(Images& mine, const Node& child);
  Number add_up(const EdgeSide& down, std::uint32_t rank, Ranks row, const Number* sums) const;
  Number merge(const EdgeSide& down, std::uint32_t rank, Ranks row, const Images& theirs) const;
  Number search(const EdgeSide& down, std::uint32_t rank, Ranks row, const Images& theirs) const;

  const Forest* forest_;
  std::vector<Images> images_;
  std::vector<std::uint32_t> reached_;
  std::vector<Ranks> rows_;  ///< Of known images, while they meet those of a child.
};

extern template class GathererOf<std::uint64_t>;
extern template class GathererOf<WideNumber>;
using Gatherer = GathererOf<std::uint64_t>;
using Images = ImagesOf<std::uint64_t>;

}  // namespace matcha::runtime::messages
