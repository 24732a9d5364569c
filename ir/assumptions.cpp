#include "ir/assumptions.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/check.h"
#include "ir/nodes.h"

namespace matcha::ir {

bool has_limit(AssumptionKind kind) {
  switch (kind) {
    case AssumptionKind::Symmetric:
    case AssumptionKind::LoopFree:
    case AssumptionKind::Simple:
    case AssumptionKind::Labelled: return false;
    case AssumptionKind::Degree:
    case AssumptionKind::LowerDegree:
    case AssumptionKind::UpperDegree: return true;
  }
  MATCHA_UNREACHABLE("a kind of assumption");
}

std::string_view keyword(AssumptionKind kind) {
  switch (kind) {
    case AssumptionKind::Symmetric: return "symmetric";
    case AssumptionKind::LoopFree: return "loop_free";
    case AssumptionKind::Simple: return "simple";
    case AssumptionKind::Labelled: return "labelled";
    case AssumptionKind::Degree: return "degree";
    case AssumptionKind::LowerDegree: return "lower_degree";
    case AssumptionKind::UpperDegree: return "upper_degree";
  }
  MATCHA_UNREACHABLE("a kind of assumption");
}

std::string keywords(AssumptionKinds kinds) {
  std::string words;
  for (AssumptionKind kind : kAssumptionKinds) {
    if (kinds.contains(kind)) words += fmt::format("{}{}", words.empty() ? "" : ",", keyword(kind));
  }
  return words;
}

bool read_keyword(std::string_view word, AssumptionKind& kind) {
  const auto found = std::ranges::find(kAssumptionKinds, word, [](AssumptionKind each) { return keyword(each); });
  if (found == kAssumptionKinds.end()) return false;
  kind = *found;
  return true;
}

std::string property(AssumptionKind kind, std::int64_t limit) {
  return has_limit(kind) ? fmt::format("{} <= {}", keyword(kind), limit) : std::string(keyword(kind));
}

std::string meaning(AssumptionKind kind, std::int64_t limit) {
  switch (kind) {
    case AssumptionKind::Symmetric: return "each arc has its reverse";
    case AssumptionKind::LoopFree: return "no vertex is its own neighbour";
    case AssumptionKind::Simple: return "there are no loops and no repeated arcs";
    case AssumptionKind::Labelled: return "every vertex has a label";
    case AssumptionKind::Degree: return fmt::format("no vertex has more than {} neighbours", limit);
    case AssumptionKind::LowerDegree: return fmt::format("no vertex has more than {} neighbours below it", limit);
    case AssumptionKind::UpperDegree: return fmt::format("no vertex has more than {} neighbours above it", limit);
  }
  MATCHA_UNREACHABLE("a kind of assumption");
}

/// The kind that implies this one; itself if there is none.
static AssumptionKind stronger(AssumptionKind kind) {
  switch (kind) {
    case AssumptionKind::LoopFree: return AssumptionKind::Simple;
    case AssumptionKind::LowerDegree:
    case AssumptionKind::UpperDegree: return AssumptionKind::Degree;
    case AssumptionKind::Symmetric:
    case AssumptionKind::Simple:
    case AssumptionKind::Labelled:
    case AssumptionKind::Degree: return kind;
  }
  MATCHA_UNREACHABLE("a kind of assumption");
}

bool assumes(const Module& module, const Assumption& assumption) {
  return std::ranges::any_of(module.assumptions, [&](const Assumption& each) {
    const bool covers = each.kind == assumption.kind || each.kind == stronger(assumption.kind);
    return covers && each.var == assumption.var && each.limit <= assumption.limit;
  });
}

}  // namespace matcha::ir
