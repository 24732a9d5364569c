#include "ir/context.h"

#include <bit>
#include <functional>

#include "ir/match.h"

namespace matcha::ir {

namespace {

void mix(std::size_t& seed, std::size_t value) { seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2); }

/// The fields that distinguish nodes of one kind, type and operand list.
std::uint64_t payload(const Expr& expr) {
  return match(
      expr, [](const Var& e) -> std::uint64_t { return e.id; },
      [](const ConstInt& e) { return static_cast<std::uint64_t>(e.value); },
      [](const ConstFloat& e) { return std::bit_cast<std::uint64_t>(e.value); },
      [](const ConstBool& e) -> std::uint64_t { return e.value; },
      [](const LabelName& e) -> std::uint64_t { return std::hash<std::string_view>{}(e.word); },
      [](const At& e) -> std::uint64_t { return e.column; },
      [](const Keyed& e) { return static_cast<std::uint64_t>(e.fold); },
      [](const OneOf<Neighbors, BitRows, CommonNeighbors> auto& e) { return static_cast<std::uint64_t>(e.arcs.side); },
      [](const Cut& e) { return static_cast<std::uint64_t>(e.side); },
      [](const Plain auto&) { return std::uint64_t{0}; });
}

}  // namespace

std::string to_string(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool: return "bool";
    case ScalarKind::Vid: return "vid";
    case ScalarKind::I64: return "i64";
    case ScalarKind::I128: return "i128";
    case ScalarKind::F64: return "f64";
  }
  MATCHA_UNREACHABLE("a scalar kind");
}

std::string to_string(const Type& type) {
  if (type.is_scalar()) return to_string(type.scalar);
  if (type.is_graph()) return "graph";
  if (type.bits) return "bits";
  std::string text = type.is_table() ? "table<" : "list<";
  for (std::size_t i = 0; i < type.columns.size(); ++i) {
    if (i != 0) text += i == type.keys ? "; " : ", ";
    text += to_string(*type.columns[i]);
  }
  return text + ">";
}

Context::Context() {
  for (int kind = 0; kind <= static_cast<int>(ScalarKind::F64); ++kind) {
    scalars_.push_back(Type{Type::Kind::Scalar, static_cast<ScalarKind>(kind), {}});
  }
  graph_ = Type{Type::Kind::Graph, ScalarKind::I64, {}};
  bits_column_[0] = i64();
  bits_ = Type{Type::Kind::List, ScalarKind::I64, bits_column_, true};
}

const Type* Context::table(std::span<const Type* const> columns, std::uint32_t keys) {
  for (const Type* type : lists_) {
    if (type->keys == keys && std::equal(type->columns.begin(), type->columns.end(), columns.begin(), columns.end()))
      return type;
  }
  const Type* type = arena_.make<Type>(Type::Kind::List, ScalarKind::I64, arena_.copy(columns), false, keys);
  lists_.push_back(type);
  return type;
}

std::size_t Context::ExprHash::operator()(const Expr* expr) const {
  std::size_t seed = static_cast<std::size_t>(expr->kind);
  mix(seed, std::hash<const void*>{}(expr->type));
  mix(seed, payload(*expr));
  for (const Expr* operand : expr->operands) mix(seed, std::hash<const void*>{}(operand));
  return seed;
}

bool Context::ExprEqual::operator()(const Expr* a, const Expr* b) const {
  if (a->kind != b->kind || a->type != b->type || payload(*a) != payload(*b)) return false;
  if (a->kind == Kind::LabelName && static_cast<const LabelName*>(a)->word != static_cast<const LabelName*>(b)->word) {
    return false;
  }
  return std::equal(a->operands.begin(), a->operands.end(), b->operands.begin(), b->operands.end());
}

std::string_view keyword(const Expr& expr) { return keyword(op_of(expr)); }

Op op_of(const Expr& expr) {
  return match(
      expr, [](const OneOf<Neighbors, BitRows, CommonNeighbors> auto& e) { return Op(e.kind, e.arcs); },
      [](const Cut& e) { return Op(e.kind, e.side); },
      [](const OneOf<Var, ConstInt, ConstFloat, ConstBool, LabelName, At, Keyed> auto& e) { return Op(e.kind); },
      [](const Plain auto& e) { return Op(e.kind); });
}

Side side_of(const Expr& expr) { return op_of(expr).arcs.side; }

std::string_view keyword(SinkKind kind) {
  switch (kind) {
    case SinkKind::Sum: return "sum";
    case SinkKind::Min: return "min";
    case SinkKind::Max: return "max";
    case SinkKind::Any: return "any";
    case SinkKind::All: return "all";
    case SinkKind::List: return "list";
  }
  MATCHA_UNREACHABLE("a sink kind");
}

std::string_view keyword(Fold fold) {
  switch (fold) {
    case Fold::Sum: return "sum";
    case Fold::Min: return "min";
    case Fold::Max: return "max";
  }
  MATCHA_UNREACHABLE("a fold");
}

std::string_view keyword(LaneMode mode) {
  switch (mode) {
    case LaneMode::Together: return "together";
    case LaneMode::Items: return "items";
    case LaneMode::Pairs: return "pairs";
    case LaneMode::Arcs: return "arcs";
  }
  MATCHA_UNREACHABLE("a mode of lanes");
}

std::string_view keyword(Stealing steal) {
  switch (steal) {
    case Stealing::Give: return "give";
    case Stealing::None: return "none";
    case Stealing::Half: return "half";
    case Stealing::Timeout: return "timeout";
    case Stealing::Kernel: return "kernel";
  }
  MATCHA_UNREACHABLE("a way of stealing");
}

std::string_view keyword(Stack stack) {
  switch (stack) {
    case Stack::Array: return "array";
    case Stack::Paged: return "paged";
  }
  MATCHA_UNREACHABLE("a stack");
}

}  // namespace matcha::ir
