#include "runtime/match/search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/common/leaf_ways.h"
#include "runtime/match/candidates.h"

namespace matcha::runtime::match {

namespace {

constexpr std::uint32_t kChunk = 1U << 16;
/// Of a row that was not made yet.
constexpr std::uint32_t kUnmade = ~std::uint32_t{0};
/// What a set kernel may write past its result.
constexpr std::uint32_t kSlack = 16;
constexpr std::uint64_t kStepsPerLook = 1024;

Count times(Count a, Count b) {
  Count product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kTooMany : product;
}

Count plus(Count a, Count b) {
  Count sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kTooMany : sum;
}

}  // namespace

// In no header, since C programs have a type with the name of its namespace.
struct Search::LeafMemory {
  matcha_program::LeafRoom room;
};

Search::~Search() = default;

Search::Search(const Candidates& candidates, const Query& query, const SetKernels& kernels, const SearchLimits& limits)
    : candidates_(candidates),
      query_(query),
      kernels_(kernels),
      limits_(limits),
      owner_(candidates.size(), 0),
      marks_(candidates.size(), 0),
      buffers_(at(query.size)),
      rows_(candidates.size(), nullptr) {
  weights_.fill(1);
  const bool any_label = std::ranges::any_of(query.labels, [](const auto& label) { return !label; });
  for (int u = 0; u < query.size; ++u) {
    for (int w = 0; w < query.size; ++w) {
      const bool may_meet = !query.labels[at(u)] || !query.labels[at(w)] || query.labels[at(u)] == query.labels[at(w)];
      if (may_meet) same_label_[at(u)] |= bit(w);
    }
    // A vertex without a label may meet all, so that there is one group.
    if (any_label) same_label_[at(u)] = query.all();
  }
}

void Search::begin(Order order, std::uint32_t turn, std::uint64_t most_steps) {
  order_ = order;
  turn_ = turn;
  last_step_ = most_steps > ~steps_ ? ~std::uint64_t{0} : steps_ + most_steps;
  look_at_ = std::min(steps_ + 1, last_step_);
  found_ = 0;
  over_ = false;
  ending_ = SearchEnding::Complete;
}

SearchEnding Search::run(Order order, std::uint32_t turn, std::uint64_t most_steps) {
  begin(order, turn, most_steps);
  if (!candidates_.none() && query_.size != 0) extend();
  return ending_;
}

SearchEnding Search::run_shared(WorkPool<Task>& pool, bool first) {
  begin(Order::Fewest, 0, ~std::uint64_t{0});
  maybe_pool_ = &pool;
  if (first && !candidates_.none() && query_.size != 0) {
    extend();
    finished_ = weight_ - away_;
  }
  weight_ = away_ = 0;
  while (!over_) {
    const std::optional<Task> task = pool.take();
    if (!task) break;
    run_task(*task);
  }
  if (over_) pool.end();
  return ending_;
}

/// Takes the images that were taken when the part was given away; none of them fails, in any order: what is left for
/// each vertex is the same.
void Search::run_task(const Task& task) {
  std::vector<std::pair<Mask, std::size_t>> states;
  for (const auto& [u, image] : task.taken) {
    states.emplace_back(listed_, undo_.size());
    assign(u, image);
  }
  weight_ = task.weight;
  away_ = 0;
  try_images(task.vertex, List{task.images.data(), static_cast<std::uint32_t>(task.images.size())});
  finished_ += weight_ - away_;
  weight_ = away_ = 0;
  for (std::size_t i = task.taken.size(); i-- > 0;) {
    unassign(task.taken[i].first, task.taken[i].second, states[i].first, states[i].second);
  }
}

/// Half of what the first vertex with enough of it has left. Frames below are those of the task, which has no frame.
void Search::give_away() {
  double weight = weight_;
  for (std::size_t depth = 0; depth < depth_; ++depth) {
    Frame& frame = frames_[depth];
    weight /= frame.images.size;
    if (frame.left < 2) continue;
    Task task;
    const std::uint32_t given = frame.left / 2;
    frame.left -= given;
    frame.shared = true;
    task.weight = weight * given;
    away_ += task.weight;
    task.vertex = frame.vertex;
    const std::uint32_t* const begin = frame.images.items + frame.next + 1 + frame.left;
    task.images.assign(begin, begin + given);
    // All that are assigned but those of this frame and of later ones.
    Mask before = assigned_;
    for (std::size_t later = depth; later < depth_; ++later) before &= ~bit(frames_[later].vertex);
    for_each(before, [&](int u) { task.taken.emplace_back(u, images_[at(u)]); });
    maybe_pool_->give(std::move(task));
    return;
  }
}

/// The share of all that is done here; what was given away is not.
double Search::done() const {
  double weight = weight_, done = finished_ - away_;
  for (std::size_t depth = 0; depth < depth_; ++depth) {
    const Frame& frame = frames_[depth];
    weight /= frame.images.size;
    done += weight * (frame.images.size - frame.left - 1);
  }
  return std::max(done, 0.0);
}

std::uint32_t* Search::allocate(std::uint32_t size) {
  if (size > chunk_left_) {
    const std::uint32_t room = std::max(size, kChunk);
    chunks_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(room));
    chunk_at_ = chunks_.back().get();
    chunk_left_ = room;
  }
  return chunk_at_;
}

