#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/c_family/expressions.h"
#include "codegen/c_family/text_writer.h"
#include "ir/nodes.h"

namespace matcha::codegen {

/// The differences between the languages of the family; everything else is printed once.
struct Spelling {
  std::string_view function;  ///< In front of a function that workers run, such as `static` or `static __device__`.
  bool groups = false;        ///< A worker is a group of as many lanes as the region's schedule says; else one thread.
};

/// The facts about a region that its launcher needs, in the order of `Emitted::regions`.
struct EmittedRegion {
  const ir::Region* region;
  std::string function;       ///< `region_0`; `work_on_region_0(f, w)` runs a worker of it to its end.
  const ir::For* outer;       ///< The loop that is dealt out; null for a sequential region.
  bool ordered_rows = false;  ///< True if it has a list sink: rows carry their places.
  /// The graph whose vertices the outermost loop walks and whose neighbours the next loop walks, so that the region can
  /// be dealt in tiles of arcs (runtime/common/deal.h). Null: dealt by positions only.
  const ir::Expr* dealt_graph = nullptr;
  /// The graph whose arcs are the positions, because each lane takes an arc (ir/analysis/flat_loops.h). Null: the
  /// positions are those of `outer`.
  const ir::Expr* arcs_graph = nullptr;
  /// The level of the loop whose positions are divided among lanes. At or beyond the number of loops: a group takes
  /// each position as a whole.
  int lanes_level = 3;
  int bit_loops = 0;           ///< The largest number of nested loops over sets of bits.
  bool counts_common = false;  ///< Needs runtime/common/common_neighbors.h.
  bool light_arcs = false;     ///< Most arcs of `dealt_graph` are skipped by a label test, and the others are short.
};

/// The parts of a program that run on workers: the frame of top-level values and one function a region.
struct Emitted {
  std::string frame;
  std::string text;                       ///< All regions.
  std::vector<std::string> region_texts;  ///< Each region on its own.
  std::vector<EmittedRegion> regions;
};

/// Prints the worker part of a verified module of stage kernel. The text expects the names of the runtime's prologue
/// (`Worker`, `Task`, `List`, `neighbors`, …) and is otherwise complete. A region's loops down to level `split` take
/// their bounds from the task, so that one text serves a fresh chunk and a resumed prefix (T-DFS III, Algorithm 4).
Emitted emit_workers(const ir::Module& module, const Spelling& spelling, Names& names);

}  // namespace matcha::codegen
