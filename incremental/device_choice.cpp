#include "incremental/device_choice.h"

#include <algorithm>

namespace matcha::session::stream {

namespace {

/// The number of edges in a significant measurement.
constexpr std::size_t kSampleEdges = 4096;
/// A device must be faster by this factor.
constexpr double kMargin = 1.25;
/// A trial may take 1 / kTrials of the time until the next one, which is at least kLeastStay ms later.
constexpr double kTrials = 20, kLeastStay = 500;

}  // namespace

void DeviceChoice::allow_gpu() {
  has_gpu_ = true;
  stays_ms_ = 0;
}

bool DeviceChoice::is_faster(bool on_gpu) const {
  return each_ms_[on_gpu] && each_ms_[!on_gpu] && *each_ms_[on_gpu] * kMargin < *each_ms_[!on_gpu];
}

void DeviceChoice::change(bool tries) {
  on_gpu_ = !on_gpu_;
  is_trying_ = tries;
  edges_ = 0;
  ms_ = 0;
}

bool DeviceChoice::add(bool on_gpu, std::size_t edges, double ms) {
  if (!on_gpu) cpu_ms_ += ms;
  if (on_gpu != on_gpu_ || edges == 0) return false;
  if (on_gpu && !is_warm_) {
    is_warm_ = true;
    return false;
  }
  edges_ += edges;
  ms_ += ms;
  stays_ms_ -= ms;
  if (edges_ < kSampleEdges) return false;
  bool is_settled = false;
  each_ms_[on_gpu] = ms_ / static_cast<double>(edges_);
  if (is_trying_) {
    const double tried_ms = ms_;
    is_settled = is_faster(on_gpu);
    if (is_settled) {
      is_trying_ = false;
    } else {
      change(false);
    }
    stays_ms_ = std::max(kTrials * tried_ms, kLeastStay);
  } else if (is_faster(!on_gpu)) {
    is_settled = true;
    change(false);
  } else if (has_gpu_ && stays_ms_ <= 0) {
    change(true);
  }
  edges_ = 0;
  ms_ = 0;
  return is_settled;
}

}  // namespace matcha::session::stream
