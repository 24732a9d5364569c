// The host side of a program that was compiled ahead of time: reads the graph, runs regions on threads, prints the
// answer.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace matcha_program {

using Worker = WorkerOf<Group<1>>;

/// A failure with the exit code that the program ends with: 2 usage, 3 input, 4 run time, 5 resources.
struct Failure {
  int exit_code;
  std::string message;
};

struct Settings {
  std::string graph;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  u64 tau_us = 10000;  ///< 0: loops are never split.
  u64 chunk = 8;
  u64 queue = 4096;  ///< Tasks.
  u64 rows = u64{1} << 16;
  bool json = false;
  std::map<std::string, std::string> parameters;
};

/// What a region's sink holds, as the host sets it up and merges it.
enum class SinkForm { SumInt, SumFloat, MinInt, MinFloat, MaxInt, MaxFloat, Any, All, Rows };
struct SinkPlan {
  SinkForm form;
  u64 columns;  ///< Of Rows.
};
struct RegionPlan {
  u64 positions;
  u64 split;
  std::vector<SinkPlan> sinks;
  std::vector<std::pair<u64, u64>> buffers;  ///< Items at most, bytes an item.
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
  Graph map_graph(const std::string& path);
  /// A directed graph from an edge list; neighbours by target, then input order.
  Graph build_graph(List<u32, u32> edges, const u64* info, List<u32, i64> labels, const Graph& universe);

  /// Keeps columns alive until the end of the program.
  template <typename T>
  const T* keep(std::vector<T> items) {
    std::shared_ptr<std::vector<T>> kept = std::make_shared<std::vector<T>>(std::move(items));
    kept_.push_back(kept);
    return kept->data();
  }
  template <typename T>
  T* array(u64 size) {
    std::shared_ptr<T[]> kept(new T[size + 1]());
    kept_.push_back(kept);
    return kept.get();
  }
  template <typename T>
  Room<T> room(u64 capacity) {
    return {array<T>(capacity), capacity};
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

  /// A scalar parameter of the program, from `--NAME=VALUE`.
  template <typename T>
  T parameter(const std::string& name);

  template <typename F>
  RegionValues run_region(const RegionPlan& plan, F walk_task);

  /// Throws when `error` of the last step is set.
  void check(const Shared& shared) const;
  void use_ids(const Graph& g) { ids_ = g.original_ids, universe_ = g.universe; }
  Launch top_launch(Shared& shared) const;

 private:
  template <typename F>
  bool try_region(const RegionPlan& plan, F& walk_task, u64 row_capacity, RegionValues& values, u64& rows_wanted);

  Settings settings_;
  std::deque<std::shared_ptr<void>> kept_;
  const i64* ids_ = nullptr;
  u64 universe_ = 0;
};

inline const char* trap_text(u32 code) {
  static const char* const texts[] = {"",
                                      "division by zero",
                                      "integer overflow",
                                      "`get` outside the list",
                                      "`apply` over lists of different lengths",
                                      "`min` or `max` of an empty list",
                                      "a list outgrew its planned capacity",
                                      "no such vertex",
                                      "out of memory",
                                      "vertex has no label"};
  return code < sizeof texts / sizeof *texts ? texts[code] : "unknown error";
}

inline void Host::check(const Shared& shared) const {
  if (shared.error == 0) return;
  u32 code = u32(shared.error >> 56);
  throw Failure{4, "line " + std::to_string(shared.error >> 24 & 0xFFFFFFFF) + ": " + trap_text(code)};
}

inline Launch Host::top_launch(Shared& shared) const {
  Launch launch{};
  launch.shared = &shared;
  launch.original_ids = ids_;
  launch.universe = universe_;
  return launch;
}

/// The `.mtg` file (version 1): a header of 64 bytes, then a table of sections.
inline Graph Host::map_graph(const std::string& path) {
  struct Header {
    char magic[8];
    u32 version, endian_tag;
    u64 file_bytes, flags, universe, arc_count, vertex_count, section_count;
  };
  struct Entry {
    u64 section, begin, bytes, checksum;
  };
  int file = open(path.c_str(), O_RDONLY);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) throw Failure{3, path + ": " + std::strerror(errno)};
  u64 bytes = u64(status.st_size);
  void* base = bytes < sizeof(Header) ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (base == MAP_FAILED) throw Failure{3, path + ": not a .mtg file"};
  const u8* data = static_cast<const u8*>(base);
  Header header;
  std::memcpy(&header, data, sizeof header);
  bool known = std::memcmp(header.magic, "\x89MTG\r\n\x1a\n", 8) == 0 && header.version == 1 &&
               header.endian_tag == 0x01020304 && header.file_bytes == bytes && header.section_count <= 64 &&
               sizeof header + header.section_count * sizeof(Entry) <= bytes;
  if (!known) throw Failure{3, path + ": not a .mtg file of version 1, or truncated"};
  Graph g{};
  g.universe = header.universe;
  g.arc_count = header.arc_count;
  g.vertex_count = header.vertex_count;
  for (u64 i = 0; i < header.section_count; ++i) {
    Entry entry;
    std::memcpy(&entry, data + sizeof header + i * sizeof entry, sizeof entry);
    if (entry.begin > bytes || entry.bytes > bytes - entry.begin)
      throw Failure{3, path + ": a section lies outside the file"};
    const void* at = data + entry.begin;
    const u64 widths[] = {
        0,           8 * (g.universe + 1), 4 * g.arc_count, 8 * g.universe, 4 * g.vertex_count, 8 * g.universe,
        entry.bytes, 8 * g.arc_count};
    if (entry.section == 0 || entry.section > 7 || widths[entry.section] != entry.bytes)
      throw Failure{3, path + ": a section has the wrong size"};
    if (entry.section == 1) g.offsets = static_cast<const u64*>(at);
    if (entry.section == 2) g.arcs = static_cast<const u32*>(at);
    if (entry.section == 3) g.original_ids = static_cast<const i64*>(at);
    if (entry.section == 4) g.vertex_list = static_cast<const u32*>(at);
    if (entry.section == 5) g.labels = static_cast<const i64*>(at);
    if (entry.section == 7) g.info = at;
  }
  if (g.offsets == nullptr || (g.arcs == nullptr && g.arc_count != 0))
    throw Failure{3, path + ": sections are missing"};
  if (g.offsets[0] != 0 || g.offsets[g.universe] != g.arc_count) throw Failure{3, path + ": offsets are out of order"};
  std::vector<u32> sources(g.arc_count);
  for (u64 v = 0; v < g.universe; ++v) {
    if (g.offsets[v + 1] < g.offsets[v] || g.offsets[v + 1] > g.arc_count)
      throw Failure{3, path + ": offsets are out of order"};
    g.max_degree = std::max(g.max_degree, g.offsets[v + 1] - g.offsets[v]);
    for (u64 i = g.offsets[v]; i < g.offsets[v + 1]; ++i) {
      if (g.arcs[i] >= g.universe) throw Failure{3, path + ": a neighbour is no vertex"};
      sources[i] = u32(v);
    }
  }
  g.sources = keep(std::move(sources));
  if (g.vertex_list == nullptr) {
    std::vector<u32> all(g.universe);
    std::iota(all.begin(), all.end(), 0u);
    g.vertex_list = keep(std::move(all));
  }
  return g;
}

