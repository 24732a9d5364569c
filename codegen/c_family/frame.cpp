#include "codegen/c_family/frame.h"

#include <fmt/format.h>

#include "codegen/c_family/expressions.h"
#include "codegen/host/host_plan.h"
#include "ir/check.h"

namespace matcha::codegen {

using ir::ScalarKind;
using ir::SinkKind;

void emit_frame(const ir::Module& module, Names& names, TextWriter& out) {
  out.line("// The values of the program's top level.");
  out.open("struct Frame");
  for (const host::Value& value : host::top_level_values(module)) {
    const std::string type = value.csr              ? "CsrGraph"
                             : value.may_be_empty() ? accumulator_type(*value.maybe_sink)
                                                    : Expressions::type(value.var->type);
    out.line(fmt::format("{} {};", type, names.of(value.var)));
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
