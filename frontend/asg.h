#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/types.h"
#include "ir/support/arena.h"
#include "ir/support/source.h"

/// The abstract syntax graph (Matcha 3.5): a node for each data object or operator, an edge from each operator to its
/// inputs. Functions are gone: every call is inlined, and an `apply` owns the graph of its function.
namespace matcha::frontend::asg {

enum class Op : std::uint8_t {
#define MATCHA_ASG_OP(Name, word) Name,
#include "frontend/asg.def"
};
/// The word in printed graphs.
std::string_view to_string(Op op);

struct Apply;

/// Nodes are immutable and shared: equal nodes are one node, and functions of `apply` are compared up to the names of
/// operands. An id is larger than the ids of the inputs, so ascending ids are a topological order.
struct Node {
  Op op;
  std::uint32_t id = 0;
  std::uint32_t depth = 1;  ///< Length of the longest path to a leaf.
  const Type* type = nullptr;
  SourceLoc loc;                        ///< The first place in the program that created the node.
  std::span<const Node* const> inputs;  ///< Values in the operator's order; the lists of an Apply.
  std::int64_t int_value = 0;           ///< Int, Bool: the value. Param: index. Operand: position. GetPos:
                                        ///< position. SumBy, MinBy, MaxBy: the positions of the key.
                                        ///< MkGraph: 1 if its edges lie by time.
  double float_value = 0;               ///< Float.
  std::string_view text;         ///< Label: the word. Param: its name. Operand: name of the parameter. Edges: `arcs`.
  bool has_labels = false;       ///< MkGraph: `inputs[1]` is the list of labels.
  bool has_info = false;         ///< MkGraph: the last input is the list of edge information. GetKey: a default.
  const Apply* apply = nullptr;  ///< Apply, Iterate, Repeat.
};

/// The function of an Apply. `operands[i]` is the current item of `inputs[i]`; each belongs to this Apply alone.
struct Apply {
  std::span<const Node* const> operands;
  const Node* body = nullptr;
  const Node* maybe_cond = nullptr;         ///< Bool; decides whether `body` is computed for the items.
  std::span<const Node* const> named;       ///< Scalars and tuples that the function binds to names, in order.
  std::span<const Node* const> cond_named;  ///< The scalars and tuples that the condition binds to names, in order.
};

/// A parameter of the entry, for binding.
struct Param {
  std::string name;
  const Type* type = nullptr;
  SourceLoc loc;
  const Node* node = nullptr;           ///< Op::Param; present even if the program does not read it.
  const Node* maybe_default = nullptr;  ///< Op::Int, Op::Float or Op::Bool.
};

/// A graph derived at run time from one of the entry's parameters. In the compiled module it is a separate parameter,
/// behind those of the entry.
struct Slice {
  std::string name;
  const Node* node = nullptr;         ///< Op::WithLabel or Op::Backwards.
  std::size_t param = 0;              ///< Index in `Graph::params`.
  const Node* maybe_label = nullptr;  ///< Op::Int, Op::Label or Op::Param.
};

/// A program's graph. Owns the nodes and the types that they point to.
struct Graph {
  std::string entry;
  std::vector<Param> params;
  std::vector<Slice> slices;           ///< The slices that `result` needs.
  std::vector<const Node*> symmetric;  ///< Graphs that have to have both arcs of each edge.
  const Node* result = nullptr;
  std::unordered_map<const Node*, std::string_view> names;  ///< The name of a node in the program, if it has one.
  std::vector<const Node*> named;  ///< Scalars and tuples that the program names outside functions of `apply`.
  std::vector<const Node*> nodes;  ///< The parameters and the nodes that `result` needs, by ascending id.
  std::unique_ptr<Arena> arena = std::make_unique<Arena>();
  std::unique_ptr<TypeTable> types = std::make_unique<TypeTable>();
};

/// Deterministic text: parameters, then a line a node, the functions of `apply` indented; names count from 0.
std::string print(const Graph& graph);
/// Graphviz: a cluster for the function of each `apply`.
std::string print_dot(const Graph& graph);

}  // namespace matcha::frontend::asg
