#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Random programs as small trees: they become text for the compiler, and values by direct evaluation.
namespace matcha::differential {

struct Type {
  enum class Kind { Int, Vertex, Float, Bool, Tuple, List, Graph };

  Kind kind = Kind::Int;
  std::vector<std::shared_ptr<const Type>> positions;  ///< Tuple.
  std::shared_ptr<const Type> item;                    ///< List: of an item. Graph: of the edge information, or null.
};
using TypePtr = std::shared_ptr<const Type>;

TypePtr scalar_type(Type::Kind kind);
inline const TypePtr kInt = scalar_type(Type::Kind::Int);
inline const TypePtr kVertex = scalar_type(Type::Kind::Vertex);
inline const TypePtr kBool = scalar_type(Type::Kind::Bool);
TypePtr tuple_type(std::vector<TypePtr> positions);
TypePtr list_type(TypePtr item);
TypePtr graph_type(TypePtr maybe_info = nullptr);
bool same_type(const Type& a, const Type& b);
/// True if a value of type `have` is allowed as a `want`: a vertex is an int.
bool fits(const Type& have, const Type& want);

enum class Op {
  Int,
  Float,
  Bool,
  Label,
  Name,
  Neg,
  Not,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Chain,
  And,
  Or,
  If,
  MinOf,
  MaxOf,
  MkTuple,
  GetPos,
  MkList,
  Limit,
  GetItem,
  MkGraph,
  Neighbor,
  EdgeInfo,
  VertexLabel,
  Vertices,
  Edges,
  HasEdge,
  Intersect,
  Diff,
  Sum,
  Size,
  Min,
  Max,
  Any,
  All,
  Flatten,
  Apply,
  Call,
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Binding {
  std::string name;
  NodePtr value;
};

/// `lambda params: result`, or a `def` when it has bindings. Names are unique in a program.
struct Function {
  std::string name;
  std::vector<std::string> params;
  std::vector<Binding> bindings;
  NodePtr result;
};
using FunctionPtr = std::shared_ptr<const Function>;

struct Node {
  Op op = Op::Int;
  TypePtr type;
  std::vector<NodePtr> args;
  std::int64_t integer = 0;  ///< Int, Bool: value. GetPos: position.
  double real = 0;
  std::string name;         ///< Name, Label.
  FunctionPtr function;     ///< Apply, Call.
  FunctionPtr maybe_cond;   ///< Apply.
  bool has_labels = false;  ///< MkGraph: `args[1]` is the list of labels.
  bool has_info = false;    ///< MkGraph: the last argument is the list of edge information.
};

NodePtr make(Op op, TypePtr type, std::vector<NodePtr> args = {});
NodePtr integer(std::int64_t value);
NodePtr boolean(bool value);
NodePtr real_number(double value);
/// `get(tuple, position)`, as a value of `type`.
NodePtr position_in(NodePtr tuple, std::size_t position, TypePtr type);
NodePtr label_word(const std::string& word);
NodePtr named(const std::string& name, TypePtr type);

struct Param {
  std::string name;
  TypePtr type;
};

struct Program {
  std::vector<Param> params;
  std::vector<FunctionPtr> helpers;  ///< Called by name.
  Function main;
};

/// The program as Matcha writes it.
std::string to_text(const Program& program);

/// Number of nodes.
std::size_t size_of(const Program& program);

/// `program` with one part replaced by something simpler of its type, for each part: a constant, an argument, no
/// condition, no binding. The candidates of shrinking.
std::vector<Program> simpler(const Program& program);

}  // namespace matcha::differential
