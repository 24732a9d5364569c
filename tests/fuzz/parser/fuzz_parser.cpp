#include <cstddef>
#include <cstdint>
#include <string>

#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "ir/context.h"
#include "ir/verifier.h"
#include "tests/fuzz/fuzzer.h"

/// Any bytes as a program: refused with an error, or compiled to a module that the verifier accepts.
MATCHA_FUZZER(parser) {
  using namespace matcha;
  SourceManager sources;
  std::uint32_t file = sources.add("fuzz.mt", std::string(reinterpret_cast<const char*>(data), size));
  Diagnostics diagnostics(sources);
  std::optional<frontend::asg::Graph> graph = frontend::compile(sources, file, {}, diagnostics);
  render_text(diagnostics, true);
  render_json(diagnostics);
  if (!graph) {
    if (!diagnostics.has_errors()) __builtin_trap();
    return;
  }
  frontend::asg::print(*graph);
  ir::Context context;
  std::optional<ir::Module> module = frontend::lower(*graph, context, diagnostics);
  if (!module && !diagnostics.has_errors()) __builtin_trap();
  if (module && !ir::verify(*module, diagnostics)) __builtin_trap();
}
