#include "session/query/pipeline.h"

#include <algorithm>
#include <ranges>
#include <unordered_set>
#include <utility>

#include "session/query/groups.h"
#include "session/query/match_planner.h"

namespace matcha::session::statement {

namespace {

using query::Projection;
using query::Term;

bool has_aggregate_in(const Term& term) {
  return term.kind == Term::Kind::Aggregate || std::ranges::any_of(term.parts, has_aggregate_in);
}

std::uint64_t bytes_of_kept(const std::vector<Value>& row) {
  constexpr std::uint64_t kBeside = 64;
  std::uint64_t bytes = kBeside;
  for (const Value& value : row) bytes += bytes_of(value);
  return bytes;
}

/// The slots of trails without an end.
void add_endless(const query::StatementPart& part, std::set<std::size_t>& into) {
  for (const query::MatchClause& clause : part.matches) {
    for (const query::PathPattern& path : clause.paths) {
      for (const query::RelationshipPattern& one : path.relationships) {
        if (one.is_trail && one.most == query::RelationshipPattern::kNoEnd) into.insert(one.slot);
      }
    }
  }
}

/// The columns of the part before become the first slots of a row.
class Begin final : public Stage {
 public:
  Begin(std::size_t slots, std::size_t columns, const std::vector<Term>* maybe_conditions, const Evaluator& evaluator,
        Progress& progress, Stage& next)
      : columns_(columns),
        maybe_conditions_(maybe_conditions),
        evaluator_(evaluator),
        progress_(progress),
        next_(next) {
    row_.resize(slots);
  }

  bool take(Value* row, std::uint64_t weight) override {
    std::copy(row, row + columns_, row_.begin());
    if (maybe_conditions_ != nullptr) {
      for (const Term& condition : *maybe_conditions_) {
        const bool holds = evaluator_.holds(condition, row_.data());
        if (progress_.failure) return false;
        if (!holds) return true;
      }
    }
    return next_.take(row_.data(), weight);
  }
  void finish() override { next_.finish(); }

 private:
  std::vector<Value> row_;
  std::size_t columns_;
  const std::vector<Term>* maybe_conditions_;
  const Evaluator& evaluator_;
  Progress& progress_;
  Stage& next_;
};

class Match final : public Stage {
 public:
  Match(const query::MatchClause& clause, const std::set<std::size_t>& bound, const std::set<std::size_t>& needed,
        Store& store, const Evaluator& evaluator, Progress& progress, Stage& next)
      : clause_(clause),
        matcher_(clause, bound, needed, store, evaluator, progress),
        progress_(progress),
        next_(next) {}

  bool take(Value* row, std::uint64_t weight) override {
    bool is_found = false;
    const bool goes_on = matcher_.run(row, [&](std::uint64_t ways) {
      is_found = true;
      std::uint64_t all = 0;
      if (__builtin_mul_overflow(weight, ways, &all)) {
        progress_.fail(clause_.loc, "the number of matches leaves 64 bits");
        return false;
      }
      return next_.take(row, all);
    });
    if (!goes_on || is_found || !clause_.is_optional) return goes_on;
    for (const std::size_t slot : clause_.new_slots) row[slot] = Value();
    return next_.take(row, weight);
  }
  void finish() override { next_.finish(); }

 private:
  const query::MatchClause& clause_;
  Matcher matcher_;
  Progress& progress_;
  Stage& next_;
};

/// A row for each item of a list.
class Unwind final : public Stage {
 public:
  Unwind(const query::MatchClause& clause, const Evaluator& evaluator, Progress& progress, Stage& next)
      : clause_(clause), evaluator_(evaluator), progress_(progress), next_(next) {}

  bool take(Value* row, std::uint64_t weight) override {
    const Value list = evaluator_.value(*clause_.maybe_list, row);
    if (progress_.failure) return false;
    if (list.is(Value::Kind::Null)) return true;
    if (!list.is(Value::Kind::List)) {
      progress_.fail(clause_.loc, "this is " + name_of(list.kind) + ", and `UNWIND` takes a list", "such as `[1, 2]`");
      return false;
    }
    for (const Value& item : *list.items) {
      row[clause_.new_slots.front()] = item;
      if (progress_.is_over() || !next_.take(row, weight)) return false;
    }
    return true;
  }
  void finish() override { next_.finish(); }

 private:
  const query::MatchClause& clause_;
  const Evaluator& evaluator_;
  Progress& progress_;
  Stage& next_;
};

/// The columns of a row, and behind them the keys of its order.
class Columns final : public Stage {
 public:
  Columns(const Projection& projection, std::size_t slots, const Evaluator& evaluator, Progress& progress, Stage& next)
      : projection_(projection), slots_(slots), evaluator_(evaluator), progress_(progress), next_(next) {
    out_.resize(projection.columns.size() + (projection.orders_columns ? 0 : projection.order.size()));
  }

