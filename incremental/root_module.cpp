#include "incremental/root_module.h"

#include <algorithm>
#include <unordered_map>

#include "ir/analysis/roots.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"

namespace matcha::session::stream {

namespace {

StoredForm keep_of(const ir::Sink& sink, bool rows) {
  switch (sink.kind) {
    case ir::SinkKind::Any: return StoredForm::Trues;
    case ir::SinkKind::All: return StoredForm::Falses;
    case ir::SinkKind::List: return rows ? StoredForm::Rows : StoredForm::Count;
    case ir::SinkKind::Sum:
      return sink.var->type->is_scalar(ir::ScalarKind::F64) ? StoredForm::Values : StoredForm::Sum;
    case ir::SinkKind::Min:
    case ir::SinkKind::Max: break;
  }
  return StoredForm::Values;
}

bool is_number_of_label(const ir::Expr& e) {
  if (e.kind == ir::Kind::Label) return true;
  const bool compares = ir::group_of(e.kind) == ir::Group::Comparison;
  return std::ranges::any_of(e.operands, [&](const ir::Expr* operand) {
    return !(compares && operand->kind == ir::Kind::Label) && is_number_of_label(*operand);
  });
}

class RootRewriter final : public ir::Rewriter {
 public:
  RootRewriter(ir::Context& context, const std::vector<RootSink>& sinks, const ir::Var* maybe_roots,
               const ir::Var* maybe_degrees)
      : Rewriter(context), maybe_roots_(maybe_roots), maybe_degrees_(maybe_degrees) {
    for (const RootSink& sink : sinks) {
      const ir::Type* type = context.i128();
      if (sink.keep == StoredForm::Rows) type = sink.var->type;
      if (sink.keep == StoredForm::Values) type = context.list(sink.var->type);
      kept_[sink.var] = {builder().var(type, sink.var->hint), sink.keep};
    }
  }

 private:
  struct Kept {
    const ir::Var* var = nullptr;
    StoredForm keep = StoredForm::Sum;
  };

  const ir::Expr* on_expr(const ir::Expr* e) override {
    if (e->kind == ir::Kind::Vertices && maybe_roots_ != nullptr) return maybe_roots_;
    if (maybe_degrees_ == nullptr || !ir::is_degree(*e)) return e;
    return builder().make(ir::Kind::Label, {maybe_degrees_, e->operands[0]->operands[1]});
  }

  void on_stmt(const ir::Stmt* stmt, ir::Stmts& out) override {
    ir::match(
        *stmt, [&](const ir::Collect& s) { out.push_back(s.sinks.empty() ? rebuild(&s) : collect(s)); },
        [&](const ir::Yield& s) { yield(s, out); }, [&](const ir::Return&) { give_all(out); },
        [&](const ir::Let& s) {
          // Outside of loops: a result may use it.
          if (depth_ != 0) out.push_back(rebuild(&s));
        },
        [&](const ir::Stmt& s) { out.push_back(rebuild(&s)); });
  }

  const ir::Stmt* collect(const ir::Collect& s) {
    if (depth_ != 0) return rebuild(&s);
    std::vector<ir::Sink> sinks;
    for (const ir::Sink& sink : s.sinks) {
      const Kept& kept = kept_.at(sink.var);
      const bool is_list = kept.keep == StoredForm::Rows || kept.keep == StoredForm::Values;
      sinks.push_back({kept.var, is_list ? ir::SinkKind::List : ir::SinkKind::Sum, nullptr});
      given_.push_back(kept.var);
    }
    ++depth_;
    const ir::Block* const body = block(s.body);
    --depth_;
    builder().set_loc(s.loc);
    return builder().collect(sinks, body);
  }

