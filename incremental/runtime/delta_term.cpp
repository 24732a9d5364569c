#include "incremental/runtime/delta_term.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace matcha::runtime::stream {

namespace {

constexpr Mask bit(int v) { return Mask{1} << v; }
constexpr bool has(Mask set, int v) { return (set >> v & 1) != 0; }

/// A condition on a set: its items are neighbours of a vertex in a layer other than 0.
struct Link {
  int vertex = 0;
  std::uint32_t layer = 0;
  bool backwards = false;
  auto operator<=>(const Link&) const = default;
};

/// The conditions that define a set.
struct Key {
  Mask after = 0, before = 0, off_after = 0, off_before = 0, above = 0, below = 0;
  std::uint32_t label_class = kAnyClass;
  std::vector<Link> links;  ///< Ascending.
  auto operator<=>(const Key&) const = default;

  bool has_link(const Link& link) const { return std::ranges::binary_search(links, link); }
  void add(const Link& link) {
    if (!has_link(link)) links.insert(std::ranges::upper_bound(links, link), link);
  }
  /// Vertices whose neighbours, in some layer, are the items.
  Mask near() const {
    Mask found = after | before;
    for (const Link& link : links) found |= bit(link.vertex);
    return found;
  }
};

/// A user of a set: a vertex, or several counted vertices with the same set.
struct User {
  Key wanted;
  Key have;
  int set = -1;
  bool needed = true;
  bool walked = false;
};

class Maker {
 public:
  explicit Maker(TermPattern pattern) { term_.pattern = std::move(pattern); }

  Term make();

 private:
  Key key_of(int v) const;
  std::vector<Link> links_of(int v) const;
  int user_of(const Key& key, bool needed, bool walked);
  void apply(User& user, int level, int v);
  void attach(User& user, int level, const Link& from);
  int step(User& user, int level, TermStep::Kind kind, const Link& row);
  void bound(User& user, int level, int v);
  bool may_coincide(int u, int v) const;
  bool may_hold(const Key& key, int e) const;
  bool surely_holds(const Key& key, int e) const;
  int value_of(const Key& key, bool needed);
  void count_group(const std::vector<int>& members);
  void finish_values();

  const TermPattern& p() const { return term_.pattern; }