/// What the image of `u` leaves of the candidates of `w`, or, where they must not be adjacent, takes; made once.
Search::List Search::row(int u, std::uint32_t number, int w) {
  List*& rows = rows_[number];
  const int slot = candidates_.slot(u, w);
  if (rows == nullptr) {
    row_blocks_.push_back(std::make_unique_for_overwrite<List[]>(at(candidates_.slots())));
    rows = row_blocks_.back().get();
    std::fill_n(rows, candidates_.slots(), List{nullptr, kUnmade});
  }
  List& row = rows[slot];
  if (row.size == kUnmade) {
    std::uint32_t* const out = allocate(static_cast<std::uint32_t>(candidates_.room(number, slot)) + kSlack);
    row = List{out, candidates_.row(number, slot, out)};
    chunk_at_ += row.size;
    chunk_left_ -= row.size;
  }
  return row;
}

/// Room for the next version of the list of `w`.
std::uint32_t* Search::buffer(int w, std::uint32_t size) {
  std::vector<std::vector<std::uint32_t>>& versions = buffers_[at(w)];
  const std::size_t version = versions_[at(w)];
  if (versions.size() <= version) versions.resize(version + 1);
  if (versions[version].size() < size + kSlack) versions[version].resize(2 * size + kSlack);
  return versions[version].data();
}

double Search::score(int w, std::uint32_t size, int open) const {
  constexpr double kBound = 1000;
  switch (order_) {
    case Order::Fewest: return size / weights_[at(w)];
    case Order::FewestOpen: return size / (open * weights_[at(w)]);
    case Order::FewestDegree: return size / (weights_[at(w)] * std::popcount(query_.near[at(w)] | query_.anti[at(w)]));
    case Order::MostBound: return -kBound * std::popcount(query_.near[at(w)] & assigned_) - open;
    case Order::Plain: return size / static_cast<double>(open);
  }
  return 0;
}

/// The vertex to match next, or -1 when those that are left do not depend on each other.
int Search::choose() const {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  const Mask left = query_.all() & ~assigned_;
  for (Mask rest = left & listed_; rest != 0; rest &= rest - 1) {
    const int w = lowest(rest);
    const std::uint32_t size = lists_[at(w)].size;
    if (size == 1) return w;
    const int around = open(w);
    const double cost = around == 0 ? least : score(w, size, around);
    if (cost < least) {
      least = cost;
      best = w;
    }
  }
  if (best >= 0 || (left & ~listed_) == 0) return best;
  // The first one, or that of another component.
  for_each(left & ~listed_, [&](int w) {
    const double cost = static_cast<double>(candidates_.count(w)) / (open(w) + 0.5);
    if (cost < least) {
      least = cost;
      best = w;
    }
  });
  return best;
}

