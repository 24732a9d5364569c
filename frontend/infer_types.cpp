#include "frontend/infer_types.h"

#include <algorithm>
#include <functional>

namespace matcha::frontend::infer {
namespace {

/// Most steps of unification and copying; a program of a thousand lines takes about ten thousand.
constexpr std::uint64_t kMaxWork = 5'000'000;
constexpr std::uint32_t kMaxTypeDepth = 200;
constexpr std::size_t kShownType = 200;

std::uint32_t depth_above(const Ty* elem) { return elem == nullptr ? 1 : elem->depth + 1; }

void show_into(std::string& out, Ty* type);

void show_tuple(std::string& out, const Ty& tuple) {
  bool uniform = std::ranges::all_of(tuple.args, [&](Ty* arg) {
    return Solver::find(arg) == Solver::find(tuple.args[0]) ||
           (Solver::is(arg, Ty::Kind::Var) && Solver::is(tuple.args[0], Ty::Kind::Var));
  });
  out += "Tuple<";
  show_into(out, tuple.args[0]);
  for (std::size_t i = 1; i < tuple.args.size() && !uniform; ++i) {
    out += ", ";
    show_into(out, tuple.args[i]);
  }
  if (uniform) out += ", " + std::to_string(tuple.args.size());
  out += '>';
}

void show_into(std::string& out, Ty* type) {
  if (out.size() > kShownType) {
    if (out.back() != '.') out += "...";
    return;
  }
  type = Solver::find(type);
  switch (type->kind) {
    case Ty::Kind::Var: out += '?'; return;
    case Ty::Kind::Int: out += "int"; return;
    case Ty::Kind::Float: out += "float"; return;
    case Ty::Kind::Bool: out += "bool"; return;
    case Ty::Kind::Graph: out += "Graph"; return;
    case Ty::Kind::NoInfo: out += "no information"; return;
    case Ty::Kind::Error: out += "?"; return;
    case Ty::Kind::Tuple: show_tuple(out, *type); return;
    case Ty::Kind::Table: {
      out += "Table<";
      Ty key{Ty::Kind::Tuple};
      key.args = type->args;
      show_into(out, type->args.size() == 1 ? type->args[0] : &key);
      out += ", ";
      show_into(out, type->elem);
      out += '>';
      return;
    }
    case Ty::Kind::List:
      out += "List<";
      show_into(out, type->elem);
      out += '>';
      return;
    case Ty::Kind::Func:
      out += "func(";
      for (std::size_t i = 0; i < type->args.size(); ++i) {
        if (i > 0) out += ", ";
        show_into(out, type->args[i]);
      }
      out += ") -> ";
      show_into(out, type->elem);
      return;
  }
}

}  // namespace

Ty* Solver::var() {
  Ty& out = types_.emplace_back(Ty{Ty::Kind::Var});
  out.depth = 0;
  out.level = level_;
  return &out;
}

Ty* Solver::tuple(std::vector<Ty*> positions) {
  Ty& out = types_.emplace_back(Ty{Ty::Kind::Tuple});
  for (Ty* position : positions) out.depth = std::max(out.depth, depth_above(find(position)));
  out.args = std::move(positions);
  if (out.depth > kMaxTypeDepth) work(kMaxWork);
  return &out;
}

Ty* Solver::list(Ty* elem) {
  Ty& out = types_.emplace_back(Ty{Ty::Kind::List});
  out.elem = elem;
  out.depth = depth_above(find(elem));
  if (out.depth > kMaxTypeDepth) work(kMaxWork);
  return &out;
}

Ty* Solver::table(std::vector<Ty*> keys, Ty* value) {
  Ty& out = types_.emplace_back(Ty{Ty::Kind::Table});
  out.elem = value;
  out.depth = depth_above(find(value));
  out.args = std::move(keys);
  return &out;
}

Ty* Solver::graph(Ty* info) {
  Ty& out = types_.emplace_back(Ty{Ty::Kind::Graph});
  out.elem = info;
  return &out;
}

Ty* Solver::func(std::vector<Ty*> args, Ty* result) {
  Ty& out = types_.emplace_back(Ty{Ty::Kind::Func});
  out.elem = result;
  out.depth = depth_above(find(result));
  for (Ty* arg : args) out.depth = std::max(out.depth, depth_above(find(arg)));
  out.args = std::move(args);
  if (out.depth > kMaxTypeDepth) work(kMaxWork);
  return &out;
}

Ty* Solver::find(Ty* type) {
  Ty* root = type;
  while (root->link != nullptr) root = root->link;
  while (type->link != nullptr) {
    Ty* next = type->link;
    type->link = root;
    type = next;
  }
  return root;
}

std::string Solver::show(Ty* type) {
  std::string out;
  show_into(out, type);
  return out;
}

std::string quoted(Ty* type) { return "`" + Solver::show(type) + "`"; }
std::string quoted(std::string_view word) { return "`" + std::string(word) + "`"; }

const Type* Solver::ground(Ty* type, TypeTable& table) { return exhausted_ ? nullptr : ground_at(type, table); }

const Type* Solver::ground_at(Ty* type, TypeTable& table) {
  if (!work(1)) return nullptr;
  type = find(type);
  switch (type->kind) {
    case Ty::Kind::Int: return table.int_type();
    case Ty::Kind::Float: return table.float_type();
    case Ty::Kind::Bool: return table.bool_type();
    case Ty::Kind::Table:
    case Ty::Kind::Tuple: {
      std::vector<const Type*> positions;
      for (Ty* arg : type->args) {
        positions.push_back(ground_at(arg, table));
        if (positions.back() == nullptr) return nullptr;
      }
      if (type->kind == Ty::Kind::Tuple) return table.tuple(positions);
      const Type* value = ground_at(type->elem, table);
      return value == nullptr ? nullptr : table.table(positions, value);
    }
    case Ty::Kind::List: {
      const Type* elem = ground_at(type->elem, table);
      return elem == nullptr ? nullptr : table.list(elem);
    }
    case Ty::Kind::Graph: return table.graph(ground_at(type->elem, table));
    case Ty::Kind::Var:
    case Ty::Kind::Func:
    case Ty::Kind::NoInfo:
    case Ty::Kind::Error: return nullptr;
  }
  return nullptr;
}

bool Solver::work(std::uint64_t amount) {
  work_ += amount;
  if (work_ < kMaxWork) return true;
  if (!exhausted_) {
    exhausted_ = true;
    if (muted_) return false;
    diagnostics_.error(DiagId::TooComplex, {}, "the types of the program grow beyond the compiler's limits",
                       "write the types of some parameters, and call functions of functions less often");
  }
  return false;
}

void Solver::report(DiagId id, SourceLoc loc, std::string message, std::string hint, SourceLoc call_site) {
  if (exhausted_ || muted_ || !reported_.emplace(id, loc.file, loc.line, loc.column).second) return;
  Diagnostic& d = diagnostics_.error(id, loc, std::move(message), std::move(hint));
  if (call_site.valid() && call_site != loc) d.notes.push_back({call_site, "in the function called here"});
}

bool Solver::occurs(Ty* var, Ty* type) {
  if (!work(1)) return false;
  type = find(type);
  if (type == var) return true;
  if (type->kind == Ty::Kind::Var) {
    type->level = std::min(type->level, var->level);
    return false;
  }
  bool found = type->elem != nullptr && occurs(var, type->elem);
  for (Ty* arg : type->args) found = occurs(var, arg) || found;
  return found;
}

void Solver::bind(Ty* var, Ty* to) {
  var->link = to;
  for (std::uint32_t watcher : var->watchers) {
    queue_.push_back(watcher);
    if (to->kind == Ty::Kind::Var) to->watchers.push_back(watcher);
  }
  var->watchers.clear();
}

bool Solver::unify(Ty* a, Ty* b, SourceLoc loc) {
  bool equal = unify_now(a, b, loc);
  run();
  return equal;
}

bool Solver::unify_now(Ty* a, Ty* b, SourceLoc loc) {
  a = find(a);
  b = find(b);
  if (a == b || !work(1)) return true;
  if (a->kind != Ty::Kind::Var) std::swap(a, b);
  if (a->kind == Ty::Kind::Var) {
    if (occurs(a, b)) {
      report(DiagId::InfiniteType, loc, "the type would have to contain itself",
             "a function cannot be its own argument, nor a list its own item");
      bind(a, &error_);
      return true;
    }
    bind(a, b);
    return true;
  }
  if (a->kind == Ty::Kind::Error || b->kind == Ty::Kind::Error) {
    poison(a->kind == Ty::Kind::Error ? b : a);
    return true;
  }
  if (a->kind != b->kind || a->args.size() != b->args.size()) return false;
  bool equal = true;
  if (a->elem != nullptr) equal = unify_now(a->elem, b->elem, loc);
  for (std::size_t i = 0; i < a->args.size(); ++i) equal = unify_now(a->args[i], b->args[i], loc) && equal;
  return equal;
}

void Solver::poison(Ty* type) {
  if (type == nullptr || !work(1)) return;
  type = find(type);
  if (type->kind == Ty::Kind::Var) return bind(type, &error_);
  poison(type->elem);
  for (Ty* arg : type->args) poison(arg);
}

bool Solver::fits_written(Ty* actual, Ty* written, SourceLoc loc) {
  if (is(actual, Ty::Kind::Int) && is(written, Ty::Kind::Float)) return true;
  return unify(actual, written, loc);
}

std::string Solver::float_hint(Ty* a, Ty* b) {
  auto mixed = [](Ty* x, Ty* y) {
    return (is(x, Ty::Kind::Int) && is(y, Ty::Kind::Float)) || (is(x, Ty::Kind::Float) && is(y, Ty::Kind::Int));
  };
  a = find(a);
  b = find(b);
  while (a->kind == Ty::Kind::List && b->kind == Ty::Kind::List) {
    a = find(a->elem);
    b = find(b->elem);
  }
  bool tuples = a->kind == Ty::Kind::Tuple && b->kind == Ty::Kind::Tuple;
  if (!mixed(a, b) && !(tuples && !std::ranges::equal(a->args, b->args, std::not_fn(mixed)))) return "";
  return "an int does not become a float by itself; write `1.0 * x` for `x`, or `2.0` for `2`";
}

bool Solver::has_inner_var(Ty* type) {
  if (type == nullptr || !work(1)) return false;
  type = find(type);
  if (type->kind == Ty::Kind::Var) return type->level > level_;
  if (type->elem != nullptr && has_inner_var(type->elem)) return true;
  return std::any_of(type->args.begin(), type->args.end(), [&](Ty* arg) { return has_inner_var(arg); });
}

void Solver::make_generic(Ty* type) {
  if (type == nullptr || !work(1)) return;
  type = find(type);
  if (type->kind == Ty::Kind::Var) {
    if (type->level > level_) type->level = kGeneric;
    return;
  }
  if (type->elem != nullptr) make_generic(type->elem);
  for (Ty* arg : type->args) make_generic(arg);
}

Scheme Solver::generalize(Ty* type) {
  std::size_t mark = marks_.back();
  leave();
  Scheme scheme;
  scheme.type = type;
  std::vector<std::uint32_t> kept;
  for (std::size_t i = mark; i < pending_.size(); ++i) {
    Constraint& c = constraints_[pending_[i]];
    if (c.done) continue;
    if (has_inner_var(c.a) || has_inner_var(c.b) || has_inner_var(c.r)) {
      scheme.constraints.push_back(c);
      c.done = true;
    } else {
      kept.push_back(pending_[i]);
    }
  }
  pending_.resize(mark);
  pending_.insert(pending_.end(), kept.begin(), kept.end());
  make_generic(type);
  for (const Constraint& c : scheme.constraints) {
    make_generic(c.a);
    make_generic(c.b);
    make_generic(c.r);
  }
  return scheme;
}

Ty* Solver::copy(Ty* type, std::unordered_map<Ty*, Ty*>& map) {
  if (type == nullptr) return nullptr;
  if (!work(1)) return &error_;
  type = find(type);
  if (type->kind == Ty::Kind::Var) {
    if (type->level != kGeneric) return type;
    Ty*& fresh = map[type];
    if (fresh == nullptr) fresh = var();
    return fresh;
  }
  if (type->elem == nullptr && type->args.empty()) return type;
  Ty* elem = copy(type->elem, map);
  std::vector<Ty*> args;
  bool same = type->elem == nullptr || elem == find(type->elem);
  for (Ty* arg : type->args) {
    args.push_back(copy(arg, map));
    same = same && args.back() == find(arg);
  }
  if (same) return type;
  Ty& out = types_.emplace_back(Ty{type->kind});
  out.depth = type->depth;
  out.elem = elem;
  out.args = std::move(args);
  return &out;
}

Ty* Solver::instantiate(const Scheme& scheme, SourceLoc call_site) {
  std::unordered_map<Ty*, Ty*> map;
  Ty* type = copy(scheme.type, map);
  for (const Constraint& c : scheme.constraints) {
    if (exhausted_) return &error_;
    Constraint fresh = c;
    fresh.a = copy(c.a, map);
    fresh.b = copy(c.b, map);
    fresh.r = copy(c.r, map);
    fresh.done = false;
    if (!c.call_site.valid()) fresh.call_site = call_site;
    add(fresh);
  }
  return exhausted_ ? &error_ : type;
}

}  // namespace matcha::frontend::infer
