#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/cpu/program.h"
#include "codegen/host/host_plan.h"
#include "ir/nodes.h"

namespace matcha::codegen::cpu {

/// What the loops of a region are to do beyond walking.
struct RegionShape {
  const ir::Region* region = nullptr;
  const ir::For* outer = nullptr;     ///< Null for a region that is not parallel.
  std::vector<const ir::For*> split;  ///< The second-level loop that may be dealt again, in each version of it.
  std::vector<bool> map;              ///< A sink each: its rows are written at the outer position.
  /// A sink each, if it is the rows of a graph: the number of the sink of how many there are at each position; else -1.
  std::vector<int> counts;
};

/// Whether the statement is, or holds, a second-level loop that may be dealt again.
bool holds_split(const RegionShape& shape, const ir::Stmt& stmt);

/// How the items of a column lie in memory, as one of the cells Bool, Vid, Float and Int of a back end.
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

/// Makes the functions that the steps of a program call (program.h). The planner says which, in the order of the
/// program; a back end of the CPU says how. Expressions may read what the planner has noted in the Layout.
class CodeMaker {
 public:
  virtual ~CodeMaker() = default;

  /// A step function from here to `end_step`, made of `let` and `keep`.
  virtual void begin_step(const std::string& name) = 0;
  virtual void end_step() = 0;
  /// Binds the variable to its value, which goes to the slot too. Requires: no graph.
  virtual void let(const ir::Let& s, std::uint32_t slot) = 0;
  /// Puts a scalar or a view of a list in the slot.
  virtual void keep(SourceLoc loc, const ir::Expr& value, std::uint32_t slot) = 0;

  /// A step function that puts the number of items of a list, or a constant, in the slot.
  virtual void measure(const std::string& name, const ir::Expr& list, std::uint32_t slot) = 0;
  /// A step function that writes the items of `list` where the columns at the slot point, perhaps sorts them, and puts
  /// their number in the slot.
  virtual void fill(const std::string& name, const ir::Expr& list, std::uint32_t slot, bool sorted) = 0;
  /// A step function that puts the number of positions and the capacities of the buffers in their slots.
  virtual void prepare(const std::string& name, const host::RegionStep& planned, std::uint32_t positions_slot) = 0;
  /// The function `body`; and if the shape is split, RegionInner `inner`.
  virtual void region(const RegionShape& shape, const std::string& body, const std::string& inner) = 0;
};

}  // namespace matcha::codegen::cpu
