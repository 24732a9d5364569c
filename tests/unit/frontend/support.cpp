#include "tests/unit/frontend/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "frontend/lower.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace matcha::frontend::testing {

std::vector<std::string> Compiled::messages() const {
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics->all()) {
    out.push_back(std::to_string(d.loc.line) + ": " + d.message + " [" + std::string(diag_text(d.id)) + "]");
  }
  return out;
}

bool Compiled::has(DiagId id) const {
  return std::any_of(diagnostics->all().begin(), diagnostics->all().end(),
                     [id](const Diagnostic& d) { return d.id == id; });
}

std::unique_ptr<Compiled> compile_text(const std::string& text, const std::string& entry) {
  std::unique_ptr<Compiled> out = std::make_unique<Compiled>();
  std::uint32_t file = out->sources.add("test.mt", text);
  out->diagnostics = std::make_unique<Diagnostics>(out->sources);
  Options options;
  options.entry = entry;
  out->graph = compile(out->sources, file, options, *out->diagnostics);
  return out;
}

std::string asg_text(const std::string& text) {
  std::unique_ptr<Compiled> compiled = compile_text(text);
  return compiled->graph ? asg::print(*compiled->graph) : render_text(*compiled->diagnostics, false);
}

std::string ir_text(const std::string& text) {
  std::unique_ptr<Compiled> compiled = compile_text(text);
  if (!compiled->graph) return render_text(*compiled->diagnostics, false);
  ir::Context context;
  std::optional<ir::Module> module = lower(*compiled->graph, context, *compiled->diagnostics);
  if (!module) return render_text(*compiled->diagnostics, false);
  std::string printed = ir::print(*module);
  EXPECT_TRUE(ir::verify(*module, *compiled->diagnostics)) << printed << render_text(*compiled->diagnostics, false);
  return printed;
}

bool compile_fully(const std::string& text) {
  std::unique_ptr<Compiled> compiled = compile_text(text);
  render_text(*compiled->diagnostics, false);
  if (!compiled->graph) {
    EXPECT_TRUE(compiled->diagnostics->has_errors()) << "no graph and no error:\n" << text;
    return false;
  }
  asg::print(*compiled->graph);
  asg::print_dot(*compiled->graph);
  ir::Context context;
  std::optional<ir::Module> module = lower(*compiled->graph, context, *compiled->diagnostics);
  if (!module) {
    EXPECT_TRUE(compiled->diagnostics->has_errors()) << "no module and no error:\n" << text;
    return false;
  }
  EXPECT_TRUE(ir::verify(*module, *compiled->diagnostics)) << text << render_text(*compiled->diagnostics, false);
  return true;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace matcha::frontend::testing
