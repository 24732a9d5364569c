#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/c_family/expressions.h"
#include "codegen/c_family/text_writer.h"
#include "ir/nodes.h"

namespace matcha::codegen {

/// What differs between the languages of the family; everything else is printed once.
struct Spelling {
  std::string_view function;  ///< In front of a function that workers run, such as `static` or `static __device__`.
  bool groups = false;        ///< A worker is a group of as many lanes as the region's schedule says; else one thread.
};

/// What the launcher of a region has to know, in the order of `Emitted::regions`.
struct EmittedRegion {
  const ir::Region* region;
  std::string function;       ///< `region_0`; `work_on_region_0(f, w)` runs a worker of it to its end.
  const ir::For* outer;       ///< The loop that is dealt out; null for a sequential region.
  bool ordered_rows = false;  ///< Has a list sink: rows carry their places.
  /// The graph whose vertices the outermost loop walks and whose neighbours the next one does, so that tiles of its
  /// arcs can be dealt out (runtime/common/deal.h); null: positions only.
  const ir::Expr* dealt_graph = nullptr;
  /// The graph whose arcs are the positions, because lanes take an arc each (ir/analysis/flat_loops.h); null: those of
  /// `outer` are.
  const ir::Expr* arcs_graph = nullptr;
  /// The loop level whose positions lanes take, each its own; more than there are: groups take positions together.
  int lanes_level = 3;
  int bit_loops = 0;           ///< Loops over sets of bits that stand in each other, at most.
  bool counts_common = false;  ///< Wants runtime/common/common_neighbors.h.
  bool light_arcs = false;     ///< Most arcs of `dealt_graph` are left at once, for a label, the others soon.
};

/// The parts of a program that run on workers: the frame of top-level values and one function a region.
struct Emitted {
  std::string frame;
  std::string text;                       ///< Of all regions.
  std::vector<std::string> region_texts;  ///< Of each.
  std::vector<EmittedRegion> regions;
};

/// Prints the worker part of a verified module of stage kernel. The text expects the names of the runtime's prologue
/// (`Worker`, `Task`, `List`, `neighbors`, …) and is otherwise complete. A region's loops down to level `split` take
/// their bounds from the task, so that one text serves a fresh chunk and a resumed prefix (T-DFS III, Algorithm 4).
Emitted emit_workers(const ir::Module& module, const Spelling& spelling, Names& names);

}  // namespace matcha::codegen