inline Graph Host::build_graph(List<u32, u32> edges, const u64* info, List<u32, i64> labels, const Graph& universe) {
  u64 n = universe.universe;
  u64 m = edges.size;
  std::vector<u64> order(m);
  std::iota(order.begin(), order.end(), 0ull);
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) {
    u32 source_a = edges.at(a), source_b = edges.at(b);
    return source_a != source_b ? source_a < source_b : edges.rest.at(a) < edges.rest.at(b);
  });
  Graph g{};
  std::vector<u64> offsets(n + 1, 0), infos(info != nullptr ? m : 0);
  std::vector<u32> arcs(m), sources(m), vertex_list;
  std::vector<bool> present(n, false);
  for (u64 i = 0; i < m; ++i) {
    sources[i] = edges.at(order[i]);
    arcs[i] = edges.rest.at(order[i]);
    if (info != nullptr) infos[i] = info[order[i]];
    ++offsets[sources[i] + 1];
    present[sources[i]] = present[arcs[i]] = true;
  }
  for (u64 v = 0; v < n; ++v) {
    g.max_degree = std::max(g.max_degree, offsets[v + 1]);
    offsets[v + 1] += offsets[v];
  }
  g.labels = universe.labels;
  if (labels.size != 0) {
    std::vector<i64> values(n, kNoLabel);
    for (u64 i = 0; i < labels.size; ++i) {
      i64& label = values[labels.at(i)];
      if (label != kNoLabel && label != labels.rest.at(i)) throw Failure{4, "a vertex has two different labels"};
      label = labels.rest.at(i);
      present[labels.at(i)] = true;
    }
    g.labels = keep(std::move(values));
  }
  for (u64 v = 0; v < n; ++v) {
    if (present[v]) vertex_list.push_back(u32(v));
  }
  g.universe = n;
  g.arc_count = m;
  g.vertex_count = vertex_list.size();
  g.original_ids = universe.original_ids;
  g.offsets = keep(std::move(offsets));
  g.arcs = keep(std::move(arcs));
  g.sources = keep(std::move(sources));
  g.vertex_list = keep(std::move(vertex_list));
  if (info != nullptr) g.info = keep(std::move(infos));
  return g;
}

}  // namespace matcha_program
