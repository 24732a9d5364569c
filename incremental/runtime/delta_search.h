#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "incremental/runtime/delta_term.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/graph_versions.h"
#include "runtime/abi.h"

namespace matcha::runtime::stream {

/// Evaluates terms, one after another, on a graph that does not change meanwhile. One per thread.
class DeltaSearch {
 public:
  enum class Ending { Complete, Stopped, Deadline, Overflow };

  /// Requires: both arguments outlive it.
  DeltaSearch(const DynamicGraph& graph, const SetKernels& kernels) : graph_(graph), kernels_(kernels) {}

  /// A search ends when the stop word is not 0, or the deadline has passed.
  void set_limits(const std::atomic<std::uint32_t>* maybe_stop,
                  std::optional<std::chrono::steady_clock::time_point> deadline) {
    maybe_stop_ = maybe_stop;
    deadline_ = deadline;
  }

  /// Adds to `count` the number of matches with the ends at places `a` and `b`. Requires: the edge is not in the graph,
  /// and the places have the classes of vertices 0 and 1.
  Ending count(const Term& term, std::uint32_t a, std::uint32_t b, __int128& count);

  /// Lists each match: the place of each vertex of the term. Requires: as above, and all vertices have loops.
  using TakeMatch = std::function<void(const std::uint32_t* places)>;
  Ending list(const Term& term, std::uint32_t a, std::uint32_t b, const TakeMatch& take);

  /// Sets the version of the graph as of an update, until the next call; null: the graph itself. The versions must be
  /// open.
  void set_version(const GraphVersions* maybe_versions, std::uint32_t update) {
    maybe_versions_ = maybe_versions;
    update_ = update;
  }

  /// Candidates of the first vertex with a loop, by position.
  struct Range {
    std::uint32_t first = 0, last = kAll;
    static constexpr std::uint32_t kAll = ~std::uint32_t{0};
  };
  /// Takes over parts of a long loop.
  class Helpers {
   public:
    virtual ~Helpers() = default;
    virtual bool wanting() const = 0;
    virtual void take(const Range& range) = 0;
  };
  /// As `count`, but without the division by the term's divisor and only for the candidates of the range; helpers may
  /// take some of them.
  Ending count_part(const Term& term, std::uint32_t a, std::uint32_t b, Range range, Helpers& helpers, __int128& maps);
  /// As `list`, for a range.
  Ending list_part(const Term& term, std::uint32_t a, std::uint32_t b, Range range, Helpers& helpers,
                   const TakeMatch& take);

 private:
  struct Set {
    const std::uint32_t* items = nullptr;
    std::uint32_t size = 0;
  };

  bool begin(const Term& term, std::uint32_t a, std::uint32_t b);
  bool run(const TermStep& step);
  bool place(int vertex);
  Set row(const TermStep& step, const Set& against) const;
  std::uint32_t* buffer(std::size_t set, std::uint32_t items);
  bool holds(const Set& set, std::uint32_t place) const;
  std::uint64_t value(const TermValue& value) const;
  void add_products();
  void look_at_limits();
  void walk(int vertex);
  void walk_part(Range range, Helpers& helpers);
  void try_candidate(int vertex, const Set& candidates, std::uint32_t at, std::uint32_t layer);
  void orient(const Term& term, std::uint32_t& a, std::uint32_t& b) const;
  std::span<const std::uint32_t> row_of(bool backwards, std::uint32_t place, std::uint32_t layer) const {
    const std::uint32_t row = graph_.row_of(place, layer);
    return maybe_versions_ == nullptr ? graph_.rows(backwards).row(row) : maybe_versions_->row(backwards, row, update_);
  }
  bool has_arc(std::uint32_t u, std::uint32_t v, std::uint32_t layer) const;
  void fetch_ahead(const Set& candidates, std::uint32_t at, std::uint32_t layer) const;

  const DynamicGraph& graph_;
  const SetKernels& kernels_;
  const std::atomic<std::uint32_t>* maybe_stop_ = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  const GraphVersions* maybe_versions_ = nullptr;
  std::uint32_t update_ = 0;
  std::uint32_t walks_ = 0;
  const Term* term_ = nullptr;
  const TakeMatch* maybe_take_ = nullptr;
  Ending ending_ = Ending::Complete;
  __int128 found_ = 0;
  std::vector<std::uint32_t> places_;
  std::vector<Set> sets_;
  std::vector<std::vector<std::uint32_t>> buffers_;
};

}  // namespace matcha::runtime::stream
