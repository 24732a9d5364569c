// The host side of a program compiled ahead of time: inputs and storage; host_run.h of a back end runs regions.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "codegen/c_family/host/assumed.h"
#include "codegen/c_family/host/kernels.h"
#include "codegen/c_family/host/rounds.h"

namespace matcha_program {

using Worker = WorkerOf<Group<1>>;

/// A failure with the exit code that the program ends with: 2 usage, 3 input, 4 run time, 5 resources.
struct Failure {
  int exit_code;
  std::string message;
};

/// The schedule of regions; the runner has the defaults and the options.
struct Schedule : KernelSettings {
  unsigned threads = 0;
  int device = 0;
  u64 steal = kTimeout;
  std::optional<u64> tau_us;  ///< Empty: 100, or 10 when halves are stolen. 0: never.
  u64 chunk = 0;
  u64 tile = 0;        ///< Arcs of a tile (runtime/common/deal.h); 0: no tiles.
  u64 queue = 0;       ///< Tasks.
  bool eager = false;  ///< Split even when no worker waits for work.
  u64 split = 3;       ///< Loop levels whose positions can be stolen.
  u64 block = 8;       ///< Workers that steal from each other directly.
  u64 arena_bytes = ~0ull;
  u64 rows = 0;  ///< Initial capacity of a list, in rows.
};

struct Settings {
  std::string graph;
  Schedule schedule;
  bool json = false;
  std::map<std::string, std::string> parameters;  ///< `--param NAME=VALUE`.
  std::map<std::string, std::string> inputs;      ///< `--in NAME=FILE[:COLUMNS]`.
};

/// A list parameter: a letter a column, `v` vertices, `i` ints, `f` floats, `b` bools.
struct ListParameter {
  std::string name;
  std::string columns;
};
/// The columns of a list that was read, in the runtime's own types.
struct InputList {
  u64 size;
  std::vector<const void*> columns;
};
/// The facts of a run in its JSON report.
struct Facts : KernelFacts {
  u64 vertices = 0, edges = 0, max_degree = 0;
  u64 positions = 0;   ///< Outermost iterations of all regions.
  u64 splits = 0;      ///< Tasks handed on by long tasks or stolen by idle workers.
  u64 workers = 0;     ///< Workers with lists, in the region whose lists took most memory.
  u64 list_bytes = 0;  ///< Bytes of their lists.
  bool paged = false;
  f64 upload_ms = 0;  ///< Milliseconds for copying graphs and lists to a device.
};

/// The kind of a region's sink, by which the host initializes and merges it.
enum class SinkForm { SumInt, SumFloat, MinInt, MinFloat, MaxInt, MaxFloat, Any, All, Rows };
struct SinkPlan {
  SinkForm form;
  u64 columns;  ///< The number of columns of Rows.
};
/// A planned buffer. Arrays: in every kind of stack. Counters: one for each rank, initially zero.
struct BufferNeeds {
  u64 items, item_bytes;
  bool array, counters = false;
};
struct RegionPlan {
  bool parallel, paged, light_arcs;  ///< Several workers; lists in pages; as EmittedRegion::light_arcs.
  u64 positions, split;
  const Graph* dealt_graph;  ///< The graph by whose arcs the region may be dealt; null: by positions.
  u64 lanes_level = 3;       ///< The level of the loop whose positions are divided among lanes.
  std::vector<SinkPlan> sinks;
  std::vector<BufferNeeds> buffers;
  u64 shared_rows;  ///< Rows of bits for each position, which tasks of one outermost position may share.
  u64 row_items;    ///< The largest number of items of such a row.
  u64 bit_loops;    ///< Nested loops over sets of bits; 0 without such rows.
};
/// The merged sinks of a region: `slots[i]` of sink i, `rows[i]` its columns in order of the outermost positions.
struct RegionValues {
  std::vector<Slot> slots;
  std::vector<std::vector<std::vector<u64>>> rows;
};

class Host {
 public:
  explicit Host(Settings settings) : settings_(std::move(settings)) {}

  const Settings& settings() const { return settings_; }
  const Facts& facts() const { return facts_; }
  Facts& facts() { return facts_; }

