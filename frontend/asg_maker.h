#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/asg_branch.h"

/// Private to the front end: makes nodes of the abstract syntax graph and shares equal ones.
namespace matcha::frontend::asg {

/// The fields of a node besides its inputs and type.
struct Payload {
  std::int64_t int_value = 0;
  double float_value = 0;
  std::string_view text = {};
  bool has_labels = false;
  bool has_info = false;
  BranchNames named = {};  ///< If, And, Or; no part of the shape.
};

/// Note [Equal functions]. Two `apply` are equal if their lists are the same nodes and their functions are equal up to
/// the names of operands. To test that, every node has a *shape*. The shape of an operand is a unique hole while its
/// `apply` is being made. When the `apply` is finished, the holes of its operands are replaced by (height, position);
/// the height is one more than that of any `apply` inside. Equal shapes of finished functions then mean equal functions
/// at every depth. No operand is captured, because heights decrease inward.
class Maker {
 public:
  explicit Maker(Graph& graph) : graph_(graph) {}

  const Node* make(Op op, const Type* type, std::span<const Node* const> inputs, SourceLoc loc,
                   const Payload& payload = {});
  const Node* make(Op op, const Type* type, std::initializer_list<const Node*> inputs, SourceLoc loc,
                   const Payload& payload = {}) {
    return make(op, type, std::span<const Node* const>(inputs.begin(), inputs.size()), loc, payload);
  }
  /// A new operand; it is only equal to itself until `apply` takes it.
  const Node* operand(const Type* item, std::int64_t position, std::string_view name, SourceLoc loc);
  /// An `apply` over `lists`, or rounds; `function` is copied.
  const Node* apply(const Type* type, std::span<const Node* const> lists, const Apply& function, SourceLoc loc,
                    Op op = Op::Apply);

  /// Nodes and shapes made so far, for limits on the size of a program.
  std::size_t size() const { return made_ + shapes_.size(); }

 private:
  using ShapeId = std::uint32_t;
  struct Shape {
    std::string head;  ///< Operator, type and payload.
    std::vector<ShapeId> inputs;
    std::uint32_t height = 0;  ///< The height of the highest `apply` inside, itself included.
    bool open = false;         ///< Has holes.
  };

  static std::string head_of(const Node& node);
  ShapeId intern_shape(Shape shape);
  ShapeId shape_of(const Node* node) const { return node_shapes_.at(node); }
  ShapeId fill(ShapeId id, const std::unordered_map<ShapeId, ShapeId>& holes,
               std::unordered_map<ShapeId, ShapeId>& done);
  const Node* add(Node node, ShapeId shape, const BranchNames& named = {});

  Graph& graph_;
  std::size_t made_ = 0;
  std::vector<Shape> shapes_;
  std::unordered_map<std::string, ShapeId> shape_ids_;
  std::unordered_map<ShapeId, const Node*> by_shape_;
  std::unordered_map<const Node*, ShapeId> node_shapes_;
};

}  // namespace matcha::frontend::asg
