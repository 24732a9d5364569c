#include "engines/search/candidates.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace matcha::runtime::match {

namespace {

/// Rounds of refinement after which another one cannot pay.
constexpr int kMostRounds = 32;
/// The largest number of neighbours of one label that is distinguished.
constexpr int kMostCounted = 4;

}  // namespace

/// The neighbours that an image must have, along each side. Labels of the pattern have a class each, a bit of a mask.
struct Candidates::Needs {
  /// Along one side.
  struct OfSide {
    explicit OfSide(const Neighbors& edges, int size)
        : neighbors(&edges), near(at(size), 0), several(kMostCounted - 1) {
      for (std::vector<Mask>& one : several) one.assign(at(size), 0);
    }

    const Neighbors* neighbors;
    std::vector<Mask> near;
    Mask users = 0;  ///< Vertices with such a neighbour.
    /// Item k: by pattern vertex, the classes of which it has at least k + 2 neighbours.
    std::vector<std::vector<Mask>> several;
    bool counts = false;  ///< Some vertex needs several neighbours of one label.
  };

  Needs(MatchIndex& index, const Query& query) {
    class_of.fill(0);
    if (!query.has_sides()) {
      add(index.neighbors({}), query.near);
    } else {
      for (std::size_t side = 0; side < query.sides.size(); ++side) {
        std::vector<Mask> near(at(query.size), 0);
        for (int u = 0; u < query.size; ++u) {
          for_each(query.near[at(u)], [&](int w) {
            const std::vector<int>& with = query.tie(u, w).with;
            if (std::ranges::find(with, static_cast<int>(side)) != with.end()) near[at(u)] |= bit(w);
          });
        }
        if (std::ranges::any_of(near, [](Mask mask) { return mask != 0; }))
          add(index.neighbors(query.sides[side]), near);
      }
    }
    count_classes(query);
  }

  std::vector<OfSide> sides;
  std::array<Mask, kMostVertices> class_of;

 private:
  void add(const Neighbors& edges, const std::vector<Mask>& near) {
    OfSide& side = sides.emplace_back(edges, static_cast<int>(near.size()));
    side.near = near;
    for (std::size_t u = 0; u < near.size(); ++u) side.users |= near[u] != 0 ? bit(static_cast<int>(u)) : 0;
  }
  void count_classes(const Query& query) {
    std::map<std::int64_t, Mask> of_label;
    bool any = false;
    for (int u = 0; u < query.size; ++u) {
      if (query.labels[at(u)]) of_label[*query.labels[at(u)]] |= bit(u);
      any = any || !query.labels[at(u)];
    }
    // A vertex without a label cannot be counted by label, only with all others along its side.
    if (any && !query.has_sides()) return;
    if (any) of_label = {{0, query.all()}};
    int number = 0;
    for (const auto& [label, vertices] : of_label) {
      for_each(vertices, [&, cls = bit(number)](int u) { class_of[at(u)] = cls; });
      for (OfSide& side : sides) {
        for (int u = 0; u < query.size; ++u) {
          const int wanted = std::popcount(side.near[at(u)] & vertices);
          for (int least = 2; least <= std::min(wanted, kMostCounted); ++least) {
            side.several[at(least - 2)][at(u)] |= bit(number);
            side.counts = true;
          }
        }
      }
      ++number;
    }
  }
};

Candidates::Candidates(MatchIndex& index, const Query& query, const Stops& stops)
    : index_(index),
      query_size_(query.size),
      slot_of_(at(query.size * query.size), 0),
      slot_count_(query.size),
      arrays_(index.take_arrays()),
      counts_(at(query.size), 0),
      stops_(stops) {
  number_slots(query);
  if (query.has_sides()) {
    find_by_sides(query);
  } else {
    find_by_label(query);
  }
  const Needs needs(index, query);
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) changed = refine(needs, round);
  count_and_number();
}

Candidates::~Candidates() {
  for (std::uint32_t v : vertices_) arrays_->masks[v] = 0;
  // Marks remain if refinement was ended before a fixpoint.
  for (std::uint32_t v : vertices_) arrays_->marks[v] = 0;
  index_.give_back(std::move(arrays_));
}

/// Checks the stop conditions from time to time.
bool Candidates::must_stop() {
  constexpr std::uint32_t kVerticesPerLook = 1024;
  if (until_look_-- == 0) {
    until_look_ = kVerticesPerLook;
    stopped_ = stopped_ || stops_.is_stopped() || stops_.is_late();
  }
  return stopped_;
}

