#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "codegen/host/arguments.h"
#include "ir/nodes.h"
#include "runtime/cpu/region.h"
#include "runtime/cpu/scheduler.h"

/// What the host does to run a module: a list of steps in the order of the top-level statements. Generated functions
/// are named; a step function has the type `void(RegionContext*)` and works on the frame.
namespace matcha::codegen::cpu {

/// Calls a step function.
struct EvaluateStep {
  std::string function;
};

/// Computes a list and keeps it: `measure` puts a bound on its size in the slot, memory is given for the columns,
/// `fill` writes the items and the size.
struct ListStep {
  std::string measure;
  std::string fill;
  std::uint32_t slot = 0;
  std::vector<runtime::ElementKind> columns;
};

struct BuildStep {
  std::uint32_t slot = 0;
  /// The list of edges is left as the region `rows_of` made it: neighbours and their number at each position of a walk
  /// over the vertices of a graph, whose view is in `walked_slot`.
  bool from_rows = false;
  std::uint32_t walked_slot = 0;
  bool every_rank = false;  ///< The program cannot tell if ranks without edges are vertices.
  std::uint32_t edges_slot = 0;
  std::uint32_t labels_slot = 0;  ///< 0: none; no list is there.
  std::uint32_t info_slot = 0;    ///< 0: none.
  runtime::ElementKind info_kind = runtime::ElementKind::Int;
  ir::GraphIndex index = ir::GraphIndex::Csr;
  SourceLoc loc;
};

/// Scratch memory of each worker; the capacity in items is in the slot when the region starts.
struct ScratchPlan {
  std::string name;
  std::uint32_t slot = 0;
  std::vector<runtime::ElementKind> columns;
  bool counters = false;  ///< An item a rank, zeros at the start.
};

/// Where the value of a sink goes.
struct SinkPlan {
  runtime::SinkInfo info;
  std::uint32_t slot = 0;
  bool wide = false;              ///< A sum of 128 bits.
  bool is_vertex = false;         ///< Min and max of ranks.
  std::uint32_t walked_slot = 0;  ///< Rows of a graph: the view of the graph whose arcs bound their number.
};

struct RegionStep {
  std::string prepare;  ///< Number of positions, capacities of the buffers.
  std::string body;
  std::string inner;  ///< Empty: the second level cannot be split off.
  bool parallel = true;
  std::uint32_t positions_slot = 0;
  std::vector<ScratchPlan> buffers;
  std::vector<SinkPlan> sinks;
  int stream_sink = -1;  ///< The sink whose rows may be handed over as they come.
  bool shared = false;   ///< Its sinks are results of the program and nothing else: a share walks a part of it.
  /// Parts of it may be run one by one: it is shared, or its sinks are no lists.
  bool dealt = false;
  std::uint32_t vertices_slot = 0;  ///< The view of the graph whose vertices the outermost loop walks; 0: none.
  SourceLoc loc;
};

/// One result.
struct ResultPlan {
  const ir::Type* type = nullptr;
  std::uint32_t slot = 0;       ///< Of the value, or of a list that the host keeps.
  std::uint32_t sink_slot = 0;  ///< Of the sink that the value is, of a region that is shared; 0: it is none.
};

struct ReturnStep {
  std::string function;
  std::vector<ResultPlan> results;
};

using Step = std::variant<EvaluateStep, ListStep, BuildStep, RegionStep, ReturnStep>;

/// What is asked of a graph, by its slot.
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
  bool independent = false;        ///< Nothing up to its last region reads what a dealt region found.
  std::vector<std::string> files;  ///< Names of the source files, by id.
  std::vector<SourceLoc> places;   ///< Those of the module's nodes, to find the length of a trap's place again.
};

}  // namespace matcha::codegen::cpu
