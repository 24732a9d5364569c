#include "frontend/lower_kinds.h"

#include <algorithm>
#include <optional>

#include "frontend/set_ops.h"
#include "ir/check.h"

namespace matcha::frontend::lowering {

using asg::Node;
using asg::Op;
using ir::ScalarKind;

namespace {

const Type* item_of(const Type* type) {
  while (type->is_list() || type->is_table()) type = type->elem;
  return type;
}

std::size_t width(const Type* type) {
  const Type* item = item_of(type);
  const std::size_t keys = type->is_table() ? type->positions.size() : 0;
  return keys + (item->is_graph() ? 0 : item->is_tuple() ? item->positions.size() : 1);
}

/// The kind of a column that does not hold vertices.
ScalarKind plain_kind(const Type* scalar) {
  switch (scalar->kind) {
    case Type::Kind::Float: return ScalarKind::F64;
    case Type::Kind::Bool: return ScalarKind::Bool;
    case Type::Kind::Int: return ScalarKind::I64;
    case Type::Kind::Tuple:
    case Type::Kind::List:
    case Type::Kind::Table:
    case Type::Kind::Graph: break;
  }
  MATCHA_UNREACHABLE("a scalar type");
}

Kinds plain_kinds(const Type* type) {
  const Type* item = item_of(type);
  if (item->is_graph()) return {};
  Kinds out;
  if (type->is_table()) {
    for (const Type* key : type->positions) out.push_back(plain_kind(key));
  }
  if (!item->is_tuple()) {
    out.push_back(plain_kind(item));
    return out;
  }
  for (const Type* position : item->positions) out.push_back(plain_kind(position));
  return out;
}

}  // namespace

std::uint32_t ColumnKinds::Moves::add(std::size_t columns) {
  std::uint32_t first = static_cast<std::uint32_t>(parent_.size());
  for (std::size_t i = 0; i < columns; ++i) parent_.push_back(static_cast<std::uint32_t>(parent_.size()));
  marked_.resize(parent_.size(), false);
  plain_.resize(parent_.size(), false);
  return first;
}

std::uint32_t ColumnKinds::Moves::find(std::uint32_t column) {
  while (parent_[column] != column) {
    parent_[column] = parent_[parent_[column]];
    column = parent_[column];
  }
  return column;
}

void ColumnKinds::Moves::join(std::uint32_t a, std::uint32_t b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  parent_[b] = a;
  marked_[a] = marked_[a] || marked_[b];
  plain_[a] = plain_[a] || plain_[b];
}

ColumnKinds::ColumnKinds(const asg::Graph& graph) : graph_(graph) {
  for (const Node* node : graph.nodes) {
    first_column_[node] = moves_.add(width(node->type));
    if (node->apply == nullptr) continue;
    if (node->op != Op::Apply) rounds_.insert(node->apply->operands[0]);
    for (std::size_t i = 0; i < node->apply->operands.size(); ++i) walked_[node->apply->operands[i]] = node->inputs[i];
  }
  collect_moves();
  // A list is made before the operand for its items, so the order of ids is sufficient.
  do {
    for (const Node* node : graph.nodes) kinds_[node] = compute(*node);
  } while (find_plain());
}

void ColumnKinds::join(const Node* a, const Node* b) {
  std::size_t columns = std::min(width(a->type), width(b->type));
  for (std::uint32_t i = 0; i < columns; ++i) moves_.join(first_column_.at(a) + i, first_column_.at(b) + i);
}

void ColumnKinds::mark(const Node* node) {
  for (std::uint32_t i = 0; i < width(node->type); ++i) moves_.mark(first_column_.at(node) + i);
}

void ColumnKinds::collect_moves() {
  for (const auto& [operand, list] : walked_) join(operand, list);
  for (const Node* node : graph_.nodes) node_moves(*node);
}

void ColumnKinds::node_moves(const Node& node) {
  if (set_kind(node.op)) {
    for (const Node* input : node.inputs) join(&node, input);
    return;
  }
  switch (node.op) {
    case Op::Iterate:
    case Op::Repeat: join(&node, node.inputs[0]); return join(&node, node.apply->body);
    case Op::Apply: return join(&node, node.apply->body);
    case Op::GetPos:
      moves_.join(first_column_.at(&node),
                  first_column_.at(node.inputs[0]) + static_cast<std::uint32_t>(node.int_value));
      return;
    case Op::MkTuple:
      for (std::uint32_t i = 0; i < node.inputs.size(); ++i) {
        moves_.join(first_column_.at(&node) + i, first_column_.at(node.inputs[i]));
      }
      return;
    case Op::MkList:
    case Op::MinOf:
    case Op::MaxOf:
      for (const Node* input : node.inputs) join(&node, input);
      return;
    case Op::SumBy:
    case Op::CountBy:
      for (std::uint32_t i = 0; i < node.type->positions.size(); ++i)
        moves_.join(first_column_.at(&node) + i, first_column_.at(node.inputs[0]) + i);
      return;
    case Op::MinBy:
    case Op::MaxBy:
    case Op::Keys:
    case Op::Entries:
    case Op::Sort: return join(&node, node.inputs[0]);
    case Op::Top: return join(&node, node.inputs[1]);
    case Op::Values:
    case Op::GetKey: {
      const std::uint32_t table = first_column_.at(node.inputs[0]);
      const std::uint32_t keys = static_cast<std::uint32_t>(node.inputs[0]->type->positions.size());
      for (std::uint32_t i = 0; i < width(node.type); ++i) {
        moves_.join(first_column_.at(&node) + i, table + keys + i);
        if (node.has_info) moves_.join(first_column_.at(&node) + i, first_column_.at(node.inputs.back()) + i);
      }
      if (node.op == Op::Values) return;
      for (std::uint32_t i = 0; i < keys; ++i) moves_.join(table + i, first_column_.at(node.inputs[i + 1]));
      return;
    }
    case Op::If: join(&node, node.inputs[1]); return join(&node, node.inputs[2]);
    case Op::Flatten:
    case Op::Capacity:
    case Op::Part:
    case Op::GetItem:
    case Op::Min:
    case Op::Max: return join(&node, node.inputs[0]);
    case Op::Vertices:
    case Op::Edges: return mark(&node);
    case Op::Neighbor: mark(&node); return mark(node.inputs[1]);
    case Op::EdgeInfo:
    case Op::VertexLabel: return mark(node.inputs[1]);
    case Op::HasEdge: mark(node.inputs[1]); return mark(node.inputs[2]);
    case Op::MkGraph:
      mark(node.inputs[0]);
      if (node.has_labels) moves_.mark(first_column_.at(node.inputs[1]));
      return;
    default: return;
  }
}

Kinds ColumnKinds::merged(Kinds kinds, const Node& other) const {
  const Kinds& others = of(&other);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != others[i]) kinds[i] = ScalarKind::I64;
  }
  return kinds;
}

