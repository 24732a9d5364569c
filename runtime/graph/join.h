#pragma once

#include <memory>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

namespace matcha::runtime {

/// A graph that is to be joined.
struct JoinMember {
  const Graph* graph = nullptr;
  const std::int64_t* maybe_ids =
      nullptr;  ///< Instead of its own, ids of its vertices, ascending; then of all members.
};

/// Graphs that were read or made one by one, over one set of vertices: those with the same id are the same vertex, and
/// equal label words have one code. As with `InputSet`, ids are text if some of them are text.
class GraphJoin {
 public:
  /// Finds the ids and words of all. Requires: there is one; none has a hash index. Errors: Input where ids do not
  /// ascend; Resource.
  static Result<GraphJoin> of(const std::vector<JoinMember>& members);

  /// Whether a member has all ids already, under their ranks, and all words.
  bool is_as_it_was(std::size_t member) const { return unchanged_[member]; }
  /// A member with the ranks and codes of all. `form`: the graph of that member, or another one with its vertices, such
  /// as that with information of edges. Errors: Input where a label is negative beside label words; Resource.
  Result<Graph> joined(std::size_t member, const Graph& form) const;

 private:
  std::shared_ptr<const Universe> universe_;
  std::shared_ptr<const LabelDictionary> dictionary_;
  std::vector<Buffer<std::uint32_t>> moved_;
  std::vector<bool> unchanged_;
};

}  // namespace matcha::runtime
