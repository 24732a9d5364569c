#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace matcha::runtime {

/// What is kept on devices of a graph that stays in memory: its arrays, and what kernels made of them. Shared by the
/// programs and threads that run on it. What a copy is, whoever runs programs on the device knows.
class DeviceCopies {
 public:
  /// The name of a copy.
  struct Key {
    const void* arrays = nullptr;  ///< Of what: an array of the host that lives as long as the copies.
    int device = 0;
    int what = 0;              ///< Says of which type the copy is.
    std::uint64_t number = 0;  ///< Tells copies of one kind apart.
    auto operator<=>(const Key&) const = default;
  };

  /// The copy of that name; `make` gives it where there is none, as a shared pointer, complete: other streams of the
  /// device may read it. Callers that come meanwhile wait. What `make` throws leaves nothing behind.
  template <typename T, typename Make>
  std::shared_ptr<T> get(const Key& key, Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = copies_.find(key);
    if (found != copies_.end()) return std::static_pointer_cast<T>(found->second);
    std::shared_ptr<T> made = make();
    copies_.emplace(key, made);
    return made;
  }

  /// Forgets them; a run that goes on keeps its own until it ends.
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
