#include "runtime/messages/counter.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "runtime/graph/detail/source.h"
#include "runtime/messages/forest.h"
#include "runtime/motif/sum.h"

namespace matcha::runtime::messages {

namespace {

/// Images of a vertex of the pattern, each with the maps of what is below it.
struct Images {
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> maps;
  Zeros<std::uint64_t> by_rank;  ///< All 0 between two uses.
  bool ascend = true;            ///< The ranks do.

  void clear() {
    ranks.clear();
    maps.clear();
    ascend = true;
  }
  void add(std::uint32_t rank, std::uint64_t number) {
    ranks.push_back(rank);
    maps.push_back(number);
  }
};

/// Counts for one image of the top after the other; belongs to a thread.
class Worker {
 public:
  explicit Worker(const Forest& forest) : forest_(&forest), images_(static_cast<std::size_t>(forest.size())) {}

  void visit(std::uint32_t image) {
    const Node& top = forest_->top();
    if (!forest_->may_be(top, image)) return;
    std::uint64_t all = 1;
    for (const int child : top.pendants) {
      all = forest_->product(all, forest_->sum(forest_->node(child), image));
      if (all == 0) return;
    }
    for (const int root : top.strands) {
      gather(forest_->node(root), image);
      std::uint64_t maps = 0;
      for (const std::uint64_t each : of(root).maps) maps = forest_->added(maps, each);
      all = forest_->product(all, maps);
      if (all == 0) return;
    }
    sum_.add(static_cast<__int128>(all));
  }
  const motif::Sum& sum() const { return sum_; }

 private:
  Images& of(int vertex) { return images_[static_cast<std::size_t>(vertex)]; }
  std::uint64_t* by_rank(Images& images) {
    if (!images.by_rank) images.by_rank = Zeros<std::uint64_t>(forest_->universe());
    return images.by_rank.get();
  }

  /// Finds the images of a vertex whose tree is tied to the cut, for this image of the cut.
  void gather(const Node& node, std::uint32_t cut) {
    Images& mine = of(node.vertex);
    mine.clear();
    if (node.is_tied) {
      walk(node.tie, cut, [&](std::uint32_t image) {
        if (!forest_->may_be(node, image)) return;
        if (const std::uint64_t maps = forest_->weight(node, image); maps != 0) mine.add(image, maps);
      });
      if (mine.ranks.empty()) return;
    }
    bool is_known = node.is_tied;
    for (const int child : node.strands) {
      gather(forest_->node(child), cut);
      if (of(child).ranks.empty()) return mine.clear();
      if (is_known) {
        meet(mine, forest_->node(child));
      } else {
        find(node, forest_->node(child));
      }
      is_known = true;
      if (mine.ranks.empty()) return;
    }
  }

  /// The images of a vertex by those of a child.
  void find(const Node& node, const Node& child) {
    Images& mine = of(node.vertex);
    const Images& theirs = of(child.vertex);
    std::uint64_t reach = 0;
    for (const std::uint32_t rank : theirs.ranks) {
      const Ranks row = child.up[0]->of(rank);
      __builtin_prefetch(row.data());
      reach += row.size();
    }
    if (reach <= kFew && forest_->universe() > kSmallUniverse) return find_few(node, child);
    send(theirs, child.up, mine, mine.ranks);
    mine.ascend = false;
    std::uint64_t* const sums = mine.by_rank.get();
    std::size_t kept = 0;
    for (const std::uint32_t rank : mine.ranks) {
      const bool may_be = forest_->may_be(node, rank);
      const std::uint64_t maps = may_be ? forest_->product(sums[rank], forest_->weight(node, rank)) : 0;
      sums[rank] = 0;
      if (maps == 0) continue;
      mine.ranks[kept++] = rank;
      mine.maps.push_back(maps);
    }
    mine.ranks.resize(kept);
  }

