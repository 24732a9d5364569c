#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/prepared.h"
#include "session/reporter.h"
#include "session/resident_graph.h"
#include "session/status.h"

namespace matcha::session {

/// Patterns and programs that are counted in a graph, and in random graphs: with its vertices, labels and degrees, or,
/// if it has a list `times`, with its edges and lists, the times in another order.
struct SignificanceRequest {
  std::vector<ProgramRequest> asked;  ///< Each gives a count or several.
  std::uint64_t samples = 0;          ///< Random graphs; 0: none.
  std::uint64_t seed = 1;  ///< The seed of the first random graph; the next graphs have the numbers after it.
  unsigned threads = 0;    ///< 0: all. A random graph is in memory for each.
  // Requests to end early; null: none.
  const std::atomic<std::uint32_t>* maybe_stop = nullptr;
  const std::atomic<bool>* maybe_cancel = nullptr;  ///< For steps that check no deadline: true once it is over.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Random graphs that are counted, of all. Called by the thread that runs.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
};

/// A count, and where it stands among those of the random graphs.
struct SignificanceRow {
  std::string name;     ///< The name of a pattern of a set, or of a number of a program; else the text of the pattern.
  std::string pattern;  ///< Its edges as text; empty: it is of a program.
  __int128 count = 0;
  double mean = 0;
  double deviation = 0;  ///< The standard deviation of a sample; 0 for one random graph.
  double z = 0;          ///< (count - mean) / deviation; 0 if both are equal, infinite if only the deviation is 0.
  double more = 1;       ///< The share of graphs, the given one among them, that have at least as many;
  double less = 1;       ///< at most as many.
};

/// Compares counts with those of random graphs, which are made and counted on all threads.
class SignificanceRun {
 public:
  using Reading = Prepared::Reading;

  /// `reading`: as of Prepared.
  SignificanceRun(SignificanceRequest request, ResidentGraph::Shared graph, Reading reading,
                  std::shared_ptr<const Reporter> reporter);
  ~SignificanceRun();
  SignificanceRun(const SignificanceRun&) = delete;
  SignificanceRun& operator=(const SignificanceRun&) = delete;

  /// The rows depend on the request alone, not on its threads. Timeout and Interrupted are not reported.
  Status run();
  /// In the order of `asked`. After `run` gave Ok.
  const std::vector<SignificanceRow>& rows() const { return rows_; }

 private:
  class Counter;
  class Samples;

  const SignificanceRequest request_;
  const ResidentGraph::Shared graph_;
  const Reading reading_;
  const std::shared_ptr<const Reporter> reporter_;
  std::vector<SignificanceRow> rows_;
  std::vector<std::unique_ptr<Counter>> counters_;  ///< One for each thread; compilers may still work for them.
};

}  // namespace matcha::session
