#include "incremental/ledger_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "incremental/methods.h"
#include "incremental/rebuild.h"
#include "session/message_log.h"

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

class LedgerEngine final : public Engine {
 public:
  LedgerEngine(std::unique_ptr<LedgerPattern> pattern, std::shared_ptr<LedgerRows> rows, ResidentGraph::Shared start)
      : pattern_(std::move(pattern)), rows_(std::move(rows)), present_(std::move(start)) {
    const runtime::Universe& known = *pattern_->vertices.universe;
    for (std::uint64_t rank = 0; rank < known.size(); ++rank) {
      known_.emplace(known.id_text(rank), static_cast<std::uint32_t>(rank));
    }
  }

  const Present& present() const override { return present_; }
  runtime::Result<ResidentGraph::Shared> graph() override { return present_.graph(); }
  const runtime::LabelDictionary& dictionary() const override { return present_.graph()->graph().dictionary(); }
  const planner::Decision& decision(std::size_t /*program*/) const override { return decision_; }
  std::size_t size() const override { return 1; }
  const frontend::Type& result_type(std::size_t /*program*/) const override { return type_; }
  const std::string& semantics(std::size_t /*program*/) const override { return semantics_; }
  const std::vector<std::string>& row_names(std::size_t /*program*/) const override { return row_names_; }

  Status add(const ProgramRequest& request, const ProgramOptions& options,
             std::shared_ptr<const Reporter> reporter) override {
    MethodQuestion question{request, options, present_.directed()};
    MethodChoice choice(question);
    if (!choice.problem().empty()) return reporter->error(Status::Usage, choice.problem());
    decision_ = choice.decision();
    recomputes_ = choice.chosen() == MaintenanceMethod::Recompute;
    request_ = request;
    options_ = options;
    reporter_ = std::move(reporter);
    programs_.emplace(request_, *reporter_);
    semantics_ = ledger::text_of(pattern_->question.meaning);
    return Status::Ok;
  }

  Status start(const ApplyOptions& /*options*/, std::vector<Answer>& answers) override {
    Answer answer;
    answer.how = recomputes_ ? MaintenanceMethod::Recompute : MaintenanceMethod::Delta;
    answer.total = {total_};
    answers = {std::move(answer)};
    return Status::Ok;
  }

  Status apply(const NetBatch& batch, const ApplyOptions& options, std::vector<Answer>& answers) override {
    const Stopwatch watch;
    run_ = options.run;
    if (!is_named_ && rows_->is_chosen()) name_times();
    const std::uint64_t before = rows_->size(), left = std::min(batch.rows_left, before);
    const std::vector<ColumnForm> old_forms = forms();
    rows_->add(batch.rows);
    rows_->forget(batch.rows_left);
    const std::vector<ColumnForm> new_forms = forms();
    const bool again = recomputes_ || shifts(old_forms, new_forms);
    Changes changes;
    Status status = Status::Ok;
    if (!again) status = count_side({before, 0, left, false}, old_forms, changes.gone, changes.minus);
    if (again && lists()) status = count_all(before, old_forms, changes.gone, changes.minus);
    if (status != Status::Ok) return status;
    rows_->remove(batch.rows_left);
    const Range range{rows_->size(), before - left, rows_->size(), true};
    status = again ? count_all(rows_->size(), new_forms, changes.came, changes.plus)
                   : count_side(range, new_forms, changes.came, changes.plus);
    if (status != Status::Ok) return status;
    answers.clear();
    const __int128 last = std::exchange(total_, again ? changes.plus : total_ + changes.plus - changes.minus);
    if (options.quiet) return status;
    Answer& answer = answers.emplace_back();
    answer.how = again ? MaintenanceMethod::Recompute : MaintenanceMethod::Delta;
    answer.total = {total_};
    answer.delta = {total_ - last};
    put(std::move(changes), again, answer);
    answer.match_ms = watch.ms();
    return status;
  }

  Status set_dictionary(std::shared_ptr<const runtime::LabelDictionary> /*dictionary*/) override { return Status::Ok; }

