#include "engines/cliques/edge_trees.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <new>

namespace matcha::runtime::cliques {

namespace {

using motif::End;

constexpr std::uint64_t kNodesOfEndPoll = 1 << 14;
/// A row that is longer than the list by this factor is searched for its items instead of read.
constexpr std::uint64_t kMuchLonger = 24;

/// The items of both ascending lists.
void intersect(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::vector<std::uint32_t>& both) {
  both.clear();
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() > kMuchLonger * a.size()) {
    auto from = b.begin();
    for (const std::uint32_t item : a) {
      from = std::lower_bound(from, b.end(), item);
      if (from == b.end()) return;
      if (*from == item) both.push_back(item);
    }
    return;
  }
  both.resize(a.size());
  std::uint64_t length = 0, j = 0;
  for (std::uint64_t i = 0; i < a.size() && j < b.size();) {
    // Without a branch, which the items would mislead.
    const std::uint32_t x = a[i], y = b[j];
    both[length] = x;
    length += x == y ? 1 : 0;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  both.resize(length);
}

}  // namespace

EdgeOrder::EdgeOrder(std::vector<Edge> edges) : edges_(std::move(edges)) {
  if (edges_.size() < 2) return;
  ends_.reserve(edges_.size());
  for (std::uint64_t place = 0; place < edges_.size(); ++place) {
    const auto [u, v] = edges_[place];
    ends_[u].push_back({v, place});
    ends_[v].push_back({u, place});
  }
}

EdgeTrees::EdgeTrees(std::uint32_t size, Tier tier) : walk_(walk_tree(tier)) {
  tree_.size = size;
  tree_.walker = this;
  tree_.poll = [](Tree& tree) {
    const match::Stops& stops = static_cast<EdgeTrees*>(tree.walker)->stops_;
    tree.next_poll = tree.nodes + kNodesOfEndPoll;
    tree.ended = stops.is_stopped() || stops.is_late();
  };
}

void EdgeTrees::find_common(const EdgeOrder& order, std::uint64_t at, const NearOf& near) {
  const auto [u, v] = order.edge(at);
  intersect(near(u), near(v), common_);
  for (const std::uint32_t end : {u, v}) {
    order.for_each_before(at, end, [&](std::uint32_t other) {
      const auto found = std::ranges::lower_bound(common_, other);
      if (found != common_.end() && *found == other) common_.erase(found);
    });
  }
}

void EdgeTrees::add(const EdgeOrder& order, std::uint64_t at, const NearOf& near, std::uint64_t vertices,
                    const match::Stops& stops) {
  stops_ = stops;
  if (places_.size() < vertices) places_.resize(vertices);
  find_common(order, at, near);
  const std::uint64_t width = common_.size();
  if (width + 2 < tree_.size) return;
  if (widths_.size() <= width) widths_.resize(width + 1);
  ++widths_[width];
  make_room(width);
  walk(order, at, near, common_, 2);
}

/// Cliques of `held` vertices that all candidates are adjacent to, and some of these.
void EdgeTrees::walk(const EdgeOrder& order, std::uint64_t at, const NearOf& near,
                     const std::vector<std::uint32_t>& candidates, std::uint32_t held) {
  const std::uint64_t count = candidates.size();
  const std::uint32_t missing = tree_.size == 0 ? 0 : tree_.size - held;
  if (count < missing) return;
  if (tree_.size == held) return leaves_->add(held, 0);
  if (count <= 1 || missing == 1) return leaves_->add(held, count);
  if (count <= kMostBits) {
    const std::uint64_t edges = write_rows(order, at, near, candidates);
    if (tree_.size != 0 && edges * 2 < std::uint64_t{missing} * (missing - 1)) return;
    std::uint64_t set[kMostBits / 64] = {};
    for (std::uint64_t i = 0; i < count; ++i) set[i / 64] |= std::uint64_t{1} << i % 64;
    return walk_(tree_, rows_.data(), words_of(count), set, held, 0, 0);
  }
  // Too many for rows of bits: they are taken one by one.
  leaves_->add(held, 0);
  std::vector<std::uint32_t> both;
  for (std::uint64_t i = 0; i < count && !tree_.ended; ++i) {
    intersect(near(candidates[i]), {candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1, candidates.end()}, both);
    order.for_each_before(at, candidates[i], [&](std::uint32_t other) { std::erase(both, other); });
    walk(order, at, near, both, held + 1);
  }
}

/// Gives the edges among the candidates.
std::uint64_t EdgeTrees::write_rows(const EdgeOrder& order, std::uint64_t at, const NearOf& near,
                                    const std::vector<std::uint32_t>& candidates) {
  const std::uint64_t count = candidates.size(), words = words_of(count);
  if (words > row_words_) {
    rows_ = Buffer<std::uint64_t>(words * 64 * words);
    narrow_rows_ = Buffer<std::uint64_t>(narrow_words(words));
    tree_.narrow_rows = narrow_rows_.data();
    row_words_ = words;
    // Vectors read rows beyond the last candidate.
    std::memset(rows_.data(), 0, words * 64 * words * sizeof(std::uint64_t));
  }
  std::memset(rows_.data(), 0, count * words * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) places_[candidates[i]] = static_cast<std::uint16_t>(i + 1);
  std::uint64_t edges = 0;
  const auto join = [&](std::uint64_t i, std::uint64_t j) {
    rows_[i * words + j / 64] |= std::uint64_t{1} << j % 64;
    rows_[j * words + i / 64] |= std::uint64_t{1} << i % 64;
    ++edges;
  };
  for (std::uint64_t i = 0; i + 1 < count; ++i) {
    std::span<const std::uint32_t> row = near(candidates[i]);
    const auto first = std::ranges::lower_bound(row, candidates[i + 1]),
               end = std::upper_bound(first, row.end(), candidates.back());
    row = {first, end};
    if (row.size() > kMuchLonger * (count - i)) {
      auto from = row.begin();
      for (std::uint64_t j = i + 1; j < count && from != row.end(); ++j) {
        from = std::lower_bound(from, row.end(), candidates[j]);
        if (from != row.end() && *from == candidates[j]) join(i, j);
      }
      continue;
    }
    for (const std::uint32_t other : row) {
      if (places_[other] != 0) join(i, places_[other] - 1U);
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    order.for_each_before(at, candidates[i], [&](std::uint32_t other) {
      if (places_[other] == 0 || places_[other] <= i) return;
      const std::uint64_t j = places_[other] - 1U;
      rows_[i * words + j / 64] &= ~(std::uint64_t{1} << j % 64);
      rows_[j * words + i / 64] &= ~(std::uint64_t{1} << i % 64);
      --edges;
    });
  }
  for (const std::uint32_t candidate : candidates) places_[candidate] = 0;
  return edges;
}

/// Makes room in the leaves for this number of candidates.
void EdgeTrees::make_room(std::uint64_t candidates) {
  constexpr std::uint64_t kLeastRoom = 16;
  if (leaves_ != nullptr && candidates <= room_) return;
  flush();
  room_ = std::max(kLeastRoom, std::bit_ceil(candidates));
  leaves_ = std::make_unique<Leaves>(static_cast<std::uint32_t>(room_ + 1), tree_.size);
  leaves_->take(tree_);
}

void EdgeTrees::flush() {
  if (leaves_ == nullptr) return;
  const std::vector<WideInt> counts = leaves_->counts();
  leaves_.reset();
  counts_.resize(std::max(counts_.size(), counts.size()));
  for (std::uint64_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
}

std::vector<WideInt> EdgeTrees::take_counts() {
  flush();
  return std::exchange(counts_, {});
}

struct EdgeCounter::Threads {
  Threads(std::uint32_t size, Tier tier) : trees([size, tier] { return EdgeTrees(size, tier); }) {}
  tbb::enumerable_thread_specific<EdgeTrees> trees;
};

EdgeCounter::EdgeCounter(std::uint32_t size, Tier tier, unsigned threads)
    : size_(size), tier_(tier), thread_count_(threads), threads_(std::make_unique<Threads>(size, tier)) {}

EdgeCounter::~EdgeCounter() = default;

Result<EdgeOutcome> EdgeCounter::count(const EdgeOrder& order, const NearOf& near, std::uint64_t vertices,
                                       const match::Stops& stops) {
  // Threads are woken for longer work.
  constexpr double kMsOfOneThread = 0.2;
  constexpr std::uint64_t kEdgesBetweenPolls = 16;
  EdgeOutcome outcome;
  std::atomic<End> end{End::Complete};
  const auto poll_ended = [&] {
    if (end != End::Complete) return true;
    if (stops.is_stopped()) end = End::Stopped;
    if (stops.is_late()) end = End::Deadline;
    return end != End::Complete;
  };
  try {
    const auto add = [&](EdgeTrees& trees, std::uint64_t at) {
      trees.add(order, at, near, vertices, stops);
      if (trees.ended()) (void)poll_ended();
    };
    const auto began = std::chrono::steady_clock::now();
    std::uint64_t at = 0;
    for (EdgeTrees& mine = threads_->trees.local(); at < order.size(); ++at) {
      if (at % kEdgesBetweenPolls == 0 && poll_ended()) break;
      if (thread_count_ > 1 && match::ms_since(began) > kMsOfOneThread) break;
      add(mine, at);
    }
    if (at < order.size() && !poll_ended()) {
      tbb::parallel_for(at, order.size(), [&](std::uint64_t edge) {
        if (!poll_ended()) add(threads_->trees.local(), edge);
      });
    }
    if (poll_ended()) {
      outcome.end = end;
      threads_ = std::make_unique<Threads>(size_, tier_);
      return outcome;
    }
    std::vector<std::uint64_t> widths;
    for (EdgeTrees& trees : threads_->trees) {
      const std::vector<WideInt> counts = trees.take_counts();
      const std::vector<std::uint64_t> some = trees.take_widths();
      outcome.counts.resize(std::max(outcome.counts.size(), counts.size()));
      for (std::uint64_t i = 0; i < counts.size(); ++i) outcome.counts[i] += counts[i];
      widths.resize(std::max(widths.size(), some.size()));
      for (std::uint64_t i = 0; i < some.size(); ++i) widths[i] += some[i];
    }
    outcome.bits = bits_of_counts(widths, size_ == 0 ? 0 : size_ - 1);
    return outcome;
  } catch (const std::bad_alloc&) {
    threads_.reset();
    return Error{ErrorKind::Resource, "not enough memory to count cliques", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::cliques
