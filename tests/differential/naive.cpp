#include "tests/differential/naive.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace matcha::differential {

namespace {

using Kind = NaiveValue::Kind;
using runtime::TrapCode;

constexpr std::uint64_t kMaxSteps = 200'000;

struct TooLong {};

NaiveValue int_value(__int128 i) {
  NaiveValue v;
  v.integer = i;
  return v;
}
NaiveValue bool_value(bool b) {
  NaiveValue v;
  v.kind = Kind::Bool;
  v.integer = b ? 1 : 0;
  return v;
}
NaiveValue real_value(double d) {
  NaiveValue v;
  v.kind = Kind::Float;
  v.real = d;
  return v;
}
NaiveValue list_value(std::vector<NaiveValue> items, Kind kind = Kind::List) {
  NaiveValue v;
  v.kind = kind;
  v.items = std::make_shared<const std::vector<NaiveValue>>(std::move(items));
  return v;
}

bool is_trap(const NaiveValue& v) { return v.kind == Kind::Trap; }
double as_real(const NaiveValue& v) { return v.kind == Kind::Float ? v.real : static_cast<double>(v.integer); }

class Evaluator {
 public:
  explicit Evaluator(const World& world) : world_(world) {}

  Expectation run(const Program& program) {
    Expectation result;
    try {
      bind(program);
      result.value = demanded(body(program.main));
    } catch (const TooLong&) {
      result.too_long = true;
    }
    result.all_traps = traps_;
    return result;
  }

 private:
  void bind(const Program& program) {
    for (const Param& param : program.params) names_[param.name] = argument(param.name);
  }

  NaiveValue argument(const std::string& name) {
    if (name == "G") {
      std::shared_ptr<NaiveGraph> graph = std::make_shared<NaiveGraph>();
      graph->vertices = world_.vertices;
      graph->labels = world_.labels;
      for (const auto& [u, v] : world_.arcs) {
        graph->arcs[u].push_back({v, 0});
        graph->edges.push_back({u, v});
      }
      NaiveValue v;
      v.kind = Kind::Graph;
      v.graph = graph;
      return v;
    }
    std::vector<NaiveValue> items;
    if (name == "E") {
      for (const auto& [u, v] : world_.pairs) items.push_back(list_value({int_value(u), int_value(v)}, Kind::Tuple));
    } else if (name == "T" || name == "L") {
      for (std::int64_t i : name == "T" ? world_.times : world_.items) items.push_back(int_value(i));
    } else if (name == "F") {
      for (double d : world_.reals) items.push_back(real_value(d));
    } else if (name == "k") {
      return int_value(world_.k);
    } else if (name == "r") {
      return real_value(world_.r);
    } else {
      return bool_value(world_.c);
    }
    return list_value(items);
  }

  NaiveValue trap(TrapCode code) {
    traps_.insert(code);
    NaiveValue v;
    v.kind = Kind::Trap;
    v.code = code;
    return v;
  }

  /// The value with all its parts; a trap if one of them is.
  NaiveValue demanded(const NaiveValue& v) {
    if (v.kind != Kind::Tuple && v.kind != Kind::List) return v;
    for (const NaiveValue& item : *v.items) {
      NaiveValue part = demanded(item);
      if (is_trap(part)) return part;
    }
    return v;
  }

  NaiveValue body(const Function& f) {
    for (const Binding& binding : f.bindings) names_[binding.name] = eval(*binding.value);
    return eval(*f.result);
  }

  NaiveValue call(const Function& f, const std::vector<NaiveValue>& args) {
    for (std::size_t i = 0; i < f.params.size(); ++i) names_[f.params[i]] = args[i];
    return body(f);
  }

  NaiveValue checked(__int128 value) {
    if (value < INT64_MIN || value > INT64_MAX) traps_.insert(TrapCode::IntegerOverflow);
    return int_value(value);
  }

