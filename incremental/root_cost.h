#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace matcha::session::stream {

/// What it takes to run a program at the roots that a batch touches, and to run it anew, as far as it was measured.
class RootCost {
 public:
  /// Balls that are worth so much are as fast as the whole graph, both before and after a batch.
  std::uint64_t most_arcs(std::uint64_t edges) const {
    if (left_out_ != 0) return 0;
    const double arcs = (anew_ms(edges) / 2 - fixed_ms_) / arc_ms_;
    return arcs <= 0 ? 0 : static_cast<std::uint64_t>(std::min(arcs, 1e18));
  }
  /// A graph of so many edges is laid out and gone through in so much time; roughly, where it was not measured.
  double anew_ms(std::uint64_t edges) const {
    const double all = static_cast<double>(edges), then = static_cast<double>(std::max<std::uint64_t>(edges_, 1));
    const double run = run_ms_ ? *run_ms_ * std::max(all / then, kLeastShare) : all * kRunOfEdge;
    const double layout = layout_ms_ ? *layout_ms_ * std::max(all / then, kLeastShare) : all * kLayoutOfEdge;
    return run + layout;
  }

  /// A ball of so many arcs took so long to make and to run.
  void took_ball(std::uint64_t arcs, double ms) {
    const double count = static_cast<double>(arcs);
    if (arcs < kFewArcs) {
      fixed_ms_ += kWeight * (std::max(ms - arc_ms_ * count, 0.0) - fixed_ms_);
    } else {
      arc_ms_ += kWeight * (std::max((ms - fixed_ms_) / count, kLeastOfArc) - arc_ms_);
    }
  }
  /// A batch took so long at its roots, before and after it.
  void took_roots(double ms) { roots_ms_ += ms; }
  /// Whether the whole graph is to be run once more, to see how long that takes: soon after the first time, which
  /// waits for much that is done once; then for a twentieth of the time.
  bool is_unsure(std::uint64_t edges) const {
    return roots_ms_ > (runs_ < kFirstRuns ? kSoon : kSeldom) * anew_ms(edges);
  }
  /// A batch was taken without them. What is not measured for long may have been held up: it is tried again in the end.
  void did_without() {
    if (left_out_ != 0) --left_out_;
    arc_ms_ = std::max(arc_ms_ * kFaith, kLeastOfArc);
    fixed_ms_ *= kFaith;
  }
  /// They were begun, and the whole graph was run after all: some batches do without, the more the more often.
  void gave_up() {
    constexpr unsigned kMostLeftOut = 8;
    failures_ = std::min(2 * failures_ + 1, kMostLeftOut);
    left_out_ = failures_;
  }
  void succeeded() { failures_ = 0; }
  void took_run(std::uint64_t edges, double ms) {
    // One that took much longer than the last was held up.
    constexpr double kMostGrowth = 1.25;
    run_ms_ = run_ms_ ? std::min(ms, kMostGrowth * *run_ms_) : ms;
    edges_ = edges;
    roots_ms_ = 0;
    ++runs_;
  }
  void took_layout(double ms) { layout_ms_ = ms; }

 private:
  static constexpr double kRunOfEdge = 5e-5, kLayoutOfEdge = 2e-5, kLeastOfArc = 1e-6, kLeastShare = 0.1;
  static constexpr double kWeight = 0.3, kFaith = 0.98;
  static constexpr double kSoon = 2, kSeldom = 20;
  static constexpr std::uint64_t kFewArcs = 4096, kFirstRuns = 3;

  double fixed_ms_ = 0.1, arc_ms_ = 5e-5;
  std::uint64_t edges_ = 0, runs_ = 0;
  double roots_ms_ = 0;  ///< Since the last run.
  unsigned failures_ = 0, left_out_ = 0;
  std::optional<double> run_ms_, layout_ms_;
};

}  // namespace matcha::session::stream
