#include "session/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/analysis/walk.h"
#include "session/asked_arcs.h"

namespace matcha::session {

namespace {

codegen::Argument default_value(const frontend::asg::Node& node) {
  if (node.op == frontend::asg::Op::Float) return node.float_value;
  if (node.op == frontend::asg::Op::Bool) return node.int_value != 0;
  return node.int_value;
}

/// Whether ids are converted to numbers somewhere, or numbers to ids.
bool reads_ids(const ir::Block& body) {
  bool found = false;
  ir::for_each_stmt(body, [&found](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&found](const ir::Expr& expr) {
      ir::for_each_node(expr, [&found](const ir::Expr& node) {
        found = found || (node.kind == ir::Kind::Convert && (node.type->is_scalar(ir::ScalarKind::Vid) ||
                                                             node.operands[0]->type->is_scalar(ir::ScalarKind::Vid)));
      });
    });
  });
  return found;
}

std::optional<runtime::ColumnKind> kind_of(const ir::Type& column) {
  if (column.is_scalar(ir::ScalarKind::Bool)) return std::nullopt;
  return column.is_scalar(ir::ScalarKind::Vid)   ? runtime::ColumnKind::Vertex
         : column.is_scalar(ir::ScalarKind::F64) ? runtime::ColumnKind::Float
                                                 : runtime::ColumnKind::Int;
}

std::string text_of(const codegen::Argument& value) {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return fmt::format("{}", std::get<std::int64_t>(value));
}

}  // namespace

Signature signature_of(const frontend::asg::Graph& program, const ir::Module* maybe_module) {
  Signature signature;
  signature.entry = program.entry;
  signature.result = program.result->type;
  for (std::size_t i = 0; i < program.params.size(); ++i) {
    const frontend::asg::Param& param = program.params[i];
    Signature::Param& one = signature.params.emplace_back();
    one.name = param.name;
    one.type = param.type;
    if (param.maybe_default != nullptr) one.default_value = default_value(*param.maybe_default);
    one.needs_arcs = asks_for_arcs(program, param);
    one.needs_symmetry = asks_for_symmetry(program, param);
    if (maybe_module == nullptr || !param.type->is_list()) continue;
    for (const ir::Type* column : maybe_module->params[i]->type->columns) one.columns.push_back(kind_of(*column));
  }
  signature.reads_ids = maybe_module != nullptr && reads_ids(*maybe_module->body);
  return signature;
}

std::string to_string(const Signature& signature) {
  std::string out = signature.entry + "(";
  for (std::size_t i = 0; i < signature.params.size(); ++i) {
    const Signature::Param& param = signature.params[i];
    out += fmt::format("{}{}: {}", i == 0 ? "" : ", ", param.name, to_string(*param.type));
    if (param.default_value) out += fmt::format(" = {}", text_of(*param.default_value));
  }
  return fmt::format("{}) -> {}", out, to_string(*signature.result));
}

}  // namespace matcha::session
