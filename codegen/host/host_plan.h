#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "ir/nodes.h"
#include "runtime/cpu/region.h"

/// The top level of a module of stage kernel as data: one description that every back end but the interpreter reads.
namespace matcha::codegen::host {

/// How the values of a column lie in memory. Requires: no 128-bit ints.
runtime::ElementKind element_kind(const ir::Type& scalar);
std::vector<runtime::ElementKind> element_kinds(const ir::Type& list);

/// How the workers' parts of a sink are put together.
enum class SinkForm { SumInt, SumFloat, MinInt, MinFloat, MaxInt, MaxFloat, Any, All, Rows };
SinkForm sink_form(const ir::Sink& sink);
/// `SumInt` and so on.
std::string_view name(SinkForm form);

/// How the memory of a buffer is counted.
enum class BufferForm {
  Items,     ///< `capacity` items of `item_bytes` each.
  Bits,      ///< A bit for each of `capacity` positions, in words.
  BitRows,   ///< `capacity` rows of so many bits each, in words.
  Counters,  ///< A counter for each rank of the universe, zeros at the start.
};

/// Scratch memory of one worker.
struct BufferPlan {
  const ir::Buffer* buffer = nullptr;
  BufferForm form = BufferForm::Items;
  std::uint64_t item_bytes = 0;  ///< Of an item, a word or a counter; several columns take 8 bytes each.

  const ir::Type& type() const { return *buffer->var->type; }
};

/// What is read of a graph besides its neighbour lists.
struct GraphNeeds {
  bool arcs = false;      ///< Where the neighbours of each vertex lie, and these.
  bool vertices = false;  ///< The list of its vertices.
  bool sources = false;   ///< The vertex that each arc starts at.
  bool halves = false;    ///< Where the neighbours above a vertex begin.
  bool labels = false;
  bool degrees = false;                 ///< How many neighbours each vertex has; with `arcs` that is there.
  const ir::Expr* edge_info = nullptr;  ///< An expression that reads edge information.

  void add(const GraphNeeds& other);
};

/// By the names that graphs are read by.
using NeedsByGraph = std::unordered_map<const ir::Var*, GraphNeeds>;

/// One region and what it needs.
struct RegionStep {
  const ir::Region* region = nullptr;
  const ir::For* outer = nullptr;  ///< The loop that is dealt out; null for a sequential region.
  std::vector<SinkForm> sinks;
  std::vector<BufferPlan> buffers;
  std::unordered_set<const ir::Var*> reads;  ///< The values of the top level that the workers read.
  NeedsByGraph graphs;                       ///< What the workers read of graphs.
  int answer = -1;                           ///< The sink whose rows are the answer of the program; -1: none.
  bool reads_ids = false;                    ///< The workers convert between ids and vertices.
  bool shared = false;                       ///< Each sink is a result of the program, and nothing else reads it.

  /// Its sinks only add up, so that parts of the work can be run one by one.
  bool adds_up() const;
  /// Several runs may each walk some of its positions: what they find can be put together (codegen/dealer.h).
  bool is_dealt() const;
};

/// A value of the top level.
struct Value {
  const ir::Var* var;
  const ir::Sink* maybe_sink = nullptr;  ///< The sink of a region that it is.
  bool csr = false;                      ///< A graph that is known to have an offset for each id.

  /// There may be none: an extreme of nothing.
  bool may_be_empty() const;
};

/// Parameters, then what each step binds, in the order of the program. Requires: as Plan.
std::vector<Value> top_level_values(const ir::Module& module);

using Step = std::variant<const ir::Let*, const ir::BuildGraph*, RegionStep, const ir::Return*>;

/// It points into the module, whose nodes must outlive it.
struct Plan {
  /// Requires: a verified module of stage kernel.
  explicit Plan(const ir::Module& module);

  std::vector<Step> steps;     ///< In order.
  NeedsByGraph graphs;         ///< What all steps read of graphs.
  NeedsByGraph worker_graphs;  ///< What the workers of regions read of graphs.
  bool independent = false;    ///< Nothing up to the last region reads what a region found that is dealt.

  std::vector<const RegionStep*> regions() const;
};

/// The statement of a step.
const ir::Stmt& statement_of(const Step& step);

}  // namespace matcha::codegen::host