  bool take(Value* row, std::uint64_t weight) override {
    const std::size_t columns = projection_.columns.size();
    for (std::size_t at = 0; at < columns; ++at) {
      out_[at] = evaluator_.value(projection_.columns[at].term, row);
      row[slots_ + at] = out_[at];
    }
    for (std::size_t at = columns; at < out_.size(); ++at) {
      out_[at] = evaluator_.value(projection_.order[at - columns].term, row);
    }
    return !progress_.failure && next_.take(out_.data(), weight);
  }
  void finish() override { next_.finish(); }

 private:
  const Projection& projection_;
  std::size_t slots_;
  const Evaluator& evaluator_;
  Progress& progress_;
  Stage& next_;
  std::vector<Value> out_;
};

class Group final : public Stage {
 public:
  Group(const Projection& projection, const Evaluator& evaluator, Progress& progress, Stage& next)
      : projection_(projection),
        evaluator_(evaluator),
        progress_(progress),
        next_(next),
        groups_(projection.aggregates, evaluator, progress, projection.loc) {
    for (std::size_t at = 0; at < projection.columns.size(); ++at) {
      if (!has_aggregate_in(projection.columns[at].term)) keys_.push_back(at);
    }
  }

  bool take(Value* row, std::uint64_t weight) override {
    std::vector<Value> key;
    for (const std::size_t at : keys_) key.push_back(evaluator_.value(projection_.columns[at].term, row));
    return !progress_.failure && groups_.take(std::move(key), row, weight);
  }

  void finish() override {
    if (progress_.is_over()) return;
    if (keys_.empty() && groups_.all().empty()) groups_.add_empty();
    const std::size_t columns = projection_.columns.size();
    std::vector<Value> row(columns + projection_.aggregates.size());
    for (const Groups::Group& group : groups_.all()) {
      for (std::size_t at = 0; at < keys_.size(); ++at) row[keys_[at]] = group.key[at];
      for (std::size_t at = 0; at < group.aggregates.size(); ++at) {
        row[columns + at] = group.aggregates[at].value(projection_.aggregates[at], progress_);
      }
      for (std::size_t at = 0; at < columns; ++at) {
        const Term& term = projection_.columns[at].term;
        if (has_aggregate_in(term)) row[at] = evaluator_.value(term, row.data());
      }
      if (progress_.is_over() || !next_.take(row.data(), 1)) break;
    }
    next_.finish();
  }

 private:
  const Projection& projection_;
  const Evaluator& evaluator_;
  Progress& progress_;
  Stage& next_;
  Groups groups_;
  std::vector<std::size_t> keys_;  ///< Columns without aggregates.
};

class Distinct final : public Stage {
 public:
  Distinct(std::size_t columns, SourceLoc loc, Progress& progress, Stage& next)
      : columns_(columns), loc_(loc), progress_(progress), next_(next) {}

  bool take(Value* row, std::uint64_t /*weight*/) override {
    const auto [kept, is_new] = seen_.emplace(row, row + columns_);
    if (!is_new) return true;
    return progress_.keep(bytes_of_kept(*kept), loc_) && next_.take(row, 1);
  }
  void finish() override { next_.finish(); }

 private:
  std::size_t columns_;
  SourceLoc loc_;
  Progress& progress_;
  Stage& next_;
  std::unordered_set<std::vector<Value>, RowHash, RowsAreOne> seen_;
};

/// Rows in the order of their keys; rows with equal keys stay as they came. With a limit only the first ones are kept.
class Sort final : public Stage {
 public:
  Sort(const Projection& projection, const Evaluator& evaluator, Progress& progress, Stage& next)
      : projection_(projection), evaluator_(evaluator), progress_(progress), next_(next) {
    if (projection.limit && !__builtin_add_overflow(*projection.limit, projection.skip, &most_) && most_ < kMostKept)
      return;
    most_ = kMostKept;
  }

  bool take(Value* row, std::uint64_t weight) override {
    const std::size_t columns = projection_.columns.size();
    Kept kept{{row, row + columns}, weight};
    for (std::size_t at = 0; at < projection_.order.size(); ++at) {
      kept.row.push_back(projection_.orders_columns ? evaluator_.value(projection_.order[at].term, row)
                                                    : row[columns + at]);
    }
    const std::uint64_t bytes = bytes_of_kept(kept.row);
    rows_.push_back(std::move(kept));
    bytes_ += bytes;
    if (!progress_.keep(bytes, projection_.loc)) return false;
    constexpr std::size_t kSlack = 1024;
    if (rows_.size() > 2 * most_ + kSlack) cut();
    return !progress_.failure;
  }

