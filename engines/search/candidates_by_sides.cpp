#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engines/search/candidates.h"

namespace matcha::runtime::match {

namespace {

/// A requirement of an image: this many distinct neighbours along a side.
struct Need {
  int side = 0;
  std::uint64_t least = 0;
};

/// Where images are searched: among the vertices of a label, those with a neighbour along a side, or all vertices.
struct Base {
  enum class Kind { Label, Side, All };
  Kind kind = Kind::All;
  std::int64_t number = 0;

  friend auto operator<=>(const Base&, const Base&) = default;
};

/// The numbers of neighbours of one vertex after the other, each computed once.
class Degrees {
 public:
  explicit Degrees(std::vector<const Neighbors*> sides) : sides_(std::move(sides)), known_(sides_.size(), {~0U, 0}) {}

  bool meets(std::uint32_t v, const Need& need) {
    auto& [vertex, degree] = known_[at(need.side)];
    if (vertex != v) known_[at(need.side)] = {v, sides_[at(need.side)]->of(v).size()};
    return degree >= need.least;
  }

 private:
  std::vector<const Neighbors*> sides_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> known_;
};

std::vector<Need> needs_of(const Query& query, int u) {
  std::vector<std::uint64_t> wanted(query.sides.size(), 0);
  for_each(query.near[at(u)], [&](int w) {
    for (const int side : query.tie(u, w).with) ++wanted[at(side)];
  });
  std::vector<Need> needs;
  for (std::size_t side = 0; side < wanted.size(); ++side) {
    if (wanted[side] != 0) needs.push_back({static_cast<int>(side), wanted[side]});
  }
  return needs;
}

}  // namespace

/// Images of each pattern vertex are searched in the smallest set.
void Candidates::find_by_sides(const Query& query) {
  const GraphView& graph = index_.graph();
  std::vector<const Neighbors*> sides;
  for (const Side& side : query.sides) sides.push_back(&index_.neighbors(side));
  std::vector<std::vector<Need>> needs;
  std::map<Base, Mask> bases;
  for (int u = 0; u < query.size; ++u) {
    needs.push_back(needs_of(query, u));
    Base base;
    std::uint64_t least = graph.vertex_count;
    if (query.labels[at(u)]) {
      base = {Base::Kind::Label, *query.labels[at(u)]};
      least = index_.by_label().vertices(base.number).size();
    }
    for (const Need& need : needs.back()) {
      const std::optional<Ranks> rows = sides[at(need.side)]->rows();
      if (!rows || rows->size() >= least) continue;
      base = {Base::Kind::Side, need.side};
      least = rows->size();
    }
    bases[base] |= bit(u);
    sorts_ = sorts_ || base.kind != Base::Kind::Label;
  }
  Degrees degrees(std::move(sides));
  const auto look_at = [&](std::uint32_t v, Mask possible) {
    Mask mask = 0;
    for_each(possible, [&](int u) {
      if (query.labels[at(u)] && *query.labels[at(u)] != graph.labels[v]) return;
      const auto meets = [&](const Need& need) { return degrees.meets(v, need); };
      if (std::ranges::all_of(needs[at(u)], meets)) mask |= bit(u);
    });
    if (mask == 0) return;
    if (arrays_->masks[v] == 0) vertices_.push_back(v);
    arrays_->masks[v] |= mask;
  };
  for (const auto& [base, possible] : bases) {
    if (base.kind == Base::Kind::All) {
      for (std::uint64_t i = 0; i < graph.vertex_count; ++i) {
        look_at(graph.vertices == nullptr ? static_cast<std::uint32_t>(i) : graph.vertices[i], possible);
      }
      continue;
    }
    const Ranks ranks = base.kind == Base::Kind::Label
                            ? index_.by_label().vertices(base.number)
                            : *index_.neighbors(query.sides[static_cast<std::size_t>(base.number)]).rows();
    for (const std::uint32_t v : ranks) look_at(v, possible);
  }
}

}  // namespace matcha::runtime::match
