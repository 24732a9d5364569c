#include <algorithm>

#include "frontend/infer_types.h"

namespace matcha::frontend::infer {
namespace {

using Kind = Ty::Kind;

bool is_number(const Ty* type) { return type->kind == Kind::Int || type->kind == Kind::Float; }
bool is_scalar(const Ty* type) { return is_number(type) || type->kind == Kind::Bool; }
bool is_open(const Ty* type) { return type->kind == Kind::Var; }

}  // namespace

void Solver::add(Constraint constraint) {
  if (!work(1)) return;
  constraints_.push_back(std::move(constraint));
  std::uint32_t index = static_cast<std::uint32_t>(constraints_.size() - 1);
  if (step(constraints_[index])) {
    constraints_[index].done = true;
  } else {
    watch(index);
    pending_.push_back(index);
  }
  run();
}

void Solver::watch(std::uint32_t index) {
  const Constraint& c = constraints_[index];
  for (Ty* type : {c.a, c.b, c.r}) {
    if (type == nullptr) continue;
    Ty* root = find(type);
    if (is_open(root)) root->watchers.push_back(index);
  }
}

void Solver::run() {
  if (running_) return;
  running_ = true;
  while (!queue_.empty() && work(1)) {
    std::uint32_t index = queue_.back();
    queue_.pop_back();
    if (constraints_[index].done) continue;
    if (step(constraints_[index])) {
      constraints_[index].done = true;
    } else {
      watch(index);
    }
  }
  queue_.clear();
  running_ = false;
}

bool Solver::fail(const Constraint& c, DiagId id, std::string message, std::string hint) {
  report(id, c.loc, std::move(message), std::move(hint), c.call_site);
  if (c.r != nullptr) unify_now(c.r, &error_, c.loc);
  return true;
}

bool Solver::give(const Constraint& c, Ty* result) {
  if (unify_now(c.r, result, c.loc)) return true;
  report(DiagId::TypeMismatch, c.loc,
         quoted(c.text) + " gives " + quoted(result) + " where " + quoted(c.r) + " is needed", {}, c.call_site);
  return true;
}

bool Solver::step(Constraint& c) {
  const auto is_error = [](Ty* type) { return type != nullptr && is(type, Kind::Error); };
  const bool takes_errors = c.kind == Constraint::Kind::Join || c.kind == Constraint::Kind::Count;
  if (!takes_errors && (is_error(c.a) || is_error(c.b))) {
    if (c.r != nullptr) unify_now(c.r, &error_, c.loc);
    return true;
  }
  switch (c.kind) {
    case Constraint::Kind::Arith: return step_arith(c);
    case Constraint::Kind::Compare: return step_compare(c);
    case Constraint::Kind::Join: return step_join(c);
    case Constraint::Kind::Get: return step_get(c);
    case Constraint::Kind::Sum: return step_sum(c);
    case Constraint::Kind::Fold: return step_fold(c);
    case Constraint::Kind::Count: return step_count(c);
    case Constraint::Kind::Keys:
    case Constraint::Kind::Values: return step_column(c);
    case Constraint::Kind::Row:
    case Constraint::Kind::State:
    case Constraint::Kind::Key:
    case Constraint::Kind::Number:
    case Constraint::Kind::Scalar:
    case Constraint::Kind::Item:
    case Constraint::Kind::Size:
    case Constraint::Kind::EdgeInfo: return step_kind(c);
  }
  return true;
}

bool Solver::step_arith(Constraint& c) {
  Ty* a = find(c.a);
  Ty* b = find(c.b);
  for (Ty* side : {a, b}) {
    if (is_open(side) || is_number(side)) continue;
    return fail(c, DiagId::OperandType,
                quoted(c.text) + " works on ints and floats; the " + (side == a ? "left" : "right") +
                    " side has type " + quoted(side));
  }
  if (is_number(a) && is_number(b)) return give(c, a->kind == Kind::Float || b->kind == Kind::Float ? &float_ : &int_);
  if (find(c.r)->kind == Kind::Int) {
    unify_now(a, &int_, c.loc);
    unify_now(b, &int_, c.loc);
    return step_arith(c);
  }
  if (a->kind == Kind::Float || b->kind == Kind::Float) {
    if (find(c.r)->kind == Kind::Var) give(c, &float_);
  }
  return false;
}

bool Solver::step_compare(Constraint& c) {
  Ty* a = find(c.a);
  Ty* b = find(c.b);
  auto wrong = [&] {
    return fail(c, DiagId::OperandType,
                quoted(c.text) +
                    (c.order ? " compares numbers" : " compares numbers with numbers and bools with bools") +
                    "; the sides have types " + quoted(a) + " and " + quoted(b));
  };
  for (Ty* side : {a, b}) {
    if (is_open(side)) continue;
    if (!is_scalar(side) || (c.order && side->kind == Kind::Bool)) return wrong();
  }
  if (is_open(a) && is_open(b)) return false;
  if (is_open(a) || is_open(b)) {
    Ty* known = is_open(a) ? b : a;
    if (known->kind != Kind::Bool) return false;
    unify_now(a, b, c.loc);
    return true;
  }
  if ((a->kind == Kind::Bool) != (b->kind == Kind::Bool)) return wrong();
  return true;
}

bool Solver::step_join(Constraint& c) {
  Ty* a = find(c.a);
  Ty* b = find(c.b);
  for (Ty* side : {a, b}) {
    if (side->kind == Kind::Func) {
      return fail(c, DiagId::FunctionValue, "a function cannot be chosen or stored when the program runs");
    }
    if (side->kind == Kind::Graph) {
      return fail(c, DiagId::OperandType, "a graph cannot be chosen or stored when the program runs");
    }
  }
  if (a == b) return give(c, a);
  // A function is checked again for each call, so that no argument determines the types of the others.
  bool numeric = is_number(a) || is_number(b);
  if (is_open(a) && is_open(b)) return false;
  if (numeric && (is_open(a) || is_open(b))) return false;
  if (!unify_now(a, b, c.loc)) {
    return fail(c, DiagId::TypeMismatch,
                std::string(c.text) + " have types " + quoted(a) + " and " + quoted(b) + ", which differ",
                float_hint(a, b));
  }
  return give(c, a);
}

bool Solver::step_get(Constraint& c) {
  Ty* a = find(c.a);
  switch (a->kind) {
    case Kind::Var: return false;
    case Kind::Table: return step_get_table(c);
    case Kind::List:
    case Kind::Tuple:
      if (c.order || c.b->args.size() != 1) {
        return fail(c, DiagId::ArgType,
                    quoted("get") + " of " + quoted(a) +
                        " takes one position and no `default`; several keys and a "
                        "default are for tables");
      }
      if (!unify_now(c.b->args[0], &int_, c.loc)) {
        return fail(c, DiagId::ArgType, "the position of `get` has type " + quoted(c.b->args[0]) + "; expected `int`");
      }
      if (a->kind == Kind::List) return give(c, a->elem);
      if (!c.position) {
        return fail(c, DiagId::GetPosition, "the position in a tuple is a literal int",
                    "each position has a type of its own; choose with `if`");
      }
      if (*c.position < 0 || *c.position >= static_cast<std::int64_t>(a->args.size())) {
        return fail(c, DiagId::GetRange, "position " + std::to_string(*c.position) + " is out of range of " + quoted(a),
                    "positions are 0 to " + std::to_string(a->args.size() - 1));
      }
      return give(c, a->args[static_cast<std::size_t>(*c.position)]);
    case Kind::Int:
    case Kind::Float:
    case Kind::Bool:
    case Kind::Graph:
    case Kind::Func:
    case Kind::NoInfo:
    case Kind::Error: break;
  }
  return fail(c, DiagId::ArgType, "`get` reads a tuple, a list or a table; its first argument has type " + quoted(a));
}

bool Solver::step_sum(Constraint& c) {
  Ty* a = find(c.a);
  switch (a->kind) {
    case Kind::Var: return false;
    case Kind::Int:
    case Kind::Float: return give(c, a);
    case Kind::Bool: return give(c, &int_);
    case Kind::Tuple: {
      // The size is known before the types of the positions: each is a separate sum.
      std::vector<Ty*> sums;
      for (std::size_t i = 0; i < a->args.size(); ++i) sums.push_back(var());
      give(c, tuple(sums));
      for (std::size_t i = 0; i < sums.size(); ++i) {
        Constraint position = c;
        position.a = a->args[i];
        position.r = sums[i];
        add(position);
      }
      return true;
    }
    case Kind::List:
    case Kind::Table:
    case Kind::Graph:
    case Kind::Func:
    case Kind::NoInfo:
    case Kind::Error: break;
  }
  return fail(c, DiagId::ArgType, quoted(c.text) + " adds numbers, bools or tuples; the items have type " + quoted(a));
}

/// Adds a constraint on a part of the type of `c`, at its place.
void Solver::require(const Constraint& c, Constraint::Kind kind, Ty* type, Ty* result) {
  Constraint part = c;
  part.kind = kind;
  part.a = type;
  part.b = nullptr;
  part.r = result;
  add(part);
}

bool Solver::step_fold(Constraint& c) {
  Ty* a = find(c.a);
  if (is_open(a)) return false;
  if (a->kind != Kind::Tuple) {
    return fail(c, DiagId::ArgType,
                quoted(c.text) + " takes rows, which are tuples of a key and a value; the items have type " + quoted(a),
                "write `(key, value)`");
  }
  const std::size_t keys = static_cast<std::size_t>(*c.position);
  if (*c.position < 1 || keys >= a->args.size()) {
    return fail(c, DiagId::TupleSize,
                "a row of type " + quoted(a) + " has no key of " + std::to_string(*c.position) +
                    " positions and a value behind it",
                "`keys` counts the positions of the key");
  }
  std::vector<Ty*> key(a->args.begin(), a->args.begin() + *c.position);
  std::vector<Ty*> values;
  for (std::size_t i = keys; i < a->args.size(); ++i) values.push_back(c.order ? var() : a->args[i]);
  give(c, table(key, values.size() == 1 ? values[0] : tuple(values)));
  for (Ty* part : key) require(c, Constraint::Kind::Key, part);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (c.order) {
      require(c, Constraint::Kind::Sum, a->args[keys + i], values[i]);
    } else {
      require(c, Constraint::Kind::Scalar, values[i]);
    }
  }
  return true;
}

