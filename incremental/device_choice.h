#pragma once

#include <cstddef>
#include <optional>

namespace matcha::session::stream {

/// Which of two devices counts what edges do, by what an edge took on each. It begins on the CPU; the other one is
/// tried now and then, so that a trial takes a small part of the time, and used from there on where it is sooner.
class DeviceChoice {
 public:
  bool is_gpu() const { return on_gpu_; }
  /// There is a GPU from now on.
  void allow_gpu();
  /// So many edges were counted there, and took so long, all in all. Other edges than those of the device in use, which
  /// may be too few for it, say nothing. Whether it is settled that the other one counts from now on.
  bool add(bool on_gpu, std::size_t edges, double ms);
  /// What an edge takes, where it is known.
  std::optional<double> each_ms(bool on_gpu) const { return each_ms_[on_gpu]; }
  /// What the CPU has taken so far.
  double cpu_ms() const { return cpu_ms_; }

 private:
  void change(bool tries);
  bool is_sooner(bool on_gpu) const;

  bool has_gpu_ = false, on_gpu_ = false, is_trying_ = false;
  bool is_warm_ = false;  ///< The graph is there: what came first says nothing.
  std::optional<double> each_ms_[2];
  std::size_t edges_ = 0;  ///< Since the last look,
  double ms_ = 0;          ///< and what they took.
  double stays_ms_ = 0;    ///< Until the other one is tried.
  double cpu_ms_ = 0;
};

}  // namespace matcha::session::stream
