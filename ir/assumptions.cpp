#include "ir/assumptions.h"

#include <algorithm>

#include "ir/check.h"
#include "ir/nodes.h"

namespace matcha::ir {

std::string_view keyword(AssumptionKind kind) {
  switch (kind) {
    case AssumptionKind::Symmetric: return "symmetric";
    case AssumptionKind::Simple: return "simple";
  }
  MATCHA_UNREACHABLE("a kind of assumption");
}

std::string_view meaning(AssumptionKind kind) {
  switch (kind) {
    case AssumptionKind::Symmetric: return "each arc has its reverse";
    case AssumptionKind::Simple: return "there are no loops and no repeated arcs";
  }
  MATCHA_UNREACHABLE("a kind of assumption");
}

bool assumes(const Module& module, AssumptionKind kind, const Var* param) {
  return std::ranges::find(module.assumptions, Assumption{kind, param}) != module.assumptions.end();
}

bool assumes(const Module& module, AssumptionKind kind) {
  return std::ranges::any_of(module.assumptions, [&](const Assumption& a) { return a.kind == kind; });
}

}  // namespace matcha::ir
