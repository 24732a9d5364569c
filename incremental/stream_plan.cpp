#include "incremental/stream_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "incremental/delta_program.h"
#include "incremental/root_module.h"
#include "ir/analysis/roots.h"
#include "planner/delta.h"

namespace matcha::session::stream {

namespace {

using pattern::DeltaTerm;
using pattern::Pattern;

/// `edge 0-1 'a': walk 2, count 3`.
std::string text_of(const DeltaTerm& term, const Pattern& pattern) {
  const auto name = [&](std::size_t at) { return pattern.vertex_name(term.vertices[at]); };
  std::vector<std::string> steps;
  const auto add = [&](const char* verb, std::size_t first, std::size_t last) {
    std::vector<std::string> names;
    for (std::size_t at = first; at < last; ++at) names.push_back(name(at));
    if (!names.empty()) steps.push_back(fmt::format("{} {}", verb, fmt::join(names, " ")));
  };
  add("walk", 2, term.walked);
  add("count", term.walked, term.vertices.size());
  return fmt::format("{} {}{}{}{}{}{}", term.sign < 0 ? "pair that must not be adjacent" : "edge", name(0),
                     pattern.directed ? '>' : '-', name(1), term.label.empty() ? "" : " " + term.label,
                     steps.empty() ? "" : ": ", fmt::join(steps, ", "));
}

std::vector<std::string> terms_of(const DeltaProgram& program) {
  std::vector<std::string> lines;
  std::string why;
  for (const Pattern& pattern : program.patterns()) {
    const std::optional<pattern::DeltaProgram> planned =
        plan_delta(pattern, program.induced(), pattern::DeltaAnswer::Count, pattern::typical_statistics(), why);
    if (!planned) continue;
    for (const DeltaTerm& term : planned->terms) lines.push_back(text_of(term, pattern));
  }
  return lines;
}

std::string text_of(const ir::RootReads& reads) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, int steps) {
    if (steps < 0) return;
    parts.push_back(steps == 0 ? fmt::format("its {}", what)
                               : fmt::format("{} of those up to {} step{} away", what, steps, steps == 1 ? "" : "s"));
  };
  add("neighbors", reads.rows);
  if (reads.among) {
    parts.push_back(
        fmt::format("which of those up to {} step{} away are adjacent", reads.rows + 1, reads.rows == 0 ? "" : "s"));
  }
  if (reads.degrees > reads.rows) add("degrees", reads.degrees);
  add("labels", reads.labels);
  return parts.empty() ? "nothing but the vertex is read" : fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

StreamPlan stream_plan(const ProgramRequest& request, const ir::Module& nests, bool directed,
                       const runtime::LabelDictionary* maybe_labels) {
  StreamPlan plan;
  std::string no_delta;
  const std::optional<DeltaProgram> delta = DeltaProgram::make(request, {}, directed, no_delta);
  if (delta && maybe_labels != nullptr && delta->uses_vertex_types(*maybe_labels)) {
    plan.why = kTypesProblem;
    return plan;
  }
  if (delta) {
    plan.how = MaintenanceMethod::Delta;
    plan.terms = terms_of(*delta);
    return plan;
  }
  const ir::RootReads reads = ir::read_roots(nests, directed);
  const std::string no_roots = reads.ok() ? results_problem(nests) : reads.problem;
  const bool is_pattern = request.text.empty();
  if (no_roots.empty() && !is_pattern) {
    plan.how = MaintenanceMethod::Roots;
    plan.why = text_of(reads);
    return plan;
  }
  plan.why = is_pattern || no_roots.empty() ? no_delta : no_roots;
  return plan;
}

}  // namespace matcha::session::stream
