#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "codegen/host/arguments.h"
#include "ir/nodes.h"
#include "runtime/cpu/region.h"
#include "runtime/cpu/scheduler.h"

/// The steps by which the host runs a module, in the order of the top-level statements. Generated functions are known
/// by name; a step function has the type `void(RegionContext*)` and works on the frame.
namespace matcha::codegen::cpu {

/// Calls a step function.
struct EvaluateStep {
  std::string function;
};

/// Computes a list and keeps it: `measure` stores an upper bound of its size in the slot, the host allocates the
/// columns, `fill` writes the items and the size.
struct ListStep {
  std::string measure;
  std::string fill;
  std::uint32_t slot = 0;
  std::vector<runtime::ElementKind> columns;
};

struct BuildStep {
  std::uint32_t slot = 0;
  /// The edges are the rows of region `rows_of`: for each position of a walk over the vertices of a graph, the
  /// neighbours and their number. The view of that graph is in `walked_slot`.
  bool from_rows = false;
  std::uint32_t walked_slot = 0;
  bool every_rank = false;  ///< The program cannot observe whether ranks without edges are vertices.
  std::uint32_t edges_slot = 0;
  std::uint32_t labels_slot = 0;  ///< 0: none; the program gives no list of labels.
  std::uint32_t info_slot = 0;    ///< 0: none.
  runtime::ElementKind info_kind = runtime::ElementKind::Int;
  ir::GraphIndex index = ir::GraphIndex::Csr;
  ir::RowOrder order = ir::RowOrder::Target;
  SourceLoc loc;
};

/// Scratch memory of each worker; the capacity in items is in the slot when the region starts.
struct ScratchPlan {
  std::string name;
  std::uint32_t slot = 0;
  std::vector<runtime::ElementKind> columns;
  bool counters = false;  ///< An item a rank, zeros at the start.
};

/// The destination of a sink's value.
struct SinkPlan {
  runtime::SinkInfo info;
  std::uint32_t slot = 0;
  bool wide = false;              ///< A sum of 128 bits.
  bool is_vertex = false;         ///< Min and max of ranks.
  std::uint32_t walked_slot = 0;  ///< Rows of a graph: slot of the view of the graph whose arcs bound their number.
};

struct RegionStep {
  std::string prepare;  ///< Number of positions, capacities of the buffers.
  std::string body;
  std::string inner;  ///< Empty: the second level cannot be split.
  bool parallel = true;
  std::uint32_t positions_slot = 0;
  std::vector<ScratchPlan> buffers;
  std::vector<SinkPlan> sinks;
  int stream_sink = -1;  ///< The sink whose rows may be handed over as they are found.
  bool shared = false;   ///< All of its sinks are only results of the program, so a share walks a part of it.
  /// Parts of it may be run one by one: it is shared, or none of its sinks is a list.
  bool dealt = false;
  std::uint32_t vertices_slot = 0;  ///< Slot of the view of the graph whose vertices the outermost loop walks; 0:
                                    ///< another loop.
  SourceLoc loc;
};

/// One result.
struct ResultPlan {
  const ir::Type* type = nullptr;
  std::uint32_t slot = 0;       ///< Slot of the value, or of a list that the host keeps.
  std::uint32_t sink_slot = 0;  ///< Slot of the sink of a shared region that the value is; 0: no such sink.
};

struct ReturnStep {
  std::string function;
  std::vector<ResultPlan> results;
};

/// A value of a round: its slot, and the slot in which a step function leaves its next value. A list has columns, and
/// the run keeps its own copy of the items.
struct RoundValue {
  std::uint32_t slot = 0;
  std::uint32_t next_slot = 0;
  bool list = false;
  std::vector<runtime::ElementKind> columns;
};

/// Begins rounds with the values in `next_slot`; their number is in `times_slot`.
struct RepeatStep {
  std::vector<RoundValue> values;
  std::uint32_t times_slot = 0;
};

/// Ends a round: continues behind step `first`, or gives the values their slots in `results`.
struct AgainStep {
  std::size_t first = 0;
  std::vector<RoundValue> values;
  std::vector<RoundValue> results;
  std::uint32_t times_slot = 0;
  bool until_equal = false;
  SourceLoc loc;
};

using Step = std::variant<EvaluateStep, ListStep, BuildStep, RegionStep, RepeatStep, AgainStep, ReturnStep>;

/// The arrays needed of a graph, by its slot.
struct GraphPlan {
  std::uint32_t slot = 0;
  bool vertex_array = false;  ///< Its vertices as an array, even if they are all ranks.
  bool sources = false;
  bool halves = false;
  bool edge_info = false;
  SourceLoc info_loc;
};

struct Program {
  host::Signature signature;
  std::vector<std::uint32_t> param_slots;
  std::vector<Step> steps;
  std::vector<GraphPlan> graphs;
  std::uint32_t slot_count = 0;
  bool independent = false;        ///< No step up to the last region reads values of a dealt region.
  std::vector<std::string> files;  ///< Names of the source files, by id.
  std::vector<SourceLoc> places;   ///< Places of the module's nodes, from which the length of a trap's place is found.
};

}  // namespace matcha::codegen::cpu
