#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "ir/nodes.h"
#include "runtime/cpu/keyed_rows.h"
#include "runtime/cpu/region.h"

/// The top level of a module of stage kernel as data: one description that every back end but the interpreter reads.
namespace matcha::codegen::host {

/// How the values of a column lie in memory. Requires: no 128-bit ints.
runtime::ElementKind element_kind(const ir::Type& scalar);
std::vector<runtime::ElementKind> element_kinds(const ir::Type& list);

/// How the workers' parts of a sink are merged.
enum class SinkForm { SumInt, SumFloat, MinInt, MinFloat, MaxInt, MaxFloat, Any, All, Rows };
SinkForm sink_form(const ir::Sink& sink);
/// True if `sorted` of such a list goes by rows: several columns, or floats, whose zeros have an order.
inline bool sorted_by_rows(const ir::Type& list) {
  return list.columns.size() > 1 || list.columns[0]->is_scalar(ir::ScalarKind::F64);
}
/// The fold of the run-time library.
runtime::RowFold row_fold(ir::Fold fold);
/// `SumInt` and so on.
std::string_view name(SinkForm form);

/// How the memory of a buffer is measured.
enum class BufferForm {
  Items,     ///< `capacity` items of `item_bytes` each.
  Bits,      ///< A bit for each of `capacity` positions, in words.
  BitRows,   ///< `capacity` rows of `capacity` bits each, in words.
  Counters,  ///< A counter for each rank of the universe, initially zero.
};

/// Scratch memory of one worker.
struct BufferPlan {
  const ir::Buffer* buffer = nullptr;
  BufferForm form = BufferForm::Items;
  std::uint64_t item_bytes = 0;  ///< The bytes of an item, a word or a counter; several columns take 8 bytes each.

  const ir::Type& type() const { return *buffer->var->type; }
};

/// The arrays of a graph that are read, besides its neighbour lists.
struct GraphNeeds {
  bool arcs = false;      ///< The offsets and targets of arcs.
  bool vertices = false;  ///< The list of its vertices.
  bool sources = false;   ///< The vertex that each arc starts at.
  bool halves = false;    ///< The offsets of the first neighbour above each vertex.
  bool labels = false;
  bool degrees = false;                 ///< Numbers of neighbours; implied by `arcs`.
  const ir::Expr* edge_info = nullptr;  ///< An expression that reads edge information.

  void add(const GraphNeeds& other);
};

/// By the variables through which graphs are read.
using NeedsByGraph = std::unordered_map<const ir::Var*, GraphNeeds>;

/// One region and its needs.
struct RegionStep {
  const ir::Region* region = nullptr;
  const ir::For* outer = nullptr;  ///< The loop whose items are dealt; null for a sequential region.
  std::vector<SinkForm> sinks;
  std::vector<BufferPlan> buffers;
  std::unordered_set<const ir::Var*> reads;  ///< The top-level values that the workers read.
  NeedsByGraph graphs;                       ///< The arrays of graphs that the workers read.
  int answer = -1;                           ///< The sink whose rows are the answer of the program; -1: none.
  bool repeated = false;                     ///< It is between `repeat` and `again`.
  bool reads_ids = false;                    ///< The workers convert between ids and vertices.
  bool shared = false;                       ///< Each sink is a result of the program and is read nowhere else.

  /// True if its sinks only add up, so that parts of the work can be run one by one.
  bool adds_up() const;
  /// True if several runs may each walk some of its positions and their values can be merged (codegen/dealer.h).
  bool is_dealt() const;
};

/// A value of the top level.
struct Value {
  const ir::Var* var;
  const ir::Sink* maybe_sink = nullptr;  ///< The sink of a region that defines it; else null.
  bool csr = false;                      ///< A graph that is known to have an offset for each id.

  /// True if it may have no value: an extreme of nothing.
  bool may_be_empty() const;
};

/// Parameters, then the values bound by each step, in program order. Requires: as Plan.
std::vector<Value> top_level_values(const ir::Module& module);

using Step = std::variant<const ir::Let*, const ir::BuildGraph*, RegionStep, const ir::Return*, const ir::Repeat*,
                          const ir::Again*>;

/// The steps of a module; points into its nodes, which must outlive it.
struct Plan {
  /// Requires: a verified module of stage kernel.
  explicit Plan(const ir::Module& module);

  std::vector<Step> steps;     ///< In order.
  NeedsByGraph graphs;         ///< The arrays of graphs that all steps read.
  NeedsByGraph worker_graphs;  ///< The arrays of graphs that the workers of regions read.
  bool independent = false;    ///< No step up to the last region reads values of a dealt region.

  std::vector<const RegionStep*> regions() const;
};

/// The statement of a step.
const ir::Stmt& statement_of(const Step& step);

}  // namespace matcha::codegen::host