  void finish() override {
    if (progress_.is_over()) return;
    sort();
    for (Kept& kept : rows_) {
      if (progress_.is_over() || !next_.take(kept.row.data(), kept.weight)) break;
    }
    next_.finish();
  }

 private:
  static constexpr std::uint64_t kMostKept = std::uint64_t{1} << 40U;
  struct Kept {
    std::vector<Value> row;
    std::uint64_t weight = 1;
  };

  void sort() {
    const std::size_t columns = projection_.columns.size();
    std::ranges::stable_sort(rows_, [&](const Kept& a, const Kept& b) {
      for (std::size_t at = 0; at < projection_.order.size(); ++at) {
        const std::weak_ordering order = ordered(a.row[columns + at], b.row[columns + at]);
        if (order != 0) return projection_.order[at].descends ? order > 0 : order < 0;
      }
      return false;
    });
  }
  /// Each row counts once at least.
  void cut() {
    sort();
    rows_.resize(most_);
    progress_.bytes -= bytes_;
    bytes_ = 0;
    for (const Kept& kept : rows_) bytes_ += bytes_of_kept(kept.row);
    progress_.bytes += bytes_;
  }

  const Projection& projection_;
  const Evaluator& evaluator_;
  Progress& progress_;
  Stage& next_;
  std::uint64_t most_ = kMostKept;
  std::uint64_t bytes_ = 0;
  std::vector<Kept> rows_;
};

class Limit final : public Stage {
 public:
  Limit(const Projection& projection, Stage& next)
      : skip_(projection.skip), limit_(projection.limit.value_or(~std::uint64_t{0})), next_(next) {}

  bool take(Value* row, std::uint64_t weight) override {
    const std::uint64_t skipped = std::min(skip_, weight);
    skip_ -= skipped;
    const std::uint64_t some = std::min(weight - skipped, limit_);
    limit_ -= some;
    const bool goes_on = some == 0 || next_.take(row, some);
    return goes_on && limit_ != 0;
  }
  void finish() override { next_.finish(); }

 private:
  std::uint64_t skip_, limit_;
  Stage& next_;
};

class End final : public Stage {
 public:
  explicit End(const Pipeline::OnRow& on_row) : on_row_(on_row) {}
  bool take(Value* row, std::uint64_t weight) override { return is_open_ = on_row_(row, weight); }
  void finish() override {}
  /// More rows are wanted.
  bool is_open() const { return is_open_; }