bool Solver::step_count(Constraint& c) {
  Ty* a = find(c.a);
  if (is_open(a)) return false;
  std::vector<Ty*> key = a->kind == Kind::Tuple ? a->args : std::vector<Ty*>{a};
  give(c, table(key, &int_));
  for (Ty* part : key) require(c, Constraint::Kind::Key, part);
  return true;
}

bool Solver::step_column(Constraint& c) {
  Ty* a = find(c.a);
  if (is_open(a)) return false;
  if (a->kind != Kind::Table)
    return fail(c, DiagId::ArgType, quoted(c.text) + " takes a table; it gets " + quoted(a),
                "`sum_by`, `count_by`, `min_by` and `max_by` make one");
  const bool values = c.kind == Constraint::Kind::Values;
  return give(c, values ? a->elem : a->args.size() == 1 ? a->args[0] : tuple(a->args));
}

bool Solver::step_get_table(Constraint& c) {
  Ty* a = find(c.a);
  if (c.b->args.size() == 1 && (a->args.size() > 1 || find(c.b->args[0])->kind == Kind::Tuple)) {
    if (!unify_now(c.b->args[0], tuple(a->args), c.loc)) {
      return fail(
          c, DiagId::ArgType,
          "the key of " + quoted(a) + " has type " + quoted(c.b->args[0]) + " here; expected " + quoted(tuple(a->args)),
          "write `get(t, a, b)` for a key of two positions");
    }
    return give(c, a->elem);
  }
  if (c.b->args.size() != a->args.size()) {
    return fail(c, DiagId::ArgType,
                quoted("get") + " of " + quoted(a) + " takes " + std::to_string(a->args.size()) +
                    (a->args.size() == 1 ? " key" : " keys") + "; it gets " + std::to_string(c.b->args.size()),
                "write `get(t, a, b)` for a key of two positions");
  }
  for (std::size_t i = 0; i < a->args.size(); ++i) {
    if (unify_now(c.b->args[i], a->args[i], c.loc)) continue;
    return fail(c, DiagId::ArgType,
                "key " + std::to_string(i) + " of " + quoted(a) + " has type " + quoted(c.b->args[i]) + " here");
  }
  return give(c, a->elem);
}

