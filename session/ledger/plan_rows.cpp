#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "session/ledger/conditions.h"
#include "session/ledger/plan.h"
#include "session/ledger/terms.h"
#include "session/vertex_types.h"

namespace matcha::session::ledger {

using pattern::Condition;
using pattern::EdgeUse;
using pattern::Subject;

/// The word of a label as programs write it.
std::string word_of(const std::string& literal) {
  return literal.size() >= 2 && literal.front() == '\'' ? literal.substr(1, literal.size() - 2) : literal;
}

namespace {

/// The rows of a table in a plan.
class RowSorter {
 public:
  RowSorter(const RowRules& rules, const Table& table, Diagnostics& diagnostics, Plan& plan)
      : rules_(rules),
        pattern_(rules.pattern),
        meaning_(rules.meaning),
        table_(table),
        diagnostics_(diagnostics),
        plan_(plan) {}

  bool run() {
    for (const std::string& literal : pattern_.constants) {
      std::optional<std::uint32_t>& rank = constants_.emplace_back();
      if (literal.empty()) continue;
      constexpr std::uint32_t kNone = 0xFFFFFFFF;
      rank = table_.rank_of(word_of(literal)).value_or(kNone);
    }
    known_labels_.resize(pattern_.constants.size());
    sort();
    plan_.classes.clear();
    for (const std::size_t first : rules_.firsts) {
      if (!add_class(first)) return false;
    }
    return true;
  }

 private:
  void sort() {
    plan_.rows.resize(table_.rows);
    for (std::uint64_t row = 0; row < table_.rows; ++row) plan_.rows[row] = row;
    plan_.times.clear();
    if (!plan_.is_sorted) return;
    const Column& by = table_.edges.at(plan_.sorted_by);
    const auto is_before = [&by](std::uint64_t a, std::uint64_t b) {
      if (by.has_value(a) != by.has_value(b)) return by.has_value(a);
      return by.has_value(a) && by.ints[a] < by.ints[b];
    };
    if (!std::ranges::is_sorted(plan_.rows, is_before)) std::ranges::stable_sort(plan_.rows, is_before);
    for (const std::uint64_t row : plan_.rows) {
      if (by.has_value(row)) plan_.times.push_back(by.ints[row]);
    }
  }

  bool fits_label(int vertex, std::uint32_t rank) {
    const std::string& wanted = pattern_.label(vertex);
    if (wanted.empty()) return true;
    const std::string_view label = table_.vertex_labels.at(rank);
    const auto [found, is_new] = known_labels_[pattern::at(vertex)].try_emplace(label, false);
    if (!is_new) return found->second;
    found->second = std::ranges::any_of(pattern::alternatives(wanted),
                                        [&](const std::string& one) { return has_types(label, word_of(one)); });
    return found->second;
  }

  bool fits_vertex(int vertex, std::uint32_t rank) {
    const std::optional<std::uint32_t>& constant = constants_[pattern::at(vertex)];
    return (!constant || *constant == rank) && fits_label(vertex, rank);
  }

  bool add_class(std::size_t e) {
    EdgeClass& made = plan_.classes.emplace_back();
    const EdgeUse& edge = plan_.edges[e];
    Evaluator evaluator(table_);
    std::unordered_set<std::uint64_t> pairs;
    std::vector<std::string> labels;
    for (const std::string& label : edge.labels) labels.push_back(word_of(label));
    const std::vector<Condition>& filters = rules_.filters[e];
    const Column* const maybe_times = rules_.timed[e] ? &table_.edges.at(plan_.sorted_by) : nullptr;
    const std::uint64_t entries = plan_.entries();
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
      const bool is_turned = plan_.is_turned(entry);
      const std::uint64_t row = plan_.row_of(entry);
      std::uint32_t from = table_.sources[row], to = table_.targets[row];
      if (from == to && (!meaning_.keep_loops || is_turned)) continue;
      if ((edge.from == edge.to && from != to) || (edge.sign == '>' && is_turned)) continue;
      if (from == to && edge.from != edge.to && meaning_.match == pattern::Match::Iso) continue;
      if (maybe_times != nullptr && !maybe_times->has_value(row)) continue;
      if (is_turned) std::swap(from, to);
      if (!labels.empty() && std::ranges::find(labels, table_.edge_labels.at(row)) == labels.end()) continue;
      if (!fits_vertex(edge.from, from) || !fits_vertex(edge.to, to)) continue;
      const bool holds = std::ranges::all_of(filters, [&](const Condition& filter) {
        return evaluator.holds(filter, [&](Subject of) -> std::uint64_t {
          return of.of_edge ? row : static_cast<int>(of.index) == edge.from ? from : to;
        }) == std::optional(true);
      });
      const bool joins = !meaning_.by_line && !meaning_.of_stream;
      if (!holds || (joins && !pairs.insert(std::uint64_t{from} << 32 | to).second)) continue;
      made.from.push_back(from);
      made.to.push_back(to);
      made.entries.push_back(static_cast<std::int64_t>(entry));
    }
    if (!evaluator.maybe_overflow()) return true;
    diagnostics_.error(DiagId::PatternCondition, *evaluator.maybe_overflow(), "a value is beyond 64 bits", "");
    return false;
  }

