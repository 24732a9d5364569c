#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "planner/prices.h"

namespace matcha::session::stream {

/// Measured costs of running a program at the roots that a batch touches, and of running it on the whole graph.
class RootCost {
 public:
  /// The size of balls that cost as much as the whole graph, counting both before and after a batch.
  std::uint64_t most_arcs(std::uint64_t edges) const {
    if (left_out_ != 0) return 0;
    const double arcs = (whole_run_ms(edges) / 2 - fixed_ms_) / arc_ms_;
    return arcs <= 0 ? 0 : static_cast<std::uint64_t>(std::min(arcs, 1e18));
  }
  /// The time to build and process a graph of `edges` edges; a rough estimate unless measured.
  double whole_run_ms(std::uint64_t edges) const {
    const double all = static_cast<double>(edges), then = static_cast<double>(std::max<std::uint64_t>(edges_, 1));
    const double run = run_ms_ ? *run_ms_ * std::max(all / then, kLeastShare) : all * kRunOfEdge;
    const double layout = layout_ms_ ? *layout_ms_ * std::max(all / then, kLeastShare) : all * kLayoutOfEdge;
    return run + layout;
  }

  /// Adds a measurement: a ball of `arcs` arcs took `ms` to build and run.
  void add_ball_time(std::uint64_t arcs, double ms) {
    const double count = static_cast<double>(arcs);
    if (arcs < kFewArcs) {
      fixed_ms_ += kWeight * (std::max(ms - arc_ms_ * count, 0.0) - fixed_ms_);
    } else {
      arc_ms_ += kWeight * (std::max((ms - fixed_ms_) / count, kLeastOfArc) - arc_ms_);
    }
  }
  /// Adds a measurement: a batch took `ms` at its roots, before and after it.
  void add_roots_time(double ms) { roots_ms_ += ms; }
  /// True if the whole graph should be run again to measure it: soon after the first time, which includes one-time
  /// work; later for 5 % of the time.
  bool needs_measurement(std::uint64_t edges) const {
    return roots_ms_ > (runs_ < kFirstRuns ? kEarlyProbe : kLateProbe) * whole_run_ms(edges);
  }
  /// A batch was answered without roots. After a long time without measurements, roots are tried again, as the last one
  /// may have been delayed.
  void skip_roots() {
    if (left_out_ != 0) --left_out_;
    arc_ms_ = std::max(arc_ms_ * kDecay, kLeastOfArc);
    fixed_ms_ *= kDecay;
  }
  /// Roots were begun, but the whole graph was run in the end: the next batches do without roots, the more the more
  /// often that happens.
  void count_failure() {
    constexpr unsigned kMostLeftOut = 8;
    failures_ = std::min(2 * failures_ + 1, kMostLeftOut);
    left_out_ = failures_;
  }
  void succeeded() { failures_ = 0; }
  void add_whole_run_time(std::uint64_t edges, double ms) {
    // A run that took much longer than the last one was delayed.
    constexpr double kMostGrowth = 1.25;
    run_ms_ = run_ms_ ? std::min(ms, kMostGrowth * *run_ms_) : ms;
    edges_ = edges;
    roots_ms_ = 0;
    ++runs_;
  }
  void add_layout_time(double ms) { layout_ms_ = ms; }

 private:
  static constexpr double kRunOfEdge = planner::price::stream_run / 1e6;
  static constexpr double kLayoutOfEdge = planner::price::stream_layout / 1e6;
  static constexpr double kLeastOfArc = 1e-6, kLeastShare = 0.1;
  static constexpr double kWeight = 0.3, kDecay = 0.98;
  static constexpr double kEarlyProbe = 2, kLateProbe = 20;
  static constexpr std::uint64_t kFewArcs = 4096, kFirstRuns = 3;

  double fixed_ms_ = planner::price::stream_ball / 1e6, arc_ms_ = planner::price::stream_ball_arc / 1e6;
  std::uint64_t edges_ = 0, runs_ = 0;
  double roots_ms_ = 0;  ///< Since the last run of the whole graph.
  unsigned failures_ = 0, left_out_ = 0;
  std::optional<double> run_ms_, layout_ms_;
};

}  // namespace matcha::session::stream
