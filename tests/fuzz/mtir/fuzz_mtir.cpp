#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/check.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/fuzz/fuzzer.h"

using namespace matcha;

namespace {

/// Runs every analysis on every value used at the top of an expression.
void ask(ir::Context& context, const ir::Module& module) {
  ir::Facts facts(module);
  ir::Builder builder(context);
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      facts.may_trap(&expr);
      if (expr.type->is_list()) facts.bound(builder, &expr);
    });
  });
  ir::count_uses(*module.body);
}

}  // namespace

/// Any text is either read or reported; a module prints to a text that reads back to the same.
MATCHA_FUZZER(mtir) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  ir::Context context;
  std::string text(reinterpret_cast<const char*>(data), size);
  std::optional<ir::Module> module = ir::parse(context, sources.add("fuzz.mtir", text), diagnostics);
  MATCHA_CHECK(module.has_value() != diagnostics.has_errors(), "a module or an error");
  if (!module) return;
  std::string printed = ir::print(*module);
  std::optional<ir::Module> again = ir::parse(context, sources.add("again.mtir", printed), diagnostics);
  MATCHA_CHECK(again.has_value(), "what is printed can be read");
  MATCHA_CHECK(ir::print(*again) == printed, "what is read prints the same");
  if (ir::verify(*module, diagnostics)) ask(context, *module);
}
