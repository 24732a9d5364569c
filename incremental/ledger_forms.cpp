#include "incremental/ledger_forms.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <span>
#include <tuple>
#include <unordered_set>

namespace matcha::session::stream {

using ledger::EdgeClass;
using ledger::ListKey;
using ledger::Plan;
using ledger::Table;

Status RowPrograms::take(const std::string& text, codegen::Executable*& out) {
  std::unique_ptr<QuestionRun>& run = programs_[text];
  if (run == nullptr) {
    ProgramRequest request = request_;
    request.pattern = PatternOptions();
    request.text = text;
    request.compile.file = "<pattern>";
    run = std::make_unique<QuestionRun>(std::move(request), reporter_, reading_);
    run->bound.inputs.dictionary = std::make_shared<const runtime::LabelDictionary>();
    Status status = run->read();
    if (status == Status::Ok) {
      run->labels = run->label_words();
      status = run->compile();
    }
    if (status != Status::Ok) return status;
    run->executable->begin();
  }
  out = run->executable.get();
  return Status::Ok;
}

bool LedgerForm::make(const Table& table, Diagnostics& diagnostics) {
  maker_ = std::make_unique<ledger::PlanMaker>(question_.set, question_.meaning, table, diagnostics);
  if (!maker_->good()) return false;
  bounds_ = ledger::bounds_of(form());
  if (rows_) columns_ = ledger::columns_of_rows(pattern_, form(), false, names_);
  for (const bool is_insert : {false, true}) find_terms(is_insert);
  for (std::size_t e = 0; e < form().edges.size(); ++e) whole_.classes.push_back(class_of(e, kAll));
  return write(table, diagnostics);
}

/// Makes a term for each edge that may have an inserted row (`comes`) or a deleted one. Rows are inserted at the end of
/// all times and deleted at their beginning. So if a match has an inserted row, all its later rows are inserted too: an
/// edge that is always before another one needs no term. For deleted rows the same holds for earlier rows.
void LedgerForm::find_terms(bool is_insert) {
  const std::size_t edges = form().edges.size();
  const bool by_time = form().is_sorted && form().sorted_by.empty();
  const auto is_beyond = [&](std::size_t other, std::size_t e) {
    const std::optional<__int128>& most = is_insert ? bounds_.most[e][other] : bounds_.most[other][e];
    return by_time && !bounds_.is_impossible && most && *most < 0;
  };
  std::optional<__int128>& reach = is_insert ? reach_back_ : reach_on_;
  reach = by_time ? std::optional<__int128>(0) : std::nullopt;
  std::vector<std::size_t> before;
  for (std::size_t e = 0; e < edges; ++e) {
    bool has_beyond = false;
    for (std::size_t other = 0; other < edges; ++other) has_beyond = has_beyond || is_beyond(other, e);
    if (has_beyond) continue;
    Term& term = terms_[is_insert ? 1 : 0].emplace_back(Term{e});
    for (std::size_t other = 0; other < edges; ++other) {
      const bool is_before = std::ranges::find(before, other) != before.end();
      term.classes.push_back(class_of(other, other == e ? kNew : is_before ? kOld : kAll));
      const std::optional<__int128>& most = is_insert ? bounds_.most[e][other] : bounds_.most[other][e];
      if (!most) reach.reset();
      if (reach && most) reach = std::max(*reach, *most);
    }
    before.push_back(e);
  }
}

namespace {

/// Calls `f` with each column of ints.
template <typename TableType, typename F>
void for_each_range(TableType& table, F f) {
  for (auto& [name, column] : table.edges) {
    if (column.type == ledger::Column::Type::Int) f(std::pair(false, name), column);
  }
  for (auto& [name, column] : table.vertices) {
    if (column.type == ledger::Column::Type::Int) f(std::pair(true, name), column);
  }
}

/// The range with ends that are 0 or, but for their signs, one less than a power of two.
std::pair<std::int64_t, std::int64_t> rounded_out(std::int64_t least, std::int64_t most) {
  const auto beyond = [](std::int64_t value) {
    std::int64_t end = 0;
    while (end < value) end = 2 * end + 1;
    return end;
  };
  const std::int64_t down =
      least == std::numeric_limits<std::int64_t>::min() ? least : -beyond(-std::min<std::int64_t>(least, 0));
  return {down, beyond(std::max<std::int64_t>(most, 0))};
}

}  // namespace

bool LedgerForm::fits(const Table& table) const {
  bool fits = true;
  for_each_range(table, [&](const std::pair<bool, std::string>& name, const ledger::Column& column) {
    const auto known = ranges_.find(name);
    fits = fits && known != ranges_.end() && known->second.first <= column.least && column.most <= known->second.second;
  });
  return fits;
}

bool LedgerForm::write(const Table& table, Diagnostics& diagnostics) {
  // Programs do not depend on ranges, but are errors where these may lead beyond 64 bits.
  Table wide = table;
  for_each_range(wide, [&](const std::pair<bool, std::string>& name, ledger::Column& column) {
    const auto known = ranges_.find(name);
    if (known != ranges_.end()) {
      column.least = std::min(column.least, known->second.first);
      column.most = std::max(column.most, known->second.second);
    }
    std::tie(column.least, column.most) = rounded_out(column.least, column.most);
  });
  Diagnostics ignored(diagnostics.sources());
  const Table& fitting = write_for(wide, ignored) ? wide : table;
  if (&fitting == &table && !write_for(table, diagnostics)) return false;
  ranges_.clear();
  for_each_range(fitting, [&](const std::pair<bool, std::string>& name, const ledger::Column& column) {
    ranges_[name] = {column.least, column.most};
  });
  return true;
}

bool LedgerForm::write_for(const Table& table, Diagnostics& diagnostics) {
  Plan plan = form();
  const std::optional<ledger::Columns> maybe_columns = rows_ ? std::optional(columns_) : std::nullopt;
  const auto write_one = [&](Term& term) {
    plan.class_of = term.classes;
    std::optional<ledger::Program> program =
        ledger::program_of(plan, question_.meaning, table, maybe_columns, diagnostics, term.first);
    if (program) term.program = std::move(*program);
    return program.has_value();
  };
  for (std::vector<Term>& terms : terms_) {
    for (Term& term : terms) {
      if (!write_one(term)) return false;
    }
  }
  return write_one(whole_);
}

/// A pair of vertices is new if no row of the other side joins it; its first row stands for it.
void LedgerForm::split(EdgeClass all, const Plan& plan, const LedgerSide& side, EdgeClass* parts) const {
  const bool by_line = question_.meaning.by_line;
  const auto row_at = [&](std::size_t at) { return plan.row_of(static_cast<std::uint64_t>(all.entries[at])); };
  const auto pair_at = [&](std::size_t at) { return std::uint64_t{all.from[at]} << 32 | all.to[at]; };
  const auto add = [&](Part part, std::size_t at) {
    parts[part].from.push_back(all.from[at]);
    parts[part].to.push_back(all.to[at]);
    parts[part].entries.push_back(all.entries[at]);
  };
  std::unordered_set<std::uint64_t> other, met;
  for (std::size_t at = 0; !by_line && at < all.entries.size(); ++at) {
    if (side.other.has(row_at(at))) other.insert(pair_at(at));
  }
  for (std::size_t at = 0; at < all.entries.size(); ++at) {
    if (!side.own.has(row_at(at)) || (!by_line && !met.insert(pair_at(at)).second)) continue;
    const bool is_old = by_line ? side.other.has(row_at(at)) : other.contains(pair_at(at));
    add(is_old ? kOld : kNew, at);
    if (!by_line) add(kAll, at);
  }
  if (by_line) parts[kAll] = std::move(all);
}

Status LedgerForm::count(const LedgerSide& side, bool is_insert, bool all, RowPrograms& programs,
                         codegen::RunOptions options, const Reporter& reporter, RowSet* maybe_found, __int128& count) {
  count = 0;
  if (side.table.rows == 0) return Status::Ok;
  Diagnostics diagnostics(pattern_.sources());
  Plan plan = form();
  bool good = fits(side.table) || write(side.table, diagnostics);
  good = good && maker_->take_rows(side.table, diagnostics, plan);
  if (!good) {
    reporter.report(diagnostics);
    return Status::Query;
  }
  std::vector<EdgeClass> parts(kParts * plan.classes.size());
  for (std::size_t at = 0; at < plan.classes.size(); ++at) {
    split(std::move(plan.classes[at]), plan, side, &parts[kParts * at]);
  }
  plan.classes = std::move(parts);
  constexpr std::uint64_t kFewEntries = 1 << 12;
  if (plan.entries() < kFewEntries) options.threads = 1;
  options.on_rows = nullptr;
  if (maybe_found != nullptr) {
    options.on_rows = [&](const codegen::Rows& block) {
      maybe_found->append(block, *side.table.universe);
      return true;
    };
  }
  std::vector<ListKey> keys;
  std::deque<runtime::InputList> lists;
  std::vector<codegen::Argument> arguments;
  const std::span<const Term> terms = all ? std::span<const Term>(&whole_, 1) : terms_[is_insert ? 1 : 0];
  for (const Term& term : terms) {
    const bool is_empty =
        std::ranges::any_of(term.classes, [&](std::size_t each) { return plan.classes[each].entries.empty(); });
    if (is_empty) continue;
    codegen::Executable* program = nullptr;
    if (const Status status = programs.take(term.program.text, program); status != Status::Ok) return status;
    arguments.clear();
    for (const ListKey& key : term.program.lists) {
      const std::size_t place = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
      if (place == keys.size()) {
        keys.push_back(key);
        lists.push_back(ledger::list_of(key, plan, side.table));
      }
      arguments.emplace_back(static_cast<const runtime::InputList*>(&lists[place]));
    }
    const codegen::RunOutcome outcome = program->run(arguments, *side.table.universe, options);
    if (const auto* const failed = std::get_if<codegen::RunError>(&outcome)) {
      return reporter.error(failed->error);
    }
    const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
    if (result.ending == codegen::Ending::Deadline) return Status::Timeout;
    if (result.ending != codegen::Ending::Complete) return Status::Interrupted;
    if (const auto* const found = std::get_if<__int128>(&result.values.front())) count += *found;
    if (const auto* const list = std::get_if<codegen::ListValue>(&result.values.front())) {
      count += static_cast<__int128>(list->size);
    }
  }
  return Status::Ok;
}

}  // namespace matcha::session::stream
