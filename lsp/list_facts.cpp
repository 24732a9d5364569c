#include "lsp/list_facts.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "frontend/builtins.h"
#include "frontend/set_ops.h"

namespace matcha::tools::lsp {

namespace {

namespace ast = frontend::ast;
using frontend::BoundArgs;
using frontend::BuiltinId;

/// Most names and calls that are followed.
constexpr int kMaxDepth = 16;

/// The arguments of the function being examined, and the frame of the call.
struct Frame {
  std::unordered_map<const ast::Decl*, const ast::Expr*> args;
  const Frame* caller = nullptr;
};

struct Found {
  const ast::Expr* expr;
  const Frame* frame;
};

class Finder {
 public:
  explicit Finder(const frontend::Program& program) : program_(program) {}

  ListFacts facts(const ast::Expr& expr, const Frame* frame, int depth) {
    if (depth > kMaxDepth) return {};
    switch (expr.kind) {
      case ast::Expr::Kind::Name: {
        const std::optional<Found> value = value_of(expr, frame);
        return value ? facts(*value->expr, value->frame, depth + 1) : ListFacts();
      }
      case ast::Expr::Kind::List: return literal(static_cast<const ast::ListExpr&>(expr));
      case ast::Expr::Kind::If: {
        const ast::IfExpr& choice = static_cast<const ast::IfExpr&>(expr);
        const ListFacts a = facts(*choice.then_value, frame, depth + 1);
        const ListFacts b = facts(*choice.else_value, frame, depth + 1);
        return {a.sorted && b.sorted, a.unique && b.unique, a.bound == b.bound ? a.bound : ""};
      }
      case ast::Expr::Kind::Call: return call(static_cast<const ast::CallExpr&>(expr), frame, depth);
      case ast::Expr::Kind::Int:
      case ast::Expr::Kind::Float:
      case ast::Expr::Kind::Bool:
      case ast::Expr::Kind::None:
      case ast::Expr::Kind::Label:
      case ast::Expr::Kind::Unary:
      case ast::Expr::Kind::Binary:
      case ast::Expr::Kind::Compare:
      case ast::Expr::Kind::Lambda:
      case ast::Expr::Kind::TypeName:
      case ast::Expr::Kind::Broken: break;
    }
    return {};
  }

 private:
  /// The value of a name, if it is an expression of the program.
  static std::optional<Found> value_of(const ast::Expr& expr, const Frame* frame) {
    const ast::Decl* decl = static_cast<const ast::NameExpr&>(expr).decl;
    if (decl == nullptr) return std::nullopt;
    if (decl->value != nullptr) return Found{decl->value, frame};
    for (const Frame* at = frame; at != nullptr; at = at->caller) {
      const auto found = at->args.find(decl);
      if (found != at->args.end()) return Found{found->second, at->caller};
    }
    return std::nullopt;
  }

  static ListFacts literal(const ast::ListExpr& list) {
    ListFacts out{true, true, std::to_string(list.items.size()) + (list.items.size() == 1 ? " item" : " items")};
    for (std::size_t i = 0; i + 1 < list.items.size(); ++i) {
      bool ints = list.items[i]->kind == ast::Expr::Kind::Int && list.items[i + 1]->kind == ast::Expr::Kind::Int;
      const std::int64_t a = ints ? static_cast<const ast::IntExpr*>(list.items[i])->value : 0;
      const std::int64_t b = ints ? static_cast<const ast::IntExpr*>(list.items[i + 1])->value : 0;
      out.sorted = out.sorted && ints && a <= b;
      out.unique = out.unique && ints && a < b;
    }
    return out;
  }

  ListFacts call(const ast::CallExpr& call, const Frame* frame, int depth) {
    if (call.callee->kind != ast::Expr::Kind::Name) return {};
    const ast::NameExpr& callee = static_cast<const ast::NameExpr&>(*call.callee);
    if (callee.builtin >= 0) return builtin(call, frontend::builtins()[callee.builtin], frame, depth);
    const ast::Def* def = callee.decl == nullptr ? nullptr : callee.decl->def;
    if (def == nullptr || def->body.empty() || def->body.back().kind != ast::Stmt::Kind::Return) return {};
    if (def->recursive || def->trouble != ast::Trouble::None) return {};
    const auto find = [&](std::string_view name) {
      for (std::size_t i = 0; i < def->params.size(); ++i) {
        if (def->params[i].decl->name == name) return static_cast<int>(i);
      }
      return -1;
    };
    const BoundArgs args = bound(call, def->params.size(), find);
    Frame inner;
    inner.caller = frame;
    for (std::size_t i = 0; i < def->params.size(); ++i) {
      if (args.by_param[i] != nullptr) inner.args.emplace(def->params[i].decl, args.by_param[i]->value);
    }
    return facts(*def->body.back().value, &inner, depth + 1);
  }

