#include "engines/search/search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engines/search/candidates.h"
#include "runtime/thread_time.h"

namespace matcha::runtime::match {

namespace {

constexpr std::uint32_t kChunk = 1U << 16;
/// Marks a row that is not computed.
constexpr std::uint32_t kUnmade = ~std::uint32_t{0};
/// Items that a set kernel may write past its result.
constexpr std::uint32_t kSlack = 16;
constexpr std::uint64_t kStepsPerLook = 1024;

/// Items of lists processed between two checks for a stop.
constexpr std::uint64_t kItemsPerLook = std::uint64_t{1} << 22;
/// Items of lists that cost as much as reporting an image.
constexpr std::uint32_t kItemsOfCell = 32;

}  // namespace

Search::Search(const Candidates& candidates, const Query& query, const SetKernels& kernels, const SearchLimits& limits)
    : candidates_(candidates),
      query_(query),
      order_(query),
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
      const bool may_coincide =
          !query.labels[at(u)] || !query.labels[at(w)] || query.labels[at(u)] == query.labels[at(w)];
      if (may_coincide) same_label_[at(u)] |= bit(w);
    }
    // A vertex without a label may share images with all, so there is one group.
    if (any_label) same_label_[at(u)] = query.all();
  }
  if (!candidates.none()) list_isolated();
}

/// Vertices without edges have their lists from the start, so that they are counted together. If the whole pattern has
/// no edges, the search begins with one of them, whose images can be shared.
void Search::list_isolated() {
  Mask isolated = 0;
  for (int u = 0; u < query_.size; ++u) {
    if ((query_.near[at(u)] | query_.anti[at(u)]) == 0) isolated |= bit(u);
  }
  for (int u = 0; isolated == query_.all() && u < query_.size; ++u) {
    if (!waits(u)) isolated &= ~bit(u);
  }
  for_each(isolated, [&](int u) {
    const std::vector<std::uint32_t>& all = isolated_lists_.emplace_back(candidates_.of(u));
    lists_[at(u)] = List{all.data(), static_cast<std::uint32_t>(all.size())};
    listed_ |= bit(u);
  });
}

void Search::begin(Order order, std::uint32_t turn, std::uint64_t most_steps) {
  way_ = order;
  turn_ = turn;
  last_step_ = most_steps > ~steps_ ? ~std::uint64_t{0} : steps_ + most_steps;
  look_at_ = std::min(steps_ + 1, last_step_);
  found_ = 0;
  over_ = false;
  ending_ = SearchEnding::Complete;
  if (limits_.most_cpu_ms > 0) began_cpu_ms_ = thread_ms();
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

/// Assigns the images of the task, in the same order, so that none of them fails.
void Search::run_task(const Task& task) {
  taken_ = task.taken;
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

/// Gives away half of the rest of the first vertex with enough of it. Frames below belong to the task, which has none.
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
    task.taken = taken_;
    for (std::size_t before = 0; before < depth; ++before) {
      const int u = frames_[before].vertex;
      task.taken.emplace_back(u, images_[at(u)]);
    }
    maybe_pool_->give(std::move(task));
    return;
  }
}

/// The share of the whole search that is done here; parts given away do not count.
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

/// The row of the image of `u` for the candidates of `w`: those it allows or, for an anti-edge, excludes. Computed
/// once.
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

/// Memory for the next version of the list of `w`.
std::uint32_t* Search::buffer(int w, std::uint32_t size) {
  std::vector<std::vector<std::uint32_t>>& versions = buffers_[at(w)];
  const std::size_t version = versions_[at(w)];
  if (versions.size() <= version) versions.resize(version + 1);
  if (versions[version].size() < size + kSlack) versions[version].resize(2 * size + kSlack);
  return versions[version].data();
}

