#pragma once

#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "engines/cliques/roots.h"

namespace matcha::runtime::cliques {

/// Calls `visit(local, root)` for each root, or each root of `maybe_share`, on `threads` threads. Threads take roots
/// with many candidates first and one at a time, then the others in blocks. `local()` returns the state of the calling
/// thread. Waits for all tasks of `tasks`, also for those that `visit` adds. Once `is_ended()` is true, no further root
/// is visited.
template <typename Local, typename IsEnded, typename Visit>
void for_each_root(const Roots& roots, const std::vector<std::uint32_t>* maybe_share, unsigned threads,
                   tbb::task_group& tasks, const Local& local, const IsEnded& is_ended, const Visit& visit) {
  constexpr std::uint64_t kRootsOfTask = 256, kHeavy = 48;
  const std::uint64_t size = maybe_share != nullptr ? maybe_share->size() : roots.size;
  const auto root_at = [&](std::uint64_t at) { return maybe_share != nullptr ? (*maybe_share)[at] : at; };
  if (threads == 1) {
    auto& mine = local();
    for (std::uint64_t at = 0; at < size; ++at) {
      if (at % kRootsOfTask == 0 && is_ended()) return;
      visit(mine, root_at(at));
    }
    return;
  }
  std::vector<std::uint32_t> heavy;
  for (std::uint64_t at = 0; at < size; ++at) {
    if (roots.count(root_at(at)) >= kHeavy) heavy.push_back(static_cast<std::uint32_t>(root_at(at)));
  }
  std::ranges::stable_sort(heavy, std::greater(), [&](std::uint32_t v) { return roots.count(v); });
  const std::uint64_t blocks = (size + kRootsOfTask - 1) / kRootsOfTask;
  std::atomic<std::uint64_t> next{0};
  const auto work = [&] {
    auto& mine = local();
    for (;;) {
      const std::uint64_t at = next.fetch_add(1);
      if (at >= heavy.size() + blocks || is_ended()) return;
      if (at < heavy.size()) {
        visit(mine, heavy[at]);
        continue;
      }
      const std::uint64_t first = (at - heavy.size()) * kRootsOfTask;
      for (std::uint64_t i = first; i < std::min(size, first + kRootsOfTask); ++i) {
        if (roots.count(root_at(i)) < kHeavy) visit(mine, root_at(i));
      }
    }
  };
  for (unsigned i = 0; i < threads; ++i) tasks.run(work);
  tasks.wait();
}

}  // namespace matcha::runtime::cliques