  NaiveValue eval(const Node& n) {
    if (++steps_ > kMaxSteps) throw TooLong{};
    switch (n.op) {
      case Op::Int: return int_value(n.integer);
      case Op::Float: return real_value(n.real);
      case Op::Bool: return bool_value(n.integer != 0);
      case Op::Label: {
        const auto found = std::find(world_.words.begin(), world_.words.end(), n.name);
        return int_value(-1 - (found - world_.words.begin()));
      }
      case Op::Name: return names_.at(n.name);
      case Op::And:
      case Op::Or: {
        NaiveValue left = eval(*n.args[0]);
        if (is_trap(left) || (left.integer != 0) == (n.op == Op::Or)) return left;
        return eval(*n.args[1]);
      }
      case Op::If: {
        NaiveValue cond = eval(*n.args[0]);
        if (is_trap(cond)) return cond;
        return eval(*n.args[cond.integer != 0 ? 1 : 2]);
      }
      case Op::Chain: {
        NaiveValue first = eval(*n.args[0]);
        NaiveValue second = eval(*n.args[1]);
        if (is_trap(first)) return first;
        if (is_trap(second)) return second;
        NaiveValue less = compare(Op::Lt, first, second);
        if (less.integer == 0) return less;
        NaiveValue third = eval(*n.args[2]);
        return is_trap(third) ? third : compare(Op::Le, second, third);
      }
      case Op::Apply: return apply(n);
      default: break;
    }
    std::vector<NaiveValue> args;
    for (const NodePtr& arg : n.args) args.push_back(eval(*arg));
    if (n.op == Op::Call) return call(*n.function, args);
    if (n.op == Op::MkTuple) return list_value(args, Kind::Tuple);
    if (n.op == Op::MkList) return list_value(args);
    for (const NaiveValue& arg : args) {
      if (!is_trap(arg)) continue;
      meet_unknown(n, args);
      return arg;
    }
    return operation(n, args);
  }

  NaiveValue operation(const Node& n, const std::vector<NaiveValue>& a) {
    switch (n.op) {
      case Op::Neg: return a[0].kind == Kind::Float ? real_value(-a[0].real) : checked(-a[0].integer);
      case Op::Not: return bool_value(a[0].integer == 0);
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Mod: return arithmetic(n.op, a[0], a[1]);
      case Op::Eq:
      case Op::Ne:
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge: return compare(n.op, a[0], a[1]);
      case Op::MinOf: return replaces(a[1], a[0], true) ? a[1] : a[0];
      case Op::MaxOf: return replaces(a[1], a[0], false) ? a[1] : a[0];
      case Op::GetPos: return (*a[0].items)[static_cast<std::size_t>(n.integer)];
      case Op::GetItem: {
        __int128 size = static_cast<__int128>(a[0].items->size());
        if (a[1].integer < 0 || a[1].integer >= size) return trap(TrapCode::IndexOutOfRange);
        return (*a[0].items)[static_cast<std::size_t>(a[1].integer)];
      }
      case Op::Limit:
        return static_cast<__int128>(a[0].items->size()) > a[1].integer ? trap(TrapCode::CapacityExceeded) : a[0];
      case Op::Size: return int_value(static_cast<__int128>(a[0].items->size()));
      case Op::Sum:
      case Op::Min:
      case Op::Max:
      case Op::Any:
      case Op::All: return reduce(n, *a[0].items);
      case Op::Flatten: {
        std::vector<NaiveValue> items;
        for (const NaiveValue& list : *a[0].items) {
          if (is_trap(list)) return list;
          items.insert(items.end(), list.items->begin(), list.items->end());
        }
        return list_value(items);
      }
      case Op::Intersect:
      case Op::Diff: return membership(n.op == Op::Intersect, *a[0].items, *a[1].items);
      default: return graph_operation(n, a);
    }
  }

  NaiveValue arithmetic(Op op, const NaiveValue& a, const NaiveValue& b) {
    if (a.kind == Kind::Float || b.kind == Kind::Float) {
      double x = as_real(a);
      double y = as_real(b);
      if (op == Op::Add) return real_value(x + y);
      if (op == Op::Sub) return real_value(x - y);
      if (op == Op::Mul) return real_value(x * y);
      if (y == 0) return trap(TrapCode::DivisionByZero);
      return real_value(op == Op::Div ? x / y : std::fmod(x, y));
    }
    __int128 x = a.integer;
    __int128 y = b.integer;
    __int128 result = 0;
    if ((op == Op::Div || op == Op::Mod) && y == 0) return trap(TrapCode::DivisionByZero);
    if (op == Op::Div) return checked(x / y);
    if (op == Op::Mod) return checked(x % y);
    bool overflow = op == Op::Add   ? __builtin_add_overflow(x, y, &result)
                    : op == Op::Sub ? __builtin_sub_overflow(x, y, &result)
                                    : __builtin_mul_overflow(x, y, &result);
    return overflow ? trap(TrapCode::IntegerOverflow) : checked(result);
  }

  static bool before(const NaiveValue& a, const NaiveValue& b) {
    if (a.kind == Kind::Float || b.kind == Kind::Float) return as_real(a) < as_real(b);
    return a.integer < b.integer;
  }

  /// True if `x` and not `y` is the extremum; -0 is below 0, and NaN wins.
  static bool replaces(const NaiveValue& x, const NaiveValue& y, bool least) {
    if (x.kind == Kind::Float || y.kind == Kind::Float) {
      const double a = as_real(x);
      const double b = as_real(y);
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(b);
      if (a == b) return std::signbit(a) != std::signbit(b) && std::signbit(a) == least;
    }
    return least ? before(x, y) : before(y, x);
  }