  void yield(const ir::Yield& s, ir::Stmts& out) {
    const auto found = kept_.find(s.sink);
    if (found == kept_.end()) return out.push_back(rebuild(&s));
    std::vector<const ir::Expr*> values;
    for (const ir::Expr* value : s.values) values.push_back(expr(value));
    builder().set_loc(s.loc);
    const ir::Expr *const one = builder().integer(1), *const none = builder().integer(0);
    switch (found->second.keep) {
      case StoredForm::Trues: values = {builder().make(ir::Op{ir::Kind::Select}, {values[0], one, none})}; break;
      case StoredForm::Falses: values = {builder().make(ir::Op{ir::Kind::Select}, {values[0], none, one})}; break;
      case StoredForm::Count: values = {one}; break;
      case StoredForm::Sum:
      case StoredForm::Rows:
      case StoredForm::Values: break;
    }
    out.push_back(builder().yield(found->second.var, values));
  }

  void give_all(ir::Stmts& out) { out.push_back(builder().ret(given_)); }

  const ir::Var* maybe_roots_;
  const ir::Var* maybe_degrees_;
  std::unordered_map<const ir::Var*, Kept> kept_;
  std::vector<const ir::Expr*> given_;
  int depth_ = 0;  ///< The number of enclosing collects.
};

}  // namespace

std::vector<RootSink> root_sinks(const ir::Module& module, bool rows) {
  std::vector<RootSink> sinks;
  for (const ir::Stmt* stmt : module.body->body) {
    const auto* const collect = ir::as<ir::Collect>(stmt);
    if (collect == nullptr) continue;
    for (const ir::Sink& sink : collect->sinks) sinks.push_back({sink.var, sink.kind, keep_of(sink, rows)});
  }
  return sinks;
}

ir::Module root_module(ir::Context& context, const ir::Module& module, const std::vector<RootSink>& sinks,
                       const RootParams& more) {
  ir::Builder builder(context);
  const ir::Var* const roots = more.roots ? builder.var(context.list(context.vid()), "roots") : nullptr;
  const ir::Var* const degrees = more.degrees ? builder.var(context.graph(), "degrees") : nullptr;
  std::vector<const ir::Var*> params(module.params.begin(), module.params.end());
  if (roots != nullptr) params.push_back(roots);
  if (degrees != nullptr) params.push_back(degrees);
  const ir::Module rewritten = RootRewriter(context, sinks, roots, degrees).run(module);
  ir::Module made = builder.module(module.stage, module.name, params, rewritten.body);
  made.assumptions = module.assumptions;
  return made;
}

std::string results_problem(const ir::Module& module) {
  std::string problem;
  const std::span<const ir::Var* const> params = module.params;
  const auto check = [&](const ir::Expr& value) {
    ir::for_each_node(value, [&](const ir::Expr& node) {
      const bool is_number = node.type->is_scalar() && !node.type->is_scalar(ir::ScalarKind::Vid);
      if (!is_number) problem = "a result is computed of lists or vertices";
      if (node.kind == ir::Kind::Var && std::ranges::find(params, &node) != params.end()) {
        problem = "a result is computed of a parameter";
      }
    });
  };
  for (const ir::Stmt* stmt : module.body->body) {
    if (const auto* const let = ir::as<ir::Let>(stmt)) check(*let->value);
    const auto* const results = ir::as<ir::Return>(stmt);
    for (const ir::Expr* value : results != nullptr ? results->values : std::span<const ir::Expr* const>()) {
      if (value->kind != ir::Kind::Var || std::ranges::find(params, value) != params.end()) check(*value);
    }
  }
  return problem;
}

std::string sinks_problem(const std::vector<RootSink>& sinks, bool is_list) {
  if (is_list && (sinks.size() != 1 || sinks[0].kind != ir::SinkKind::List)) {
    return "the result is a list that is made of others";
  }
  for (const RootSink& sink : sinks) {
    if (sink.var->type->is_list() && !sink.var->type->is_flat_list()) return "the result is a list of lists";
  }
  return {};
}

bool computes_with_labels(const ir::Module& module) {
  bool found = false;
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) { found = found || is_number_of_label(expr); });
  });
  return found;
}

}  // namespace matcha::session::stream