  /// The same of few, which are sorted: numbers by rank would be all over the memory.
  void find_few(const Node& node, const Node& child) {
    const Images& theirs = of(child.vertex);
    few_.clear();
    for (std::size_t i = 0; i < theirs.ranks.size(); ++i) {
      walk(child.up, theirs.ranks[i], [&](std::uint32_t rank) {
        if (forest_->may_be(node, rank)) few_.emplace_back(rank, theirs.maps[i]);
      });
    }
    if (theirs.ranks.size() > 1) std::sort(few_.begin(), few_.end());
    Images& mine = of(node.vertex);
    for (std::size_t i = 0; i < few_.size();) {
      const std::uint32_t rank = few_[i].first;
      std::uint64_t maps = 0;
      for (; i < few_.size() && few_[i].first == rank; ++i) maps = forest_->added(maps, few_[i].second);
      maps = forest_->product(maps, forest_->weight(node, rank));
      if (maps != 0) mine.add(rank, maps);
    }
  }

  /// Adds the maps of each image of a child to those of the parent's images that go with it; `reached`: these.
  void send(const Images& from, const EdgeSide& up, Images& to, std::vector<std::uint32_t>& reached) {
    std::uint64_t* const sums = by_rank(to);
    for (std::size_t i = 0; i < from.ranks.size(); ++i) {
      walk(up, from.ranks[i], [&](std::uint32_t rank) {
        if (sums[rank] == 0) reached.push_back(rank);
        sums[rank] = forest_->added(sums[rank], from.maps[i]);
      });
    }
  }

  /// Multiplies the maps of known images by those of a child, in the cheaper direction.
  void meet(Images& mine, const Node& child) {
    const Images& theirs = of(child.vertex);
    std::uint64_t asking = 0, sending = 0;
    for (const std::uint32_t rank : mine.ranks) {
      const Ranks row = child.down[0]->of(rank);
      __builtin_prefetch(row.data());
      asking += price_of_asking(row, theirs);
    }
    if (asking > kFew) {
      for (const std::uint32_t rank : theirs.ranks) sending += child.up[0]->of(rank).size();
    }
    if (asking <= kFew || asking <= 2 * sending) return ask(mine, child);
    reached_.clear();
    send(theirs, child.up, mine, reached_);
    std::uint64_t* const sums = mine.by_rank.get();
    keep(mine, [&](std::uint32_t rank) { return sums[rank]; });
    for (const std::uint32_t rank : reached_) sums[rank] = 0;
  }

  static std::uint64_t price_of_asking(Ranks row, const Images& theirs) {
    return std::min<std::uint64_t>(row.size(), kSearch * theirs.ranks.size());
  }

  void ask(Images& mine, const Node& child) {
    Images& theirs = of(child.vertex);
    if (theirs.ascend && theirs.ranks.size() <= kMerged && forest_->universe() > kSmallUniverse) {
      return keep(mine, [&](std::uint32_t rank) {
        const bool searches = child.down[0]->of(rank).size() > kSearch * theirs.ranks.size();
        return searches ? search(child.down, rank, theirs) : merge(child.down, rank, theirs);
      });
    }
    std::uint64_t* const sums = by_rank(theirs);
    for (std::size_t i = 0; i < theirs.ranks.size(); ++i) sums[theirs.ranks[i]] = theirs.maps[i];
    keep(mine, [&](std::uint32_t rank) {
      const Ranks row = child.down[0]->of(rank);
      const bool searches = row.size() > kSearch * theirs.ranks.size();
      return searches ? search(child.down, rank, theirs) : add_up(child.down, rank, sums);
    });
    for (const std::uint32_t rank : theirs.ranks) sums[rank] = 0;
  }

  /// The numbers of the items of a row.
  std::uint64_t add_up(const EdgeSide& down, std::uint32_t rank, const std::uint64_t* sums) const {
    std::uint64_t all = 0;
    for (const std::uint32_t other : down[0]->of(rank)) {
      if (sums[other] == 0) continue;
      bool is_in_all = true;
      for (std::size_t i = 1; i < down.size() && is_in_all; ++i) is_in_all = contains(down[i]->of(rank), other);
      if (is_in_all) all = forest_->added(all, sums[other]);
    }
    return all;
  }

