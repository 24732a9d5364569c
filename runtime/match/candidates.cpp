#include "runtime/match/candidates.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace matcha::runtime::match {

namespace {

/// Rounds of refinement after which what is left of it cannot pay.
constexpr int kMostRounds = 32;
/// How many neighbours of one label are told apart from fewer.
constexpr int kMostCounted = 4;

}  // namespace

std::unique_ptr<RankArrays> MatchIndex::take_arrays() {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      std::unique_ptr<RankArrays> arrays = std::move(spare_.back());
      spare_.pop_back();
      return arrays;
    }
  }
  return std::make_unique<RankArrays>(graph_.universe);
}

void MatchIndex::give_back(std::unique_ptr<RankArrays> arrays) {
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(arrays));
}

/// What the neighbours of an image must be. Labels of the pattern have a class each, a bit of a mask.
struct Candidates::Needs {
  explicit Needs(const Query& query) : near(query.near), several(kMostCounted - 1) {
    for (std::vector<Mask>& one : several) one.assign(at(query.size), 0);
    class_of.fill(0);
    std::map<std::int64_t, Mask> of_label;
    for (int u = 0; u < query.size; ++u) {
      if (!query.labels[at(u)]) return;  // It may be the image of any, so that neighbours cannot be counted by label.
      of_label[*query.labels[at(u)]] |= bit(u);
    }
    int number = 0;
    for (const auto& [label, vertices] : of_label) {
      for_each(vertices, [&, cls = bit(number)](int u) { class_of[at(u)] = cls; });
      for (int u = 0; u < query.size; ++u) {
        const int wanted = std::popcount(query.near[at(u)] & vertices);
        for (int least = 2; least <= std::min(wanted, kMostCounted); ++least) {
          several[at(least - 2)][at(u)] |= bit(number);
          counts = true;
        }
      }
      ++number;
    }
  }

  std::vector<Mask> near;
  /// Item k: by pattern vertex, the classes of which it has at least k + 2 neighbours.
  std::vector<std::vector<Mask>> several;
  std::array<Mask, kMostVertices> class_of;
  bool counts = false;  ///< Some vertex has several neighbours of one label.
};

Candidates::Candidates(MatchIndex& index, const Query& query, const Stops& stops)
    : index_(index), arrays_(index.take_arrays()), counts_(at(query.size), 0), stops_(stops) {
  find_by_label(query);
  const Needs needs(query);
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) changed = refine(needs, round);
  count_and_number();
}

Candidates::~Candidates() {
  for (std::uint32_t v : vertices_) arrays_->masks[v] = 0;
  // Marks are left where refinement ended before nothing changed.
  for (std::uint32_t v : vertices_) arrays_->marks[v] = 0;
  index_.give_back(std::move(arrays_));
}

/// Looks at what may stop it from time to time.
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

/// Of which pattern vertices the neighbours of `v` leave it a candidate.
Mask Candidates::kept(const Needs& needs, std::uint32_t v) const {
  const GraphView& graph = index_.graph();
  const Mask* masks = arrays_->masks.data();
  Mask seen = 0;
  std::array<Mask, kMostCounted + 1> at_least{};
  const std::uint32_t* const end = graph.neighbors + graph.offsets[v + 1];
  if (needs.counts) {
    for (const std::uint32_t* x = graph.neighbors + graph.offsets[v]; x != end; ++x) {
      const Mask mask = masks[*x];
      if (mask == 0) continue;
      seen |= mask;
      const Mask cls = needs.class_of[at(lowest(mask))];
      for (int k = kMostCounted; k > 1; --k) at_least[at(k)] |= at_least[at(k - 1)] & cls;
      at_least[1] |= cls;
    }
  } else {
    for (const std::uint32_t* x = graph.neighbors + graph.offsets[v]; x != end; ++x) seen |= masks[*x];
  }
  Mask kept = 0;
  for_each(masks[v], [&](int u) {
    Mask missing = needs.near[at(u)] & ~seen;
    for (int k = 2; needs.counts && k <= kMostCounted; ++k)
      missing |= needs.several[at(k - 2)][at(u)] & ~at_least[at(k)];
    if (missing == 0) kept |= bit(u);
  });
  return kept;
}

/// One round over all candidates; from the third one, over those that lost a neighbour in the round before: at first
/// there are too many to be told. Gives whether any was lost.
bool Candidates::refine(const Needs& needs, int round) {
  const GraphView& graph = index_.graph();
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
        for (std::uint64_t i = graph.offsets[v]; round > 0 && i < graph.offsets[v + 1]; ++i) {
          if (masks[graph.neighbors[i]] != 0) marks[graph.neighbors[i]] = 1;
        }
      }
    }
    if (masks[v] != 0) vertices_[left++] = v;
  }
  vertices_.resize(left);
  return changed && !stopped_;
}

void Candidates::count_and_number() {
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

std::uint32_t Candidates::row(std::uint32_t number, int u, std::uint32_t* out) const {
  const GraphView& graph = index_.graph();
  const std::uint32_t v = vertices_[number];
  std::uint32_t length = 0;
  for (std::uint64_t i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
    const std::uint32_t x = graph.neighbors[i];
    out[length] = arrays_->ids[x];
    length += static_cast<std::uint32_t>(arrays_->masks[x] >> u & 1);
  }
  return length;
}

}  // namespace matcha::runtime::match
