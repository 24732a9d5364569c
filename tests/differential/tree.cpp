#include "tests/differential/tree.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>

namespace matcha::differential {

namespace {

class Printer {
 public:
  std::string program(const Program& program) {
    for (const FunctionPtr& helper : program.helpers) define(*helper, 0);
    std::string params;
    for (const Param& param : program.params) {
      params += (params.empty() ? "" : ", ") + param.name + ": " + type(*param.type);
    }
    out_ += "def main(" + params + "):\n";
    body(program.main, 1);
    return out_;
  }

 private:
  static std::string type(const Type& t) {
    switch (t.kind) {
      case Type::Kind::Int:
      case Type::Kind::Vertex: return "int";
      case Type::Kind::Float: return "float";
      case Type::Kind::Bool: return "bool";
      case Type::Kind::Tuple: return "Tuple<" + positions(t) + ">";
      case Type::Kind::List: return "List<" + type(*t.item) + ">";
      case Type::Kind::Graph: break;
    }
    return "Graph";
  }

  static std::string positions(const Type& tuple) {
    if (tuple.positions.size() == 1) return type(*tuple.positions[0]) + ", 1";
    std::string text;
    for (const TypePtr& position : tuple.positions) text += (text.empty() ? "" : ", ") + type(*position);
    return text;
  }

  void line(int indent, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(indent) * 4, ' ') + text + "\n";
  }

  static std::string params(const Function& f) {
    std::string text;
    for (const std::string& param : f.params) text += (text.empty() ? "" : ", ") + param;
    return text;
  }

  /// Names the node: a part of the tree with two uses is written twice.
  std::string define(const Function& f, int indent) {
    int copies = ++definitions_[f.name];
    std::string name = copies == 1 ? f.name : f.name + "_" + std::to_string(copies);
    line(indent, "def " + name + "(" + params(f) + "):");
    body(f, indent + 1);
    return name;
  }

  void body(const Function& f, int indent) {
    for (const Binding& binding : f.bindings) {
      std::string value = expr(*binding.value, indent);
      line(indent, binding.name + " = " + value);
    }
    std::string result = expr(*f.result, indent);
    line(indent, "return " + result);
  }

  static bool needs_def(const Function& f) { return !f.bindings.empty() || needs_def(*f.result); }
  static bool needs_def(const Node& n) {
    for (const NodePtr& arg : n.args) {
      if (needs_def(*arg)) return true;
    }
    if (n.op != Op::Apply) return false;
    return needs_def(*n.function) || (n.maybe_cond != nullptr && needs_def(*n.maybe_cond));
  }

  std::string function(const Function& f, int indent) {
    if (!needs_def(f)) return "lambda " + params(f) + ": " + expr(*f.result, indent);
    return define(f, indent);
  }

  std::string args(const Node& n, int indent, std::size_t begin = 0) {
    std::string text;
    for (std::size_t i = begin; i < n.args.size(); ++i) text += (i > begin ? ", " : "") + expr(*n.args[i], indent);
    return text;
  }

  std::string infix(const Node& n, int indent, const char* op) {
    return "(" + expr(*n.args[0], indent) + " " + op + " " + expr(*n.args[1], indent) + ")";
  }

  std::string graph(const Node& n, int indent) {
    std::string text = "mk_graph(" + expr(*n.args[0], indent);
    if (n.has_labels) text += ", vlabel=" + expr(*n.args[1], indent);
    if (n.has_info) text += ", einfo=" + expr(*n.args.back(), indent);
    return text + ")";
  }

  std::string expr(const Node& n, int indent) {
    switch (n.op) {
      case Op::Int: return n.integer < 0 ? "(" + std::to_string(n.integer) + ")" : std::to_string(n.integer);
      case Op::Float: {
        char text[32];
        std::snprintf(text, sizeof text, "%.4f", n.real);
        return n.real < 0 ? "(" + std::string(text) + ")" : text;
      }
      case Op::Bool: return n.integer != 0 ? "True" : "False";
      case Op::Label: return "'" + n.name + "'";
      case Op::Name: return n.name;
      case Op::Neg: return "(-" + expr(*n.args[0], indent) + ")";
      case Op::Not: return "(not " + expr(*n.args[0], indent) + ")";
      case Op::Add: return infix(n, indent, "+");
      case Op::Sub: return infix(n, indent, "-");
      case Op::Mul: return infix(n, indent, "*");
      case Op::Div: return infix(n, indent, "/");
      case Op::Mod: return infix(n, indent, "%");
      case Op::Eq: return infix(n, indent, "==");
      case Op::Ne: return infix(n, indent, "!=");
      case Op::Lt: return infix(n, indent, "<");
      case Op::Le: return infix(n, indent, "<=");
      case Op::Gt: return infix(n, indent, ">");
      case Op::Ge: return infix(n, indent, ">=");
      case Op::And: return infix(n, indent, "and");
      case Op::Or: return infix(n, indent, "or");
      case Op::Chain:
        return "(" + expr(*n.args[0], indent) + " < " + expr(*n.args[1], indent) + " <= " + expr(*n.args[2], indent) +
               ")";
      case Op::If:
        return "(" + expr(*n.args[1], indent) + " if " + expr(*n.args[0], indent) + " else " +
               expr(*n.args[2], indent) + ")";
      case Op::MkTuple: return "mk_tuple(val=[" + args(n, indent) + "])";
      case Op::MkList: return "mk_list(val=[" + args(n, indent) + "])";
      case Op::Limit: return "mk_list(nitems=" + expr(*n.args[1], indent) + ", val=" + expr(*n.args[0], indent) + ")";
      case Op::GetPos: return "get(" + expr(*n.args[0], indent) + ", " + std::to_string(n.integer) + ")";
      case Op::MkGraph: return graph(n, indent);
      case Op::Apply: {
        std::string text = "apply(" + function(*n.function, indent);
        if (n.maybe_cond != nullptr) text += ", cond=" + function(*n.maybe_cond, indent);
        return text + ", " + args(n, indent) + ")";
      }
      case Op::Call: return n.function->name + "(" + args(n, indent) + ")";
      default: return std::string(word(n.op)) + "(" + args(n, indent) + ")";
    }
  }