/// Gives the vertices whose images are to blame if nothing was found; all, if anything was.
Mask Search::extend() {
  if (!step()) return kEveryone;
  const int u = choose();
  if (u < 0) return finish(query_.all() & ~assigned_);
  if ((listed_ & bit(u)) != 0) return try_images(u, lists_[at(u)]);
  std::vector<std::uint32_t> all = candidates_.of(u);
  for_each(query_.anti[at(u)] & assigned_, [&](int other) {
    const List not_these = row(other, images_[at(other)], u);
    std::erase_if(all, [&](std::uint32_t image) {
      return std::binary_search(not_these.items, not_these.items + not_these.size, image);
    });
  });
  List images{all.data(), static_cast<std::uint32_t>(all.size())};
  if (assigned_ == 0 && limits_.parts > 1) {
    // Which vertex is the first depends on the candidates alone.
    const auto begin = static_cast<std::uint32_t>(std::uint64_t{images.size} * limits_.part / limits_.parts);
    const auto end = static_cast<std::uint32_t>(std::uint64_t{images.size} * (limits_.part + 1) / limits_.parts);
    images = List{images.items + begin, end - begin};
  }
  if (assigned_ == 0) roots_ = images.size;
  return try_images(u, images);
}

Mask Search::try_images(int u, List images) {
  Frame& frame = frames_[depth_++];
  frame = Frame{u, images, static_cast<std::uint32_t>(std::uint64_t{turn_} * images.size >> 32), images.size, false};
  Mask to_blame = blamed(u);
  while (frame.left != 0) {
    --frame.left;
    const std::uint32_t image = images.items[frame.next];
    if (fits(u, image, to_blame)) {
      const std::size_t kept = undo_.size();
      const Mask listed = listed_;
      Mask failed = assign(u, image);
      if (failed == 0) failed = extend();
      unassign(u, image, listed, kept);
      to_blame |= failed;
      if (over_) to_blame = kEveryone;
      if (over_ || (failed & bit(u)) == 0) {
        if (!over_) to_blame = failed;
        break;
      }
    }
    if (maybe_pool_ != nullptr && maybe_pool_->hungry()) give_away();
    frame.next = frame.next + 1 == images.size ? 0 : frame.next + 1;
  }
  --depth_;
  return frame.shared || to_blame == kEveryone ? kEveryone : to_blame & ~bit(u);
}

/// Whether nobody has the image, and the restrictions allow it; else adds the reason to `to_blame`.
bool Search::fits(int u, std::uint32_t image, Mask& to_blame) const {
  if (owner_[image] != 0) {
    to_blame |= bit(owner_[image] - 1);
    return false;
  }
  for (const auto& [larger, smaller] : query_.restrictions) {
    if (larger == u && (assigned_ & bit(smaller)) != 0 && image < images_[at(smaller)]) {
      to_blame |= bit(smaller);
      return false;
    }
    if (smaller == u && (assigned_ & bit(larger)) != 0 && image > images_[at(larger)]) {
      to_blame |= bit(larger);
      return false;
    }
  }
  return true;
}

/// Takes the image and narrows the lists of the vertices around. Gives the vertices to blame when one has no image
/// left, else 0.
Mask Search::assign(int u, std::uint32_t image) {
  owner_[image] = static_cast<std::uint8_t>(u + 1);
  images_[at(u)] = image;
  assigned_ |= bit(u);
  const Mask around = query_.near[at(u)] | (query_.anti[at(u)] & listed_);
  for (Mask rest = around & ~assigned_; rest != 0; rest &= rest - 1) {
    const int w = lowest(rest);
    const Mask failed = narrow(u, w, image);
    if (failed != 0) {
      weights_[at(w)] += 1;
      return failed;
    }
  }
  return 0;
}

Mask Search::narrow(int u, int w, std::uint32_t image) {
  const List row = this->row(u, image, w);
  undo_.push_back({w, lists_[at(w)]});
  List& list = lists_[at(w)];
  if ((query_.near[at(u)] & bit(w)) == 0) {
    list = without(w, list, row);
  } else if ((listed_ & bit(w)) != 0) {
    std::uint32_t* const out = buffer(w, std::min(list.size, row.size));
    list = List{out, static_cast<std::uint32_t>(kernels_.intersect(list.items, list.size, row.items, row.size, out))};
  } else {
    list = row;
    listed_ |= bit(w);
    for_each(query_.anti[at(w)] & assigned_, [&](int other) {
      list = without(w, list, this->row(other, images_[at(other)], w));
      // One more version, to be undone.
      undo_.push_back({w, List{}});
      ++versions_[at(w)];
    });
  }
  ++versions_[at(w)];
  if (list.size == 0) return blamed(w);
  if (list.size == 1 && owner_[list.items[0]] != 0) return blamed(w) | bit(owner_[list.items[0]] - 1);
  return 0;
}

