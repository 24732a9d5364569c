#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/abi.h"

namespace matcha::runtime::match {

/// The vertices of a graph by label.
class LabelIndex {
 public:
  LabelIndex() = default;
  /// For a graph with labels. Time and memory are linear in its vertices, unless labels are spread over a wide range.
  LabelIndex(const GraphView& graph, bool with_signatures);

  /// The vertices with a label, as ascending ranks; empty if there is none.
  std::span<const std::uint32_t> vertices(std::int64_t label) const;

  /// A word that summarizes the labels of a vertex's neighbours: a vertex can be an image only if it has all bits of
  /// the required signature. All bits are set without signatures.
  std::uint64_t signature(std::uint32_t rank) const {
    return signatures_.empty() ? ~std::uint64_t{0} : signatures_[rank];
  }
  /// The signature of a vertex with such neighbours. Labels that the graph lacks are ignored.
  std::uint64_t signature_of(std::span<const std::int64_t> labels) const;

 private:
  /// Adds a neighbour to a signature: sets the next bit of the label's bucket.
  std::uint64_t with(std::uint64_t signature, std::uint64_t label_number) const {
    const std::uint64_t first = label_number % buckets_ * levels_;
    const std::uint64_t bucket = (signature >> first) & ((std::uint64_t{1} << levels_) - 1);
    return signature | ((bucket << 1 | 1) & ((std::uint64_t{1} << levels_) - 1)) << first;
  }

  std::uint64_t buckets_ = 1;
  std::uint64_t levels_ = 1;
  std::vector<std::uint64_t> signatures_;  ///< By rank.
  std::vector<std::int64_t> labels_;       ///< Distinct, ascending.
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint32_t> vertices_;
};

}  // namespace matcha::runtime::match