 private:
  const Pipeline::OnRow& on_row_;
  bool is_open_ = true;
};

}  // namespace

Pipeline::Pipeline(const query::Statement& statement, const Parameters& parameters, Store& store, Progress& progress)
    : statement_(statement), parameters_(parameters), store_(store), progress_(progress), evaluator_(store, progress) {
  evaluator_.has_match = [this](std::size_t pattern, Value* row) {
    Predicate& one = patterns_[pattern];
    if (one.known) return *one.known;
    bool is_found = false;
    one.matcher->run(row, [&is_found](std::uint64_t) {
      is_found = true;
      return false;
    });
    if (one.is_constant) one.known = is_found;
    return is_found;
  };
  const auto resolve_all = [this](std::vector<query::StatementPart>& parts) {
    for (query::StatementPart& part : parts) {
      for (query::MatchClause& clause : part.matches) resolve(clause);
      resolve(part.projection);
    }
  };
  resolve_all(statement_.parts);
  std::ranges::for_each(statement_.others, resolve_all);
}

void Pipeline::resolve(Term& term) {
  if (term.kind == Term::Kind::Parameter) {
    const SourceLoc loc = term.loc;
    term = parameters_.at(term.text);
    term.loc = loc;
  }
  for (Term& part : term.parts) resolve(part);
  if (term.kind == Term::Kind::HasLabels) term.integer = static_cast<std::int64_t>(store_.add_test(term.labels));
  if (term.kind == Term::Kind::Property) {
    const bool is_node = term.parts.front().type.is(query::ValueType::Base::Node);
    term.integer =
        static_cast<std::int64_t>(is_node ? store_.node_column(term.text) : store_.relationship_column(term.text));
  }
  if (term.kind != Term::Kind::Matches) return;
  const auto pattern = std::make_shared<query::MatchClause>(*term.pattern);
  resolve(*pattern);
  term.pattern = pattern;
  term.integer = static_cast<std::int64_t>(patterns_.size());
  std::set<std::size_t> bound;
  add_slots(*pattern, bound);
  // The first match is enough: no part of the pattern is counted.
  const std::set<std::size_t> needed(pattern->new_slots.begin(), pattern->new_slots.end());
  patterns_.push_back(
      {std::make_unique<Matcher>(*pattern, bound, needed, store_, evaluator_, progress_), bound.empty(), {}});
}

void Pipeline::resolve(query::MatchClause& clause) {
  for (query::PathPattern& path : clause.paths) {
    for (query::RelationshipPattern& one : path.relationships) {
      for (Term& term : one.each) resolve(term);
    }
  }
  for (Term& term : clause.conditions) resolve(term);
  if (clause.maybe_list) resolve(*clause.maybe_list);
}

void Pipeline::resolve(Projection& projection) {
  const std::size_t columns = projection.columns.size();
  const std::function<void(Term&)> shift = [&](Term& term) {
    if (term.kind == Term::Kind::Aggregate)
      term.slot += columns;
    else
      std::ranges::for_each(term.parts, shift);
  };
  for (Projection::Column& column : projection.columns) {
    resolve(column.term);
    shift(column.term);
  }
  for (Term& term : projection.aggregates) resolve(term);
  for (Projection::Key& key : projection.order) resolve(key.term);
  for (Term& term : projection.conditions) resolve(term);
}

Stage& Pipeline::add(std::unique_ptr<Stage> stage) { return *stages_.emplace_back(std::move(stage)); }

Stage& Pipeline::make_projection(const Projection& projection, std::size_t slots, Stage& next) {
  Stage* stage = &next;
  if (projection.skip != 0 || projection.limit) stage = &add(std::make_unique<Limit>(projection, *stage));
  if (!projection.order.empty()) stage = &add(std::make_unique<Sort>(projection, evaluator_, progress_, *stage));
  if (projection.is_distinct) {
    stage = &add(std::make_unique<Distinct>(projection.columns.size(), projection.loc, progress_, *stage));
  }
  if (!projection.aggregates.empty()) return add(std::make_unique<Group>(projection, evaluator_, progress_, *stage));
  return add(std::make_unique<Columns>(projection, slots, evaluator_, progress_, *stage));
}

/// The stages of a part, from the last to the first.
Stage& Pipeline::make_part(const std::vector<query::StatementPart>& parts, std::size_t number, Stage& next) {
  const query::StatementPart& part = parts[number];
  const Projection& projection = part.projection;
  std::set<std::size_t> needed;
  for (const Projection::Column& column : projection.columns) add_slots(column.term, needed);
  for (const Term& term : projection.aggregates) add_slots(term, needed);
  for (const Projection::Key& key : projection.order) {
    if (!projection.orders_columns) add_slots(key.term, needed);
  }
  // A limit ends walks of trails without an end, which are then not counted before the first row.
  if (projection.limit && projection.aggregates.empty() && projection.order.empty()) add_endless(part, needed);
  const std::size_t columns = number == 0 ? 0 : parts[number - 1].projection.columns.size();
  std::vector<std::set<std::size_t>> bound;
  std::set<std::size_t> there;
  for (std::size_t slot = 0; slot < columns; ++slot) there.insert(slot);
  for (const query::MatchClause& clause : part.matches) {
    bound.push_back(there);
    there.insert(clause.new_slots.begin(), clause.new_slots.end());
  }
  Stage* stage = &make_projection(projection, part.slots, next);
  for (std::size_t at = part.matches.size(); at-- > 0;) {
    const query::MatchClause& clause = part.matches[at];
    if (clause.maybe_list) {
      stage = &add(std::make_unique<Unwind>(clause, evaluator_, progress_, *stage));
    } else {
      stage = &add(std::make_unique<Match>(clause, bound[at], needed, store_, evaluator_, progress_, *stage));
    }
    add_slots(clause, needed);
  }
  const std::vector<Term>* const maybe_conditions = number == 0 ? nullptr : &parts[number - 1].projection.conditions;
  const std::size_t slots = part.slots + projection.columns.size();
  return add(std::make_unique<Begin>(slots, columns, maybe_conditions, evaluator_, progress_, *stage));
}

void Pipeline::run(const OnRow& on_row) {
  stages_.clear();
  End end(on_row);
  const Projection& last = statement_.parts.back().projection;
  Distinct distinct(last.columns.size(), last.loc, progress_, end);
  Stage& next = statement_.others.empty() || statement_.keeps_repeats ? static_cast<Stage&>(end) : distinct;
  const auto run_branch = [&](const std::vector<query::StatementPart>& parts) {
    Stage* stage = &next;
    for (std::size_t part = parts.size(); part-- > 0;) stage = &make_part(parts, part, *stage);
    stage->take(nullptr, 1);
    if (!progress_.is_over()) stage->finish();
    return !progress_.is_over() && end.is_open();
  };
  bool goes_on = run_branch(statement_.parts);
  for (const std::vector<query::StatementPart>& parts : statement_.others) goes_on = goes_on && run_branch(parts);
}

}  // namespace matcha::session::statement
