#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/context.h"
#include "ir/nodes.h"

namespace matcha::codegen {

/// Facts about a program that is compiled ahead of time, beyond its module.
struct AheadOfTime {
  using Scalar = std::variant<std::int64_t, double, bool>;

  /// A graph of one label, or one with its arcs backwards.
  struct Slice {
    std::variant<std::monostate, std::int64_t, std::string> label;  ///< Empty: all labels. Else the code or the word of
                                                                    ///< one label.
    std::optional<std::size_t> label_param;                         ///< Index of the parameter that gives the label.
    bool backwards = false;
  };

  std::string program;  ///< The file, for messages and JSON.
  std::string entry;
  bool tuple_result = false;                    ///< The results are the elements of a tuple, however few.
  std::vector<std::optional<Scalar>> defaults;  ///< One for each parameter of the program.
  bool needs_arcs = false;                      ///< The program asks for the `arcs` of its graph.
  bool needs_symmetry = false;                  ///< The program says that its graph is `symmetric`.
  bool only_query = false;                      ///< Emit only the frame and the code of workers.
  std::vector<Slice> slices;                    ///< The slices that the module's parameters after the program's own
                                                ///< stand for.
  std::vector<std::string> label_words;         ///< The label words of the parameters after the slices.
};

/// `module` of stage loop with a parameter of type i64 for each label word that it names. These come after the other
/// parameters, in the order of `words`, which is filled in sorted order. The graph given at run time supplies the
/// codes; passes see a value that cannot fail.
ir::Module lift_label_words(ir::Context& context, const ir::Module& module, std::vector<std::string>& words);

}  // namespace matcha::codegen