  static const char* word(Op op) {
    switch (op) {
      case Op::MinOf:
      case Op::Min: return "min";
      case Op::MaxOf:
      case Op::Max: return "max";
      case Op::GetItem: return "get";
      case Op::Neighbor: return "neighbor";
      case Op::EdgeInfo: return "edge_info";
      case Op::VertexLabel: return "vertex_label";
      case Op::Vertices: return "vertices";
      case Op::Edges: return "edges";
      case Op::HasEdge: return "has_edge";
      case Op::Intersect: return "intersect";
      case Op::Diff: return "diff";
      case Op::Sum: return "sum";
      case Op::Size: return "size";
      case Op::Any: return "any";
      case Op::All: return "all";
      case Op::Flatten: return "flatten";
      default: return "unknown";
    }
  }

  std::string out_;
  std::map<std::string, int> definitions_;
};

/// Walks a program in a fixed order and may put something else in place of one node or drop one binding.
class Editor {
 public:
  /// Calls `replace` with each node and its number; null keeps the node.
  using Replace = std::function<NodePtr(std::size_t number, const NodePtr& node)>;
  /// True for a binding, given its number, that is to go.
  using Drop = std::function<bool(std::size_t number, const Binding& binding)>;

  Editor(Replace replace, Drop drop) : replace_(std::move(replace)), drop_(std::move(drop)) {}

  Program program(const Program& given) {
    Program result = given;
    for (FunctionPtr& helper : result.helpers) helper = function(helper);
    result.main = *function(std::make_shared<Function>(given.main));
    return result;
  }

 private:
  FunctionPtr function(const FunctionPtr& f) {
    std::shared_ptr<Function> result = std::make_shared<Function>(*f);
    result->bindings.clear();
    for (const Binding& binding : f->bindings) {
      if (!drop_(bindings_++, binding)) result->bindings.push_back({binding.name, node(binding.value)});
    }
    result->result = node(f->result);
    return result;
  }

  NodePtr node(const NodePtr& n) {
    if (NodePtr other = replace_(nodes_++, n)) return other;
    std::shared_ptr<Node> result = std::make_shared<Node>(*n);
    for (NodePtr& arg : result->args) arg = node(arg);
    if (n->op != Op::Apply) return result;
    result->function = function(n->function);
    if (n->maybe_cond != nullptr) result->maybe_cond = function(n->maybe_cond);
    return result;
  }

  Replace replace_;
  Drop drop_;
  std::size_t nodes_ = 0;
  std::size_t bindings_ = 0;
};

NodePtr constant(Op op, const TypePtr& type, std::int64_t integer) {
  std::shared_ptr<Node> node = std::make_shared<Node>();
  node->op = op;
  node->type = type;
  node->integer = integer;
  node->real = 0.5;
  return node;
}

/// Possible replacements of `n`.
std::vector<NodePtr> stand_ins(const NodePtr& n) {
  std::vector<NodePtr> result;
  bool leaf = n->op == Op::Int || n->op == Op::Float || n->op == Op::Bool || n->op == Op::Label;
  for (const NodePtr& arg : n->args) {
    if (same_type(*arg->type, *n->type)) result.push_back(arg);
  }
  if (!leaf && n->type->kind == Type::Kind::Int) result.push_back(constant(Op::Int, n->type, 1));
  if (!leaf && n->type->kind == Type::Kind::Bool) result.push_back(constant(Op::Bool, n->type, 1));
  if (!leaf && n->type->kind == Type::Kind::Float) result.push_back(constant(Op::Float, n->type, 0));
  if (n->op == Op::Apply && n->maybe_cond != nullptr) {
    std::shared_ptr<Node> plain = std::make_shared<Node>(*n);
    plain->maybe_cond = nullptr;
    result.push_back(plain);
  }
  return result;
}

}  // namespace

