#pragma once

#include <memory>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

namespace matcha::runtime {

/// A graph to join.
struct JoinMember {
  const Graph* graph = nullptr;
  /// The ids of its vertices, ascending, instead of those in the graph; given for all members or for none.
  const std::int64_t* maybe_ids = nullptr;
};

/// Joins graphs that were read or made separately over one set of vertices: equal ids are the same vertex, and equal
/// label words have one code. As with `InputSet`, all ids are text if some are.
class GraphJoin {
 public:
  /// Collects the ids and words of all members. Requires: at least one member, none with a hash index. Errors: Input
  /// where ids do not ascend; Resource.
  static Result<GraphJoin> of(const std::vector<JoinMember>& members);

  /// True if a member has all ids with their ranks and all words, so that joining leaves it unchanged.
  bool is_unchanged(std::size_t member) const { return unchanged_[member]; }
  /// A member with the common ranks and codes. `form`: the graph of that member, or another one with its vertices, such
  /// as the one with edge information. Errors: Input where a label is negative beside label words; Resource.
  Result<Graph> joined(std::size_t member, const Graph& form) const;

 private:
  std::shared_ptr<const Universe> universe_;
  std::shared_ptr<const LabelDictionary> dictionary_;
  std::vector<Buffer<std::uint32_t>> moved_;
  std::vector<bool> unchanged_;
};

}  // namespace matcha::runtime