bool Solver::step_kind(Constraint& c) {
  Ty* a = find(c.a);
  if (is_open(a)) return false;
  switch (c.kind) {
    case Constraint::Kind::Number:
      if (is_number(a)) return true;
      return fail(c, DiagId::ArgType, quoted(c.text) + " works on ints and floats; it gets " + quoted(a));
    case Constraint::Kind::Scalar:
      if (is_scalar(a)) return true;
      return fail(c, DiagId::ArgType, quoted(c.text) + " takes ints, floats or bools; it gets " + quoted(a));
    case Constraint::Kind::Row:
      if (is_scalar(a) || a->kind == Kind::Tuple) return true;
      return fail(c, DiagId::ArgType, quoted(c.text) + " orders numbers, bools and tuples; it gets " + quoted(a));
    case Constraint::Kind::State:
      if (a->kind == Kind::List && find(a->elem)->kind == Kind::List) break;
      if (is_scalar(a) || a->kind == Kind::Tuple || a->kind == Kind::Table || a->kind == Kind::List) return true;
      break;
    case Constraint::Kind::Key:
      if (a->kind == Kind::Int || a->kind == Kind::Bool) return true;
      return fail(c, DiagId::KeyType, "a key of " + quoted(c.text) + " is an int or a bool, not " + quoted(a));
    case Constraint::Kind::Size:
      if (a->kind == Kind::List || a->kind == Kind::Table || a->kind == Kind::Tuple) return true;
      return fail(c, DiagId::ArgType, "`size` takes a list, a table or a tuple; it gets " + quoted(a));
    case Constraint::Kind::EdgeInfo:
      if (a->kind == Kind::NoInfo) {
        return fail(c, DiagId::NoEdgeInfo, "the graph has no edge information",
                    "give it with the `einfo` of `mk_graph`");
      }
      return give(c, a);
    default:
      if (is_scalar(a) || a->kind == Kind::Tuple || a->kind == Kind::List) return true;
      return fail(c, a->kind == Kind::Func ? DiagId::FunctionValue : DiagId::TypeMismatch,
                  "a list cannot hold " + quoted(a));
  }
  return fail(c, DiagId::StateType, "the value of " + quoted(c.text) + " cannot be " + quoted(a));
}

