#include "frontend/asg_maker.h"

#include <algorithm>
#include <cstring>

namespace matcha::frontend::asg {
namespace {

template <typename T>
void append_bytes(std::string& out, const T& value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

}  // namespace

std::string Maker::head_of(const Node& node) {
  std::string out;
  append_bytes(out, node.op);
  append_bytes(out, node.type);
  append_bytes(out, node.int_value);
  append_bytes(out, node.float_value);
  append_bytes(out, node.has_labels);
  append_bytes(out, node.has_info);
  out += node.text;
  return out;
}

Maker::ShapeId Maker::intern_shape(Shape shape) {
  std::string key;
  append_bytes(key, shape.head.size());
  key += shape.head;
  for (ShapeId input : shape.inputs) append_bytes(key, input);
  auto [entry, fresh] = shape_ids_.try_emplace(std::move(key), static_cast<ShapeId>(shapes_.size()));
  if (fresh) {
    for (ShapeId input : shape.inputs) {
      shape.height = std::max(shape.height, shapes_[input].height);
      shape.open = shape.open || shapes_[input].open;
    }
    shapes_.push_back(std::move(shape));
  }
  return entry->second;
}

const Node* Maker::add(Node node, ShapeId shape, const BranchNames& named) {
  auto [entry, fresh] = by_shape_.try_emplace(shape, nullptr);
  if (!fresh) return entry->second;
  node.id = static_cast<std::uint32_t>(made_++);
  node.text = graph_.arena->copy(node.text);
  node.inputs = graph_.arena->copy(node.inputs);
  for (const Node* input : node.inputs) node.depth = std::max(node.depth, input->depth + 1);
  if (has_branches(node.op)) {
    entry->second =
        graph_.arena->make<Branch>(Branch{node, {graph_.arena->copy(named[0]), graph_.arena->copy(named[1])}});
  } else {
    entry->second = graph_.arena->make<Node>(node);
  }
  node_shapes_.emplace(entry->second, shape);
  return entry->second;
}

const Node* Maker::make(Op op, const Type* type, std::span<const Node* const> inputs, SourceLoc loc,
                        const Payload& payload) {
  Node node;
  node.op = op;
  node.type = type;
  node.loc = loc;
  node.inputs = inputs;
  node.int_value = payload.int_value;
  node.float_value = payload.float_value;
  node.text = payload.text;
  node.has_labels = payload.has_labels;
  node.has_info = payload.has_info;
  Shape shape;
  shape.head = head_of(node);
  for (const Node* input : inputs) shape.inputs.push_back(shape_of(input));
  return add(node, intern_shape(std::move(shape)), payload.named);
}

const Node* Maker::operand(const Type* item, std::int64_t position, std::string_view name, SourceLoc loc) {
  Node node;
  node.op = Op::Operand;
  node.type = item;
  node.loc = loc;
  node.int_value = position;
  node.text = name;
  Shape hole;
  hole.head = "hole";
  append_bytes(hole.head, made_);
  hole.open = true;
  return add(node, intern_shape(std::move(hole)));
}

Maker::ShapeId Maker::fill(ShapeId id, const std::unordered_map<ShapeId, ShapeId>& holes,
                           std::unordered_map<ShapeId, ShapeId>& done) {
  if (!shapes_[id].open) return id;
  auto hole = holes.find(id);
  if (hole != holes.end()) return hole->second;
  if (shapes_[id].inputs.empty()) return id;
  auto known = done.find(id);
  if (known != done.end()) return known->second;
  Shape filled;
  filled.head = shapes_[id].head;
  filled.height = shapes_[id].height;
  std::vector<ShapeId> inputs = shapes_[id].inputs;
  for (ShapeId input : inputs) filled.inputs.push_back(fill(input, holes, done));
  ShapeId out = intern_shape(std::move(filled));
  done.emplace(id, out);
  return out;
}

const Node* Maker::apply(const Type* type, std::span<const Node* const> lists, const Apply& function, SourceLoc loc,
                         Op op) {
  const Node* body = function.body;
  const Node* maybe_cond = function.maybe_cond;
  ShapeId body_shape = shape_of(body);
  std::uint32_t height = shapes_[body_shape].height;
  if (maybe_cond != nullptr) height = std::max(height, shapes_[shape_of(maybe_cond)].height);
  ++height;
  std::unordered_map<ShapeId, ShapeId> holes;
  for (const Node* operand : function.operands) {
    Shape bound;
    bound.head = "bound";
    append_bytes(bound.head, height);
    append_bytes(bound.head, operand->int_value);
    append_bytes(bound.head, operand->type);
    holes.emplace(shape_of(operand), intern_shape(std::move(bound)));
  }
  std::unordered_map<ShapeId, ShapeId> done;
  Node node;
  node.op = op;
  node.type = type;
  node.loc = loc;
  node.inputs = lists;
  node.int_value = maybe_cond == nullptr ? 0 : 1;
  Shape shape;
  shape.head = head_of(node);
  shape.height = height;
  for (const Node* list : lists) shape.inputs.push_back(shape_of(list));
  shape.inputs.push_back(fill(body_shape, holes, done));
  if (maybe_cond != nullptr) shape.inputs.push_back(fill(shape_of(maybe_cond), holes, done));
  node.int_value = 0;
  node.depth = 1 + std::max(body->depth, maybe_cond == nullptr ? 0 : maybe_cond->depth);
  Apply* owned = graph_.arena->make<Apply>(function);
  owned->operands = graph_.arena->copy(function.operands);
  owned->named = graph_.arena->copy(function.named);
  owned->cond_named = graph_.arena->copy(function.cond_named);
  node.apply = owned;
  return add(node, intern_shape(std::move(shape)));
}

}  // namespace matcha::frontend::asg
