#pragma once

#include <string>

#include "frontend/frontend.h"

namespace matcha::tools::lsp {

/// What the language promises of a list, by the operators that make it (grammar/README.md).
struct ListFacts {
  bool sorted = false;
  bool unique = false;
  std::string bound;  ///< How many items it has at most, in words; empty: nothing is known.
};

/// Of the list that `expr` gives in `program`, whose names are resolved.
ListFacts list_facts(const frontend::Program& program, const frontend::ast::Expr& expr);

}  // namespace matcha::tools::lsp
