#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "incremental/engine.h"
#include "runtime/thread_time.h"

namespace matcha::session::stream {

/// Batches smaller than this are not timed.
inline constexpr std::size_t kTimed = 32;
/// The time of a recount that is impossible.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

using runtime::thread_ms;

/// The deletions or the insertions of a batch: whether the effect of each edge is counted or, after `gave_up`, the
/// whole graph is recounted when all of them are applied.
class Phase {
 public:
  /// `recount_ms`: the time to recount the whole graph; kNever: impossible.
  Phase(std::uint64_t edges, double recount_ms, BatchStrategy strategy)
      : left_(edges), recount_ms_(strategy == BatchStrategy::EdgeByEdge ? kNever : recount_ms) {
    gave_up_ = recount_ms_ < kNever && strategy == BatchStrategy::Recount && edges != 0;
    is_timed_ = edges >= kTimed;
    if (is_timed_) since_ms_ = thread_ms();
  }
  /// Call before `edges` edges that are counted together. False: recount instead.
  bool counts(std::uint64_t edges = 1) {
    constexpr std::uint64_t kFewLeft = 128;
    // The first measurements may be off: a tenth of the time of a recount is spent on them, and the recount must be
    // faster by a quarter.
    constexpr double kMargin = 1.25;
    if (!gave_up_ && done_ >= next_look_ && left_ >= kFewLeft) {
      const double ms = this->ms();
      next_look_ = done_ + kLook;
      gave_up_ = ms > kProbeShare * recount_ms_ &&
                 ms / static_cast<double>(done_) * static_cast<double>(left_) > kMargin * recount_ms_;
    }
    done_ += edges;
    left_ -= edges;
    return !gave_up_;
  }
  bool gave_up() const { return gave_up_; }
  bool is_timed() const { return is_timed_; }
  /// The time of the edges so far.
  double ms() const { return spent_ms_ + thread_ms() - since_ms_; }
  /// Other threads worked for `ms`, instead of this thread since `at_ms`.
  void add(double ms, double at_ms) {
    spent_ms_ += at_ms - since_ms_ + ms;
    since_ms_ = thread_ms();
  }
  /// The longest step after which a switch to recounting is still in time.
  double step_ms() const { return kProbeShare * recount_ms_; }

 private:
  static constexpr std::uint64_t kLook = 32;  ///< Edges between two measurements.
  static constexpr double kProbeShare = 0.1;  ///< The share of a recount's time that measurements may take.
  double since_ms_ = 0, spent_ms_ = 0;
  bool is_timed_ = false;
  std::uint64_t done_ = 0, left_, next_look_ = kLook;
  double recount_ms_;
  bool gave_up_ = false;
};

}  // namespace matcha::session::stream