  Term term_;
  std::vector<User> users_;
  std::map<Key, int> user_by_key_;
  std::map<Key, int> sets_;
  std::map<Key, int> values_;
  std::vector<int> value_users_;
  std::vector<bool> read_;  ///< By set: its items are needed.
};

Key Maker::key_of(int v) const {
  Key key;
  const Mask placed = v < p().walked ? bit(v) - 1 : bit(p().walked) - 1;
  key.after = p().after[at(v)] & placed;
  key.before = p().before[at(v)] & placed;
  key.off_after = p().off_after[at(v)] & placed;
  key.off_before = p().off_before[at(v)] & placed;
  key.below = p().larger[at(v)] & placed;
  for (int u = 0; u < p().size; ++u) {
    if (has(placed, u) && has(p().larger[at(u)], v)) key.above |= bit(u);
  }
  key.label_class = p().classes[at(v)];
  for (const Link& link : links_of(v)) {
    if (has(placed, link.vertex)) key.links.push_back(link);
  }
  return key;
}

/// The links that vertex v requires to all others in layers other than 0, ascending.
std::vector<Link> Maker::links_of(int v) const {
  std::vector<Link> links;
  for (const LayerArc& arc : p().arcs) {
    if (arc.to == v) links.push_back({arc.from, arc.layer, false});
    if (arc.from == v) links.push_back({arc.to, arc.layer, p().directed});
  }
  std::ranges::sort(links);
  return links;
}

int Maker::user_of(const Key& key, bool needed, bool walked) {
  const auto [found, fresh] = user_by_key_.try_emplace(key, static_cast<int>(users_.size()));
  if (fresh) users_.push_back({key, {}, -1, false, false});
  User& user = users_[at(found->second)];
  user.needed = user.needed || needed;
  user.walked = user.walked || walked;
  return found->second;
}

int Maker::step(User& user, int level, TermStep::Kind kind, const Link& row) {
  const auto [found, fresh] = sets_.try_emplace(user.have, term_.sets);
  if (fresh) {
    TermStep made;
    made.kind = kind;
    made.to = static_cast<std::uint16_t>(term_.sets++);
    made.from = static_cast<std::uint16_t>(user.set < 0 ? 0 : user.set);
    made.vertex = static_cast<std::uint8_t>(row.vertex);
    made.backwards = row.backwards;
    made.layer = static_cast<std::uint16_t>(row.layer);
    made.label_class = user.have.label_class;
    term_.steps[at(level)].push_back(made);
    read_.push_back(false);
    if (kind != TermStep::Kind::Slice) read_[made.from] = true;
  }
  user.set = found->second;
  if (user.needed) {
    for (std::vector<TermStep>& steps : term_.steps) {
      for (TermStep& made : steps) made.needed = made.needed || made.to == user.set;
    }
  }
  return user.set;
}

void Maker::bound(User& user, int level, int v) {
  if (has(user.wanted.below, v) && !has(user.have.below, v)) {
    user.have.below |= bit(v);
    step(user, level, TermStep::Kind::Below, {v, 0, false});
  }
  if (has(user.wanted.above, v) && !has(user.have.above, v)) {
    user.have.above |= bit(v);
    step(user, level, TermStep::Kind::Above, {v, 0, false});
  }
}

/// The first set of a user: the neighbours of a vertex, then all conditions of earlier vertices.
void Maker::attach(User& user, int level, const Link& from) {
  if (from.layer != 0) {
    user.have.add(from);
  } else {
    (from.backwards ? user.have.before : user.have.after) |= bit(from.vertex);
  }
  user.have.label_class = user.wanted.label_class;
  step(user, level, TermStep::Kind::Slice, from);
  for (int u = 0; u < from.vertex; ++u) apply(user, level, u);
}

/// Applies the conditions of the user for placed vertex `v`.
void Maker::apply(User& user, int level, int v) {
  for (const Link& link : user.wanted.links) {
    if (user.set < 0 && link.vertex == v) attach(user, level, link);
  }
  for (const bool backwards : {false, true}) {
    const Mask wanted = backwards ? user.wanted.before : user.wanted.after;
    if (user.set < 0 && has(wanted, v)) attach(user, level, {v, 0, backwards});
  }
  if (user.set < 0) return;
  bound(user, level, v);
  for (const Link& link : user.wanted.links) {
    if (link.vertex != v || user.have.has_link(link)) continue;
    user.have.add(link);
    step(user, level, TermStep::Kind::Intersect, link);
  }
  for (const bool backwards : {false, true}) {
    const Mask wanted = backwards ? user.wanted.before : user.wanted.after;
    Mask& have = backwards ? user.have.before : user.have.after;
    if (!has(wanted, v) || has(have, v)) continue;
    have |= bit(v);
    step(user, level, TermStep::Kind::Intersect, {v, 0, backwards});
  }
  for (const bool backwards : {false, true}) {
    const Mask wanted = backwards ? user.wanted.off_before : user.wanted.off_after;
    Mask& have = backwards ? user.have.off_before : user.have.off_after;
    if (!has(wanted, v) || has(have, v)) continue;
    have |= bit(v);
    step(user, level, TermStep::Kind::Remove, {v, 0, backwards});
  }
}

bool Maker::may_coincide(int u, int v) const {
  const std::uint32_t a = p().classes[at(u)], b = p().classes[at(v)];
  return a == kAnyClass || b == kAnyClass || a == b;
}

/// True if placed vertex `e` may be in the set.
bool Maker::may_hold(const Key& key, int e) const {
  const std::uint32_t label_class = p().classes[at(e)];
  if (label_class != kAnyClass && key.label_class != kAnyClass && label_class != key.label_class) return false;
  if (has(key.near() | key.below | key.above, e)) return false;
  // The changed edge itself is not in the graph.
  const auto from = [&](int v, bool backwards) {
    const Mask wanted = backwards ? key.before : key.after;
    return p().layer == 0 ? has(wanted, v) : key.has_link({v, p().layer, backwards});
  };
  if (e == 1 && from(0, false)) return false;
  if (e == 0 && from(1, p().directed)) return false;
  // Forbidden arcs do not exist.
  return (key.after & p().off_after[at(e)]) == 0 && (key.before & p().off_before[at(e)]) == 0;
}

bool Maker::surely_holds(const Key& key, int e) const {
  if (key.off_after != 0 || key.off_before != 0 || key.below != 0 || key.above != 0) return false;
  if (key.label_class != kAnyClass && key.label_class != p().classes[at(e)]) return false;
  if (e <= 1 && has(key.near(), 1 - e)) return false;
  return (key.after & ~p().after[at(e)]) == 0 && (key.before & ~p().before[at(e)]) == 0 &&
         std::ranges::includes(links_of(e), key.links);
}

int Maker::value_of(const Key& key, bool needed) {
  const auto [found, fresh] = values_.try_emplace(key, static_cast<int>(term_.values.size()));
  if (fresh) {
    term_.values.emplace_back();
    value_users_.push_back(user_of(key, needed, false));
    TermValue& value = term_.values.back();
    for (int e = 0; e < p().walked; ++e) {
      if (!may_hold(key, e)) continue;
      if (surely_holds(key, e)) {
        ++value.less;
      } else {
        value.maybe.push_back(static_cast<std::uint8_t>(e));
      }
    }
  } else {
    user_of(key, needed, false);
  }
  return found->second;
}

/// The ways to give the members different vertices: a sum over all partitions into equal vertices, with the signs of
/// Moebius' inversion.
void Maker::count_group(const std::vector<int>& members) {
  std::map<std::vector<std::uint16_t>, std::int64_t> products;
  std::vector<std::vector<int>> blocks;
  const auto add = [&] {
    std::int64_t factor = 1;
    std::vector<std::uint16_t> values;
    for (const std::vector<int>& block : blocks) {
      Key key = key_of(block.front());
      for (std::size_t i = 1; i < block.size(); ++i) {
        factor *= -static_cast<std::int64_t>(i);
        const Key more = key_of(block[i]);
        if (key.label_class == kAnyClass) key.label_class = more.label_class;
        if (more.label_class != kAnyClass && more.label_class != key.label_class) return;
        key.after |= more.after;
        key.before |= more.before;
        key.off_after |= more.off_after;
        key.off_before |= more.off_before;
        key.below |= more.below;
        key.above |= more.above;
        for (const Link& link : more.links) key.add(link);
      }
      values.push_back(static_cast<std::uint16_t>(value_of(key, block.size() == 1)));
    }
    std::sort(values.begin(), values.end());
    products[values] += factor;
  };
  const auto part = [&](auto self, std::size_t next) -> void {
    if (next == members.size()) return add();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i].push_back(members[next]);
      self(self, next + 1);
      blocks[i].pop_back();
    }
    blocks.push_back({members[next]});
    self(self, next + 1);
    blocks.pop_back();
  };
  const Key first = key_of(members.front());
  if (std::ranges::all_of(members, [&](int v) { return key_of(v) == first; })) {
    // For n candidates n (n - 1) (n - 2) …, as powers of n.
    const std::uint16_t value = static_cast<std::uint16_t>(value_of(first, true));
    std::vector<std::int64_t> powers = {1};
    for (std::size_t taken = 0; taken < members.size(); ++taken) {
      powers.insert(powers.begin(), 0);
      for (std::size_t i = 0; i + 1 < powers.size(); ++i) powers[i] -= static_cast<std::int64_t>(taken) * powers[i + 1];
    }
    for (std::size_t i = 0; i < powers.size(); ++i) {
      products[std::vector<std::uint16_t>(i, value)] = powers[i];
    }
  } else {
    part(part, 0);
  }
  std::vector<TermProduct>& group = term_.groups.emplace_back();
  for (const auto& [values, factor] : products) {
    if (factor != 0) group.push_back({factor, values});
  }
}