TypePtr scalar_type(Type::Kind kind) { return std::make_shared<Type>(Type{kind, {}, nullptr}); }
TypePtr tuple_type(std::vector<TypePtr> positions) {
  return std::make_shared<Type>(Type{Type::Kind::Tuple, std::move(positions), nullptr});
}
TypePtr list_type(TypePtr item) { return std::make_shared<Type>(Type{Type::Kind::List, {}, std::move(item)}); }
TypePtr graph_type(TypePtr maybe_info) {
  return std::make_shared<Type>(Type{Type::Kind::Graph, {}, std::move(maybe_info)});
}

bool same_type(const Type& a, const Type& b) {
  const auto same = [](const TypePtr& x, const TypePtr& y) { return same_type(*x, *y); };
  if (a.kind != b.kind || (a.item == nullptr) != (b.item == nullptr)) return false;
  return std::ranges::equal(a.positions, b.positions, same) && (a.item == nullptr || same_type(*a.item, *b.item));
}

bool fits(const Type& have, const Type& want) {
  if (have.kind == Type::Kind::Vertex && want.kind == Type::Kind::Int) return true;
  const auto fit = [](const TypePtr& x, const TypePtr& y) { return fits(*x, *y); };
  if (have.kind != want.kind || !std::ranges::equal(have.positions, want.positions, fit)) return false;
  if (have.kind == Type::Kind::Graph)
    return want.item == nullptr || (have.item != nullptr && same_type(*have.item, *want.item));
  return have.item == nullptr || fits(*have.item, *want.item);
}

NodePtr make(Op op, TypePtr type, std::vector<NodePtr> args) {
  std::shared_ptr<Node> n = std::make_shared<Node>();
  n->op = op;
  n->type = std::move(type);
  n->args = std::move(args);
  return n;
}

NodePtr integer(std::int64_t value) {
  std::shared_ptr<Node> n = std::make_shared<Node>();
  n->op = Op::Int;
  n->type = scalar_type(Type::Kind::Int);
  n->integer = value;
  return n;
}

NodePtr boolean(bool value) {
  std::shared_ptr<Node> n = std::make_shared<Node>();
  n->op = Op::Bool;
  n->type = scalar_type(Type::Kind::Bool);
  n->integer = value ? 1 : 0;
  return n;
}

NodePtr real_number(double value) {
  std::shared_ptr<Node> n = std::make_shared<Node>();
  n->op = Op::Float;
  n->type = scalar_type(Type::Kind::Float);
  n->real = value;
  return n;
}

NodePtr position_in(NodePtr tuple, std::size_t position, TypePtr type) {
  std::shared_ptr<Node> n = std::make_shared<Node>();
  n->op = Op::GetPos;
  n->type = std::move(type);
  n->args = {std::move(tuple)};
  n->integer = static_cast<std::int64_t>(position);
  return n;
}

NodePtr label_word(const std::string& word) {
  std::shared_ptr<Node> n = std::make_shared<Node>();
  n->op = Op::Label;
  n->type = scalar_type(Type::Kind::Int);
  n->name = word;
  return n;
}

NodePtr named(const std::string& name, TypePtr type) {
  std::shared_ptr<Node> n = std::make_shared<Node>();
  n->op = Op::Name;
  n->type = std::move(type);
  n->name = name;
  return n;
}

std::string to_text(const Program& program) { return Printer().program(program); }

std::size_t size_of(const Program& program) {
  std::size_t count = 0;
  Editor(
      [&](std::size_t number, const NodePtr&) {
        count = number + 1;
        return NodePtr();
      },
      [](std::size_t, const Binding&) { return false; })
      .program(program);
  return count;
}

std::vector<Program> simpler(const Program& program) {
  std::vector<Program> result;
  std::string text = to_text(program);
  std::vector<std::vector<NodePtr>> choices;
  std::vector<bool> unused;
  Editor(
      [&](std::size_t, const NodePtr& n) {
        choices.push_back(stand_ins(n));
        return NodePtr();
      },
      [&](std::size_t, const Binding& binding) {
        std::size_t first = text.find(binding.name + " ");
        bool again = false;
        for (std::size_t at = text.find(binding.name, first + 1); at != std::string::npos;
             at = text.find(binding.name, at + 1)) {
          char after = text[at + binding.name.size()];
          again = again || !(after >= '0' && after <= '9');
        }
        unused.push_back(!again);
        return false;
      })
      .program(program);
  const auto keep_nodes = [](std::size_t, const NodePtr&) { return NodePtr(); };
  const auto keep_bindings = [](std::size_t, const Binding&) { return false; };
  for (std::size_t i = 0; i < unused.size(); ++i) {
    if (!unused[i]) continue;
    result.push_back(
        Editor(keep_nodes, [i](std::size_t number, const Binding&) { return number == i; }).program(program));
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (const NodePtr& choice : choices[i]) {
      const auto replace = [&](std::size_t number, const NodePtr&) { return number == i ? choice : NodePtr(); };
      result.push_back(Editor(replace, keep_bindings).program(program));
    }
  }
  return result;
}

}  // namespace matcha::differential
