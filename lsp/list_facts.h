#pragma once

#include <string>

#include "frontend/frontend.h"

namespace matcha::tools::lsp {

/// The language's guarantees about a list, by the operators that make it (grammar/README.md).
struct ListFacts {
  bool sorted = false;
  bool unique = false;
  std::string bound;  ///< Upper bound of the number of items, in words; empty: unknown.
};

/// The facts about the value of `expr` in `program`, whose names are resolved.
ListFacts list_facts(const frontend::Program& program, const frontend::ast::Expr& expr);

}  // namespace matcha::tools::lsp
