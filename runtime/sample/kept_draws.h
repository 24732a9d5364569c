#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "runtime/sample/bounded_draws.h"

namespace matcha::runtime::sample {

/// Moments of draws from one graph that stay, so that a narrower interval goes on with them. Any number of threads may
/// call.
class KeptDraws {
 public:
  /// `key`: of a pattern and a seed. No draws if none are kept.
  MadeDraws find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(key);
    return found == kept_.end() ? MadeDraws() : found->second;
  }

  /// Requires: they go on with those that were found, or with others of the same key.
  void keep(const std::string& key, const MadeDraws& made) {
    constexpr std::size_t kMost = 256;
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= kMost && !kept_.contains(key)) kept_.clear();
    kept_[key] = made;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, MadeDraws> kept_;
};

}  // namespace matcha::runtime::sample