Kinds ColumnKinds::list_kinds(const Node& node) const {
  if (node.inputs.empty()) {
    Kinds out = plain_kinds(node.type);
    for (ScalarKind& kind : out) kind = kind == ScalarKind::I64 ? ScalarKind::Vid : kind;
    return out;
  }
  Kinds out = of(node.inputs[0]);
  for (const Node* input : node.inputs.subspan(1)) out = merged(std::move(out), *input);
  return out;
}

Kinds ColumnKinds::table_kinds(const Node& node) const {
  Kinds out = of(node.inputs[0]);
  const std::size_t keys = node.type->positions.size();
  if (node.op == Op::SumBy || node.op == Op::CountBy) {
    out.resize(keys);
    const Kinds plain = plain_kinds(node.type);
    out.insert(out.end(), plain.begin() + static_cast<std::ptrdiff_t>(keys), plain.end());
  }
  for (std::uint32_t i = 0; i < keys; ++i) {
    if (out[i] == ScalarKind::Vid && moves_.is_plain(first_column_.at(&node) + i)) out[i] = ScalarKind::I64;
  }
  return out;
}

/// The kinds of the keys or of the values of a table.
Kinds ColumnKinds::part(const Node& table, bool values) const {
  const Kinds& all = of(&table);
  const std::ptrdiff_t keys = static_cast<std::ptrdiff_t>(table.type->positions.size());
  return values ? Kinds(all.begin() + keys, all.end()) : Kinds(all.begin(), all.begin() + keys);
}