Search::List Search::without(int w, List list, List others) {
  std::uint32_t* const out = buffer(w, list.size);
  return List{out, static_cast<std::uint32_t>(kernels_.diff(list.items, list.size, others.items, others.size, out))};
}

void Search::unassign(int u, std::uint32_t image, Mask listed, std::size_t kept) {
  while (undo_.size() > kept) {
    const Undo& last = undo_.back();
    lists_[at(last.vertex)] = last.list;
    --versions_[at(last.vertex)];
    undo_.pop_back();
  }
  listed_ = listed;
  assigned_ &= ~bit(u);
  owner_[image] = 0;
}

bool Search::must_stop() {
  look_at_ = std::min(steps_ + kStepsPerLook, last_step_);
  if (!told_long_ && steps_ >= limits_.steps_alone && limits_.on_long) {
    told_long_ = true;
    limits_.on_long();
  }
  if (limits_.on_progress) {
    limits_.most ? limits_.on_progress(static_cast<double>(found_), *limits_.most)
                 : limits_.on_progress(done(), roots_);
  }
  const bool is_over = limits_.maybe_over != nullptr && limits_.maybe_over->load(std::memory_order_relaxed);
  if (is_over || limits_.stops.is_stopped()) {
    end(SearchEnding::Stopped);
  } else if (limits_.stops.is_late()) {
    end(SearchEnding::Deadline);
  } else if (steps_ >= last_step_) {
    end(SearchEnding::Slice);
  }
  return over_;
}

void Search::add(Count found) {
  found_ = plus(found_, found);
  if (limits_.most && found_ >= *limits_.most) {
    found_ = *limits_.most;
    end(SearchEnding::Limit);
  }
}

/// The vertices that are left have their lists and no edge among them: their images are only different.
Mask Search::finish(Mask rest) {
  if (limits_.on_match || !query_.restrictions.empty()) return list_rest(rest);
  Count all = 1;
  while (rest != 0) {
    const Mask group = rest & same_label_[at(lowest(rest))];
    rest &= ~group;
    const Count here = ways(group);
    if (here == 0) {
      Mask to_blame = 0;
      for_each(group, [&](int w) { to_blame |= blamed(w) | (same_label_[at(w)] & assigned_); });
      return over_ ? kEveryone : to_blame;
    }
    all = times(all, here);
  }
  add(all);
  return kEveryone;
}

/// In how many ways vertices of one label find different images that nobody has.
Count Search::ways(Mask group) {
  if (std::popcount(group) > 2) {
    const std::optional<Count> told = ways_at_once(group);
    if (told) return *told;
  }
  std::array<int, kMostVertices> vertices{};
  std::size_t n = 0;
  for_each(group, [&](int w) { vertices[n++] = w; });
  std::sort(vertices.begin(), vertices.begin() + n,
            [&](int a, int b) { return lists_[at(a)].size < lists_[at(b)].size; });
  return ways_of(std::span(vertices).first(n));
}

/// The same without trying any; nothing where lists are too many, or numbers too large.
std::optional<Count> Search::ways_at_once(Mask group) {
  using Group = matcha_program::Group<1>;
  bool is_told = false;
  matcha_program::MatchWays ways{0, 0};
  if (std::popcount(group) <= 4) {
    std::array<matcha_program::u64, 16> common{};
    count_common(group, common);
    ways = std::popcount(group) == 3 ? matcha_program::ways_of_few<3>(common.data(), is_told)
                                     : matcha_program::ways_of_few<4>(common.data(), is_told);
  } else {
    if (leaves_ == nullptr) leaves_ = std::make_unique_for_overwrite<LeafMemory>();
    matcha_program::LeafWays<Group> leaves(Group::here(), leaves_->room);
    for (Mask rest = group; rest != 0; rest &= rest - 1) {
      const List& list = lists_[at(lowest(rest))];
      if (!leaves.add({list.items, list.size})) return std::nullopt;
    }
    ways = leaves.ways(images_.data(), same_label_[at(lowest(group))] & assigned_, is_told);
  }
  if (!is_told || ways.bound > matcha_program::kMostExactWays) return std::nullopt;
  return ways.number;
}

