#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "codegen/c_family/expressions.h"
#include "codegen/c_family/names.h"
#include "codegen/c_family/text_writer.h"
#include "ir/analysis/facts.h"

namespace matcha::codegen::worker {

/// Before a declaration that the text may not use.
inline constexpr std::string_view kUnused = "[[maybe_unused]] ";

/// What all that prints the worker part of a module needs: the text so far, and how values and expressions are printed.
/// It goes on from region to region.
class Text {
 public:
  Text(const ir::Module& module, Names& names) : facts(module), names(names), expressions(facts, names) {}

  /// A new number, for a name that no value of the program has.
  int number() { return next_number_++; }
  /// The line of the program that a statement comes from; empty if it has none.
  static std::string comment(const ir::Stmt& stmt) {
    return stmt.loc.valid() ? fmt::format("  // line {}", stmt.loc.line) : "";
  }

  const ir::Facts facts;
  Names& names;
  Expressions expressions;
  TextWriter out;

 private:
  int next_number_ = 0;
};

}  // namespace matcha::codegen::worker