bool ColumnKinds::find_plain() {
  bool found = false;
  const auto make_plain = [&](const Node* node, std::uint32_t i, ScalarKind other) {
    const std::uint32_t column = first_column_.at(node) + i;
    if (of(node)[i] != ScalarKind::Vid || other == ScalarKind::Vid || moves_.is_plain(column)) return;
    moves_.make_plain(column);
    found = true;
  };
  for (const Node* node : graph_.nodes) {
    if (node->op == Op::Iterate || node->op == Op::Repeat) {
      const Kinds& next = of(node->apply->body);
      for (std::uint32_t i = 0; i < next.size(); ++i) make_plain(node->apply->operands[0], i, next[i]);
    }
    if (node->op != Op::GetKey) continue;
    const Node* table = node->inputs[0];
    for (std::uint32_t i = 0; i < table->type->positions.size(); ++i) {
      make_plain(table, i, of(node->inputs[i + 1])[0]);
    }
  }
  return found;
}

Kinds ColumnKinds::compute(const Node& node) const {
  if (const std::optional<ir::Kind> kind = set_kind(node.op)) {
    return ir::filters_first(*kind) ? of(node.inputs[0]) : merged(of(node.inputs[0]), *node.inputs[1]);
  }
  switch (node.op) {
    case Op::Param: {
      Kinds out = plain_kinds(node.type);
      if (!node.type->is_list()) return out;
      for (std::uint32_t i = 0; i < out.size(); ++i) {
        bool vertices = moves_.marked(first_column_.at(&node) + i);
        if (out[i] == ScalarKind::I64 && vertices) out[i] = ScalarKind::Vid;
      }
      return out;
    }
    case Op::Operand: {
      Kinds out = of(walked_.at(&node));
      // The value of a round is kept as it is; the items of a list have its kinds.
      for (std::uint32_t i = 0; rounds_.contains(&node) && i < out.size(); ++i) {
        if (out[i] == ScalarKind::Vid && moves_.is_plain(first_column_.at(&node) + i)) out[i] = ScalarKind::I64;
      }
      return out;
    }
    case Op::Iterate:
    case Op::Repeat: return of(node.apply->operands[0]);
    case Op::Apply: return of(node.apply->body);
    case Op::GetPos: return {of(node.inputs[0])[static_cast<std::size_t>(node.int_value)]};
    case Op::MkTuple: {
      Kinds out;
      for (const Node* input : node.inputs) out.push_back(of(input)[0]);
      return out;
    }
    case Op::SumBy:
    case Op::CountBy:
    case Op::MinBy:
    case Op::MaxBy: return table_kinds(node);
    case Op::Keys: return part(*node.inputs[0], false);
    case Op::Values: return part(*node.inputs[0], true);
    case Op::GetKey: {
      Kinds out = part(*node.inputs[0], true);
      return node.has_info ? merged(std::move(out), *node.inputs.back()) : out;
    }
    case Op::Entries:
    case Op::Sort: return of(node.inputs[0]);
    case Op::Top: return of(node.inputs[1]);
    case Op::MkList: return list_kinds(node);
    case Op::If: return merged(of(node.inputs[1]), *node.inputs[2]);
    case Op::MinOf:
    case Op::MaxOf: return merged(of(node.inputs[0]), *node.inputs[1]);
    case Op::Flatten:
    case Op::Capacity:
    case Op::Part:
    case Op::GetItem:
    case Op::Min:
    case Op::Max: return of(node.inputs[0]);
    case Op::Neighbor:
    case Op::Vertices:
    case Op::Edges: return Kinds(width(node.type), ScalarKind::Vid);
    default: return plain_kinds(node.type);
  }
}

}  // namespace matcha::frontend::lowering
