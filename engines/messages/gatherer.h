#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engines/messages/forest.h"

namespace matcha::runtime::messages {

/// The ratio of lengths from which a row is searched for each image instead of scanned: about this many items are
/// scanned in the time of one search.
inline constexpr std::uint64_t kSearch = 16;

/// Images of a vertex of the pattern, each with the number of maps below it.
template <typename Number>
struct ImagesOf {
  std::vector<std::uint32_t> ranks;
  std::vector<Number> maps;
  Zeros<Number> by_rank;                              ///< All 0 between two uses.
  bool ascend = true;                                 ///< The ranks ascend.
  std::vector<std::pair<std::uint32_t, Number>> few;  ///< Used while they are collected.

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

/// Computes the images of the vertices of trees that are tied to cuts, for one image of the cuts after the other. Used
/// by one thread. Numbers have 64 bits, or 128 for a forest with wide sums.
template <typename Number>
class GathererOf {
 public:
  using Images = ImagesOf<Number>;

  /// Requires: the forest outlives it.
  explicit GathererOf(const Forest& forest) : forest_(&forest), images_(static_cast<std::size_t>(forest.size())) {}

  /// Computes the images of the root of a tied tree and of the vertices below it that pass numbers up, for these images
  /// of the cuts. If the root has none, the others are undefined.
  void gather(const Node& node, const CutImages& cuts);
  /// The same; returns the total number of maps.
  Number gather_maps(int root, const CutImages& cuts);
  /// The number of maps of everything attached to a node with this image; 0 if the image does not fit.
  Number weight(const Node& node, std::uint32_t image);
  /// The number of maps of a child for this image of its parent; with `Sums::Some`, only 0 or not 0 is meaningful.
  Number sum(const Node& child, std::uint32_t parent_image);
  /// The number of maps of the pendants and blocks of a node, for these images of the cuts; its own image is one of
  /// them.
  Number maps_below(const Node& node, std::uint32_t image, const CutImages& cuts);
  /// The result of the last call.
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
  std::vector<Ranks> rows_;  ///< Rows of known images, while these are matched with those of a child.
};

extern template class GathererOf<std::uint64_t>;
extern template class GathererOf<WideNumber>;
using Gatherer = GathererOf<std::uint64_t>;
using Images = ImagesOf<std::uint64_t>;

}  // namespace matcha::runtime::messages