 private:
  /// The first so many rows, of which some come or leave.
  struct Range {
    std::uint64_t rows = 0, first_new = 0, end_new = 0;
    bool comes = false;
  };
  struct Changes {
    RowSet gone, came;
    __int128 minus = 0, plus = 0;
  };
  struct Known {
    std::vector<ColumnForm> forms;
    std::unique_ptr<LedgerForm> form;
  };

  bool lists() const { return options_.rows; }

  std::vector<ColumnForm> forms() const {
    std::vector<ColumnForm> all;
    for (std::size_t column = 0; column < rows_->wish().columns.size(); ++column) {
      all.push_back(rows_->forms(column).form());
    }
    return all;
  }

  /// Conditions on old rows mean something else where their columns get another type, also of numbers: ints beyond 2^53
  /// may be equal as floats.
  static bool shifts(const std::vector<ColumnForm>& before, const std::vector<ColumnForm>& now) {
    for (std::size_t column = 0; column < before.size(); ++column) {
      const bool has_values = !before[column].is_null && !now[column].is_null;
      const bool is_other =
          before[column].type != now[column].type || (before[column].per_second == 0) != (now[column].per_second == 0);
      if (has_values && is_other) return true;
    }
    return false;
  }
  /// The column with the times has no name from now on.
  void name_times() {
    is_named_ = true;
    const std::vector<std::string>& columns = rows_->wish().columns;
    const std::function<void(pattern::Condition&)> name = [&](pattern::Condition& term) {
      std::ranges::for_each(term.parts, name);
      if (term.kind != pattern::Condition::Kind::Column || !term.subject.of_edge) return;
      const auto found = std::ranges::find(columns, term.text);
      if (found != columns.end() && rows_->is_time(static_cast<std::size_t>(found - columns.begin()))) term.text = "";
    };
    std::ranges::for_each(pattern_->question.set.conditions, name);
  }

