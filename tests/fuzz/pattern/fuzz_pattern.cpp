#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "planner/program.h"
#include "planner/sketch.h"
#include "question/read.h"
#include "question/symmetry.h"
#include "tests/fuzz/fuzzer.h"

namespace {

std::vector<std::string> names_of(const matcha::pattern::Pattern& pattern) {
  std::vector<std::string> names;
  for (int v = 0; v < pattern.size(); ++v) names.push_back(pattern.vertex_name(v));
  std::sort(names.begin(), names.end());
  return names;
}

/// The answers of a graph about vertices named by the pattern: it has none, or their numbers.
void bind_named(matcha::pattern::Pattern& pattern, bool there) {
  for (std::size_t v = 0; v < pattern.constants.size(); ++v) {
    const bool named = !pattern.constants[v].empty() && pattern.constants[v].front() == '\'';
    if (named) pattern.bound[v] = there ? std::to_string(v) : "none";
  }
}

}  // namespace

/// Any bytes as a pattern: refused with an error, or a pattern that its own text gives again, and, if it is small, a
/// program that compiles.
MATCHA_FUZZER(pattern) {
  using namespace matcha;
  using namespace matcha::pattern;
  SourceManager sources;
  const std::uint32_t file = sources.add("<pattern>", std::string(reinterpret_cast<const char*>(data), size));
  Diagnostics diagnostics(sources);
  std::optional<PatternSet> set = read_pattern(sources, file, diagnostics);
  render_text(diagnostics, true);
  render_json(diagnostics);
  if (set.has_value() == diagnostics.has_errors()) __builtin_trap();
  if (!set || set->motif) return;
  const Pattern& pattern = set->patterns.front();
  const std::string text = to_text(pattern);
  const std::optional<PatternSet> again = read_pattern(sources, sources.add("<again>", text), diagnostics);
  // Names are in order of appearance, which the text of edges may change.
  if (!again || names_of(again->patterns.front()) != names_of(pattern) ||
      canonical_key(again->patterns.front()) != canonical_key(pattern)) {
    __builtin_trap();
  }
  constexpr int kSmall = 5;
  if (pattern.size() > kSmall) return;
  bind_named(set->patterns.front(), size % 3 != 0);
  Request request;
  request.rows = size % 2 == 0;
  const std::optional<PatternProgram> program = write_program(*set, request, typical_graph(), set->loc, diagnostics);
  if (!program) {
    // Rows of subgraphs have no place for an edge of several labels.
    if (request.rows && diagnostics.has_errors() && pattern.counts_edges()) return;
    std::fputs(render_text(diagnostics, false).c_str(), stderr);
    __builtin_trap();
  }
  Diagnostics of_program(sources);
  if (!frontend::compile(sources, sources.add("<program>", program->text), {}, of_program)) __builtin_trap();
}