  static NaiveValue compare(Op op, const NaiveValue& a, const NaiveValue& b) {
    bool less = before(a, b);
    bool more = before(b, a);
    switch (op) {
      case Op::Eq: return bool_value(!less && !more);
      case Op::Ne: return bool_value(less || more);
      case Op::Lt: return bool_value(less);
      case Op::Le: return bool_value(!more);
      case Op::Gt: return bool_value(more);
      default: return bool_value(!less);
    }
  }

  NaiveValue reduce(const Node& n, const std::vector<NaiveValue>& items) {
    for (const NaiveValue& item : items) {
      NaiveValue all = demanded(item);
      if (is_trap(all)) return all;
    }
    if (n.op == Op::Sum) return sum(*n.type, items);
    if (n.op == Op::Any || n.op == Op::All) {
      bool wanted = n.op == Op::Any;
      bool found =
          std::any_of(items.begin(), items.end(), [&](const NaiveValue& v) { return (v.integer != 0) == wanted; });
      return bool_value(found == wanted);
    }
    if (items.empty()) return trap(TrapCode::EmptyList);
    NaiveValue best = items[0];
    for (const NaiveValue& item : items) {
      if (replaces(item, best, n.op == Op::Min)) best = item;
    }
    return best;
  }

  NaiveValue sum(const Type& type, const std::vector<NaiveValue>& items) {
    if (type.kind == Type::Kind::Tuple) {
      std::vector<NaiveValue> parts;
      for (std::size_t p = 0; p < type.positions.size(); ++p) {
        std::vector<NaiveValue> column;
        for (const NaiveValue& item : items) column.push_back((*item.items)[p]);
        parts.push_back(sum(*type.positions[p], column));
      }
      return list_value(parts, Kind::Tuple);
    }
    if (type.kind == Type::Kind::Float) {
      __float128 total = 0;
      for (const NaiveValue& item : items) total += item.real;
      return real_value(static_cast<double>(total));
    }
    __int128 total = 0;
    for (const NaiveValue& item : items) {
      if (__builtin_add_overflow(total, item.integer, &total)) return trap(TrapCode::IntegerOverflow);
    }
    return checked(total);
  }

  NaiveValue membership(bool wanted, const std::vector<NaiveValue>& a, const std::vector<NaiveValue>& b) {
    std::vector<NaiveValue> kept;
    if (a.empty()) return list_value(kept);  // The items of the other list are not needed.
    for (const NaiveValue& item : b) {
      if (is_trap(item)) return item;
    }
    for (const NaiveValue& item : a) {
      if (is_trap(item)) return item;
      bool found = false;
      for (const NaiveValue& other : b) found = found || (!before(item, other) && !before(other, item));
      if (found == wanted) kept.push_back(item);
    }
    return list_value(kept);
  }

  NaiveValue apply(const Node& n) {
    // All of them are evaluated, also behind one that traps.
    std::vector<NaiveValue> args;
    for (const NodePtr& arg : n.args) args.push_back(eval(*arg));
    std::vector<Items> lists;
    for (const NaiveValue& list : args) {
      if (is_trap(list)) return list;
      lists.push_back(list.items);
    }
    for (const Items& list : lists) {
      if (list->size() != lists[0]->size()) return trap(TrapCode::LengthMismatch);
    }
    std::vector<NaiveValue> result;
    for (std::size_t i = 0; i < lists[0]->size(); ++i) {
      std::vector<NaiveValue> items;
      for (const Items& list : lists) items.push_back((*list)[i]);
      if (n.maybe_cond != nullptr) {
        NaiveValue keep = call(*n.maybe_cond, items);
        if (is_trap(keep)) return keep;
        if (keep.integer == 0) continue;
      }
      result.push_back(call(*n.function, items));
    }
    return list_value(result);
  }

  bool known(const NaiveValue& v) const {
    return std::any_of(world_.universe.begin(), world_.universe.end(),
                       [&](std::int64_t id) { return id == v.integer; });
  }

  void meet(const NaiveValue& vertex) {
    if (!is_trap(vertex) && !known(vertex)) traps_.insert(TrapCode::UnknownVertex);
  }

  /// Operands other than vertices are evaluated even if another operand traps.
  void meet_unknown(const Node& n, const std::vector<NaiveValue>& a) {
    if (n.op == Op::HasEdge) {
      for (std::size_t i = 1; i < a.size(); ++i) meet(a[i]);
    }
    if (n.op != Op::MkGraph) return;
    for (std::size_t list = 0; list < (n.has_labels ? 2U : 1U); ++list) {
      if (is_trap(a[list])) continue;
      for (const NaiveValue& item : *a[list].items) {
        for (std::size_t i = 0; !is_trap(item) && i < 2 - list; ++i) meet((*item.items)[i]);
      }
    }
  }