  /// Rows from `begin` to `end`, of which those from `first_new` to `end_new` are new.
  LedgerSide side_of(std::uint64_t begin, std::uint64_t end, std::uint64_t first_new, std::uint64_t end_new,
                     const std::vector<ColumnForm>& forms) {
    LedgerSide side;
    side.first_new = first_new - begin;
    side.end_new = end_new - begin;
    Table& table = side.table;
    table.rows = end - begin;
    table.time_per_second = rows_->wish().per_second;
    table.time_is_said = rows_->wish().unit_is_said;
    const std::vector<std::int64_t> sorted = rank_ends(table, begin, end);
    take_edges(table, begin, end, forms);
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
  std::vector<std::int64_t> rank_ends(Table& table, std::uint64_t begin, std::uint64_t end) {
    const std::vector<std::int64_t>& ids = rows_->ids();
    ranks_.resize(ids.size(), kNoRank);
    std::vector<std::uint32_t> there;
    const auto meet = [&](std::uint32_t vertex) {
      if (ranks_[vertex] != kNoRank) return;
      ranks_[vertex] = static_cast<std::uint32_t>(there.size());
      there.push_back(vertex);
    };
    for (std::uint64_t at = begin; at < end; ++at) {
      meet(rows_->row(at).u);
      meet(rows_->row(at).v);
    }
    if (lists() || pattern_->wanted.vertex_ids || !pattern_->question.set.constants.empty()) {
      std::ranges::sort(there, {}, [&ids](std::uint32_t vertex) { return ids[vertex]; });
      for (std::size_t rank = 0; rank < there.size(); ++rank) ranks_[there[rank]] = static_cast<std::uint32_t>(rank);
    }
    table.sources.reserve(table.rows);
    table.targets.reserve(table.rows);
    for (std::uint64_t at = begin; at < end; ++at) {
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

  void take_edges(Table& table, std::uint64_t begin, std::uint64_t end, const std::vector<ColumnForm>& forms) const {
    const std::vector<std::string>& names = rows_->wish().columns;
    for (std::size_t at = 0; at < names.size(); ++at) {
      if (rows_->is_time(at)) {
        Column& times = table.edges[""];
        if (!times.ints.empty()) continue;
        times.is_null = false;
        times.per_second = rows_->has_dates() ? rows_->per_second() : 0;
        for (std::uint64_t row = begin; row < end; ++row) times.ints.push_back(rows_->row(row).time);
        if (begin != end) std::tie(times.least, times.most) = std::pair(times.ints.front(), times.ints.back());
        continue;
      }
      runtime::CellTexts cells;
      for (std::uint64_t row = begin; row < end; ++row) cells.add(rows_->row(row).cells[at]);
      table.edges.emplace(names[at], ledger::column_as(std::move(cells), forms[at]));
    }
    const std::optional<std::size_t> label = rows_->label_cell();
    for (std::uint64_t row = begin; label && row < end; ++row) table.edge_labels.add(rows_->row(row).cells[*label]);
    for (std::uint64_t row = begin; lists() && row < end; ++row) {
      table.edge_ids.ints.push_back(static_cast<std::int64_t>(rows_->row(row).number));
    }
  }

  std::string id_text(std::int64_t id) const {
    return rows_->names() != nullptr ? rows_->names()->name(id) : std::to_string(id);
  }

  void take_vertices(Table& table, const std::vector<std::int64_t>& ids) {
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
  std::optional<std::uint32_t> rank_of(const std::string& text, const std::vector<std::int64_t>& sorted) const {
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
  LedgerForm* known_form(const std::vector<ColumnForm>& forms) {
    const auto found = std::ranges::find(known_forms_, forms, &Known::forms);
    return found == known_forms_.end() ? nullptr : found->form.get();
  }
  Status make_form(const std::vector<ColumnForm>& forms, const LedgerSide& sample, LedgerForm*& out) {
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
  void say_texts(const std::vector<ColumnForm>& forms) const {
    for (std::size_t column = 0; column < forms.size(); ++column) {
      if (forms[column].type != Column::Type::Text || rows_->is_time(column)) continue;
      const std::uint64_t line = rows_->forms(column).text_line();
      reporter_->note(fmt::format("column {} is text{}", rows_->wish().columns[column],
                                  line == 0 ? "" : fmt::format(", as line {} has some", line)));
    }
  }

  /// The matches with a row that comes, or leaves.
  Status count_side(const Range& range, const std::vector<ColumnForm>& types, RowSet& found, __int128& count) {
    if (range.first_new == range.end_new) return Status::Ok;
    LedgerForm* form = known_form(types);
    if (form == nullptr) {
      const Status made =
          make_form(types, side_of(range.first_new, range.end_new, range.first_new, range.end_new, types), form);
      if (made != Status::Ok) return made;
    }
    std::uint64_t begin = 0, end = range.rows;
    if (const std::optional<__int128> reach = form->reach(range.comes)) {
      if (range.comes) begin = std::min(rows_->first_from(rows_->row(range.first_new).time - *reach), range.first_new);
      if (!range.comes) end = std::min(rows_->first_after(rows_->row(range.end_new - 1).time + *reach), range.rows);
    }
    const LedgerSide side = side_of(begin, end, range.first_new, range.end_new, types);
    return count_in(*form, side, begin, range.comes, false, found, count);
  }

  /// All matches of the first rows.
  Status count_all(std::uint64_t rows, const std::vector<ColumnForm>& types, RowSet& found, __int128& count) {
    if (rows == 0) return Status::Ok;
    const LedgerSide side = side_of(0, rows, 0, rows, types);
    LedgerForm* form = known_form(types);
    const Status made = form != nullptr ? Status::Ok : make_form(types, side, form);
    return made == Status::Ok ? count_in(*form, side, 0, true, true, found, count) : made;
  }

  Status count_in(LedgerForm& form, const LedgerSide& side, std::uint64_t begin, bool comes, bool all, RowSet& found,
                  __int128& count) {
    const Status status = form.count(side, comes, all, *programs_, run_, *reporter_, lists() ? &found : nullptr, count);
    const std::optional<std::size_t> cell = rows_->id_cell();
    for (std::uint64_t at = begin; cell && found.size() != 0 && at < begin + side.table.rows; ++at) {
      edge_ids_.emplace(rows_->row(at).number, rows_->row(at).cells[*cell]);
    }
    return status;
  }

  /// The rows that came and went; `again`: of all rows before and after.
  void put(Changes changes, bool again, Answer& answer) {
    if (!again) {
      answer.plus = changes.plus;
      answer.minus = changes.minus;
    }
    if (!lists()) return;
    if (again) {
      changes.came.sort();
      changes.gone.sort();
      answer.changes = difference(changes.came, changes.gone);
      answer.plus = answer.changes.count(1);
      answer.minus = answer.changes.count(-1);
    } else {
      RowSet& rows = answer.changes.rows;
      answer.changes.signs.assign(changes.came.size(), 1);
      answer.changes.signs.resize(changes.came.size() + changes.gone.size(), -1);
      rows.kinds = changes.came.kinds.empty() ? changes.gone.kinds : changes.came.kinds;
      rows.words = std::move(changes.came.words);
      rows.words.insert(rows.words.end(), changes.gone.words.begin(), changes.gone.words.end());
    }
    answer.changes.edge_ids = std::exchange(edge_ids_, {});
  }

  std::unique_ptr<LedgerPattern> pattern_;
  std::shared_ptr<LedgerRows> rows_;
  PresentGraph present_;
  std::shared_ptr<const Reporter> reporter_;
  ProgramRequest request_;
  ProgramOptions options_;
  planner::Decision decision_;
  bool recomputes_ = false, is_named_ = false;
  std::optional<RowPrograms> programs_;
  std::vector<Known> known_forms_;
  std::string semantics_;
  std::vector<std::string> row_names_;
  frontend::Type type_{frontend::Type::Kind::Int};
  codegen::RunOptions run_;
  __int128 total_ = 0;
  std::unordered_map<std::string, std::uint32_t> known_;        ///< Ranks in the table of vertices, by id.
  std::vector<std::uint32_t> ranks_;                            ///< By number of a vertex, while rows are ranked.
  std::unordered_map<std::int64_t, std::uint32_t> rank_by_id_;  ///< The same, by id of the stream.
  std::unordered_map<std::uint64_t, std::string> edge_ids_;     ///< Of the rows of a batch, by number.
};

}  // namespace

bool asks_rows(const PatternOptions& pattern) {
  PatternOptions options = pattern;
  options.may_ask_columns = true;
  const MessageLog unheard;
  PatternSource source(options, unheard);
  return source.read() == Status::Ok && ledger::asks_columns(source, options);
}

Status LedgerPattern::read(const ProgramRequest& request, const BindOptions& bind, const runtime::IoOptions& io,
                           const Reporter& reporter, std::unique_ptr<LedgerPattern>& out) {
  auto made = std::make_unique<LedgerPattern>(request.pattern, reporter);
  Status status = made->source.read();
  if (status == Status::Ok) {
    status = ledger::take_question(made->source, request.pattern, bind, reporter, made->question);
  }
  if (status != Status::Ok) return status;
  if (!made->question.meaning.by_line) {
    return reporter.error_at(Status::Usage, made->source.sources(), made->source.loc(),
                             "conditions on vertices alone are about pairs, and a stream of a table has lines",
                             "name an edge, `-[x]->`, and each line is one");
  }
  made->question.meaning.may_lack = true;
  made->wanted = ledger::wanted_by(made->question.set, true);
  ledger::Table times;
  status = ledger::take_time(bind.table.time, reporter, times);
  if (status == Status::Ok) {
    status = ledger::read_vertices(made->wanted, made->source.sources(), bind, io, reporter, made->vertices);
  }
  if (status != Status::Ok) return status;
  LedgerRows::Wish& wish = made->wish;
  for (const auto& [name, loc] : made->wanted.edge_columns) wish.columns.push_back(name);
  wish.edge_label = made->wanted.edge_labels ? bind.table.edge_label : "";
  wish.edge_id = bind.table.edge_id;
  wish.per_second = times.time_per_second;
  wish.unit_is_said = times.time_is_said;
  if (made->wanted.edge_labels && wish.edge_label.empty()) {
    return reporter.error_at(Status::Usage, made->source.sources(), made->source.loc(),
                             "the pattern has labels of edges, and no column of the lines is said to have them",
                             "name it: `--edge-label COLUMN`");
  }
  out = std::move(made);
  return status;
}

std::unique_ptr<Engine> make_ledger(std::unique_ptr<LedgerPattern> pattern, std::shared_ptr<LedgerRows> rows,
                                    const ResidentGraph::Shared& start) {
  return std::make_unique<LedgerEngine>(std::move(pattern), std::move(rows), start);
}

}  // namespace matcha::session::stream
