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

/// The number that a label has, as patterns write it.
using NumberOf = std::function<std::uint32_t(const std::string&)>;

/// What is known of a dynamic graph, for the planner. `class_of` maps labels of vertices to classes, where empty is
/// kAnyClass, and `layer_of` those of edges to layers, where empty is 0. The graph must outlive it only while this call
/// runs.
pattern::DeltaStatistics statistics_of(const runtime::stream::DynamicGraph& graph, NumberOf class_of,
                                       NumberOf layer_of);

/// Matches that one edge makes or takes away when it comes; the other way round when it goes.
struct EdgeDelta {
  __int128 more = 0, less = 0;
};

/// A pattern whose matches are kept count of.
class DeltaQuery {
 public:
  /// Nothing, and why, if its deltas are not derived. `class_of` and `layer_of`: of labels that are not empty.
  static std::optional<DeltaQuery> make(const pattern::Pattern& pattern, pattern::Induced induced,
                                        pattern::DeltaAnswer answer, const runtime::stream::DynamicGraph& graph,
                                        const NumberOf& class_of, const NumberOf& layer_of, std::string& why);

  /// Adds what the edge (the arc from `u` to `v`), by places, does in its layer: subgraphs. Requires: the graph is that
  /// of the query, and does not have the edge.
  runtime::stream::DeltaSearch::Ending count(runtime::stream::DeltaSearch& search,
                                             const runtime::stream::EdgeUpdate& edge, std::uint32_t class_u,
                                             std::uint32_t class_v, EdgeDelta& delta) const;

  /// Gives each match (the place of each vertex of the pattern), and whether the edge makes it when it comes (+1) or
  /// takes it away. Requires: a query for rows.
  using TakeRow = std::function<void(const std::uint32_t* places, int sign)>;
  runtime::stream::DeltaSearch::Ending list(runtime::stream::DeltaSearch& search,
                                            const runtime::stream::EdgeUpdate& edge, std::uint32_t class_u,
                                            std::uint32_t class_v, const TakeRow& take) const;

  /// Puts its terms behind those of others that are evaluated together; `listed`: as a query for rows. They are the
  /// query's, which must not go.
  void add_terms(runtime::stream::SharedTerms& all, bool listed) const;
  /// Adds what its terms, `maps` by term, did. False: it is beyond 128 bits.
  bool add_counts(const __int128* maps, EdgeDelta& delta) const;
  /// The match of a term as `list` gives it, and its sign.
  int order(std::size_t term, const std::uint32_t* places, std::uint32_t* row) const;

  std::uint64_t automorphisms() const { return automorphisms_; }
  /// Some pairs must not be adjacent, so an edge may take away when it comes.
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
  std::vector<std::vector<std::uint32_t>> by_classes_;  ///< By layer, then the classes of source and target.
  std::uint64_t automorphisms_ = 1;
  bool takes_away_ = false;
};

}  // namespace matcha::session::stream