/// By set of the vertices: the images that all of them have, and nobody else.
void Search::count_common(Mask group, std::span<unsigned long long> common) {
  unsigned own = 1;
  for (Mask rest = group; rest != 0; rest &= rest - 1, own *= 2) {
    const List& list = lists_[at(lowest(rest))];
    for (std::uint32_t i = 0; i < list.size; ++i) marks_[list.items[i]] |= own;
  }
  for_each(group, [&](int w) {
    const List& list = lists_[at(w)];
    for (std::uint32_t i = 0; i < list.size; ++i) {
      const unsigned mask = std::exchange(marks_[list.items[i]], std::uint8_t{0});
      common[mask] += is_free(list.items[i]) ? 1 : 0;
    }
  });
  for (unsigned vertex = 1; vertex < own; vertex *= 2) {
    for (unsigned set = 1; set < own; ++set) {
      if ((set & vertex) == 0) common[set] += common[set | vertex];
    }
  }
}

std::uint32_t Search::free_of(const List& list) const {
  std::uint32_t free = 0;
  for (std::uint32_t i = 0; i < list.size; ++i) free += is_free(list.items[i]) ? 1 : 0;
  return free;
}

Count Search::ways_of(std::span<const int> vertices) {
  const List& list = lists_[at(vertices[0])];
  const std::uint32_t free = free_of(list);
  if (vertices.size() == 1 || free == 0) return free;
  const auto is_same = [&](int w) {
    const List& other = lists_[at(w)];
    return other.size == list.size &&
           (other.items == list.items || std::equal(list.items, list.items + list.size, other.items));
  };
  if (std::ranges::all_of(vertices, is_same)) {
    Count all = 1;
    for (std::size_t i = 0; i < vertices.size(); ++i) all = times(all, free > i ? free - i : 0);
    return all;
  }
  if (vertices.size() == 2) {
    const List& other = lists_[at(vertices[1])];
    std::uint32_t both = 0;
    for (std::uint32_t i = 0, j = 0; i < list.size && j < other.size;) {
      const std::uint32_t a = list.items[i], b = other.items[j];
      both += a == b && is_free(a) ? 1 : 0;
      i += a <= b ? 1 : 0;
      j += b <= a ? 1 : 0;
    }
    return Count{free} * free_of(other) - both;
  }
  Count all = 0;
  for (std::uint32_t i = 0; i < list.size && step(); ++i) {
    if (!is_free(list.items[i])) continue;
    owner_[list.items[i]] = static_cast<std::uint8_t>(vertices[0] + 1);
    all = plus(all, ways_of(vertices.subspan(1)));
    owner_[list.items[i]] = 0;
  }
  return all;
}

/// The same one by one.
Mask Search::list_rest(Mask rest) {
  if (!step()) return kEveryone;
  if (rest == 0) {
    report();
    return kEveryone;
  }
  int u = lowest(rest);
  for_each(rest, [&](int w) {
    if (lists_[at(w)].size < lists_[at(u)].size) u = w;
  });
  Mask to_blame = blamed(u);
  const bool is_last = (rest & (rest - 1)) == 0;
  const List list = lists_[at(u)];
  for (std::uint32_t i = 0; i < list.size && !over_; ++i) {
    const std::uint32_t image = list.items[i];
    if (!fits(u, image, to_blame)) continue;
    images_[at(u)] = image;
    if (is_last) {
      report();
      to_blame = kEveryone;
      continue;
    }
    owner_[image] = static_cast<std::uint8_t>(u + 1);
    assigned_ |= bit(u);
    const Mask failed = list_rest(rest & ~bit(u));
    assigned_ &= ~bit(u);
    owner_[image] = 0;
    if ((failed & bit(u)) == 0) return failed;
    to_blame |= failed;
  }
  return to_blame == kEveryone || over_ ? kEveryone : to_blame & ~bit(u);
}

void Search::report() {
  if (limits_.on_match && !limits_.on_match(images_.data())) {
    end(SearchEnding::Refused);
    return;
  }
  add(1);
}

}  // namespace matcha::runtime::match
