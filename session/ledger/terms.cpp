#include "session/ledger/terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "session/ledger/conditions.h"

namespace matcha::session::ledger {

using pattern::Condition;

std::string Lists::add(const std::string& key, runtime::InputList list) {
  const std::string name = fmt::format("c{}", lists_.size());
  names_.emplace(key, name);
  lists_.emplace_back(name, std::move(list));
  return name;
}

std::string Lists::ints(const std::string& key, const std::function<std::int64_t(std::uint64_t)>& value) {
  if (const auto known = names_.find(key); known != names_.end()) return known->second;
  runtime::InputList list;
  list.size = plan_.entries();
  runtime::InputColumn& column = list.columns.emplace_back();
  column.kind = runtime::ColumnKind::Int;
  column.ints.reserve(list.size);
  for (std::uint64_t entry = 0; entry < list.size; ++entry) column.ints.push_back(value(entry));
  return add(key, std::move(list));
}

std::pair<std::string, std::string> Lists::edges(std::size_t of_class, bool turned) {
  const EdgeClass& rows = plan_.classes[of_class];
  const std::string key = fmt::format("edges {} {}", of_class, turned), entries = fmt::format("entries {}", of_class);
  if (!names_.contains(key)) {
    runtime::InputList list;
    list.size = rows.entries.size();
    list.columns.resize(2);
    list.columns[0].ranks = turned ? rows.to : rows.from;
    list.columns[1].ranks = turned ? rows.from : rows.to;
    add(key, std::move(list));
  }
  if (!names_.contains(entries)) {
    runtime::InputList list;
    list.size = rows.entries.size();
    runtime::InputColumn& column = list.columns.emplace_back();
    column.kind = runtime::ColumnKind::Int;
    column.ints = rows.entries;
    add(entries, std::move(list));
  }
  return {names_.at(key), names_.at(entries)};
}

std::string Lists::last(bool strictly, __int128 by) {
  const std::string key = fmt::format("last {} {}{}", strictly, by < 0 ? "-" : "",
                                      fmt::format("{}", static_cast<unsigned __int128>(by < 0 ? -by : by)));
  const std::uint64_t ways = plan_.two_ways ? 2 : 1;
  // Times ascend, and so do the sums.
  std::uint64_t count = 0;
  return ints(key, [&, by](std::uint64_t entry) -> std::int64_t {
    const std::uint64_t rank = entry / ways;
    if (rank >= plan_.times.size()) return -1;
    const __int128 limit = plan_.times[rank] + by;
    while (count < plan_.times.size() && (strictly ? plan_.times[count] < limit : plan_.times[count] <= limit)) ++count;
    return static_cast<std::int64_t>(count * ways) - 1;
  });
}

std::string Lists::rows() {
  return ints("rows", [this](std::uint64_t entry) { return static_cast<std::int64_t>(plan_.row_of(entry)); });
}

std::string Lists::ids() {
  return ints("ids", [this](std::uint64_t entry) {
    const std::uint64_t row = plan_.row_of(entry);
    return table_.edge_ids.ints.empty() ? static_cast<std::int64_t>(row) : table_.edge_ids.ints[row];
  });
}

const Column& Lists::cells(Of of, const std::string& name) const {
  return (of == Of::Edge ? table_.edges : table_.vertices).at(name);
}

std::uint64_t Lists::place(Of of, std::uint64_t entry) const {
  const std::uint64_t row = plan_.row_of(entry);
  if (of == Of::Edge) return row;
  return (of == Of::From) != plan_.is_turned(entry) ? table_.sources[row] : table_.targets[row];
}

std::string Lists::column(Of of, const std::string& name, bool as_float) {
  const Column& column = cells(of, name);
  const std::string key = fmt::format("column {} {} {}", static_cast<int>(of), as_float, name);
  if (!as_float) return ints(key, [&](std::uint64_t entry) { return column.ints[place(of, entry)]; });
  if (const auto known = names_.find(key); known != names_.end()) return known->second;
  runtime::InputList list;
  list.size = plan_.entries();
  runtime::InputColumn& floats = list.columns.emplace_back();
  floats.kind = runtime::ColumnKind::Float;
  for (std::uint64_t entry = 0; entry < list.size; ++entry) {
    const std::uint64_t at = place(of, entry);
    floats.floats.push_back(column.type == Column::Type::Float ? column.floats[at]
                                                               : static_cast<double>(column.ints[at]));
  }
  return add(key, std::move(list));
}

std::string Lists::has_value(Of of, const std::string& name) {
  const Column& column = cells(of, name);
  return ints(fmt::format("has {} {}", static_cast<int>(of), name),
              [&](std::uint64_t entry) { return column.has_value(place(of, entry)) ? 1 : 0; });
}

std::pair<Lists::Of, std::string> TermWriter::place(const Condition& column, const Images& images) const {
  if (column.subject.of_edge) return {Lists::Of::Edge, images.edge(column.subject.index)};
  const auto [edge, is_from] = *images.end(column.subject.index);
  return {is_from ? Lists::Of::From : Lists::Of::To, images.edge(edge)};
}

std::string TermWriter::has_values(const Condition& term, const Images& images) {
  std::vector<std::string> all;
  pattern::for_each_column(term, [&](const Condition& column) {
    if (type_of(column, table_) == Type::Vertex || table_.column(column).lacks.empty()) return;
    const auto [of, entry] = place(column, images);
    all.push_back(fmt::format("get({}, {}) == 1", lists_.has_value(of, column.text), entry));
  });
  return fmt::format("{}", fmt::join(all, " and "));
}

TermWriter::Range TermWriter::range(const Condition& term) const {
  const auto part = [&](std::size_t at) { return range(term.parts[at]); };
  switch (term.kind) {
    case Condition::Kind::Int: return {term.integer, term.integer};
    case Condition::Kind::Column: return {table_.column(term).least, table_.column(term).most};
    case Condition::Kind::Negative: return {-part(0).most, -part(0).least};
    case Condition::Kind::Sum: return {part(0).least + part(1).least, part(0).most + part(1).most};
    case Condition::Kind::Difference: return {part(0).least - part(1).most, part(0).most - part(1).least};
    case Condition::Kind::Product: {
      const Range a = part(0), b = part(1);
      const __int128 all[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
      return {std::ranges::min(all), std::ranges::max(all)};
    }
    default: return {};
  }
}

/// Whether ints stay within 64 bits, or with `as_float` within those that floats hold.
bool TermWriter::check(const Condition& term, bool as_float) {
  constexpr __int128 kMostExact = __int128{1} << 53;
  for (const Condition& part : term.parts) {
    if (!check(part, as_float)) return false;
  }
  if (type_of(term, table_) != Type::Int) return true;
  const Range values = range(term);
  const __int128 least = as_float ? -kMostExact : INT64_MIN, most = as_float ? kMostExact : INT64_MAX;
  if (values.least >= least && values.most <= most) return true;
  if (failed()) return false;
  diagnostics_.error(
      DiagId::PatternCondition, term.loc,
      as_float ? "an int that may be beyond 2^53 is compared with a float" : "this may be beyond 64 bits",
      as_float ? "write the float as an int, or leave the rows with large numbers out: `x.amount < 1000000`"
               : "the values of the columns are too large to add or multiply");
  return false;
}

std::string TermWriter::value(const Condition& term, bool as_float, const Images& images) {
  const auto part = [&](std::size_t at) { return value(term.parts[at], as_float, images); };
  switch (term.kind) {
    case Condition::Kind::Int: return fmt::format("{}{}", term.integer, as_float ? ".0" : "");
    case Condition::Kind::Bool: return fmt::format("{}", term.integer);
    case Condition::Kind::Text: return fmt::format("{}", table_.texts.code(term.text));
    case Condition::Kind::Float: {
      std::string text = fmt::format("{}", term.number);
      std::erase(text, '+');
      return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    case Condition::Kind::Negative: return fmt::format("(-{})", part(0));
    case Condition::Kind::Sum: return fmt::format("({} + {})", part(0), part(1));
    case Condition::Kind::Difference: return fmt::format("({} - {})", part(0), part(1));
    case Condition::Kind::Product: return fmt::format("({} * {})", part(0), part(1));
    default: break;
  }
  const auto [of, entry] = place(term, images);
  return fmt::format("get({}, {})", lists_.column(of, term.text, as_float), entry);
}

std::string TermWriter::comparison(const Condition& term, bool of_true, const Images& images) {
  const Type left = type_of(term.parts[0], table_), right = type_of(term.parts[1], table_);
  if (left == Type::Null || right == Type::Null) return "False";
  const char* const sign = term.kind == Condition::Kind::Less     ? "<"
                           : term.kind == Condition::Kind::AtMost ? "<="
                           : term.kind == Condition::Kind::Equal  ? "=="
                                                                  : "!=";
  std::string test;
  if (left == Type::Vertex) {
    test = fmt::format("{} {} {}", images.vertex(term.parts[0].subject.index), sign,
                       images.vertex(term.parts[1].subject.index));
  } else {
    const bool as_float = left == Type::Float || right == Type::Float;
    if (!check(term.parts[0], as_float) || !check(term.parts[1], as_float)) return "False";
    test =
        fmt::format("{} {} {}", value(term.parts[0], as_float, images), sign, value(term.parts[1], as_float, images));
  }
  if (!of_true) test = fmt::format("not ({})", test);
  const std::string there = has_values(term, images);
  return there.empty() ? test : fmt::format("{} and {}", there, test);
}

std::string TermWriter::truth(const Condition& term, bool of_true, const Images& images) {
  switch (term.kind) {
    case Condition::Kind::Null: return "False";
    case Condition::Kind::Bool: return (term.integer != 0) == of_true ? "True" : "False";
    case Condition::Kind::Not: return truth(term.parts[0], !of_true, images);
    case Condition::Kind::And:
    case Condition::Kind::Or: {
      const bool all = (term.kind == Condition::Kind::And) == of_true;
      std::vector<std::string> parts;
      for (const Condition& part : term.parts) parts.push_back("(" + truth(part, of_true, images) + ")");
      return fmt::format("{}", fmt::join(parts, all ? " and " : " or "));
    }
    case Condition::Kind::IsNull: {
      if (type_of(term.parts[0], table_) == Type::Null) return of_true ? "True" : "False";
      const std::string there = has_values(term.parts[0], images);
      if (there.empty()) return of_true ? "False" : "True";
      return of_true ? fmt::format("not ({})", there) : there;
    }
    case Condition::Kind::Column: {
      const auto [of, entry] = place(term, images);
      const std::string there = has_values(term, images);
      return fmt::format("{}{}get({}, {}) == {}", there, there.empty() ? "" : " and ",
                         lists_.column(of, term.text, false), entry, of_true ? 1 : 0);
    }
    default: return comparison(term, of_true, images);
  }
}

}  // namespace matcha::session::ledger
