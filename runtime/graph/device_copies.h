#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace matcha::runtime {

/// Copies on devices of the arrays of one graph, and the arrays that kernels derived from them. All programs and
/// threads that use the graph share them. The callers that run programs on a device define the types of the copies.
class DeviceCopies {
 public:
  /// The name of a copy.
  struct Key {
    const void* arrays = nullptr;  ///< The array in host memory that is copied; it outlives the copies.
    int device = 0;
    int what = 0;              ///< The type of the copy.
    std::uint64_t number = 0;  ///< Distinguishes copies of one type.
    auto operator<=>(const Key&) const = default;
  };

  /// Returns the copy with this name. If it is missing, `make` creates it as a shared pointer; it must be complete,
  /// since other streams of the device may read it. Concurrent callers wait. An exception from `make` leaves no copy.
  template <typename T, typename Make>
  std::shared_ptr<T> get(const Key& key, Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = copies_.find(key);
    if (found != copies_.end()) return std::static_pointer_cast<T>(found->second);
    std::shared_ptr<T> made = make();
    copies_.emplace(key, made);
    return made;
  }

  /// Drops all copies; a run in progress keeps its own until it ends.
  void release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    copies_.clear();
  }

  std::size_t count() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return copies_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::map<Key, std::shared_ptr<void>> copies_;
};

}  // namespace matcha::runtime
