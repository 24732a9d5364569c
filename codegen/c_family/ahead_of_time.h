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

  /// A graph of one label, or one with its arcs backwards.
  struct Slice {
    std::variant<std::monostate, std::int64_t, std::string> label;  ///< Nothing: of all labels. A number, or a word.
    std::optional<std::size_t> label_param;                         ///< Or the parameter that gives the label.
    bool backwards = false;
  };

  std::string program;  ///< The file, for messages and JSON.
  std::string entry;
  bool tuple_result = false;                    ///< The results are the elements of a tuple, however few.
  std::vector<std::optional<Scalar>> defaults;  ///< One a parameter of the program.
  bool needs_arcs = false;                      ///< The program asks for the `arcs` of its graph.
  bool only_query = false;                      ///< Of the text only the frame and what workers run.
  std::vector<Slice> slices;                    ///< What the module's parameters after those stand for,
  std::vector<std::string> label_words;         ///< and after these.
};

/// `module` of stage loop with a parameter of type i64 for each label word that it names, after the others and in the
/// order of `words`, which is filled in sorted order. So the graph that the program meets one day gives the codes,
/// while passes see a value that cannot fail.
ir::Module lift_label_words(ir::Context& context, const ir::Module& module, std::vector<std::string>& words);

}  // namespace matcha::codegen
