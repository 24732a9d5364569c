#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "codegen/c_family/expressions.h"
#include "codegen/c_family/names.h"
#include "codegen/c_family/text_writer.h"
#include "ir/analysis/facts.h"

namespace matcha::codegen::worker {

/// Attribute of declarations that the text may leave unused.
inline constexpr std::string_view kUnused = "[[maybe_unused]] ";

/// The shared state of all classes that print the worker part of a module: the text so far, names and expressions. It
/// is kept from region to region.
class Text {
 public:
  Text(const ir::Module& module, Names& names) : facts(module), names(names), expressions(facts, names) {}

  /// A new number, for a name that is unused in the program.
  int number() { return next_number_++; }
  /// The source line of a statement as a comment; empty if it has none.
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