/// Makes the smallest tuple that has all positions read by waiting `get`s, and a key and a value if it is a row.
bool Solver::default_tuple(const Constraint& c) {
  Ty* a = find(c.a);
  const bool reads = c.kind == Constraint::Kind::Get && !c.order && c.b->args.size() == 1;
  if (!is_open(a) || (!reads && c.kind != Constraint::Kind::Fold)) return false;
  std::int64_t last = -1;
  bool constant = true;
  for (std::uint32_t other : pending_) {
    const Constraint& d = constraints_[other];
    const bool row = d.kind == Constraint::Kind::Fold;
    if (d.done || (d.kind != Constraint::Kind::Get && !row) || find(d.a) != a) continue;
    constant = constant && d.position.has_value();
    last = std::max(last, d.position.value_or(-1));
  }
  if (!constant || last < 0 || last >= kMaxTupleSize) return false;
  std::vector<Ty*> positions;
  for (std::int64_t i = 0; i <= last; ++i) {
    positions.push_back(var());
    positions.back()->level = a->level;
  }
  unify(a, tuple(std::move(positions)), c.loc);
  return true;
}

bool Solver::default_scalar(const Constraint& c) {
  switch (c.kind) {
    case Constraint::Kind::Get:
    case Constraint::Kind::Size:
    case Constraint::Kind::Item:
    case Constraint::Kind::Fold:
    case Constraint::Kind::Keys:
    case Constraint::Kind::Values: return false;
    default: break;
  }
  Ty* a = find(c.a);
  if (c.kind == Constraint::Kind::EdgeInfo) {
    // An input graph has the edge information that the program reads; by default times.
    unify(a, is_open(find(c.r)) ? &int_ : c.r, c.loc);
    return true;
  }
  Ty* b = c.b == nullptr ? nullptr : find(c.b);
  Ty* target = is_open(a) ? a : b;
  Ty* other = target == a ? b : a;
  bool real = c.kind == Constraint::Kind::Compare && other != nullptr && other->kind == Kind::Float;
  unify(target, real ? &float_ : &int_, c.loc);
  return true;
}

/// Tries the waiting constraints; true if one of them determined a type.
bool Solver::default_one(Round round) {
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Constraint& c = constraints_[pending_[i]];
    if (c.done) continue;
    bool join = c.kind == Constraint::Kind::Join;
    switch (round) {
      case Round::Joins:
        if (!join) continue;
        unify(c.a, c.b, c.loc);
        return true;
      case Round::Tuples:
        if (default_tuple(c)) return true;
        continue;
      case Round::Scalars:
        if (default_scalar(c)) return true;
        continue;
    }
  }
  return false;
}

void Solver::settle_defaults() {
  while (!exhausted_ && (default_one(Round::Joins) || default_one(Round::Tuples) || default_one(Round::Scalars))) {
    std::erase_if(pending_, [&](std::uint32_t index) { return constraints_[index].done; });
    if (!work(pending_.size())) return;
  }
}

void Solver::fill_positions(Ty* tuple, SourceLoc loc) {
  tuple = find(tuple);
  if (tuple->kind != Kind::Tuple) return;
  auto known = std::ranges::find_if(tuple->args, [](Ty* arg) { return !is(arg, Kind::Var); });
  if (known == tuple->args.end()) return;
  for (Ty* arg : tuple->args) {
    if (is(arg, Kind::Var)) unify(arg, *known, loc);
  }
}

}  // namespace matcha::frontend::infer