void Candidates::find_by_label(const Query& query) {
  const GraphView& graph = index_.graph();
  std::map<std::int64_t, Mask> of_label;
  Mask any = 0;
  for (int u = 0; u < query.size; ++u) {
    if (query.labels[at(u)]) {
      of_label[*query.labels[at(u)]] |= bit(u);
    } else {
      any |= bit(u);
    }
  }
  std::array<std::uint64_t, kMostVertices> signatures{};
  std::array<std::uint64_t, kMostVertices> degrees{};
  for (int u = 0; u < query.size; ++u) {
    std::vector<std::int64_t> around;
    for_each(query.near[at(u)], [&](int w) {
      if (query.labels[at(w)]) around.push_back(*query.labels[at(w)]);
    });
    signatures[at(u)] = index_.by_label().signature_of(around);
    degrees[at(u)] = static_cast<std::uint64_t>(std::popcount(query.near[at(u)]));
  }
  const bool labelled = graph.labels != nullptr;
  const auto take = [&](std::uint32_t v, Mask possible) {
    const std::uint64_t degree = graph.offsets[v + 1] - graph.offsets[v];
    const std::uint64_t signature = labelled ? index_.by_label().signature(v) : 0;
    Mask mask = 0;
    for_each(possible, [&](int u) {
      if (degrees[at(u)] <= degree && (signatures[at(u)] & ~signature) == 0) mask |= bit(u);
    });
    if (mask == 0) return;
    arrays_->masks[v] = mask;
    vertices_.push_back(v);
  };
  if (any == 0) {
    for (const auto& [label, possible] : of_label) {
      for (std::uint32_t v : index_.by_label().vertices(label)) take(v, possible);
    }
    return;
  }
  for (std::uint64_t i = 0; i < graph.vertex_count; ++i) {
    const std::uint32_t v = graph.vertices == nullptr ? static_cast<std::uint32_t>(i) : graph.vertices[i];
    const auto found = graph.labels == nullptr ? of_label.end() : of_label.find(graph.labels[v]);
    take(v, found == of_label.end() ? any : found->second | any);
  }
}

/// The pattern vertices for which `v` stays a candidate, given its neighbours.
Mask Candidates::kept(const Needs& needs, std::uint32_t v) const {
  const Mask* masks = arrays_->masks.data();
  Mask kept = masks[v];
  for (const Needs::OfSide& side : needs.sides) {
    const Mask users = kept & side.users;
    if (users == 0) continue;
    Mask seen = 0;
    std::array<Mask, kMostCounted + 1> at_least{};
    if (side.counts) {
      for (const std::uint32_t x : side.neighbors->of(v)) {
        const Mask mask = masks[x];
        if (mask == 0) continue;
        seen |= mask;
        const Mask cls = needs.class_of[at(lowest(mask))];
        for (int k = kMostCounted; k > 1; --k) at_least[at(k)] |= at_least[at(k - 1)] & cls;
        at_least[1] |= cls;
      }
    } else {
      for (const std::uint32_t x : side.neighbors->of(v)) seen |= masks[x];
    }
    for_each(users, [&](int u) {
      Mask missing = side.near[at(u)] & ~seen;
      for (int k = 2; side.counts && k <= kMostCounted; ++k)
        missing |= side.several[at(k - 2)][at(u)] & ~at_least[at(k)];
      if (missing != 0) kept &= ~bit(u);
    });
  }
  return kept;
}

/// One round over all candidates; from the third round on, only over those that lost a neighbour in the previous round:
/// at first there are too many to track. Returns true if a candidate was removed.
bool Candidates::refine(const Needs& needs, int round) {
  std::uint8_t* const marks = arrays_->marks.data();
  Mask* const masks = arrays_->masks.data();
  bool changed = false;
  std::size_t left = 0;
  for (std::uint32_t v : vertices_) {
    const Mask before = masks[v];
    const bool looks = !must_stop() && before != 0 && (round < 2 || marks[v] != 0);
    marks[v] = 0;
    if (looks) {
      const Mask after = kept(needs, v);
      if (after != before) {
        masks[v] = after;
        changed = true;
        for (const Needs::OfSide& side : needs.sides) {
          if (round == 0 || (before & side.users) == 0) continue;
          for (const std::uint32_t x : side.neighbors->of(v)) {
            if (masks[x] != 0) marks[x] = 1;
          }
        }
      }
    }
    if (masks[v] != 0) vertices_[left++] = v;
  }
  vertices_.resize(left);
  return changed && !stopped_;
}

