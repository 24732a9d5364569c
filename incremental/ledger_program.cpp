#include "incremental/ledger_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "incremental/methods.h"

namespace matcha::session::stream {

using ledger::Column;
using ledger::ColumnForm;
using ledger::Table;

namespace {

constexpr std::uint32_t kNoRank = 0xFFFFFFFF;

/// The cells of some ranks; those without one lack a value.
Column picked(const Column& from, const std::vector<std::uint32_t>& ranks) {
  Column column;
  column.type = from.type;
  column.is_null = from.is_null;
  column.per_second = from.per_second;
  column.least = from.least;
  column.most = from.most;
  for (const std::uint32_t rank : ranks) {
    const bool has_value = rank != kNoRank && from.has_value(rank);
    column.lacks.push_back(has_value ? 0 : 1);
    switch (from.type) {
      case Column::Type::Float: column.floats.push_back(has_value ? from.floats[rank] : 0); break;
      case Column::Type::Text: column.texts.add(has_value ? from.texts.at(rank) : std::string_view()); break;
      case Column::Type::Int:
      case Column::Type::Bool: column.ints.push_back(has_value ? from.ints[rank] : 0); break;
    }
  }
  return column;
}

/// Conditions on old rows mean something else where their columns get another type, also of numbers: ints beyond 2^53
/// may be equal as floats.
bool shifts(const std::vector<ColumnForm>& before, const std::vector<ColumnForm>& now) {
  for (std::size_t column = 0; column < before.size(); ++column) {
    const bool has_values = !before[column].is_null && !now[column].is_null;
    const bool is_other =
        before[column].type != now[column].type || (before[column].per_second == 0) != (now[column].per_second == 0);
    if (has_values && is_other) return true;
  }
  return false;
}

}  // namespace

LedgerProgram::LedgerProgram(std::unique_ptr<LedgerPattern> pattern, std::shared_ptr<LedgerRows> rows,
                             Prepared::Reading reading)
    : pattern_(std::move(pattern)), rows_(std::move(rows)), reading_(std::move(reading)) {
  const runtime::Universe& known = *pattern_->vertices.universe;
  for (std::uint64_t rank = 0; rank < known.size(); ++rank) {
    known_.emplace(known.id_text(rank), static_cast<std::uint32_t>(rank));
  }
  for (std::size_t column = 0; column < rows_->request().columns.size(); ++column) {
    if (std::ranges::find(pattern_->request.columns, name_of(column)) != pattern_->request.columns.end())
      columns_.push_back(column);
  }
}

Status LedgerProgram::open(const ProgramRequest& request, const ProgramOptions& options, bool directed,
                           std::shared_ptr<const Reporter> reporter) {
  MethodQuestion question{request, options, directed};
  std::string problem;
  reading_([&] {
    const MethodChoice choice(question);
    problem = choice.problem();
    decision_ = choice.decision();
    recomputes_ = problem.empty() && choice.chosen() == MaintenanceMethod::Recompute;
  });
  if (!problem.empty()) return reporter->error(Status::Usage, problem);
  request_ = request;
  options_ = options;
  reporter_ = std::move(reporter);
  programs_.emplace(request_, *reporter_, reading_);
  semantics_ = ledger::text_of(pattern_->question.meaning);
  return Status::Ok;
}

Status LedgerProgram::start(const ApplyOptions& options, Answer& answer) {
  run_ = options.run;
  if (rows_->is_chosen()) find_columns();
  changes_ = {};
  const Status status = count_all(rows_->size(), forms(), changes_.added, changes_.plus);
  if (status != Status::Ok) return status;
  total_ = changes_.plus;
  answer.how = recomputes_ ? MaintenanceMethod::Recompute : MaintenanceMethod::Delta;
  answer.total = {*total_};
  if (lists()) put(answer);
  return status;
}

Status LedgerProgram::begin(const ApplyOptions& options) {
  run_ = options.run;
  changes_ = {};
  if (rows_->is_chosen()) find_columns();
  old_forms_ = forms();
  if (total_) return Status::Ok;
  RowSet ignored;
  __int128 total = 0;
  const Status status = count_all(rows_->size(), old_forms_, ignored, total);
  if (status == Status::Ok) total_ = total;
  return status;
}

Status LedgerProgram::before(const Batch& batch) {
  new_forms_ = forms();
  again_ = recomputes_ || shifts(old_forms_, new_forms_);
  if (again_) return lists() ? count_all(batch.before, old_forms_, changes_.removed, changes_.minus) : Status::Ok;
  if (!by_line()) return count_pairs(batch);
  return count_side({0, batch.before}, {0, batch.left}, false, old_forms_, changes_.removed, changes_.minus);
}

Status LedgerProgram::after(const Batch& batch, Answer& answer) {
  const std::uint64_t rows = rows_->size();
  Status status = Status::Ok;
  if (again_) {
    status = count_all(rows, new_forms_, changes_.added, changes_.plus);
  } else if (by_line()) {
    status = count_side({0, rows}, {batch.before - batch.left, rows}, true, new_forms_, changes_.added, changes_.plus);
  }
  if (status != Status::Ok) return status;
  const __int128 last = *total_;
  total_ = again_ ? changes_.plus : last + changes_.plus - changes_.minus;
  answer.how = again_ ? MaintenanceMethod::Recompute : MaintenanceMethod::Delta;
  answer.total = {*total_};
  answer.delta = {*total_ - last};
  if (!again_) {
    answer.plus = changes_.plus;
    answer.minus = changes_.minus;
  }
  if (lists()) put(answer);
  return status;
}

/// Finds the column with the times, which has no name from now on.
void LedgerProgram::find_columns() {
  if (std::exchange(has_columns_, true)) return;
  const std::function<void(pattern::Condition&)> name = [&](pattern::Condition& term) {
    std::ranges::for_each(term.parts, name);
    if (term.kind != pattern::Condition::Kind::Column || !term.subject.of_edge) return;
    const auto found = std::ranges::find(columns_, term.text, [this](std::size_t column) { return name_of(column); });
    if (found != columns_.end() && rows_->is_time(*found)) term.text = "";
  };
  std::ranges::for_each(pattern_->question.set.conditions, name);
}

std::vector<ColumnForm> LedgerProgram::forms() const {
  std::vector<ColumnForm> all;
  for (const std::size_t column : columns_) all.push_back(rows_->forms(column).form());
  return all;
}

/// These rows as a table; both ranges of the side are to be set.
LedgerSide LedgerProgram::side_of(Rows rows, const std::vector<ColumnForm>& forms) {
  LedgerSide side;
  Table& table = side.table;
  table.rows = rows.end - rows.begin;
  table.time_per_second = rows_->request().per_second;
  table.has_time_unit = rows_->request().has_unit;
  const std::vector<std::int64_t> sorted = rank_ends(table, rows);
  take_edges(table, rows, forms);
  take_vertices(table, sorted);
  if (!pattern_->question.set.constants.empty())
    table.find_vertex = [this, sorted](const std::string& id) { return rank_of(id, sorted); };
  runtime::Buffer<std::int64_t> buffer(sorted.size());
  std::ranges::copy(sorted, buffer.begin());
  table.universe = std::make_shared<const runtime::Universe>(runtime::Universe::in_order(std::move(buffer)));
  for (const std::string& text : pattern_->wanted.texts) table.texts.add(text);
  for (auto* columns : {&table.edges, &table.vertices}) {
    for (const auto& [name, column] : *columns) table.texts.add(column.texts);
  }
  table.texts.sort();
  for (auto* columns : {&table.edges, &table.vertices}) {
    for (auto& [name, column] : *columns) table.texts.put_codes(column);
  }
  return side;
}

/// Ranks the ends of rows; gives the id of each rank. They ascend where matches are listed: one of a subgraph is its
/// row, in every batch.
std::vector<std::int64_t> LedgerProgram::rank_ends(Table& table, Rows rows) {
  const std::vector<std::int64_t>& ids = rows_->ids();
  ranks_.resize(ids.size(), kNoRank);
  std::vector<std::uint32_t> there;
  const auto meet = [&](std::uint32_t vertex) {
    if (ranks_[vertex] != kNoRank) return;
    ranks_[vertex] = static_cast<std::uint32_t>(there.size());
    there.push_back(vertex);
  };
  for (std::uint64_t at = rows.begin; at < rows.end; ++at) {
    meet(rows_->row(at).u);
    meet(rows_->row(at).v);
  }
  if (lists() || pattern_->wanted.vertex_ids || !pattern_->question.set.constants.empty()) {
    std::ranges::sort(there, {}, [&ids](std::uint32_t vertex) { return ids[vertex]; });
    for (std::size_t rank = 0; rank < there.size(); ++rank) ranks_[there[rank]] = static_cast<std::uint32_t>(rank);
  }
  table.sources.reserve(table.rows);
  table.targets.reserve(table.rows);
  for (std::uint64_t at = rows.begin; at < rows.end; ++at) {
    table.sources.push_back(ranks_[rows_->row(at).u]);
    table.targets.push_back(ranks_[rows_->row(at).v]);
  }
  std::vector<std::int64_t> by_rank;
  by_rank.reserve(there.size());
  for (const std::uint32_t vertex : there) {
    by_rank.push_back(ids[vertex]);
    ranks_[vertex] = kNoRank;
  }
  return by_rank;
}

void LedgerProgram::take_edges(Table& table, Rows rows, const std::vector<ColumnForm>& forms) const {
  for (std::size_t at = 0; at < columns_.size(); ++at) {
    if (rows_->is_time(columns_[at])) {
      Column& times = table.edges[""];
      if (!times.ints.empty()) continue;
      times.is_null = false;
      times.per_second = rows_->has_dates() ? rows_->per_second() : 0;
      for (std::uint64_t row = rows.begin; row < rows.end; ++row) times.ints.push_back(rows_->row(row).time);
      if (rows.begin != rows.end) std::tie(times.least, times.most) = std::pair(times.ints.front(), times.ints.back());
      continue;
    }
    runtime::CellTexts cells;
    for (std::uint64_t row = rows.begin; row < rows.end; ++row) cells.add(rows_->row(row).cells[columns_[at]]);
    table.edges.emplace(name_of(columns_[at]), ledger::column_as(std::move(cells), forms[at]));
  }
  const std::size_t label = rows_->label_cell().value_or(0);
  for (std::uint64_t row = rows.begin; pattern_->wanted.edge_labels && row < rows.end; ++row) {
    table.edge_labels.add(rows_->row(row).cells[label]);
  }
  for (std::uint64_t row = rows.begin; lists() && row < rows.end; ++row) {
    table.edge_ids.ints.push_back(static_cast<std::int64_t>(rows_->row(row).number));
  }
}

std::string LedgerProgram::id_text(std::int64_t id) const {
  return rows_->names() != nullptr ? rows_->names()->name(id) : std::to_string(id);
}

void LedgerProgram::take_vertices(Table& table, const std::vector<std::int64_t>& ids) {
  const Table& vertices = pattern_->vertices;
  if (pattern_->wanted.vertex_ids) {
    Column& column = table.vertices["id"];
    column.is_null = false;
    column.type = rows_->names() != nullptr ? Column::Type::Text : Column::Type::Int;
    for (const std::int64_t id : ids) {
      if (rows_->names() != nullptr) {
        column.texts.add(id_text(id));
      } else {
        column.ints.push_back(id);
      }
    }
    if (rows_->names() == nullptr && !ids.empty())
      std::tie(column.least, column.most) = std::pair(ids.front(), ids.back());
  }
  if (vertices.vertices.empty() && !pattern_->wanted.vertex_labels) return;
  std::vector<std::uint32_t> ranks;
  for (const std::int64_t id : ids) {
    const auto [found, is_new] = rank_by_id_.try_emplace(id, kNoRank);
    if (is_new) {
      const auto known = known_.find(id_text(id));
      if (known != known_.end()) found->second = known->second;
    }
    ranks.push_back(found->second);
  }
  for (const auto& [name, column] : vertices.vertices) table.vertices.emplace(name, picked(column, ranks));
  for (const std::uint32_t rank : ranks) {
    if (!pattern_->wanted.vertex_labels) break;
    table.vertex_labels.add(rank == kNoRank ? std::string_view() : vertices.vertex_labels.at(rank));
  }
}

/// The place among these of a vertex that a pattern names.
std::optional<std::uint32_t> LedgerProgram::rank_of(const std::string& text,
                                                    const std::vector<std::int64_t>& sorted) const {
  std::int64_t id = 0;
  if (rows_->names() != nullptr) {
    id = rows_->names()->number(text);
  } else {
    const std::optional<std::int64_t> number = ledger::plain_int(text);
    if (!number) return std::nullopt;
    id = *number;
  }
  const auto found = std::ranges::lower_bound(sorted, id);
  if (found == sorted.end() || *found != id) return std::nullopt;
  return static_cast<std::uint32_t>(found - sorted.begin());
}

/// The programs for columns of these types. `sample`: some rows of them.
LedgerForm* LedgerProgram::known_form(const std::vector<ColumnForm>& forms) {
  const auto found = std::ranges::find(known_forms_, forms, &Known::forms);
  return found == known_forms_.end() ? nullptr : found->form.get();
}

Status LedgerProgram::make_form(const std::vector<ColumnForm>& forms, const LedgerSide& sample, LedgerForm*& out) {
  auto form = std::make_unique<LedgerForm>(pattern_->question, pattern_->source, lists());
  Diagnostics diagnostics(pattern_->source.sources());
  if (!form->make(sample.table, diagnostics)) {
    say_texts(forms);
    reporter_->report(diagnostics);
    return Status::Query;
  }
  row_names_ = form->row_names();
  out = known_forms_.emplace_back(Known{forms, std::move(form)}).form.get();
  return Status::Ok;
}

/// Says which lines made text of columns.
void LedgerProgram::say_texts(const std::vector<ColumnForm>& forms) const {
  for (std::size_t at = 0; at < forms.size(); ++at) {
    if (forms[at].type != Column::Type::Text || rows_->is_time(columns_[at])) continue;
    const std::uint64_t line = rows_->forms(columns_[at]).text_line();
    reporter_->note(fmt::format("column {} is text{}", name_of(columns_[at]),
                                line == 0 ? "" : fmt::format(", as line {} has some", line)));
  }
}

/// The matches of some rows that have one of these, which come or leave: the last or the first ones.
Status LedgerProgram::count_side(Rows own, Rows changed, bool is_insert, const std::vector<ColumnForm>& types,
                                 RowSet& found, __int128& count) {
  if (changed.begin == changed.end) return Status::Ok;
  LedgerForm* form = known_form(types);
  if (form == nullptr) {
    const Status made = make_form(types, side_of(changed, types), form);
    if (made != Status::Ok) return made;
  }
  if (const std::optional<__int128> reach = form->reach(is_insert)) {
    if (is_insert) own.begin = std::min(rows_->first_from(rows_->row(changed.begin).time - *reach), changed.begin);
    if (!is_insert) own.end = std::min(rows_->first_after(rows_->row(changed.end - 1).time + *reach), own.end);
  }
  LedgerSide side = side_of(own, types);
  side.own = {0, side.table.rows};
  side.other = is_insert ? Rows{0, changed.begin - own.begin} : Rows{changed.end - own.begin, side.table.rows};
  return count_in(*form, side, own.begin, is_insert, false, found, count);
}

/// The matches with a pair of vertices that rows join before the batch, or after it, and not on the other side.
/// Requires: the rows of both sides are there.
Status LedgerProgram::count_pairs(const Batch& batch) {
  const std::uint64_t rows = rows_->size();
  if (batch.leaving == 0 && rows == batch.before) return Status::Ok;
  LedgerSide side = side_of({0, rows}, new_forms_);
  LedgerForm* form = known_form(new_forms_);
  if (form == nullptr) {
    if (const Status made = make_form(new_forms_, side, form); made != Status::Ok) return made;
  }
  const Rows old{0, batch.before}, now{batch.leaving, rows};
  side.own = old;
  side.other = now;
  const Status status = count_in(*form, side, 0, false, false, changes_.removed, changes_.minus);
  std::swap(side.own, side.other);
  return status == Status::Ok ? count_in(*form, side, 0, true, false, changes_.added, changes_.plus) : status;
}

/// All matches of the first rows.
Status LedgerProgram::count_all(std::uint64_t rows, const std::vector<ColumnForm>& types, RowSet& found,
                                __int128& count) {
  count = 0;
  if (rows == 0) return Status::Ok;
  LedgerSide side = side_of({0, rows}, types);
  side.own = {0, rows};
  LedgerForm* form = known_form(types);
  const Status made = form != nullptr ? Status::Ok : make_form(types, side, form);
  return made == Status::Ok ? count_in(*form, side, 0, true, true, found, count) : made;
}

Status LedgerProgram::count_in(LedgerForm& form, const LedgerSide& side, std::uint64_t begin, bool is_insert, bool all,
                               RowSet& found, __int128& count) {
  const Status status =
      form.count(side, is_insert, all, *programs_, run_, *reporter_, lists() ? &found : nullptr, count);
  const std::optional<std::size_t> cell = rows_->id_cell();
  for (std::uint64_t at = begin; cell && found.size() != 0 && at < begin + side.table.rows; ++at) {
    edge_ids_.emplace(rows_->row(at).number, rows_->row(at).cells[*cell]);
  }
  return status;
}

/// Puts the new and the lost rows into the answer; with `again_`, the difference of all rows before and after.
void LedgerProgram::put(Answer& answer) {
  RowSet& added = changes_.added;
  RowSet& removed = changes_.removed;
  if (again_) {
    added.sort();
    removed.sort();
    answer.changes = difference(added, removed);
    answer.plus = answer.changes.count(1);
    answer.minus = answer.changes.count(-1);
  } else {
    RowSet& rows = answer.changes.rows;
    answer.changes.signs.assign(added.size(), 1);
    answer.changes.signs.resize(added.size() + removed.size(), -1);
    rows.kinds = added.kinds.empty() ? removed.kinds : added.kinds;
    rows.words = std::move(added.words);
    rows.words.insert(rows.words.end(), removed.words.begin(), removed.words.end());
  }
  answer.changes.edge_ids = std::exchange(edge_ids_, {});
}

Status LedgerPattern::read(const ProgramRequest& request, const BindOptions& bind, const runtime::IoOptions& io,
                           const Reporter& reporter, std::unique_ptr<LedgerPattern>& out) {
  auto made = std::make_unique<LedgerPattern>(request.pattern, reporter);
  Status status = made->source.read();
  if (status == Status::Ok) {
    status = ledger::take_question(made->source, request.pattern, bind, reporter, made->question);
  }
  if (status != Status::Ok) return status;
  const auto has_choice = [](const pattern::EdgeUse& edge) { return edge.labels.size() > 1; };
  if (!ledger::asks_columns(made->source, request.pattern) &&
      std::ranges::any_of(made->question.set.edges, has_choice)) {
    return reporter.error_at(Status::Usage, made->source.sources(), made->source.loc(),
                             "alternatives of labels of edges are not for a pattern beside one with conditions",
                             "write a pattern for each label, or name the edge: each line is one then");
  }
  made->question.meaning.of_stream = true;
  made->wanted = ledger::wanted_by(made->question.set, true);
  status = ledger::read_vertices(made->wanted, made->source.sources(), bind, io, reporter, made->vertices);
  if (status != Status::Ok) return status;
  LedgerRows::Request& rows = made->request;
  for (const auto& [name, loc] : made->wanted.edge_columns) rows.columns.push_back(name);
  rows.edge_label = made->wanted.edge_labels ? bind.table.edge_label : "";
  if (made->wanted.edge_labels && rows.edge_label.empty()) {
    return reporter.error_at(Status::Usage, made->source.sources(), made->source.loc(),
                             "the pattern has labels of edges, and no column of the lines is said to have them",
                             "name it: `--edge-label COLUMN`");
  }
  out = std::move(made);
  return status;
}

}  // namespace matcha::session::stream