  /// The same by walking side by side what ascends.
  std::uint64_t merge(const EdgeSide& down, std::uint32_t rank, const Images& theirs) const {
    std::uint64_t all = 0;
    std::size_t i = 0;
    for (const std::uint32_t other : down[0]->of(rank)) {
      while (i < theirs.ranks.size() && theirs.ranks[i] < other) ++i;
      if (i == theirs.ranks.size()) break;
      if (theirs.ranks[i] != other) continue;
      bool is_in_all = true;
      for (std::size_t k = 1; k < down.size() && is_in_all; ++k) is_in_all = contains(down[k]->of(rank), other);
      if (is_in_all) all = forest_->added(all, theirs.maps[i]);
    }
    return all;
  }

  /// The same, of a row much longer than the images that may be in it.
  std::uint64_t search(const EdgeSide& down, std::uint32_t rank, const Images& theirs) const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < theirs.ranks.size(); ++i) {
      bool is_in_all = true;
      for (std::size_t k = 0; k < down.size() && is_in_all; ++k)
        is_in_all = contains(down[k]->of(rank), theirs.ranks[i]);
      if (is_in_all) all = forest_->added(all, theirs.maps[i]);
    }
    return all;
  }

  template <typename Factor>
  void keep(Images& mine, const Factor& factor) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < mine.ranks.size(); ++i) {
      const std::uint64_t maps = forest_->product(mine.maps[i], factor(mine.ranks[i]));
      if (maps == 0) continue;
      mine.ranks[kept] = mine.ranks[i];
      mine.maps[kept++] = maps;
    }
    mine.ranks.resize(kept);
    mine.maps.resize(kept);
  }

  /// Steps of a search in a long row, roughly, in items that are walked.
  static constexpr std::uint64_t kSearch = 16;
  /// So few items are walked without a look at the other direction, or sorted.
  static constexpr std::uint64_t kFew = 128;
  /// So few images are walked beside each row.
  static constexpr std::size_t kMerged = 32;
  /// Numbers for so many ranks are in the caches of a core, and nothing else is worth it.
  static constexpr std::uint64_t kSmallUniverse = std::uint64_t{1} << 15;

  const Forest* forest_;
  std::vector<Images> images_;
  std::vector<std::uint32_t> reached_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> few_;
  motif::Sum sum_;
};

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Result<MapOutcome> count_maps(const Graph& graph, const MapQuery& query, const MapPlan& plan,
                              const MapRequest& request) {
  try {
    MapOutcome outcome;
    if (query.is_impossible) return outcome;
    auto begin = std::chrono::steady_clock::now();
    const Result<LabelTable> table = graph.label_slices().table(graph);
    if (!table) return table.error();
    const Forest forest(graph, *table, query, plan);
    outcome.index_ms = ms_since(begin);
    begin = std::chrono::steady_clock::now();
    const Ranks all = forest.candidates();
    const std::uint64_t first = all.size() * request.part / request.parts;
    const std::uint64_t last = all.size() * (request.part + 1) / request.parts;
    tbb::enumerable_thread_specific<Worker> workers([&] { return Worker(forest); });
    motif::VertexLoop loop(last - first, request.threads, request.stops);
    loop(workers, [&](Worker& worker, std::uint64_t at) { worker.visit(all[first + at]); });
    outcome.end = loop.end();
    outcome.positions = last - first;
    motif::Sum sum;
    for (const Worker& worker : workers) sum.add(worker.sum());
    outcome.maps = sum.value();
    outcome.overflow = forest.overflowed() || sum.overflow();
    outcome.count_ms = ms_since(begin);
    return outcome;
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error("");
  }
}

}  // namespace matcha::runtime::messages
