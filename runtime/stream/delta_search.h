#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/abi.h"
#include "runtime/stream/delta_term.h"
#include "runtime/stream/dynamic_graph.h"

namespace matcha::runtime::stream {

/// Evaluates terms, one after another, on a graph that does not change meanwhile. A thread has its own.
class DeltaSearch {
 public:
  enum class Ending { Complete, Stopped, Deadline, Overflow };

  /// Both must outlive it.
  DeltaSearch(const DynamicGraph& graph, const SetKernels& kernels) : graph_(graph), kernels_(kernels) {}

  /// A search that finds the first one not 0, or the time over, ends.
  void set_limits(const std::atomic<std::uint32_t>* maybe_stop,
                  std::optional<std::chrono::steady_clock::time_point> deadline) {
    maybe_stop_ = maybe_stop;
    deadline_ = deadline;
  }

  /// How many matches have the ends at places `a` and `b`; added to `count`. Requires: the edge is not in the graph,
  /// and the places have the classes of vertices 0 and 1.
  Ending count(const Term& term, std::uint32_t a, std::uint32_t b, __int128& count);

  /// Gives each match: the place of each vertex of the term. Requires: as before, and all vertices are walked.
  using TakeMatch = std::function<void(const std::uint32_t* places)>;
  Ending list(const Term& term, std::uint32_t a, std::uint32_t b, const TakeMatch& take);

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
  void fetch_ahead(const Set& candidates, std::uint32_t at) const;

  const DynamicGraph& graph_;
  const SetKernels& kernels_;
  const std::atomic<std::uint32_t>* maybe_stop_ = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
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