  template <typename Find>
  static BoundArgs bound(const ast::CallExpr& call, std::size_t params, Find find) {
    std::vector<const ast::Arg*> unknown;
    std::vector<const ast::Arg*> repeated;
    return frontend::bind_args(call, params, find, unknown, repeated);
  }

  ListFacts builtin(const ast::CallExpr& call, const frontend::Builtin& builtin, const Frame* frame, int depth) {
    if (builtin.id == BuiltinId::Apply) return apply(call, frame, depth);
    const auto find = [&](std::string_view name) { return frontend::find_param(builtin, name); };
    const BoundArgs args = bound(call, builtin.params.size(), find);
    const ast::Expr* first = args.by_param[0] == nullptr ? nullptr : args.by_param[0]->value;
    if (builtin.id == BuiltinId::MkList) return made(args, frame, depth);
    if (first == nullptr) return {};
    if (const std::optional<frontend::asg::Op> op = frontend::set_op(builtin.id)) {
      return ir::filters_first(*frontend::set_kind(*op)) ? facts(*first, frame, depth + 1) : ListFacts{};
    }
    switch (builtin.id) {
      case BuiltinId::Neighbor: return {true, is_simple(*first, frame, depth), "the largest degree" + of(*first)};
      case BuiltinId::EdgeInfo: return {false, false, "the largest degree" + of(*first)};
      case BuiltinId::Vertices: return {true, true, "the number of vertices" + of(*first)};
      case BuiltinId::Arcs:
      case BuiltinId::Edges: return {true, is_simple(*first, frame, depth), "the number of arcs" + of(*first)};
      case BuiltinId::Keys: return {true, true, "the number of keys" + of(*first)};
      case BuiltinId::Values: return {false, false, "the number of keys" + of(*first)};
      case BuiltinId::Range: return {true, true, ""};
      case BuiltinId::Sort: {
        const ListFacts given = facts(*first, frame, depth + 1);
        return {true, given.unique, given.bound};
      }
      default: return {};
    }
  }

  ListFacts made(const BoundArgs& args, const Frame* frame, int depth) {
    const ast::Expr* capacity = args.by_param[0] == nullptr ? nullptr : args.by_param[0]->value;
    ListFacts out;
    if (args.by_param[2] != nullptr) out = facts(*args.by_param[2]->value, frame, depth + 1);
    if (args.by_param[2] == nullptr) out = {true, true, "0 items"};
    if (out.bound.empty() && capacity != nullptr && capacity->kind == ast::Expr::Kind::Int) {
      out.bound = std::to_string(static_cast<const ast::IntExpr*>(capacity)->value) + " items";
    }
    return out;
  }

  /// Facts about a list of some items of another one, or of at most as many.
  ListFacts apply(const ast::CallExpr& call, const Frame* frame, int depth) {
    std::vector<const ast::Arg*> unknown;
    std::vector<const ast::Arg*> repeated;
    const BoundArgs args = frontend::bind_apply_args(call, unknown, repeated);
    if (args.rest.empty() || args.by_param[0] == nullptr) return {};
    ListFacts out = facts(*args.rest[0]->value, frame, depth + 1);
    const ast::Expr* func = args.by_param[0]->value;
    bool keeps = false;
    if (func->kind == ast::Expr::Kind::Lambda) {
      const ast::Lambda& lambda = static_cast<const ast::Lambda&>(*func);
      keeps = lambda.params.size() == 1 && lambda.body->kind == ast::Expr::Kind::Name &&
              static_cast<const ast::NameExpr*>(lambda.body)->decl == lambda.params[0].decl;
    }
    out.sorted = out.sorted && keeps;
    out.unique = out.unique && keeps;
    return out;
  }

  /// True if a graph has no repeated edge: an input of the entry, unless its edges are distinguished by their
  /// information.
  bool is_simple(const ast::Expr& graph, const Frame* frame, int depth) {
    if (graph.kind != ast::Expr::Kind::Name || depth > kMaxDepth || program_.entry == nullptr) return false;
    const ast::Decl* decl = static_cast<const ast::NameExpr&>(graph).decl;
    for (const ast::Param& param : program_.entry->params) {
      if (param.decl == decl) return decl->type != nullptr && decl->type->is_graph() && decl->type->elem == nullptr;
    }
    const std::optional<Found> value = value_of(graph, frame);
    return value && is_simple(*value->expr, value->frame, depth + 1);
  }

  static std::string of(const ast::Expr& graph) {
    if (graph.kind != ast::Expr::Kind::Name) return " of the graph";
    return " of `" + std::string(static_cast<const ast::NameExpr&>(graph).name) + "`";
  }

  const frontend::Program& program_;
};

}  // namespace

ListFacts list_facts(const frontend::Program& program, const ast::Expr& expr) {
  return Finder(program).facts(expr, nullptr, 0);
}

}  // namespace matcha::tools::lsp