void Candidates::count_and_number() {
  if (sorts_) std::ranges::sort(vertices_);
  std::size_t left = 0;
  for (std::uint32_t v : vertices_) {
    const Mask mask = arrays_->masks[v];
    if (mask == 0) continue;
    for_each(mask, [&](int u) { ++counts_[at(u)]; });
    arrays_->ids[v] = static_cast<std::uint32_t>(left);
    vertices_[left++] = v;
  }
  vertices_.resize(left);
  none_ = std::ranges::find(counts_, std::uint64_t{0}) != counts_.end();
}

std::vector<std::uint32_t> Candidates::of(int u) const {
  std::vector<std::uint32_t> found;
  found.reserve(count(u));
  for (std::uint32_t number = 0; number < size(); ++number) {
    if ((mask(number) & bit(u)) != 0) found.push_back(number);
  }
  return found;
}

void Candidates::number_slots(const Query& query) {
  std::map<std::pair<int, Tie>, int> numbers;
  for (int u = 0; u < query.size; ++u) {
    for (int w = 0; w < query.size; ++w) {
      int& slot = slot_of_[at(u * query.size + w)];
      slot = w;
      if (!query.has_sides() || ((query.near[at(u)] | query.anti[at(u)]) & bit(w)) == 0) continue;
      const Tie& tie = query.tie(u, w);
      const auto [place, is_new] = numbers.try_emplace({w, tie}, static_cast<int>(slots_.size()));
      slot = place->second;
      if (!is_new) continue;
      Slot& made = slots_.emplace_back();
      made.vertex = w;
      for (const int side : tie.with) made.with.push_back(&index_.neighbors(query.sides[at(side)]));
      for (const int side : tie.without) made.without.push_back(&index_.neighbors(query.sides[at(side)]));
    }
  }
  if (query.has_sides()) slot_count_ = static_cast<int>(slots_.size());
}

std::uint64_t Candidates::room(std::uint32_t number, int slot) const {
  if (slots_.empty()) return degree(number);
  const Slot& made = slots_[at(slot)];
  const std::uint32_t v = vertices_[number];
  std::uint64_t least = ~std::uint64_t{0}, all = 0;
  for (const Neighbors* edges : made.with) least = std::min<std::uint64_t>(least, edges->of(v).size());
  for (const Neighbors* edges : made.without) all += edges->of(v).size();
  return made.with.empty() ? all : least;
}

std::uint32_t Candidates::row(std::uint32_t number, int slot, std::uint32_t* out) const {
  const std::uint32_t v = vertices_[number];
  std::uint32_t length = 0;
  if (slots_.empty()) {
    const GraphView& graph = index_.graph();
    for (std::uint64_t i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
      const std::uint32_t x = graph.neighbors[i];
      out[length] = arrays_->ids[x];
      length += static_cast<std::uint32_t>(arrays_->masks[x] >> slot & 1);
    }
    return length;
  }
  const Slot& made = slots_[at(slot)];
  // Parallel edges repeat a neighbour.
  std::uint32_t last = ~std::uint32_t{0};
  const auto take = [&](std::uint32_t x) {
    if (x == last || (arrays_->masks[x] >> made.vertex & 1) == 0) return;
    last = x;
    out[length++] = arrays_->ids[x];
  };
  if (made.with.empty()) {
    const Ranks one = made.without.front()->of(v), other = made.without.back()->of(v);
    auto a = one.begin(), b = made.without.size() > 1 ? other.begin() : other.end();
    while (a != one.end() || b != other.end()) take(b == other.end() || (a != one.end() && *a <= *b) ? *a++ : *b++);
    return length;
  }
  const Neighbors* first = made.with.front();
  for (const Neighbors* edges : made.with) {
    if (edges->of(v).size() < first->of(v).size()) first = edges;
  }
  for (const std::uint32_t x : first->of(v)) {
    const auto has = [&](const Neighbors* edges) { return edges == first || contains(edges->of(v), x); };
    const auto lacks = [&](const Neighbors* edges) { return !contains(edges->of(v), x); };
    if (std::ranges::all_of(made.with, has) && std::ranges::all_of(made.without, lacks)) take(x);
  }
  return length;
}

}  // namespace matcha::runtime::match