double Search::score(int w, std::uint32_t size, int open) const {
  constexpr double kBound = 1000;
  switch (way_) {
    case Order::Fewest: return size / weights_[at(w)];
    case Order::FewestOpen: return size / (open * weights_[at(w)]);
    case Order::FewestDegree: return size / (weights_[at(w)] * std::popcount(query_.near[at(w)] | query_.anti[at(w)]));
    case Order::MostBound: return -kBound * std::popcount(query_.near[at(w)] & assigned_) - open;
    case Order::Plain: return size / static_cast<double>(open);
  }
  return 0;
}

/// The vertex to match next, or -1 when the remaining ones are independent.
int Search::choose() const {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  const Mask left = query_.all() & ~assigned_;
  // The images of the first vertex are shared, so it has no list so far.
  for (Mask rest = assigned_ == 0 ? 0 : left & listed_; rest != 0; rest &= rest - 1) {
    const int w = lowest(rest);
    if (waits(w)) continue;
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
  // The first one, or one of another component.
  for_each(left & ~listed_, [&](int w) {
    if (waits(w)) return;
    const double cost = static_cast<double>(candidates_.count(w)) / (open(w) + 0.5);
    if (cost < least) {
      least = cost;
      best = w;
    }
  });
  return best;
}

/// A vertex whose image is ordered with that of another remaining vertex outside its chain; -1: none.
int Search::choose_ordered() const {
  const Mask left = query_.all() & ~assigned_;
  int best = -1;
  for_each(left, [&](int w) {
    if ((order_.partners(w) & left & ~order_.chain(w)) == 0 || waits(w)) return;
    if (best < 0 || lists_[at(w)].size < lists_[at(best)].size) best = w;
  });
  return best;
}

/// The images of `w` that the order allows, given the assigned images.
Search::List Search::within(int w, List list) const {
  const Mask below = order_.below(w) & assigned_, above = order_.above(w) & assigned_;
  if ((below | above) == 0 || list.size == 0) return list;
  std::uint32_t least = 0, most = std::numeric_limits<std::uint32_t>::max();
  for_each(below, [&](int u) { least = std::max(least, images_[at(u)] + 1); });
  for_each(above, [&](int u) { most = std::min(most, images_[at(u)]); });
  const std::uint32_t* const begin = std::lower_bound(list.items, list.items + list.size, least);
  const std::uint32_t* const end = std::lower_bound(begin, list.items + list.size, most);
  return List{begin, static_cast<std::uint32_t>(end - begin)};
}

/// Without the largest images, which later vertices of the chain need.
Search::List Search::for_first(int u, List list) const {
  const auto later = static_cast<std::uint32_t>(std::popcount(order_.chain(u) & order_.above(u) & ~assigned_));
  list.size -= std::min(list.size, later);
  return list;
}

/// The vertices to blame if the list of `w` is too short for the vertices of its chain without an image; else 0.
Mask Search::lost(int w) const {
  const List& list = lists_[at(w)];
  if (list.size < static_cast<std::uint32_t>(std::popcount(order_.chain(w) & ~assigned_))) return blamed(w);
  if (list.size == 1 && owner_[list.items[0]] != 0) return blamed(w) | bit(owner_[list.items[0]] - 1);
  return 0;
}

/// Returns the vertices to blame if nothing was found; all, if a match was found.
Mask Search::extend() {
  if (!step()) return kBlameAll;
  int u = choose();
  if (u < 0 && limits_.on_match) return list_rest(query_.all() & ~assigned_);
  if (u < 0 && order_.any()) u = choose_ordered();
  if (u < 0) return finish(query_.all() & ~assigned_);
  if ((listed_ & bit(u)) != 0) return try_images(u, for_first(u, lists_[at(u)]));
  std::vector<std::uint32_t> all = candidates_.of(u);
  for_each(query_.anti[at(u)] & assigned_, [&](int other) {
    const List not_these = row(other, images_[at(other)], u);
    std::erase_if(all, [&](std::uint32_t image) {
      return std::binary_search(not_these.items, not_these.items + not_these.size, image);
    });
  });
  List images = for_first(u, within(u, List{all.data(), static_cast<std::uint32_t>(all.size())}));
  if (assigned_ == 0 && limits_.parts > 1) {
    // The first vertex depends on the candidates only.
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
    if (fits(image, to_blame)) {
      const std::size_t kept = undo_.size();
      const Mask listed = listed_;
      Mask failed = assign(u, image);
      if (failed == 0) failed = extend();
      unassign(u, image, listed, kept);
      to_blame |= failed;
      if (over_) to_blame = kBlameAll;
      if (over_ || (failed & bit(u)) == 0) {
        if (!over_) to_blame = failed;
        break;
      }
    }
    if (maybe_pool_ != nullptr && maybe_pool_->has_idle_worker()) give_away();
    frame.next = frame.next + 1 == images.size ? 0 : frame.next + 1;
  }
  --depth_;
  return frame.shared || to_blame == kBlameAll ? kBlameAll : to_blame & ~bit(u);
}

/// True if the image is unused; else adds its vertex to `to_blame`.
bool Search::fits(std::uint32_t image, Mask& to_blame) const {
  if (owner_[image] == 0) return true;
  to_blame |= bit(owner_[image] - 1);
  return false;
}

/// Assigns the image and narrows the lists of the neighbours. Returns the vertices to blame when one has no image left,
/// else 0.
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
  for (Mask rest = order_.partners(u) & listed_ & ~assigned_; rest != 0; rest &= rest - 1) {
    const int w = lowest(rest);
    undo_.push_back({w, lists_[at(w)]});
    ++versions_[at(w)];
    lists_[at(w)] = within(w, lists_[at(w)]);
    const Mask failed = lost(w);
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
  look_after(row.size + list.size);
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
    list = within(w, list);
  }
  ++versions_[at(w)];
  return lost(w);
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

/// Checks for a stop at the next step if steps were long.
void Search::look_after(std::uint32_t items) {
  items_ += items;
  if (items_ >= kItemsPerLook) look_at_ = 0;
}

bool Search::must_stop() {
  items_ = 0;
  look_at_ = std::min(steps_ + kStepsPerLook, last_step_);
  if (!has_called_on_long_ && steps_ >= limits_.steps_alone && limits_.on_long) {
    has_called_on_long_ = true;
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
  } else if (steps_ >= last_step_ || (limits_.most_cpu_ms > 0 && thread_ms() - began_cpu_ms_ >= limits_.most_cpu_ms)) {
    end(SearchEnding::Slice);
  }
  return over_;
}

void Search::add(Count found) {
  if (__builtin_add_overflow(found_, found, &found_)) found_ = kTooMany;
  if (limits_.most && found_ >= *limits_.most) {
    found_ = *limits_.most;
    end(SearchEnding::Limit);
  }
}

/// Lists the matches with images of `rest` from their lists; no edge joins two of them.
Mask Search::list_rest(Mask rest) {
  if (!step()) return kBlameAll;
  if (rest == 0) {
    report();
    return kBlameAll;
  }
  int u = -1;
  for_each(rest, [&](int w) {
    if (!waits(w) && (u < 0 || lists_[at(w)].size < lists_[at(u)].size)) u = w;
  });
  Mask to_blame = blamed(u);
  const bool is_last = (rest & (rest - 1)) == 0;
  const List list = for_first(u, within(u, lists_[at(u)]));
  for (std::uint32_t i = 0; i < list.size && !over_; ++i) {
    const std::uint32_t image = list.items[i];
    if (!fits(image, to_blame)) continue;
    images_[at(u)] = image;
    if (is_last) {
      report();
      to_blame = kBlameAll;
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
  return to_blame == kBlameAll || over_ ? kBlameAll : to_blame & ~bit(u);
}

void Search::report() {
  if (limits_.on_match && !limits_.on_match(images_.data())) {
    end(SearchEnding::Refused);
    return;
  }
  add(1);
  // A step may report as many matches as the last vertex has images.
  look_after(kItemsOfCell * static_cast<std::uint32_t>(query_.size));
  if (look_at_ == 0 && !over_) must_stop();
}

}  // namespace matcha::runtime::match