  const RowRules& rules_;
  const pattern::Pattern& pattern_;
  const Meaning& meaning_;
  const Table& table_;
  Diagnostics& diagnostics_;
  Plan& plan_;
  std::vector<std::optional<std::uint32_t>> constants_;
  std::vector<std::unordered_map<std::string_view, bool>> known_labels_;  ///< Of each vertex: whether labels fit.
};

}  // namespace

bool PlanMaker::take_rows(const Table& table, Diagnostics& diagnostics, Plan& plan) const {
  return RowSorter(rules_, table, diagnostics, plan).run();
}

namespace {

/// The lists of one plan.
class ListMaker {
 public:
  ListMaker(const Plan& plan, const Table& table) : plan_(plan), table_(table) {}

  runtime::InputList make(const ListKey& key) const {
    switch (key.kind) {
      case ListKey::Kind::Edges: return edges(plan_.classes[key.of_class], key.flag);
      case ListKey::Kind::Entries: return ints(plan_.classes[key.of_class].entries);
      case ListKey::Kind::Last: return last(key.flag, key.by);
      case ListKey::Kind::Rows:
        return by_entry([this](std::uint64_t entry) { return static_cast<std::int64_t>(plan_.row_of(entry)); });
      case ListKey::Kind::Ids: return ids();
      case ListKey::Kind::Column: return column(key);
      case ListKey::Kind::HasValue: {
        const Column& cells = cells_of(key);
        return by_entry([&](std::uint64_t entry) { return cells.has_value(place(key.of, entry)) ? 1 : 0; });
      }
      case ListKey::Kind::Text: break;
    }
    return ints({table_.texts.code(key.name)});
  }

 private:
  static runtime::InputList edges(const EdgeClass& rows, bool turned) {
    runtime::InputList list;
    list.size = rows.entries.size();
    list.columns.resize(2);
    list.columns[0].ranks = turned ? rows.to : rows.from;
    list.columns[1].ranks = turned ? rows.from : rows.to;
    return list;
  }

  static runtime::InputList ints(std::vector<std::int64_t> items) {
    runtime::InputList list;
    list.size = items.size();
    runtime::InputColumn& column = list.columns.emplace_back();
    column.kind = runtime::ColumnKind::Int;
    column.ints = std::move(items);
    return list;
  }

  template <typename Value>
  runtime::InputList by_entry(Value value) const {
    std::vector<std::int64_t> items(plan_.entries());
    for (std::uint64_t entry = 0; entry < items.size(); ++entry) items[entry] = value(entry);
    return ints(std::move(items));
  }

  runtime::InputList last(bool strictly, __int128 by) const {
    const std::uint64_t ways = plan_.two_ways ? 2 : 1;
    // Times ascend, and so do the sums.
    std::uint64_t count = 0;
    return by_entry([&, by](std::uint64_t entry) -> std::int64_t {
      const std::uint64_t rank = entry / ways;
      if (rank >= plan_.times.size()) return -1;
      const __int128 limit = plan_.times[rank] + by;
      while (count < plan_.times.size() && (strictly ? plan_.times[count] < limit : plan_.times[count] <= limit))
        ++count;
      return static_cast<std::int64_t>(count * ways) - 1;
    });
  }

  runtime::InputList ids() const {
    return by_entry([this](std::uint64_t entry) {
      const std::uint64_t row = plan_.row_of(entry);
      return table_.edge_ids.ints.empty() ? static_cast<std::int64_t>(row) : table_.edge_ids.ints[row];
    });
  }

  const Column& cells_of(const ListKey& key) const {
    return (key.of == ListKey::Of::Edge ? table_.edges : table_.vertices).at(key.name);
  }

  std::uint64_t place(ListKey::Of of, std::uint64_t entry) const {
    const std::uint64_t row = plan_.row_of(entry);
    if (of == ListKey::Of::Edge) return row;
    return (of == ListKey::Of::From) != plan_.is_turned(entry) ? table_.sources[row] : table_.targets[row];
  }

  runtime::InputList column(const ListKey& key) const {
    const Column& cells = cells_of(key);
    if (!key.flag) return by_entry([&](std::uint64_t entry) { return cells.ints[place(key.of, entry)]; });
    runtime::InputList list;
    list.size = plan_.entries();
    runtime::InputColumn& floats = list.columns.emplace_back();
    floats.kind = runtime::ColumnKind::Float;
    for (std::uint64_t entry = 0; entry < list.size; ++entry) {
      const std::uint64_t at = place(key.of, entry);
      floats.floats.push_back(cells.type == Column::Type::Float ? cells.floats[at]
                                                                : static_cast<double>(cells.ints[at]));
    }
    return list;
  }

  const Plan& plan_;
  const Table& table_;
};

}  // namespace

runtime::InputList list_of(const ListKey& key, const Plan& plan, const Table& table) {
  return ListMaker(plan, table).make(key);
}

}  // namespace matcha::session::ledger
