// Graphs of a program that was compiled ahead of time: from a `.mtg` file, and from lists of edges.
#pragma once

#include "codegen/c_family/host/end_sums.h"
#include "codegen/c_family/host/host.h"

namespace matcha_program {

/// The `.mtg` file (versions 1, 2, and 4 and 6 with ids of 64 bits): a header of 64 bytes, then a table of sections.
/// GRAPH, for the parameter `graph`.
inline void Host::map_graph(const std::string& graph, const std::vector<Assumed>& assumed) {
  const std::string& path = settings_.graph;
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
  const char* const hint = "; make one with `matcha graph convert`";
  if (base == MAP_FAILED) throw Failure{3, path + ": not a .mtg file" + hint};
  const u8* data = static_cast<const u8*>(base);
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (std::memcmp(header.magic, "\x89MTG\r\n\x1a\n", 8) != 0) throw Failure{3, path + ": not a .mtg file" + hint};
  const u32 version = header.version;
  bool known = version >= 1 && version <= 6 && header.endian_tag == 0x01020304 && header.file_bytes == bytes &&
               header.section_count <= 20 && sizeof header + header.section_count * sizeof(Entry) <= bytes &&
               header.universe <= 0xFFFFFFFF && header.arc_count <= bytes / 4 && header.vertex_count <= header.universe;
  if (!known) throw Failure{3, path + ": not a .mtg file of version 1 to 6, or truncated" + hint};
  Graph g{};
  g.universe = header.universe;
  g.arc_count = header.arc_count;
  g.vertex_count = header.vertex_count;
  for (u64 i = 0; i < header.section_count; ++i) {
    Entry entry;
    std::memcpy(&entry, data + sizeof header + i * sizeof entry, sizeof entry);
    if (entry.begin % 64 != 0 || entry.begin > bytes || entry.bytes > bytes - entry.begin)
      throw Failure{3, path + ": a section lies outside the file"};
    const u8* at = data + entry.begin;
    const u64 widths[] = {
        0,           8 * (g.universe + 1), 4 * g.arc_count,      8 * g.universe,  4 * g.vertex_count, 8 * g.universe,
        entry.bytes, 8 * g.arc_count,      8 * (g.universe + 1), 4 * g.arc_count, 4 * g.universe};
    if (version >= 3 && (entry.section == 11 || entry.section == 12))
      throw Failure{3, path + ": its ids are text, or beyond 64 bits with a sign; compiled programs read neither"};
    // Sections 13 to 16 have the edges by label, which `slice` finds itself; 17 to 19 the halves of rows, and 20 the
    // number of edges that were left out.
    if (version >= 4 && entry.section > 12 && entry.section <= 20) continue;
    if (entry.section == 0 || entry.section > 10 || widths[entry.section] != entry.bytes)
      throw Failure{3, path + ": a section has the wrong size"};
    if (entry.section == 1) g.offsets = reinterpret_cast<const u64*>(at);
    if (entry.section == 2) g.arcs = reinterpret_cast<const u32*>(at);
    if (entry.section == 3) g.original_ids = reinterpret_cast<const i64*>(at);
    if (entry.section == 4) g.vertex_list = reinterpret_cast<const u32*>(at);
    if (entry.section == 5) g.labels = reinterpret_cast<const i64*>(at);
    if (entry.section == 6) read_words(path, at, entry.bytes);
    if (entry.section == 7) g.info = at;
  }
  check_graph(path, g, header.flags);
  for (const Assumed& each : assumed) {
    if (is_as_assumed(g, header.flags, each)) continue;
    if (each.kind == Assumed::Arcs)
      throw Failure{3, path +
                           ": the program asks for the arcs of the graph, and the .mtg keeps none; make it with "
                           "`matcha graph convert --directed`"};
    throw Failure{3, path + ": the graph for `" + graph + "` is not `" + each.property +
                         "`: the compiled program assumes that " + each.meaning +
                         (each.kind == Assumed::Simple ? "; make the .mtg without --edge-labels and --temporal" : "")};
  }
  graph_ = g;
  facts_.vertices = g.vertex_count;
  facts_.edges = (header.flags & 1) != 0 ? g.arc_count : g.arc_count / 2;
  facts_.max_degree = g.max_degree;
}

/// For each vertex the offsets of its first neighbour and of the first one that is not below it; and the last offset.
inline std::vector<u64> halves_of(const Graph& g) {
  std::vector<u64> halves(2 * g.universe + 1);
  for (u64 v = 0; v < g.universe; ++v) {
    halves[2 * v] = g.offsets[v];
    halves[2 * v + 1] = u64(std::lower_bound(g.arcs + g.offsets[v], g.arcs + g.offsets[v + 1], u32(v)) - g.arcs);
  }
  halves[2 * g.universe] = g.arc_count;
  return halves;
}

/// Lists of neighbours are short lists; parallel edges may make them longer than there are vertices.
inline void check_degree(const Graph& g) {
  if (g.max_degree <= kMostItems) return;
  throw Failure{
      5, "a vertex has " + std::to_string(g.max_degree) + " neighbours; it may have " + std::to_string(kMostItems)};
}

/// Throws if the graph could lead the program out of bounds or to a wrong count, and adds the arrays that the file
/// omits.
inline void Host::check_graph(const std::string& path, Graph& g, u64 flags) {
  const bool directed = (flags & 1) != 0, simple = (flags & 2) != 0;
  const u64* const info = static_cast<const u64*>(static_cast<const void*>(g.info));
  EndSums ends;
  if (g.offsets == nullptr || (g.arcs == nullptr && g.arc_count != 0) ||
      (g.vertex_list == nullptr && g.vertex_count != g.universe))
    throw Failure{3, path + ": sections are missing"};
  if (g.offsets[0] != 0 || g.offsets[g.universe] != g.arc_count) throw Failure{3, path + ": offsets are out of order"};
  std::vector<u32> sources(g.arc_count);
  for (u64 v = 0; v < g.universe; ++v) {
    if (g.offsets[v + 1] < g.offsets[v] || g.offsets[v + 1] > g.arc_count)
      throw Failure{3, path + ": offsets are out of order"};
    g.max_degree = std::max(g.max_degree, g.offsets[v + 1] - g.offsets[v]);
    for (u64 i = g.offsets[v]; i < g.offsets[v + 1]; ++i) {
      if (g.arcs[i] >= g.universe) throw Failure{3, path + ": a neighbour is no vertex"};
      if ((simple && g.arcs[i] == v) || (i != g.offsets[v] && g.arcs[i] < g.arcs[i - 1] + (simple ? 1 : 0)))
        throw Failure{3, path + ": neighbours are out of order"};
      if (!directed) ends.add(u32(v), g.arcs[i], info == nullptr ? 0 : info[i]);
      sources[i] = u32(v);
    }
  }
  if (!ends.are_equal()) throw Failure{3, path + ": an undirected graph has edges at one of their ends only"};
  check_degree(g);
  g.sources = keep(std::move(sources));
  g.halves = keep(halves_of(g));
  for (u64 i = 0; g.vertex_list != nullptr && i < g.vertex_count; ++i) {
    if (g.vertex_list[i] >= g.universe) throw Failure{3, path + ": a vertex is out of range"};
  }
  if (g.vertex_list == nullptr) {
    std::vector<u32> all(g.universe);
    std::iota(all.begin(), all.end(), 0u);
    g.vertex_list = keep(std::move(all));
  }
}

/// A count, the end of each word in the text, and the text.
inline void Host::read_words(const std::string& path, const u8* bytes, u64 size) {
  const auto number = [&](u64 i) {
    u64 value;
    std::memcpy(&value, bytes + 8 * i, 8);
    return value;
  };
  bool good = size >= 8 && number(0) <= size / 8 - 1;
  u64 begin = 0;
  for (u64 i = 0; good && i < number(0); ++i) {
    u64 end = number(i + 1);
    u64 text = 8 * (number(0) + 1);
    good = begin <= end && end <= size - text;
    if (good) words_.emplace_back(reinterpret_cast<const char*>(bytes) + text + begin, end - begin);
    begin = end;
  }
  if (!good) throw Failure{3, path + ": its label words are cut"};
}

/// Number of characters to insert, drop or change to make `a` into `b`.
inline u64 distance(const std::string& a, const std::string& b) {
  std::vector<u64> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0ull);
  for (u64 i = 0; i < a.size(); ++i) {
    u64 diagonal = row[0]++;
    for (u64 j = 0; j < b.size(); ++j) {
      u64 changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, changed});
    }
  }
  return row[b.size()];
}

