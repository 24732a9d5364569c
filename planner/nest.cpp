#include "planner/nest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "planner/relations.h"
#include "planner/vertex_names.h"

namespace matcha::pattern {

namespace {

/// `vertex_label(G, v) == 'a'`, or one of several.
std::string label_condition(const std::string& vertex, const std::string& label) {
  std::string text;
  const std::vector<std::string> all = alternatives(label);
  for (const std::string& one : all) {
    text += fmt::format("{}vertex_label(G, {}) == {}", text.empty() ? "" : " or ", vertex, one);
  }
  return all.size() == 1 ? text : fmt::format("({})", text);
}

/// Users of a set that its name lists; a set of more is named by how many vertices it is adjacent to.
constexpr int kMostInName = 4;
/// Levels at which a vertex with too few neighbours is dropped before the next loop, when there are no labels.
constexpr std::size_t kDegreeLevels = 2;
/// In patterns of more vertices the last function is a lambda, so that blocks do not nest deeper than the parser
/// allows.
constexpr std::size_t kMostFunctions = 62;

}  // namespace

void Text::line(const std::string& text) {
  if (!text.empty()) text_.append(4 * blocks_.size(), ' ');
  text_ += text + "\n";
}

void Text::open(const std::string& head) {
  line(head);
  blocks_.push_back({names_.size(), sets_.size()});
}

void Text::close() {
  names_.resize(blocks_.back().names);
  sets_.resize(blocks_.back().sets);
  blocks_.pop_back();
}

void Text::drop_unused(std::size_t begin) {
  const auto word_at = [this](std::size_t at) {
    std::size_t end = at;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      ++end;
    return text_.substr(at, end - at);
  };
  const auto indent_at = [this](std::size_t line) { return text_.find_first_not_of(' ', line) - line; };
  for (std::size_t line = begin; line < text_.size();) {
    const std::size_t next = text_.find('\n', line) + 1, indent = indent_at(line);
    const std::string name = word_at(line + indent);
    bool used = name.empty() || text_.compare(line + indent + name.size(), 3, " = ") != 0;
    for (std::size_t at = next; !used && at < text_.size() && indent_at(at) >= indent; at = text_.find('\n', at) + 1) {
      const std::size_t end = text_.find('\n', at);
      for (std::size_t i = at; i < end && !used; i += std::max<std::size_t>(word_at(i).size(), 1)) {
        used = word_at(i) == name;
      }
    }
    if (used) {
      line = next;
    } else {
      text_.erase(line, next - line);
      // The values that it read may be unused in turn.
      line = begin;
    }
  }
}

std::string Text::fresh(const std::string& wanted, const std::string& more) {
  const auto taken = [this](const std::string& name) {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  };
  const std::string first = taken(wanted) ? wanted + more : wanted;
  std::string name = first;
  for (int number = 2; taken(name); ++number) name = fmt::format("{}_{}", first, number);
  names_.push_back(name);
  return name;
}

std::string Text::find(const SetKey& key) const {
  for (const auto& [known, name] : sets_) {
    if (known == key) return name;
  }
  return {};
}

Nest::Nest(const Pattern& pattern, const Requirements& requirements, const Relations& relations, const Order& order,
           const std::vector<std::string>& vertex_names, const std::vector<std::string>& bases, Answer answer,
           Text& out, std::size_t given, bool by_degree)
    : pattern_(pattern),
      requirements_(requirements),
      relations_(relations),
      order_(order),
      vertex_names_(vertex_names),
      bases_(bases),
      answer_(answer),
      out_(out),
      given_(given),
      by_degree_(by_degree),
      factors_(answer == Answer::Count ? factors_of(pattern, requirements.match, vertex_names) : std::vector<Factor>()),
      candidates_(pattern.ids.size()) {}

Mask Nest::placed(std::size_t levels) const {
  Mask set = 0;
  for (std::size_t i = 0; i < levels; ++i) set |= bit(order_.vertices[i]);
  return set;
}

Mask Nest::smaller(int v) const {
  Mask set = 0;
  for (int w = 0; w < pattern_.size(); ++w) {
    if (has(order_.larger[at(w)], v)) set |= bit(w);
  }
  return set;
}

std::string Nest::based(int v, const std::string& neighbors) const {
  return bases_.empty() || bases_[at(v)].empty() ? neighbors
                                                 : fmt::format("intersect({}, {})", neighbors, bases_[at(v)]);
}

/// The candidates of `v` once the vertex at `level` is placed, from those before it.
std::string Nest::combine(int v, std::size_t level, int& operations) const {
  const int newest = order_.vertices[level];
  const Mask before = placed(level);
  std::string list = candidates_[at(v)].list;
  const auto after = [&](int u) { return relations_.after("", name(u)); };
  const auto back = [&](int u) { return relations_.before("", name(u)); };
  const auto meet = [&](const std::string& other) {
    if (list.empty()) {
      list = based(v, other);
      operations += list == other ? 0 : 1;
    } else {
      list = fmt::format("intersect({}, {})", list, other);
      ++operations;
    }
  };
  const auto drop = [&](const std::string& other) {
    list = fmt::format("diff({}, {})", list, other);
    ++operations;
  };
  const bool first = list.empty();
  if (has(requirements_.in_after[at(v)], newest)) {
    for (const std::string& label : fixed_labels(pattern_.labels_of(newest, v))) {
      meet(relations_.after(label, name(newest)));
    }
  }
  if (has(requirements_.in_before[at(v)], newest)) {
    for (const std::string& label : fixed_labels(pattern_.labels_of(v, newest))) {
      meet(relations_.before(label, name(newest)));
    }
  }
  // The statements that wait for the first list of neighbours.
  const Mask off = (first ? before : 0) | bit(newest);
  for_each(requirements_.off_after[at(v)] & off, [&](int u) { drop(after(u)); });
  for_each(requirements_.off_before[at(v)] & off, [&](int u) { drop(back(u)); });
  return list;
}

/// The labels of the edges between `v` and the vertices that it is to be adjacent to; empty where they have none.
std::string Nest::edge_key(int v, Mask bound) const {
  std::string key;
  if (!pattern_.edge_labelled()) return key;
  for_each(requirements_.wanted(v) & bound, [&](int u) {
    key +=
        fmt::format("{}>{}<{};", u, fmt::join(pattern_.labels_of(u, v), ","), fmt::join(pattern_.labels_of(v, u), ","));
  });
  return key;
}

void Nest::define(std::size_t level) {
  const Mask bound = placed(level + 1);
  Mask left = 0;
  for (std::size_t i = std::max(level + 1, given_); i < order_.vertices.size(); ++i) {
    const int w = order_.vertices[i];
    const bool touched = has(requirements_.any(w), order_.vertices[level]);
    if (touched && (requirements_.wanted(w) & bound) != 0) left |= bit(w);
  }
  const auto same = [&](int u, int v) {
    const auto key = [&](int w) {
      const bool own = bases_.empty() && apart(order_, pattern_, requirements_, level, w);
      return std::tuple(requirements_.in_after[at(w)] & bound, requirements_.in_before[at(w)] & bound,
                        requirements_.off_after[at(w)] & bound, requirements_.off_before[at(w)] & bound,
                        bases_.empty() ? std::string{} : bases_[at(w)], edge_key(w, bound),
                        own || candidates_[at(w)].labelled ? pattern_.label(w) : std::string{}, own);
    };
    return key(u) == key(v);
  };
  for (std::size_t i = level + 1; i < order_.vertices.size(); ++i) {
    const int first = order_.vertices[i];
    if (!has(left, first)) continue;
    Mask users = 0;
    for_each(left, [&](int w) {
      if (same(first, w)) users |= bit(w);
    });
    left &= ~users;
    define_group(level, users);
  }
}

void Nest::define_group(std::size_t level, Mask users) {
  const Mask bound = placed(level + 1);
  const int first = lowest(users);
  Candidates next = candidates_[at(first)];
  int operations = 0;
  next.list = combine(first, level, operations);
  next.below = next.above = bound;
  bool one_label = !pattern_.label(first).empty() && (bases_.empty() || bases_[at(first)].empty());
  bool walked_deeper = false;
  for_each(users, [&](int w) {
    next.below &= order_.larger[at(w)];
    next.above &= smaller(w);
    one_label = one_label && pattern_.label(w) == pattern_.label(first);
    const auto turn = std::find(order_.vertices.begin(), order_.vertices.end(), w) - order_.vertices.begin();
    const Mask later = placed(static_cast<std::size_t>(turn)) & ~bound;
    walked_deeper = walked_deeper || later != 0;
  });
  const bool filter = one_label && !candidates_[at(first)].labelled && (operations > 0 || walked_deeper);
  const bool named = operations > 0 || filter;
  next.labelled = candidates_[at(first)].labelled || filter;
  if (!named) {
    // An unchanged list of neighbours: the loop over it applies the bounds.
    next.below = next.above = 0;
  } else {
    const Text::SetKey key(requirements_.in_after[at(first)] & bound, requirements_.in_before[at(first)] & bound,
                           requirements_.off_after[at(first)] & bound, requirements_.off_before[at(first)] & bound,
                           next.below, next.above,
                           (next.labelled ? pattern_.label(first) : "") +
                               (bases_.empty() ? std::string{} : "in " + bases_[at(first)]) + edge_key(first, bound));
    std::string known = out_.find(key);
    if (known.empty()) {
      const std::string item = count(users) == 1 ? name(first) : "x";
      std::vector<std::string> wanted = bound_conditions(item, next.below, next.above);
      const Candidates& before = candidates_[at(first)];
      for (const std::string& done : bound_conditions(item, before.below, before.above)) std::erase(wanted, done);
      if (filter) wanted.push_back(label_condition(item, pattern_.label(first)));
      if (!inline_) known = out_.fresh(set_name(users, level), "_after" + stem(name(order_.vertices[level])));
      if (!wanted.empty()) {
        next.list = fmt::format("apply(lambda {0}: {0}, cond=lambda {0}: {1}, {2})", item, fmt::join(wanted, " and "),
                                next.list);
      }
      if (inline_) {
        known = next.list;
      } else {
        out_.line(fmt::format("{} = {}", known, next.list));
        out_.add(key, known);
      }
    }
    next.list = known;
  }
  next.named = named;
  for_each(users, [&](int w) { candidates_[at(w)] = next; });
}

std::string Nest::set_name(Mask users, std::size_t level) const {
  if (count(users) > kMostInName) {
    return fmt::format("common{}", count(requirements_.wanted(lowest(users)) & placed(level + 1)));
  }
  std::string text;
  for_each(users, [&](int w) { text = text.empty() ? "c" + stem(name(w)) : with_stem(text, name(w)); });
  return text;
}

/// Comparisons of `item` with the nearest of these bounds; the others follow.
std::vector<std::string> Nest::bound_conditions(const std::string& item, Mask below, Mask above) const {
  std::vector<std::string> texts;
  for_each(below, [&](int u) {
    bool nearest = true;
    for_each(below & ~bit(u), [&](int other) { nearest = nearest && !has(order_.larger[at(other)], u); });
    if (nearest) texts.push_back(fmt::format("{} < {}", item, name(u)));
  });
  for_each(above, [&](int u) {
    bool nearest = true;
    for_each(above & ~bit(u), [&](int other) { nearest = nearest && !has(order_.larger[at(u)], other); });
    if (nearest) texts.push_back(fmt::format("{} > {}", item, name(u)));
  });
  return texts;
}

std::string Nest::list_of(int v, std::size_t level) const {
  const Mask bound = placed(level);
  std::string list = candidates_[at(v)].list;
  if (!list.empty()) return list;
  list = level == 0 && !start_.empty() ? start_ : Relations::all(pattern_, v);
  if (!bases_.empty() && !bases_[at(v)].empty()) list = bases_[at(v)];
  for_each(requirements_.off_after[at(v)] & bound,
           [&](int u) { list = fmt::format("diff({}, {})", list, relations_.after("", name(u))); });
  for_each(requirements_.off_before[at(v)] & bound,
           [&](int u) { list = fmt::format("diff({}, {})", list, relations_.before("", name(u))); });
  return list;
}

/// The conditions on one vertex: a constant, and loops.
void Nest::add_own(int v, std::vector<std::string>& texts) const {
  const std::string& constant = pattern_.bound[at(v)];
  if (constant == "none") texts.emplace_back("1 == 2");
  if (!constant.empty() && constant != "none") texts.push_back(fmt::format("{} == {}", name(v), constant));
  if (pattern_.loops[at(v)].empty()) return;
  for (const std::string& label : fixed_labels(pattern_.loops[at(v)])) {
    texts.push_back(fmt::format("size(intersect({}, [{}])) > 0", relations_.after(label, name(v)), name(v)));
  }
}

/// The factors of a match that are known once the vertex at `level` is placed, but not before: a product, or empty.
std::string Nest::factors(std::size_t level) const {
  const Mask before = placed(level), bound = placed(level + 1);
  std::string text;
  for (const Factor& factor : factors_) {
    if ((factor.vertices & ~bound) != 0 || (factor.vertices & ~before) == 0) continue;
    text += (text.empty() ? "" : " * ") + factor.text;
  }
  return text;
}

/// Edges that must not be one: those that `v` completes.
void Nest::add_apart(int v, Mask bound, std::vector<std::string>& texts) const {
  for (const Apart& one : requirements_.apart) {
    Mask vertices = 0;
    std::string text;
    for (const auto& [x, y] : one) {
      vertices |= bit(x) | bit(y);
      text += fmt::format("{}{} != {}", text.empty() ? "" : " or ", name(y == v ? y : x), name(y == v ? x : y));
    }
    if (!has(vertices, v) || (vertices & ~bound & ~bit(v)) != 0) continue;
    texts.push_back(one.size() == 1 ? text : fmt::format("({})", text));
  }
}

std::vector<std::string> Nest::conditions(int v, std::size_t level, bool last) const {
  const Mask bound = placed(level);
  const Candidates& found = candidates_[at(v)];
  const Mask below = order_.larger[at(v)] & bound, above = smaller(v) & bound;
  std::vector<std::string> texts;
  texts = bound_conditions(name(v), below, above);
  for (const std::string& done : bound_conditions(name(v), found.below, found.above)) std::erase(texts, done);
  for_each(bound & ~below & ~above, [&](int u) {
    if (requirements_.injective && !labels_differ(pattern_, u, v) && !requirements_.distinct(u, v, bound)) {
      texts.push_back(fmt::format("{} != {}", name(v), name(u)));
    }
  });
  add_apart(v, bound, texts);
  add_own(v, texts);
  if (!bases_.empty() && !bases_[at(v)].empty()) return texts;
  if (!pattern_.label(v).empty() && !found.labelled) {
    texts.push_back(label_condition(name(v), pattern_.label(v)));
  }
  const int degree = count(pattern_.out[at(v)]);
  const int forward = count(pattern_.out[at(v)] & ~bound);
  const bool pays = pattern_.labelled() ? forward >= 2 : level < kDegreeLevels && forward >= 1 && degree >= 2;
  // A loop over wedges leaves no vertex out.
  const bool counted = level == 1 && counts_wedges(pattern_, requirements_, order_);
  // Neighbours may share their image otherwise.
  if (requirements_.injective && by_degree_ && !last && pays && !counted)
    texts.push_back(fmt::format("size(neighbor(G, {})) >= {}", name(v), degree));
  return texts;
}

std::string Nest::walk(std::size_t level, const std::string& function) const {
  const int v = order_.vertices[level];
  const std::vector<std::string> wanted = conditions(v, level, false);
  const std::string condition =
      wanted.empty() ? "" : fmt::format("cond=lambda {}: {}, ", name(v), fmt::join(wanted, " and "));
  return fmt::format("{}(apply({}, {}{}))", answer_ == Answer::Count ? "sum" : "flatten", function, condition,
                     list_of(v, level));
}

/// True if either of the last two vertices can be iterated over while the other is counted: both have sets of their
/// own, no restriction is between them, and each requires the same of the other. Below a vertex that is adjacent to all
/// others sets are short, and one loop is faster.
bool Nest::either_is_last(std::size_t level) const {
  if (level + 2 != order_.vertices.size() || order_.vertices.size() > kMostFunctions || !factors_.empty()) return false;
  const int v = order_.vertices[level], last = order_.vertices[level + 1], first = order_.vertices[0];
  const Candidates& one = candidates_[at(v)];
  const Candidates& other = candidates_[at(last)];
  const bool sets = one.named && other.named && one.list != other.list;
  const bool free = !has(order_.larger[at(v)], last) && !has(order_.larger[at(last)], v);
  const bool dominated = count(pattern_.near(first)) + 1 == pattern_.size();
  return answer_ == Answer::Count && bases_.empty() && given_ == 0 && !pattern_.directed && sets && free &&
         !dominated && has(requirements_.any(last), v);
}

/// True if the last vertex has the same candidates whatever the one before it is, so that their numbers are multiplied.
bool Nest::last_is_apart(std::size_t level) const {
  if (answer_ != Answer::Count || !factors_.empty() || level + 2 != order_.vertices.size() || level < given_)
    return false;
  const int v = order_.vertices[level], last = order_.vertices[level + 1];
  return !has(requirements_.any(last), v) && conditions(last, level, true) == conditions(last, level + 1, true);
}

/// A list of `give` for each candidate of the last vertex `v`.
std::string Nest::filtered(int v, std::size_t level, const std::string& give) const {
  const std::vector<std::string> wanted = conditions(v, level, true);
  const std::string condition =
      wanted.empty() ? "" : fmt::format("cond=lambda {}: {}, ", name(v), fmt::join(wanted, " and "));
  return fmt::format("apply(lambda {}: {}, {}{})", name(v), give, condition, list_of(v, level));
}

std::string Nest::size_of(int v, std::size_t level) const {
  if (const std::string times = factors(level); !times.empty()) {
    return fmt::format("sum({})", filtered(v, level, times));
  }
  if (conditions(v, level, true).empty()) return fmt::format("size({})", list_of(v, level));
  return fmt::format("size({})", filtered(v, level, name(v)));
}

std::string Nest::times(std::size_t level, const std::string& number) const {
  const std::string factor = factors(level);
  return factor.empty() ? number : fmt::format("{} * {}", factor, number);
}

std::string Nest::rest(std::size_t level) {
  if (!either_is_last(level)) return rest_in_order(level);
  Order order = order_;
  std::swap(order.vertices[level], order.vertices[level + 1]);
  Nest swapped(pattern_, requirements_, relations_, order, vertex_names_, bases_, answer_, out_, given_);
  swapped.candidates_ = candidates_;
  swapped.maybe_columns_ = maybe_columns_;
  swapped.maybe_variables_ = maybe_variables_;
  const auto size = [&](int v) { return fmt::format("size({})", candidates_[at(v)].list); };
  const std::string fewer = fmt::format("{} <= {}", size(order_.vertices[level]), size(order.vertices[level]));
  const std::string counted = rest_in_order(level);
  return fmt::format("{} if {} else {}", counted, fewer, swapped.rest_in_order(level));
}

std::string Nest::rest_in_order(std::size_t level) {
  const int v = order_.vertices[level];
  if (level + 2 == order_.vertices.size() && order_.vertices.size() > kMostFunctions) {
    inline_ = true;
    define(level);
    const std::string inner = rest(level + 1);
    inline_ = false;
    return walk(level, fmt::format("lambda {}: {}", name(v), times(level, inner)));
  }
  if (last_is_apart(level)) {
    const std::string counted = rest_in_order(level + 1);
    const std::string number = out_.fresh("n" + stem(name(order_.vertices[level + 1])));
    out_.line(fmt::format("{} = {}", number, counted));
    return fmt::format("{} * {}", number, size_of(v, level));
  }
  if (level + 1 < order_.vertices.size()) {
    const std::string function = out_.fresh("at_" + name(v));
    out_.open(fmt::format("def {}({}):", function, name(v)));
    define(level);
    const std::string inner = rest(level + 1);
    out_.line("return " + times(level, inner));
    out_.close();
    return walk(level, function);
  }
  if (answer_ == Answer::Count) return size_of(v, level);
  return rows(v, level);
}

/// The rows for each candidate of the last vertex `v`.
std::string Nest::rows(int v, std::size_t level) const {
  const std::vector<LabelLoop> walks = label_loops_of(pattern_, requirements_.match, vertex_names_);
  std::vector<std::string> cells;
  for (int w = 0; w < pattern_.size() && maybe_columns_ == nullptr; ++w) cells.push_back(name(w));
  for (std::size_t i = 0; maybe_columns_ != nullptr && i < maybe_columns_->size(); ++i) {
    const int column = (*maybe_columns_)[i];
    if (column < pattern_.size()) {
      cells.push_back(name(column));
      continue;
    }
    const std::string& variable = (*maybe_variables_)[at(column - pattern_.size())];
    cells.push_back(std::ranges::find(walks, variable, &LabelLoop::variable)->label);
  }
  std::string all = fmt::format("mk_tuple(val=[{}])", fmt::join(cells, ", "));
  for (std::size_t i = walks.size(); i-- > 0;) {
    all = fmt::format("apply(lambda {}, {}: {}, {})", walks[i].end, walks[i].label, all, walks[i].edges);
    if (i + 1 < walks.size()) all = fmt::format("flatten({})", all);
  }
  all = filtered(v, level, all);
  return walks.empty() ? all : fmt::format("flatten({})", all);
}

}  // namespace matcha::pattern
