#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "incremental/runtime/delta_search.h"
#include "incremental/runtime/delta_term.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/shared_search.h"
#include "planner/delta.h"

namespace matcha::session::stream {

/// The number of a label in the syntax of patterns.
using NumberOf = std::function<std::uint32_t(const std::string&)>;

/// Statistics of a dynamic graph for the planner. `class_of` maps labels of vertices to classes (empty: kAnyClass), and
/// `layer_of` labels of edges to layers (empty: 0). The graph must live only during this call.
pattern::DeltaStatistics statistics_of(const runtime::stream::DynamicGraph& graph, NumberOf class_of,
                                       NumberOf layer_of);

/// Matches that one edge creates or destroys when it is inserted; reversed when it is deleted.
struct EdgeDelta {
  __int128 more = 0, less = 0;
};

/// A pattern whose number of matches is maintained.
class DeltaQuery {
 public:
  /// Empty, with the reason, if its deltas cannot be derived. `class_of` and `layer_of`: for labels that are not empty.
  static std::optional<DeltaQuery> make(const pattern::Pattern& pattern, pattern::Induced induced,
                                        pattern::DeltaAnswer answer, const runtime::stream::DynamicGraph& graph,
                                        const NumberOf& class_of, const NumberOf& layer_of, std::string& why);

  /// Adds the subgraphs that the edge (the arc from `u` to `v`), by places, changes in its layer. Requires: the graph
  /// is that of the query and does not have the edge.
  runtime::stream::DeltaSearch::Ending count(runtime::stream::DeltaSearch& search,
                                             const runtime::stream::EdgeUpdate& edge, std::uint32_t class_u,
                                             std::uint32_t class_v, EdgeDelta& delta) const;

  /// Lists each match (the place of each vertex of the pattern) with its sign: +1 if inserting the edge creates it, -1
  /// if it destroys it. Requires: a query for rows.
  using TakeRow = std::function<void(const std::uint32_t* places, int sign)>;
  runtime::stream::DeltaSearch::Ending list(runtime::stream::DeltaSearch& search,
                                            const runtime::stream::EdgeUpdate& edge, std::uint32_t class_u,
                                            std::uint32_t class_v, const TakeRow& take) const;

  /// Appends its terms to those of other queries, for joint evaluation; `listed`: as a query for rows. The terms belong
  /// to the query, which must outlive them.
  void add_terms(runtime::stream::SharedTerms& all, bool listed) const;
  /// Adds the counts of its terms, `maps` by term. False: overflow of 128 bits.
  bool add_counts(const __int128* maps, EdgeDelta& delta) const;
  /// Converts the match of a term to that of `list`, and returns its sign.
  int order(std::size_t term, const std::uint32_t* places, std::uint32_t* row) const;

  /// Sets the pairs of classes whose edges, without labels, its terms read or are changed by: item source * classes +
  /// target.
  void add_asked(std::vector<bool>& asked) const;

  std::uint64_t automorphisms() const { return automorphisms_; }
  /// Some pairs must not be adjacent, so inserting an edge may destroy matches.
  bool takes_away() const { return takes_away_; }
  std::size_t term_count() const { return terms_.size(); }

 private:
  struct Entry {
    runtime::stream::Term term;
    std::vector<int> vertices;
    int sign = 1;
  };

  const std::vector<std::uint32_t>& terms_of(std::uint32_t layer, std::uint32_t source, std::uint32_t target) const {
    return by_classes_[(std::size_t{layer} * classes_ + source) * classes_ + target];
  }

  std::vector<Entry> terms_;
  std::uint32_t classes_ = 0;
  std::vector<std::vector<std::uint32_t>> by_classes_;  ///< By layer, then by the classes of source and target.
  std::uint64_t automorphisms_ = 1;
  bool takes_away_ = false;
};

}  // namespace matcha::session::stream
