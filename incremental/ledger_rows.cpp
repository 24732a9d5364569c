#include "incremental/ledger_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "incremental/update_cells.h"
#include "incremental/update_text.h"

namespace matcha::session::stream {

using ledger::CellForm;
using ledger::Column;

namespace {

constexpr std::uint64_t kNs = 1'000'000'000;

}  // namespace

void CellForms::add(std::string_view cell, std::uint64_t line) {
  const CellForm form = ledger::form_of(cell);
  ++counts_[static_cast<std::size_t>(form.kind)];
  if (form.kind == CellForm::Kind::Null) may_lack_ = true;
  const bool is_far = form.kind == CellForm::Kind::Time && !ledger::time_of(cell, kNs);
  if (form.kind == CellForm::Kind::Time) ++units_[form.per_second];
  if (is_far) ++far_;
  if (form.kind == CellForm::Kind::Text || is_far) text_line_ = line;
}

void CellForms::remove(std::string_view cell) {
  const CellForm form = ledger::form_of(cell);
  --counts_[static_cast<std::size_t>(form.kind)];
  if (form.kind != CellForm::Kind::Time) return;
  if (--units_[form.per_second] == 0) units_.erase(form.per_second);
  if (!ledger::time_of(cell, kNs)) --far_;
}

ledger::ColumnForm CellForms::form() const {
  using enum CellForm::Kind;
  const auto count = [this](CellForm::Kind kind) { return counts_[static_cast<std::size_t>(kind)]; };
  const std::uint64_t all = count(Int) + count(Float) + count(Bool) + count(Time) + count(Text);
  ledger::ColumnForm form;
  form.may_lack = may_lack_;
  form.is_null = all == 0;
  if (all == count(Int)) return form;
  form.type = Column::Type::Float;
  if (all == count(Int) + count(Float)) return form;
  form.type = Column::Type::Bool;
  if (all == count(Bool)) return form;
  form.type = Column::Type::Int;
  form.per_second = units_.empty() ? 1 : units_.rbegin()->first;
  if (all == count(Time) && (form.per_second != kNs || far_ == 0)) return form;
  form.type = Column::Type::Text;
  form.per_second = 0;
  return form;
}

void LedgerRows::Request::add(const Request& more) {
  for (const std::string& name : more.columns) {
    if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  }
  if (edge_label.empty()) edge_label = more.edge_label;
}

LedgerRows::LedgerRows(Request request)
    : request_(std::move(request)), cell_names_(request_.columns), forms_(request_.columns.size()) {
  const auto add = [this](const std::string& name, std::optional<std::size_t>& cell) {
    if (name.empty()) return;
    cell = cell_names_.size();
    cell_names_.push_back(name);
  };
  add(request_.edge_label, label_cell_);
  add(request_.edge_id, id_cell_);
}

bool LedgerRows::choose(const TimedColumns& columns, std::string& error) {
  time_place_ = columns.index[TimedColumns::kTime];
  const auto place = [&](const std::string& name) -> std::optional<unsigned> {
    if (name.empty()) return time_place_;
    const auto found = std::ranges::find(columns.heading, name);
    if (std::ranges::count(columns.heading, name) > 1) {
      error = fmt::format("there are several columns `{}`", name);
      return std::nullopt;
    }
    if (found != columns.heading.end()) return static_cast<unsigned>(found - columns.heading.begin());
    const runtime::ColumnRef ref(name);
    if (ref.name.empty() && (columns.count == 0 || ref.index < columns.count)) return ref.index;
    error = columns.heading.empty() ? fmt::format("there is no column `{}`: the lines have no heading", name)
                                    : fmt::format("there is no column `{}`\n  hint: its columns are `{}`", name,
                                                  fmt::join(columns.heading, "`, `"));
    return std::nullopt;
  };
  for (const std::string& name : request_.named) {
    if (!place(name)) return false;
  }
  places_.clear();
  std::vector<bool> are_times;
  for (const std::string& name : cell_names_) {
    const std::optional<unsigned> found = place(name);
    if (!found) return false;
    places_.push_back(*found);
    are_times.push_back(*found == time_place_);
  }
  if (is_chosen_ && are_times != are_times_) {
    error = "the times are in another column than in the file before";
    return false;
  }
  are_times_ = std::move(are_times);
  is_chosen_ = true;
  return true;
}

bool LedgerRows::read_time(std::string_view cell, std::int64_t& time, std::string& error) {
  const std::optional<std::int64_t> date = ledger::time_of(cell, kNs);
  if (!has_time_) {
    has_dates_ = date.has_value();
    per_second_ = has_dates_ ? kNs : request_.per_second;
  }
  if (has_dates_ && date) {
    time = *date;
  } else if (has_dates_ || date) {
    error = fmt::format("`{}` is no time: those before it are {}", cell,
                        has_dates_ ? "dates, which are from 1678 to 2261" : "numbers");
    return false;
  } else if (!read_number(cell, "time", time, error)) {
    return false;
  }
  has_time_ = true;
  return true;
}

std::uint32_t LedgerRows::number_of(std::int64_t id) {
  const auto [found, is_new] = numbers_.try_emplace(id, static_cast<std::uint32_t>(ids_.size()));
  if (is_new) ids_.push_back(id);
  return found->second;
}

bool LedgerRows::read_cells(std::string_view line, const TimedColumns& columns, std::string& error) {
  cells_.resize(places_.size());
  if (places_.empty()) return true;
  CellWalk walk(line, columns.separator, true);
  unsigned at = 0;
  for (std::string_view cell; walk.next(cell); ++at) {
    for (std::size_t wanted = 0; wanted < places_.size(); ++wanted) {
      if (places_[wanted] == at) cells_[wanted] = cell;
    }
  }
  const unsigned last = *std::ranges::max_element(places_);
  if (last >= at) {
    error = fmt::format("there is no column {}: the line has {} of them, from 0", last, at);
    return false;
  }
  if (id_cell_ && cells_[*id_cell_].empty()) {
    error = fmt::format("`--edge-id {}`: each edge has an id, and this line has none", request_.edge_id);
    return false;
  }
  return true;
}

void LedgerRows::take(const Update& update, std::uint64_t line, bool is_kept) {
  const std::uint64_t number = lines_++;
  if (!is_kept) return;
  waiting_[update.line] = {number_of(update.u), number_of(update.v), update.time, number, line, cells_};
}

std::uint64_t LedgerRows::first_from(__int128 time) const {
  return static_cast<std::uint64_t>(
      std::ranges::lower_bound(live_, time, {}, [](const LedgerRow& row) { return static_cast<__int128>(row.time); }) -
      live_.begin());
}

std::uint64_t LedgerRows::first_after(__int128 time) const { return first_from(time + 1); }

void LedgerRows::add(const std::vector<std::uint64_t>& rows) {
  for (const std::uint64_t row : rows) {
    const auto found = waiting_.find(row);
    add_live(std::move(found->second));
    waiting_.erase(found);
  }
}

void LedgerRows::add_live(LedgerRow row) {
  for (std::size_t column = 0; column < forms_.size(); ++column) {
    if (!is_time(column)) forms_[column].add(row.cells[column], row.line);
  }
  live_.push_back(std::move(row));
}

void LedgerRows::forget(std::uint64_t count) {
  for (std::uint64_t at = 0; at < std::min(count, size()); ++at) {
    for (std::size_t column = 0; column < forms_.size(); ++column) {
      if (!is_time(column)) forms_[column].remove(live_[at].cells[column]);
    }
  }
}

nlohmann::json LedgerRows::saved() const {
  const auto row_of = [](const LedgerRow& row) {
    nlohmann::json cells = nlohmann::json::array();
    for (const std::string& cell : row.cells) cells.push_back(saved_bytes(cell));
    return nlohmann::json{row.u, row.v, row.time, row.number, row.line, std::move(cells)};
  };
  nlohmann::json live = nlohmann::json::array(), waiting = live;
  for (const LedgerRow& row : live_) live.push_back(row_of(row));
  for (const auto& [next, row] : waiting_) waiting.push_back(row_of(row));
  return {{"live", std::move(live)}, {"waiting", std::move(waiting)}, {"ids", ids_},
          {"lines", lines_},         {"are-times", are_times_},       {"has-time", has_time_},
          {"has-dates", has_dates_}, {"per-second", per_second_},     {"chosen", is_chosen_}};
}

void LedgerRows::restore(const nlohmann::json& saved) {
  const auto row_of = [](const nlohmann::json& row) {
    LedgerRow made{row.at(0).get<std::uint32_t>(), row.at(1).get<std::uint32_t>(), row.at(2).get<std::int64_t>(),
                   row.at(3).get<std::uint64_t>(), row.at(4).get<std::uint64_t>(), {}};
    for (const nlohmann::json& cell : row.at(5)) {
      made.cells.push_back(restored_bytes(cell.get_ref<const std::string&>()).value_or(""));
    }
    return made;
  };
  for (const nlohmann::json& id : saved.at("ids")) number_of(id.get<std::int64_t>());
  lines_ = saved.at("lines").get<std::uint64_t>();
  are_times_ = saved.at("are-times").get<std::vector<bool>>();
  has_time_ = saved.at("has-time").get<bool>();
  has_dates_ = saved.at("has-dates").get<bool>();
  per_second_ = saved.at("per-second").get<std::uint64_t>();
  is_chosen_ = saved.at("chosen").get<bool>();
  for (const nlohmann::json& row : saved.at("live")) add_live(row_of(row));
  for (const nlohmann::json& row : saved.at("waiting")) {
    LedgerRow made = row_of(row);
    waiting_.emplace(made.number + 1, std::move(made));
  }
}

void LedgerRows::remove(std::uint64_t count) {
  live_.erase(live_.begin(), live_.begin() + static_cast<std::ptrdiff_t>(std::min(count, size())));
}

}  // namespace matcha::session::stream
