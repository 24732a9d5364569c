#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/context.h"
#include "ir/nodes.h"

namespace matcha::codegen {

/// What a program that is compiled ahead of time knows beyond its module.
struct AheadOfTime {
  using Scalar = std::variant<std::int64_t, double, bool>;

  std::string program;  ///< The file, for messages and JSON.
  std::string entry;
  bool tuple_result = false;                    ///< The results are the elements of a tuple, however few.
  std::vector<std::optional<Scalar>> defaults;  ///< One a parameter of the program.
  bool only_query = false;                      ///< Of the text only the frame and what workers run.
  std::vector<std::string> label_words;         ///< What the module's parameters after those stand for.
};

/// `module` of stage loop with a parameter of type i64 for each label word that it names, after the others and in the
/// order of `words`, which is filled in sorted order. So the graph that the program meets one day gives the codes,
/// while passes see a value that cannot fail.
ir::Module lift_label_words(ir::Context& context, const ir::Module& module, std::vector<std::string>& words);

}  // namespace matcha::codegen
