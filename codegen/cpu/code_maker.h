#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/cpu/program.h"
#include "codegen/host/host_plan.h"
#include "ir/nodes.h"

namespace matcha::codegen::cpu {

/// Properties of a region's loops that its code depends on.
struct RegionShape {
  const ir::Region* region = nullptr;
  const ir::For* outer = nullptr;     ///< Null for a region that is not parallel.
  std::vector<const ir::For*> split;  ///< The second-level loop whose items may be offered to other workers, in each of
                                      ///< its versions.
  std::vector<bool> map;              ///< One for each sink: its rows are written at the index of the outer position.
  /// One for each sink: if it holds the rows of a graph, the number of the sink with the row lengths; else -1.
  std::vector<int> counts;
};

/// True if the statement is, or contains, a second-level loop whose items may be offered to other workers.
bool holds_split(const RegionShape& shape, const ir::Stmt& stmt);

/// The memory layout of a column's items, as one of the cells Bool, Vid, Float and Int of a back end.
template <typename Cell>
constexpr Cell cell_of_column(const ir::Type& column) {
  switch (column.scalar) {
    case ir::ScalarKind::Bool: return Cell::Bool;
    case ir::ScalarKind::Vid: return Cell::Vid;
    case ir::ScalarKind::F64: return Cell::Float;
    case ir::ScalarKind::I64:
    case ir::ScalarKind::I128: break;
  }
  return Cell::Int;
}

/// Makes the functions called by the steps of a program (program.h). The planner names them in program order; each CPU
/// back end implements them. Expressions may read the values that the planner recorded in the Layout.
class CodeMaker {
 public:
  virtual ~CodeMaker() = default;

  /// Begins a step function, which lasts until `end_step` and consists of `let` and `keep`.
  virtual void begin_step(const std::string& name) = 0;
  virtual void end_step() = 0;
  /// Binds the variable to its value and stores it in the slot. Requires: no graph.
  virtual void let(const ir::Let& s, std::uint32_t slot) = 0;
  /// Stores a scalar or a view of a list in the slot.
  virtual void keep(SourceLoc loc, const ir::Expr& value, std::uint32_t slot) = 0;

  /// A step function that stores the number of items of a list, or a constant upper bound of it, in the slot.
  virtual void measure(const std::string& name, const ir::Expr& list, std::uint32_t slot) = 0;
  /// A step function that writes the items of `list` to the columns at the slot, sorts them if `sorted`, and stores
  /// their number in the slot.
  virtual void fill(const std::string& name, const ir::Expr& list, std::uint32_t slot, bool sorted) = 0;
  /// A step function that stores the number of positions and the capacities of the buffers in their slots.
  virtual void prepare(const std::string& name, const host::RegionStep& planned, std::uint32_t positions_slot) = 0;
  /// The function `body`; and if the shape is split, RegionInner `inner`.
  virtual void region(const RegionShape& shape, const std::string& body, const std::string& inner) = 0;
};

}  // namespace matcha::codegen::cpu