  /// Reads GRAPH for the parameter `graph` (empty: GRAPH is for the one list of edges without `--in`), then the other
  /// lists, whose ids must be vertices of the graph. Throws Failure if the graph breaks an assumption.
  void bind(const std::string& graph, const std::vector<ListParameter>& lists, const std::vector<Assumed>& assumed);
  /// The graph; without GRAPH, a graph without edges over the vertex ids of the lists.
  const Graph& graph() const { return graph_; }
  template <typename... T>
  List<T...> input(const std::string& name) const;
  /// The code of a label word of the graph.
  i64 label(const std::string& word) const;
  /// To be called after the last `parameter`. Throws Failure if a given parameter or input is unknown to the program.
  void end_parameters() const;
  Graph slice(i64 label, bool sources);
  Graph backwards();
  /// A directed graph from an edge list; neighbours by target, then input order.
  Graph build_graph(List<u32, u32> edges, const u64* info, List<u32, i64> labels, const Graph& universe,
                    bool by_info = false);

  /// Keeps columns alive until the end of the program.
  template <typename T>
  const T* keep(std::vector<T> items) {
    kept_.push_back(std::make_shared<std::vector<T>>(std::move(items)));
    return static_cast<const std::vector<T>*>(kept_.back().get())->data();
  }
  template <typename T>
  T* array(u64 size) {
    std::shared_ptr<T[]> kept(new T[size + 1]());
    kept_.push_back(kept);
    return kept.get();
  }
  template <typename T, typename... Rest>
  LongRoom<T, Rest...> room(u64 capacity) {
    if constexpr (sizeof...(Rest) != 0) return {{array<T>(capacity), capacity, room<Rest...>(capacity)}};
    if constexpr (sizeof...(Rest) == 0) return {{array<T>(capacity), capacity}};
  }
  template <u64 rows, typename T>
  List<T> list(const Literal<rows, T>& literal) {
    T* items = array<T>(rows);
    for (u64 i = 0; i < rows; ++i) items[i] = literal.data[i];
    return {items, rows};
  }
  template <typename... T>
  List<T...> list(const List<T...>& view) {
    return view;
  }
  /// A row of a graph.
  template <typename T>
  List<T> list(const ShortList<T>& row) {
    return {row.data, row.size};
  }

  /// Items of a list as the 8-byte words of edge information.
  template <typename T>
  const u64* words(const List<T>& list) {
    u64* items = array<u64>(list.size);
    for (u64 i = 0; i < list.size; ++i) {
      if constexpr (sizeof(T) == 8) {
        items[i] = __builtin_bit_cast(u64, list.at(i));
      } else {
        items[i] = u64(list.at(i));
      }
    }
    return items;
  }

  /// A scalar parameter of the program, from `--param NAME=VALUE`.
  template <typename T>
  T parameter(const std::string& name);
  template <typename T>
  T parameter(const std::string& name, T without);

  /// Throws when `error` of the last step is set.
  void check(const Shared& shared) const;
  Launch top_launch(Shared& shared) const;

 private:
  void map_graph(const std::string& graph, const std::vector<Assumed>& assumed);
  void check_graph(const std::string& path, Graph& g, u64 flags);
  void read_words(const std::string& path, const u8* bytes, u64 size);
  void rank_ids(std::map<std::string, std::vector<std::vector<i64>>>& read, const std::vector<ListParameter>& lists);
  u32 rank_of(i64 id, const std::string& list) const;

  Settings settings_;
  std::deque<std::shared_ptr<void>> kept_;
  Facts facts_;
  Graph graph_{};
  std::vector<std::string> words_;  ///< Label words in ascending order: word i has code -1 - i.
  std::map<std::string, InputList> lists_;
  std::vector<std::string> known_parameters_;
};

/// `List<T...>` over columns in order.
template <typename T, typename... Rest>
List<T, Rest...> list_over(const void* const* columns, u64 size) {
  if constexpr (sizeof...(Rest) == 0) {
    return {static_cast<const T*>(columns[0]), size};
  } else {
    return {static_cast<const T*>(columns[0]), size, list_over<Rest...>(columns + 1, size)};
  }
}
template <typename... T>
List<T...> Host::input(const std::string& name) const {
  const InputList& list = lists_.at(name);
  return list_over<T...>(list.columns.data(), list.size);
}

inline void Host::check(const Shared& shared) const {
  if (shared.error == 0) return;
  u32 code = u32(shared.error >> 56);
  if (code == kOutOfPages) throw Failure{5, "the pages for intermediate lists ran out; raise --arena-mb"};
  throw Failure{code == kOutOfMemory ? 5 : 4, "line " + std::to_string(shared.error >> 24 & 0xFFFFFFFF) + ", column " +
                                                  std::to_string(shared.error & 0xFFFFFF) + ": " + trap_text(code)};
}

inline Launch Host::top_launch(Shared& shared) const {
  Launch launch{};
  launch.shared = &shared;
  launch.original_ids = graph_.original_ids;
  launch.universe = graph_.universe;
  return launch;
}

}  // namespace matcha_program
