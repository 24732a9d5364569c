#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "frontend/asg.h"
#include "frontend/types.h"
#include "ir/nodes.h"
#include "runtime/graph/inputs.h"

namespace matcha::session {

/// Parameters and result of a question: of the entry of a program, or of a pattern, without a program.
struct Signature {
  struct Param {
    std::string name;
    const frontend::Type* type = nullptr;
    std::optional<codegen::Argument> default_value = {};  ///< The default value of a scalar.
    bool needs_arcs = false;                              ///< A graph with `arcs` that the program reads.
    bool needs_symmetry = false;                          ///< A graph that the program says is `symmetric`.
    /// A list: the kinds of its columns, as the lowered program reads them; nothing for a column of bools.
    std::vector<std::optional<runtime::ColumnKind>> columns = {};
  };

  std::string entry;
  std::vector<Param> params;
  const frontend::Type* result = nullptr;
  bool reads_ids = false;  ///< The lowered program computes with ids as numbers.
  std::shared_ptr<frontend::TypeTable> maybe_types =
      {};  ///< Keeps the types; null: those of a program, which keeps them.
};

/// The signature of a program; `maybe_module` is the lowered program, null before there is one.
Signature signature_of(const frontend::asg::Graph& program, const ir::Module* maybe_module);

/// `triangle(G: Graph) -> int`.
std::string to_string(const Signature& signature);

}  // namespace matcha::session