  NaiveValue graph_operation(const Node& n, const std::vector<NaiveValue>& a) {
    if (n.op == Op::MkGraph) return build(n, a);
    const NaiveGraph& g = *a[0].graph;
    std::vector<NaiveValue> items;
    if (n.op == Op::Vertices) {
      for (std::int64_t v : g.vertices) items.push_back(int_value(v));
      return list_value(items);
    }
    if (n.op == Op::Edges) {
      for (const auto& [u, v] : g.edges) items.push_back(list_value({int_value(u), int_value(v)}, Kind::Tuple));
      return list_value(items);
    }
    for (std::size_t i = 1; i < a.size(); ++i) {
      if (!known(a[i])) return trap(TrapCode::UnknownVertex);
    }
    std::int64_t v = static_cast<std::int64_t>(a[1].integer);
    if (n.op == Op::VertexLabel) {
      const auto label = g.labels.find(v);
      return label != g.labels.end() ? int_value(label->second) : trap(TrapCode::NoLabel);
    }
    const auto found = g.arcs.find(v);
    bool has_edge = false;
    if (found != g.arcs.end()) {
      for (const auto& [target, number] : found->second) {
        if (n.op == Op::Neighbor) items.push_back(int_value(target));
        if (n.op == Op::EdgeInfo) items.push_back((*g.info)[number]);
        has_edge = has_edge || (n.op == Op::HasEdge && target == a[2].integer);
      }
    }
    return n.op == Op::HasEdge ? bool_value(has_edge) : list_value(items);
  }

  NaiveValue build(const Node& n, const std::vector<NaiveValue>& a) {
    for (const NaiveValue& list : a) {
      NaiveValue all = demanded(list);
      if (!is_trap(all)) continue;
      meet_unknown(n, a);
      return all;
    }
    std::shared_ptr<NaiveGraph> graph = std::make_shared<NaiveGraph>();
    std::set<std::int64_t> vertices;
    const auto id = [](const NaiveValue& v) { return static_cast<std::int64_t>(v.integer); };
    for (std::size_t i = 0; i < a[0].items->size(); ++i) {
      const std::vector<NaiveValue>& edge = *(*a[0].items)[i].items;
      if (!known(edge[0]) || !known(edge[1])) return trap(TrapCode::UnknownVertex);
      graph->arcs[id(edge[0])].push_back({id(edge[1]), i});
      vertices.insert(id(edge[0]));
      vertices.insert(id(edge[1]));
    }
    for (auto& [source, targets] : graph->arcs) {
      std::sort(targets.begin(), targets.end());
      for (const auto& [target, number] : targets) graph->edges.push_back({source, target});
    }
    if (n.has_labels) {
      for (const NaiveValue& pair : *a[1].items) {
        if (!known((*pair.items)[0])) return trap(TrapCode::UnknownVertex);
        graph->labels[id((*pair.items)[0])] = id((*pair.items)[1]);
        vertices.insert(id((*pair.items)[0]));
      }
    } else {
      graph->labels = world_.labels;
    }
    if (n.has_info) {
      graph->info = a.back().items;
      if (graph->info->size() != a[0].items->size()) return trap(TrapCode::LengthMismatch);
    }
    graph->vertices.assign(vertices.begin(), vertices.end());
    NaiveValue v;
    v.kind = Kind::Graph;
    v.graph = graph;
    return v;
  }

  const World& world_;
  std::map<std::string, NaiveValue> names_;
  std::set<TrapCode> traps_;
  std::uint64_t steps_ = 0;
};

}  // namespace

Expectation evaluate(const Program& program, const World& world) { return Evaluator(world).run(program); }

std::string int_text(__int128 value) {
  if (value < 0) return "-" + int_text(-value);
  std::string text;
  do text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  while ((value /= 10) != 0);
  return text;
}

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string to_text(const NaiveValue& value) {
  switch (value.kind) {
    case Kind::Trap: return std::string("trap: ") + runtime::trap_message(value.code);
    case Kind::Int: return int_text(value.integer);
    case Kind::Float: return real_text(value.real);
    case Kind::Bool: return value.integer != 0 ? "True" : "False";
    case Kind::Graph: return "graph";
    case Kind::Tuple:
    case Kind::List: break;
  }
  std::string text;
  for (const NaiveValue& item : *value.items) text += (text.empty() ? "" : ", ") + to_text(item);
  if (value.kind == Kind::List) return "[" + text + "]";
  return value.items->size() == 1 ? text : "(" + text + ")";
}

}  // namespace matcha::differential
