#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <utility>

#include "engines/identities/counter.h"
#include "engines/identities/orbit_counter.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/graph/generate.h"
#include "runtime/graph/mtg.h"
#include "tests/unit/runtime/graph/mtg_files.h"
#include "tests/unit/runtime/graph/support.h"
#include "tests/unit/sanitized.h"

namespace matcha::runtime::test {
namespace {

TEST(Mtg, RowsOfManyVerticesAreLookedThrough) {
  // Rows before, across and after the blocks and vectors that they are looked through in.
  const TemporaryFolder folder;
  const Result<Graph> graph = generate_erdos_renyi(5000, 40000, 7);
  ASSERT_TRUE(graph);
  const std::string path = folder.path("g.mtg");
  ASSERT_TRUE(write_mtg(*graph, path));
  const std::string good = read_bytes(path);
  const std::uint64_t* const offsets = graph->view().offsets;
  const std::uint32_t* const neighbors = graph->view().neighbors;
  for (std::uint32_t vertex = 3; vertex < 5000; vertex += 97) {
    const std::uint64_t begin = offsets[vertex], end = offsets[vertex + 1];
    if (end - begin < 3) continue;
    const std::uint64_t at = begin + 1 + vertex % (end - begin - 1);
    const std::uint32_t below = neighbors[at - 1];
    // Equal to the one before it, less, the vertex itself, and out of range in the end.
    for (const auto& [place, wrong] : {std::pair{at, below}, std::pair{at, below - 1}, std::pair{at, vertex},
                                       std::pair{end - 1, 5000U}, std::pair{end - 1, 0xFFFFFFFFU}}) {
      if (neighbors[place] == wrong) continue;
      const std::uint64_t where = place;
      const std::uint32_t item = wrong;
      const std::string bad = with_section(good, detail::MtgSection::Neighbors, [&](char* data) {
        std::memcpy(data + where * sizeof(item), &item, sizeof(item));
      });
      EXPECT_NE(refused(folder, bad).message.find("its neighbours are out of order or out of range"), std::string::npos)
          << vertex << " " << place << " " << wrong;
    }
  }
}

TEST(Mtg, WrongContentWithRightChecksumsIsRefused) {
  const TemporaryFolder folder;
  const std::string good = read_bytes(write_labelled(folder)), ranked = read_bytes(write_ranked(folder));
  const std::string by_label = read_bytes(write_by_label(folder));
  const auto put32 = [](std::uint64_t index, std::uint32_t value) {
    return [=](char* data) { std::memcpy(data + index * 4, &value, 4); };
  };
  const auto put64 = [](std::uint64_t index, std::uint64_t value) {
    return [=](char* data) { std::memcpy(data + index * 8, &value, 8); };
  };
  using detail::MtgSection;
  const std::vector<std::string> bad = {
      with_section(good, MtgSection::Offsets, put64(0, 1)),
      with_section(good, MtgSection::Offsets, put64(1, 5)),
      with_section(good, MtgSection::Offsets, put64(1, ~std::uint64_t{0})),
      with_section(good, MtgSection::Offsets, put64(4, 7)),
      with_section(good, MtgSection::Neighbors, put32(0, 4)),
      with_section(good, MtgSection::Neighbors, put32(0, 0)),
      with_section(good, MtgSection::Neighbors, put32(0, 2)),
      with_section(good, MtgSection::Neighbors, put32(0, 3)),
      with_section(good, MtgSection::Ids, put64(0, 6)),
      with_section(good, MtgSection::Words, put64(0, 3)),
      with_section(good, MtgSection::Words, put64(0, ~std::uint64_t{0})),
      with_section(good, MtgSection::Words, put64(1, 2)),
      with_header(good, [](detail::MtgHeader& header) { header.universe = 5; }),
      with_header(good, [](detail::MtgHeader& header) { header.universe = ~std::uint64_t{0}; }),
      with_header(good, [](detail::MtgHeader& header) { header.arc_count = 0; }),
      with_header(good, [](detail::MtgHeader& header) { header.arc_count = ~std::uint64_t{0}; }),
      with_header(good, [](detail::MtgHeader& header) { header.vertex_count = 3; }),
      with_header(good, [](detail::MtgHeader& header) { header.flags |= 1 << 8; }),
      with_header(good, [](detail::MtgHeader& header) { header.flags |= 1 << 5; }),
      with_header(good, [](detail::MtgHeader& header) { header.version = 2, header.flags |= detail::kMtgByDegree; }),
      with_header(ranked, [](detail::MtgHeader& header) { header.flags &= ~detail::kMtgByDegree; }),
      with_header(ranked, [](detail::MtgHeader& header) { header.flags |= detail::kMtgDirected; }),
      with_section(ranked, MtgSection::RankedFrom, put32(0, 5)),
      with_section(ranked, MtgSection::RankedFrom, put32(0, 4)),
      with_section(ranked, MtgSection::RankedFrom, put32(1, 0)),
      with_section(ranked, MtgSection::RankedNeighbors, put32(0, 9)),
      with_section(ranked, MtgSection::RankedNeighbors, put32(0, 2)),
      with_section(ranked, MtgSection::RankedOffsets, put64(1, 1)),
      with_header(ranked, [](detail::MtgHeader& header) { header.version = 4; }),
      with_section(ranked, MtgSection::Halves, put32(0, 1)),
      with_section(ranked, MtgSection::Halves, put32(3, 9)),
      with_section(ranked, MtgSection::Halves, put32(10, 9)),
      with_section(ranked, MtgSection::RankedHalves, put32(1, 1)),
      with_section(ranked, MtgSection::HalfSizes, put64(0, 9)),
      with_section(ranked, MtgSection::HalfSizes, put64(6, 0)),
      with_section(ranked, MtgSection::HalfSizes, put64(1, 0)),
      with_section(ranked, MtgSection::HalfSizes, put64(7, ~std::uint64_t{0})),
      with_header(by_label, [](detail::MtgHeader& header) { header.version = 3; }),
      with_section(by_label, MtgSection::LabelEntries, put64(0, 5)),
      with_section(by_label, MtgSection::LabelEntries, put64(1, ~std::uint64_t{0})),
      with_section(by_label, MtgSection::LabelEntries, put64(1, 1)),
      with_section(by_label, MtgSection::LabelEntries, put64(2, 1)),
      with_section(by_label, MtgSection::LabelEntries, put64(2, 0)),
      with_section(by_label, MtgSection::LabelRows, put32(0, 9)),
      with_section(by_label, MtgSection::LabelRows, put32(1, 0)),
      with_section(by_label, MtgSection::LabelEnds, put32(0, 0)),
      with_section(by_label, MtgSection::LabelEnds, put32(2, 9)),
      with_section(by_label, MtgSection::LabelItems, put32(0, 9)),
      with_section(by_label, MtgSection::LabelItems, put32(3, 0)),
  };
  for (std::size_t at = 0; at < bad.size(); ++at) {
    const Error error = refused(folder, bad[at]);
    EXPECT_NE(error.message.find("the .mtg is corrupt: "), std::string::npos) << at << " " << error.render();
  }
}

/// The arcs of `bytes`, with `change` made to the items of a section, refused for that reason.
template <typename Item>
void expect_others(const TemporaryFolder& folder, const std::string& bytes, detail::MtgSection which,
                   const std::function<void(Item*)>& change, const std::string& reason) {
  const std::string bad = with_section(bytes, which, [&](char* data) { change(reinterpret_cast<Item*>(data)); });
  ASSERT_NE(bad, bytes);
  EXPECT_NE(refused(folder, bad).message.find(reason), std::string::npos)
      << load_error(folder.path("bad.mtg")).render();
}

TEST(Mtg, AnUndirectedGraphHasItsEdgesAtBothEnds) {
  const TemporaryFolder folder;
  const std::string reason = "it is undirected, and has edges at one of their ends only";
  const auto undirected = [](detail::MtgHeader& header) { header.flags &= ~detail::kMtgDirected; };
  // One-sided rows of all kinds: arcs up, arcs down, and rows of as many arcs as a symmetric graph would have.
  for (const char* const text : {"0 1\n", "1 0\n", "0 1\n1 2\n2 0\n", "0 1\n0 2\n3 0\n", "0 1\n1 0\n1 2\n3 2\n"}) {
    GraphSpec spec = spec_of(folder.file("d", text));
    spec.directed = true;
    ASSERT_TRUE(write_mtg(load(spec).graph, folder.path("d.mtg")));
    const Error error = refused(folder, with_header(read_bytes(folder.path("d.mtg")), undirected));
    EXPECT_NE(error.message.find(reason), std::string::npos) << text << error.render();
  }
  GraphSpec spec = spec_of(folder.file("e", "1 2 5\n1 2 6\n2 3 5\n"));
  spec.edge_info = true;
  spec.info = ColumnKind::Int;
  ASSERT_TRUE(write_mtg(load(spec).graph, folder.path("e.mtg")));
  const std::string with_info = read_bytes(folder.path("e.mtg"));
  EXPECT_EQ(load(folder.path("e.mtg")).graph.edge_count(), 3U);
  expect_others<std::int64_t>(
      folder, with_info, detail::MtgSection::EdgeInfo, [](std::int64_t* info) { info[0] = 7; }, reason);
  // The same labels, of other edges.
  expect_others<std::int64_t>(
      folder, with_info, detail::MtgSection::EdgeInfo, [](std::int64_t* info) { std::swap(info[3], info[4]); }, reason);
}

TEST(Mtg, OneSidedRowsOfALargeGraphAreSeen) {
  const TemporaryFolder folder;
  const Result<Graph> graph = generate_erdos_renyi(5000, 40000, 7);
  ASSERT_TRUE(graph);
  ASSERT_TRUE(write_mtg(*graph, folder.path("g.mtg")));
  const std::string good = read_bytes(folder.path("g.mtg"));
  const GraphView view = graph->view();
  for (std::uint32_t vertex = 3; vertex < 5000; vertex += 197) {
    // A neighbour that keeps its row in order, where there is one.
    const std::uint64_t at = view.offsets[vertex];
    const std::uint32_t other = view.neighbors[at] + 1;
    if (view.offsets[vertex + 1] - at < 2 || view.neighbors[at + 1] <= other || other == vertex) continue;
    expect_others<std::uint32_t>(
        folder, good, detail::MtgSection::Neighbors, [&](std::uint32_t* neighbors) { neighbors[at] = other; },
        "at one of their ends only");
  }
}

TEST(Mtg, OrdersAndTablesAreThoseOfTheSameGraph) {
  const TemporaryFolder folder;
  using detail::MtgSection;
  const std::string ranked = read_bytes(write_ranked(folder)), by_label = read_bytes(write_by_label(folder));
  // 5 and 8 have one neighbour each, and not the same.
  expect_others<std::uint32_t>(
      folder, ranked, MtgSection::RankedFrom,
      [](std::uint32_t* from) {
        std::uint32_t* const five = std::find(from, from + 5, 0U);
        std::uint32_t* const eight = std::find(from, from + 5, 3U);
        std::swap(*five, *eight);
      },
      "its neighbours by degree are others");
  // 1 knows 2 and 3: then 2 and 7 (in the part of the targets), or 3 is known by 2 (in that of the sources).
  expect_others<std::uint32_t>(
      folder, by_label, MtgSection::LabelItems, [](std::uint32_t* items) { items[1] = 3; },
      "its edges by label are others");
  expect_others<std::uint32_t>(
      folder, by_label, MtgSection::LabelItems, [](std::uint32_t* items) { items[6] = 1; },
      "its edges by label are others");
}

TEST(Mtg, CodesAndVerticesAreThoseOfTheFile) {
  const TemporaryFolder folder;
  using detail::MtgSection;
  const std::string labelled = read_bytes(write_labelled(folder));
  expect_others<std::int64_t>(
      folder, labelled, MtgSection::Labels, [](std::int64_t* labels) { labels[0] = -3; },
      "its labels are no words of it");
  const std::string by_label = read_bytes(write_by_label(folder));
  expect_others<std::int64_t>(
      folder, by_label, MtgSection::EdgeInfo, [](std::int64_t* info) { info[0] = -3; },
      "its edges by label are others");
  const std::vector<std::uint32_t> sources = {7, 2}, targets = {1, 8};
  const std::vector<std::uint64_t> info = {1, 0};
  BuildInput input;
  input.universe = std::make_shared<const Universe>(Universe::identity(10));
  input.sources = sources.data();
  input.targets = targets.data();
  input.count = 2;
  input.edge_info = info.data();
  input.info_kind = InfoKind::Bool;
  const Result<Graph> built = build_graph(input);
  ASSERT_TRUE(built);
  ASSERT_TRUE(write_mtg(*built, folder.path("b.mtg")));
  const std::string sparse = read_bytes(folder.path("b.mtg"));
  ASSERT_TRUE(read_mtg(folder.path("b.mtg")));
  expect_others<std::uint64_t>(
      folder, sparse, MtgSection::EdgeInfo, [](std::uint64_t* words) { words[1] = 2; }, "its edge info is no bool");
  // 1, 2, 7 and 8 have arcs, as sources or as targets.
  for (const auto& [place, vertex] : {std::pair{0, 0U}, std::pair{1, 3U}, std::pair{2, 6U}, std::pair{3, 9U}}) {
    expect_others<std::uint32_t>(
        folder, sparse, MtgSection::Vertices,
        [&, at = place, rank = vertex](std::uint32_t* vertices) { vertices[at] = rank; },
        "it has arcs or labels of ranks that are no vertices");
  }
}

/// A draw of the items of a section: one of them becomes a small number, another one, or its neighbour in the file.
void change_an_item(std::string& bytes, std::mt19937_64& draw) {
  detail::MtgHeader header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  detail::MtgEntry entry{};
  const std::uint64_t which = draw() % header.section_count;
  std::memcpy(&entry, bytes.data() + sizeof(header) + which * sizeof(entry), sizeof(entry));
  const std::uint64_t item = draw() % 2 == 0 ? 4 : 8, count = entry.bytes / item;
  if (count == 0) return;
  const std::uint64_t place = draw() % count, other = draw() % count;
  bytes = with_section(bytes, static_cast<detail::MtgSection>(entry.section), [&](char* data) {
    const std::uint64_t small = draw() % 8;
    switch (draw() % 3) {
      case 0: std::memcpy(data + place * item, &small, item); break;
      case 1: std::memcpy(data + place * item, std::string(data + other * item, item).data(), item); break;
      default: std::swap_ranges(data + place * item, data + (place + 1) * item, data + other * item); break;
    }
  });
}

/// Counts in an undirected simple graph, by programs, by vertex and by edge; those of wedges and triangles are checked.
void expect_counts(Graph& graph) {
  const GraphView view = graph.view();
  const auto is_edge = [&](std::uint32_t u, std::uint32_t v) {
    return std::binary_search(view.neighbors + view.offsets[u], view.neighbors + view.offsets[u + 1], v);
  };
  std::uint64_t wedges = 0, triangles = 0;
  for (std::uint32_t u = 0; u < view.universe; ++u) {
    for (std::uint32_t v = 0; v < view.universe; ++v) {
      ASSERT_EQ(is_edge(u, v), is_edge(v, u));
      for (std::uint32_t w = v + 1; w < view.universe; ++w) {
        wedges += is_edge(u, v) && is_edge(u, w) ? 1 : 0;
        triangles += u < v && is_edge(u, v) && is_edge(u, w) && is_edge(v, w) ? 1 : 0;
      }
    }
  }
  ASSERT_TRUE(ensure_split_offsets(graph));
  motif::MotifRequest request;
  request.wanted.set();
  const Result<motif::MotifOutcome> found = motif::count_motifs(graph, request, set_kernels(best_tier()));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->counts[motif::at(motif::Motif::Wedge)] == wedges);
  EXPECT_TRUE(found->counts[motif::at(motif::Motif::Triangle)] == triangles);
  motif::OrbitRequest orbits;
  orbits.vertices = 5;
  orbits.on_rows = [](const motif::OrbitRows&) { return true; };
  for (const bool by_edge : {false, true}) {
    orbits.by_edge = by_edge;
    EXPECT_TRUE(motif::count_orbits(graph, orbits));
  }
}

TEST(Mtg, ChangedFilesAreRefusedOrCountedCorrectly) {
  const TemporaryFolder folder;
  std::mt19937_64 draw(17);
  std::uint64_t taken = 0;
  for (const std::string& path :
       {write_labelled(folder), write_temporal(folder), write_ranked(folder), write_by_label(folder)}) {
    const std::string good = read_bytes(path);
    for (int i = 0; i < unless_sanitized(500, 150); ++i) {
      std::string bytes = good;
      for (std::uint64_t changes = 1 + draw() % 3; changes != 0; --changes) change_an_item(bytes, draw);
      Result<Graph> read = read_mtg(folder.file("changed.mtg", bytes));
      if (!read) continue;
      ++taken;
      if (!read->facts().directed && read->facts().simple) expect_counts(*read);
    }
  }
  EXPECT_GT(taken, 20U);
}

}  // namespace
}  // namespace matcha::runtime::test