inline i64 Host::label(const std::string& word) const {
  const auto found = std::lower_bound(words_.begin(), words_.end(), word);
  if (found != words_.end() && *found == word) return -1 - i64(found - words_.begin());
  constexpr u64 kNear = 2;
  constexpr u64 kShown = 8;
  std::string message = settings_.graph + ": no vertex or edge has the label `" + word + "`";
  std::vector<std::string> near;
  for (const std::string& known : words_) {
    if (distance(word, known) <= std::min<u64>(kNear, word.size() - 1)) near.push_back(known);
  }
  if (words_.empty()) throw Failure{3, message + "; none of its labels is a word"};
  message += near.empty() ? "; the labels are" : "; near ones are";
  if (near.empty()) near = words_;
  for (u64 i = 0; i < near.size() && i < kShown; ++i) message += " `" + near[i] + "`";
  throw Failure{3, message + (near.size() > kShown ? " …" : "")};
}

inline Graph Host::build_graph(List<u32, u32> edges, const u64* info, List<u32, i64> labels, const Graph& universe,
                               bool by_info) {
  u64 n = universe.universe;
  u64 m = edges.size;
  std::vector<u64> order(m);
  std::iota(order.begin(), order.end(), 0ull);
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) {
    u32 source_a = edges.at(a), source_b = edges.at(b);
    if (source_a != source_b) return source_a < source_b;
    return by_info ? i64(info[a]) < i64(info[b]) : edges.rest.at(a) < edges.rest.at(b);
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
  check_degree(g);
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
  g.halves = keep(halves_of(g));
  g.vertex_list = keep(std::move(vertex_list));
  if (info != nullptr) g.info = keep(std::move(infos));
  return g;
}

}  // namespace matcha_program
