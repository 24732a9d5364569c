#pragma once

#include <cstddef>
#include <optional>

namespace matcha::session::stream {

/// Chooses the device that counts deltas by the measured time for an edge on each. It begins with the CPU and
/// occasionally tries the other device, so that trials take a small part of the time, and switches to it if it is
/// faster.
class DeviceChoice {
 public:
  bool is_gpu() const { return on_gpu_; }
  /// A GPU is available from now on.
  void allow_gpu();
  /// Adds a measurement of `edges` edges that took `ms` in total. Edges of the device not in use count only as a trial,
  /// which may be too small. Returns true if the other device is chosen from now on.
  bool add(bool on_gpu, std::size_t edges, double ms);
  /// The time for an edge, if known.
  std::optional<double> each_ms(bool on_gpu) const { return each_ms_[on_gpu]; }
  /// The total time of the CPU so far.
  double cpu_ms() const { return cpu_ms_; }

 private:
  void change(bool tries);
  bool is_faster(bool on_gpu) const;

  bool has_gpu_ = false, on_gpu_ = false, is_trying_ = false;
  bool is_warm_ = false;  ///< The graph is on the device; earlier measurements do not count.
  std::optional<double> each_ms_[2];
  std::size_t edges_ = 0;  ///< Since the last decision,
  double ms_ = 0;          ///< and their time.
  double stays_ms_ = 0;    ///< Time until the next trial of the other device.
  double cpu_ms_ = 0;
};

}  // namespace matcha::session::stream
