#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "runtime/sample/bounded_draws.h"

namespace matcha::runtime::sample {

/// A cache of moments of draws from one graph, so that a narrower interval continues with them. Thread-safe.
class KeptDraws {
 public:
  /// The draws of `key`, which stands for a pattern and a seed; no draws if none are cached.
  MadeDraws find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(key);
    return found == kept_.end() ? MadeDraws() : found->second;
  }

  /// Caches draws. Requires: they continue the draws that `find` returned for this key.
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
