#include "codegen/c_family/frame.h"

#include <fmt/format.h>

#include "codegen/c_family/expressions.h"
#include "ir/analysis/facts.h"
#include "ir/check.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::ScalarKind;
using ir::SinkKind;

void emit_frame(const ir::Module& module, Names& names, TextWriter& out) {
  out.line("// The values of the program's top level.");
  out.open("struct Frame");
  const auto member = [&](const ir::Var* var, bool csr = false) {
    out.line(fmt::format("{} {};", csr ? "CsrGraph" : Expressions::type(var->type), names.of(var)));
  };
  for (const ir::Var* param : module.params) member(param, param->type->is_graph());
  for (const ir::Stmt* stmt : module.body->body) {
    ir::match(
        *stmt, [&](const ir::Let& s) { member(s.var); },
        [&](const ir::BuildGraph& s) { member(s.var, s.index == ir::GraphIndex::Csr); },
        [&](const ir::Region& s) {
          for (const ir::Sink& sink : s.collect->sinks) {
            if (ir::Facts::may_be_empty(sink.kind)) {
              out.line(fmt::format("{} {};", accumulator_type(sink), names.of(sink.var)));
            } else {
              member(sink.var);
            }
          }
        },
        [](const ir::OneOf<ir::Block, ir::For, ir::If, ir::Collect, ir::Yield, ir::Return, ir::Store> auto&) {});
  }
  out.close(";");
}

std::string accumulator_type(const ir::Sink& sink) {
  switch (sink.kind) {
    case SinkKind::Sum: return sink.var->type->is_scalar(ScalarKind::F64) ? "ExactTotal" : "i128";
    case SinkKind::Min: return fmt::format("Least<{}>", Expressions::type(sink.var->type));
    case SinkKind::Max: return fmt::format("Greatest<{}>", Expressions::type(sink.var->type));
    case SinkKind::Any:
    case SinkKind::All: return "bool";
    case SinkKind::List: break;
  }
  MATCHA_UNREACHABLE("a sink with an accumulator");
}

bool in_worker(const ir::Sink& sink) {
  return sink.kind == SinkKind::List || (sink.kind == SinkKind::Sum && sink.var->type->is_scalar(ScalarKind::F64));
}

}  // namespace matcha::codegen
