#pragma once

#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "engines/cliques/roots.h"

namespace matcha::runtime::cliques {

/// Calls `visit(local, root)` for each root, on so many threads: the widest first, one by one, then all others in
/// blocks. `local()` gives what a thread has for itself. Tasks that `tasks` has or gets are waited for. Once
/// `is_ended()` further roots are left out.
template <typename Local, typename IsEnded, typename Visit>
void for_each_root(const Roots& roots, unsigned threads, tbb::task_group& tasks, const Local& local,
                   const IsEnded& is_ended, const Visit& visit) {
  constexpr std::uint64_t kRootsOfTask = 256, kHeavy = 48;
  if (threads == 1) {
    auto& mine = local();
    for (std::uint64_t v = 0; v < roots.size; ++v) {
      if (v % kRootsOfTask == 0 && is_ended()) return;
      visit(mine, v);
    }
    return;
  }
  std::vector<std::uint32_t> heavy;
  for (std::uint64_t v = 0; v < roots.size; ++v) {
    if (roots.count(v) >= kHeavy) heavy.push_back(static_cast<std::uint32_t>(v));
  }
  std::ranges::stable_sort(heavy, std::greater(), [&](std::uint32_t v) { return roots.count(v); });
  const std::uint64_t blocks = (roots.size + kRootsOfTask - 1) / kRootsOfTask;
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
      for (std::uint64_t v = first; v < std::min(roots.size, first + kRootsOfTask); ++v) {
        if (roots.count(v) < kHeavy) visit(mine, v);
      }
    }
  };
  for (unsigned i = 0; i < threads; ++i) tasks.run(work);
  tasks.wait();
}

}  // namespace matcha::runtime::cliques