/// Sets that are only used by values are counted and not stored.
void Maker::finish_values() {
  for (std::vector<TermStep>& steps : term_.steps) {
    for (TermStep& made : steps) {
      if (read_[made.to]) continue;
      if (made.kind == TermStep::Kind::Intersect) made.kind = TermStep::Kind::CountCommon;
      if (made.kind == TermStep::Kind::Remove) made.kind = TermStep::Kind::CountRemoved;
      for (std::size_t i = 0; i < term_.values.size(); ++i) {
        if (users_[at(value_users_[i])].set != made.to) continue;
        term_.values[i].stored = made.kind != TermStep::Kind::CountCommon && made.kind != TermStep::Kind::CountRemoved;
        term_.values[i].counted = made;
      }
    }
    // Steps that need no other set come first: they end most searches.
    std::stable_partition(steps.begin(), steps.end(),
                          [](const TermStep& made) { return made.kind == TermStep::Kind::Slice; });
  }
  for (std::size_t i = 0; i < term_.values.size(); ++i) {
    term_.values[i].set = static_cast<std::uint16_t>(users_[at(value_users_[i])].set);
  }
}

Term Maker::make() {
  const int n = p().size, walked = p().walked;
  term_.steps.resize(at(walked));
  term_.candidates.resize(at(walked), 0);
  term_.others.resize(at(walked));
  std::vector<int> of_vertex(at(walked), -1);
  for (int v = 2; v < walked; ++v) {
    const Key key = key_of(v);
    of_vertex[at(v)] = user_of(key, true, true);
    for (int e = 0; e < v; ++e) {
      if (may_hold(key, e)) term_.others[at(v)].push_back(static_cast<std::uint8_t>(e));
    }
  }
  std::vector<bool> grouped(at(n), false);
  for (int v = walked; v < n; ++v) {
    if (grouped[at(v)]) continue;
    std::vector<int> members = {v};
    grouped[at(v)] = true;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (int w = walked; w < n; ++w) {
        if (grouped[at(w)] || !may_coincide(members[i], w)) continue;
        grouped[at(w)] = true;
        members.push_back(w);
      }
    }
    count_group(members);
  }
  for (int level = 1; level < walked; ++level) {
    for (User& user : users_) {
      if (level == 1) apply(user, level, 0);
      apply(user, level, level);
    }
  }
  for (int v = 2; v < walked; ++v) {
    const int set = users_[at(of_vertex[at(v)])].set;
    term_.candidates[at(v)] = static_cast<std::uint16_t>(set);
    read_[at(set)] = true;
  }
  finish_values();
  for (const std::vector<TermStep>& steps : term_.steps) {
    term_.layers.push_back(steps.empty() ? std::uint16_t{0} : steps.front().layer);
  }
  return std::move(term_);
}

}  // namespace

Term make_term(TermPattern pattern) { return Maker(std::move(pattern)).make(); }

}  // namespace matcha::runtime::stream
