#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "runtime/graph/detail/mtg_layout.h"
#include "runtime/graph/detail/mtg_notes.h"
#include "runtime/graph/generate.h"
#include "runtime/graph/mtg.h"
#include "runtime/graph/write.h"
#include "tests/unit/runtime/graph/mtg_files.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

TEST(Mtg, RoundTripKeepsEverything) {
  const TemporaryFolder folder;
  const std::string path = write_labelled(folder);
  const std::string bytes = read_bytes(path);
  for (const std::string& same : {path, folder.file("x", gzip(bytes)), folder.file("y", zstd(bytes))}) {
    const LoadedGraph loaded = load(same);
    EXPECT_EQ(loaded.report.format, Format::Mtg);
    EXPECT_EQ(adjacency_of(loaded.graph), (Adjacency{{5, {6, 90}}, {6, {5, 90}}, {90, {5, 6}}, {1000, {}}}));
    EXPECT_EQ(labels_of(loaded.graph),
              (std::map<std::int64_t, std::string>{{5, "a"}, {6, "7"}, {90, "b"}, {1000, "a"}}));
    EXPECT_EQ(loaded.graph.facts().directed, false);
    EXPECT_EQ(loaded.graph.facts().simple, true);
    EXPECT_EQ(loaded.graph.view().max_degree, 2U);
    const std::string again = folder.path("again.mtg");
    ASSERT_TRUE(write_mtg(loaded.graph, again));
    EXPECT_EQ(read_bytes(again), bytes);
  }
}

TEST(Mtg, RoundTripOfTemporalDirectedAndHashIndexed) {
  const TemporaryFolder folder;
  const Result<Graph> temporal = read_mtg(write_temporal(folder));
  ASSERT_TRUE(temporal) << temporal.error().render();
  EXPECT_EQ(adjacency_of(*temporal), (Adjacency{{1, {2, 2}}, {2, {1}}}));
  EXPECT_EQ(static_cast<const std::int64_t*>(temporal->view().edge_info)[1], 10);
  EXPECT_FALSE(temporal->facts().simple);

  const std::vector<std::uint32_t> sources = {7, 2, 7};
  const std::vector<std::uint32_t> targets = {1, 8, 1};
  BuildInput input;
  input.universe = std::make_shared<const Universe>(Universe::identity(10));
  input.sources = sources.data();
  input.targets = targets.data();
  input.count = 3;
  input.index = IndexKind::Hash;
  const Result<Graph> built = build_graph(input);
  ASSERT_TRUE(built);
  ASSERT_TRUE(write_mtg(*built, folder.path("h.mtg")));
  const Result<Graph> read = read_mtg(folder.path("h.mtg"));
  ASSERT_TRUE(read) << read.error().render();
  EXPECT_EQ(adjacency_of(*read), adjacency_of(*built));
  EXPECT_EQ(read->vertex_count(), 4U);
  EXPECT_NE(read->view().offsets, nullptr);
}

TEST(Mtg, WordsOfEdgesHaveAFlagThatOlderReadersRefuse) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g", "1 2 cites\n1 2 binds\n2 3 7\n"));
  spec.edge_info = true;
  spec.info = ColumnKind::Label;
  const std::string path = folder.path("g.mtg");
  ASSERT_TRUE(write_mtg(load(spec).graph, path));
  std::uint64_t flags = 0;
  std::memcpy(&flags, read_bytes(path).data() + offsetof(detail::MtgHeader, flags), sizeof(flags));
  EXPECT_NE(flags & detail::kMtgWordInfo, 0U);
  spec.path = path;
  const LoadedGraph loaded = load(spec);
  EXPECT_TRUE(loaded.graph.facts().word_info);
  EXPECT_EQ(adjacency_of(loaded.graph), (Adjacency{{1, {2, 2}}, {2, {1, 1, 3}}, {3, {2}}}));
  // Programs that do not read edge information get a simple graph.
  GraphSpec plain = spec_of(path);
  plain.simple = true;
  const LoadedGraph simple = load(plain);
  EXPECT_EQ(adjacency_of(simple.graph), (Adjacency{{1, {2}}, {2, {1, 3}}, {3, {2}}}));
  EXPECT_TRUE(simple.graph.facts().simple);
  EXPECT_EQ(simple.graph.view().edge_info, nullptr);
  spec.info = ColumnKind::Float;
  EXPECT_NE(load_error(spec).message.find("int, not float"), std::string::npos);
}

TEST(Mtg, EmptyGraph) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_mtg(Graph(), folder.path("e.mtg")));
  const LoadedGraph loaded = load(folder.path("e.mtg"));
  EXPECT_EQ(loaded.graph.vertex_count(), 0U);
}

TEST(Mtg, ReplacesAFileWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("g.mtg", "old");
  ASSERT_TRUE(write_mtg(load(folder.file("g.txt", "0 1\n")).graph, path));
  EXPECT_EQ(load(path).graph.edge_count(), 1U);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"g.mtg", "g.txt"}));
}

Result<LoadedGraph> load_by_label(const std::string& path) {
  GraphSpec spec = spec_of(path);
  spec.directed = spec.edge_info = true;
  spec.info = ColumnKind::Label;
  return load_graph(spec);
}

std::uint32_t version_of(const std::string& bytes) {
  std::uint32_t version = 0;
  std::memcpy(&version, bytes.data() + offsetof(detail::MtgHeader, version), sizeof(version));
  return version;
}

TEST(Mtg, EveryFlippedByteIsSeenOrHarmless) {
  const TemporaryFolder folder;
  for (const std::string& path : {write_labelled(folder), write_temporal(folder), write_ranked(folder)}) {
    const std::string good = read_bytes(path);
    const LoadedGraph original = load(path);
    std::size_t harmless = 0;
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const int mask : {0x01, 0x80, 0xFF}) {
        std::string bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ mask);
        const Result<LoadedGraph> loaded = load_graph(spec_of(folder.file("bad.mtg", bytes)));
        if (!loaded) continue;
        ++harmless;
        EXPECT_EQ(adjacency_of(loaded->graph), adjacency_of(original.graph)) << "byte " << at;
        EXPECT_EQ(labels_of(loaded->graph), labels_of(original.graph)) << "byte " << at;
      }
    }
    // Only the padding between sections carries nothing.
    EXPECT_LT(harmless, good.size() * 3 / 2);
  }
}

/// The values found in the rows, for the same graph with its own ids.
void expect_halves(const Graph& stored, const Graph& made) {
  const SplitOffsets here = stored.split_offsets(), there = made.split_offsets();
  ASSERT_TRUE(here.offsets != nullptr && there.offsets != nullptr);
  const std::uint64_t universe = made.view().universe;
  ASSERT_EQ(stored.view().universe, universe);
  for (std::uint64_t at = 0; at <= 2 * universe; ++at) ASSERT_EQ(half_offset(here, at), half_offset(there, at)) << at;
  EXPECT_EQ(stored.lower_sizes().longest, made.lower_sizes().longest);
  EXPECT_EQ(stored.upper_sizes().longest, made.upper_sizes().longest);
  EXPECT_DOUBLE_EQ(stored.lower_sizes().squares, made.lower_sizes().squares);
  EXPECT_DOUBLE_EQ(stored.upper_sizes().squares, made.upper_sizes().squares);
}

TEST(Mtg, HalvesOfRowsAreStoredWithAnOrder) {
  const TemporaryFolder folder;
  RmatSpec spec;
  spec.scale = 9;
  for (const Halves halves : {Halves::Lower, Halves::Upper}) {
    const Result<Graph> made = generate_rmat(spec);
    ASSERT_TRUE(made);
    const std::string path = folder.path("h.mtg");
    ASSERT_TRUE(write_mtg(*made, path));
    const LoadedGraph plain = load(path);
    const Result<Graph> ranked = ordered_by_degree(plain.graph, halves);
    ASSERT_TRUE(ranked);
    const std::string with_order = folder.path("o.mtg");
    ASSERT_TRUE(write_mtg(plain.graph, with_order, {}, {&*ranked, halves}));
    EXPECT_EQ(version_of(read_bytes(with_order)), 5U);
    const LoadedGraph loaded = load(with_order);
    expect_halves(loaded.graph, plain.graph);
    const Result<Graph> taken = ordered_by_degree(loaded.graph, halves);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->view().neighbors, loaded.graph.stored_order().neighbors);
    EXPECT_EQ(taken->split_offsets().offsets, loaded.graph.stored_order().halves.offsets);
    expect_halves(*taken, *ranked);
  }
}

TEST(Mtg, EdgesByLabelRoundTrip) {
  const TemporaryFolder folder;
  const std::string path = write_by_label(folder);
  EXPECT_EQ(version_of(read_bytes(path)), 4U);
  const Result<LoadedGraph> loaded = load_by_label(path);
  ASSERT_TRUE(loaded) << loaded.error().render();
  const Graph& graph = loaded->graph;
  const std::int64_t knows = *graph.dictionary().code("knows");
  const auto there = graph.label_slices().slice(graph, ArcSide::Targets, knows);
  const auto back = graph.label_slices().slice(graph, ArcSide::Sources, knows);
  ASSERT_TRUE(there && back);
  EXPECT_EQ(adjacency_of(**there), (Adjacency{{1, {2, 3}}, {2, {9}}, {3, {1}}}));
  EXPECT_EQ(adjacency_of(**back), (Adjacency{{1, {3}}, {2, {1}}, {3, {1}}, {9, {2}}}));
  // They are inside the mapping of the file.
  const LabelTable table = *graph.label_slices().table(graph);
  EXPECT_EQ((*back)->view().neighbors, part_of(table, true, ArcSide::Sources, knows).items.data());
  ASSERT_TRUE(write_mtg(graph, folder.path("again.mtg"), {}, {}, true));
  EXPECT_EQ(read_bytes(folder.path("again.mtg")), read_bytes(path));
}

TEST(Mtg, EveryFlippedByteOfEdgesByLabelIsSeen) {
  const TemporaryFolder folder;
  const std::string good = read_bytes(write_by_label(folder));
  detail::MtgHeader header{};
  std::memcpy(&header, good.data(), sizeof(header));
  int sections = 0;
  for (std::uint64_t i = 0; i < header.section_count; ++i) {
    detail::MtgEntry entry{};
    std::memcpy(&entry, good.data() + sizeof(header) + i * sizeof(entry), sizeof(entry));
    if (entry.section < static_cast<std::uint64_t>(detail::MtgSection::LabelEntries)) continue;
    ++sections;
    for (std::uint64_t at = entry.begin; at != entry.begin + entry.bytes; ++at) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
      EXPECT_FALSE(load_by_label(folder.file("bad.mtg", bytes))) << "byte " << at;
    }
  }
  EXPECT_EQ(sections, 4);
}

TEST(Mtg, EveryTruncationIsSeen) {
  const TemporaryFolder folder;
  const std::string good = read_bytes(write_labelled(folder));
  for (std::size_t size = 0; size < good.size(); ++size) refused(folder, good.substr(0, size));
  refused(folder, good + "x");
  EXPECT_NE(refused(folder, good.substr(0, good.size() - 1)).message.find("and should have"), std::string::npos);
}

TEST(Mtg, ANoteOfAGoodFileHoldsForADayAndForThatFile) {
  const TemporaryFolder folder, cache;
  const std::string path = write_labelled(folder);
  const std::time_t now = std::time(nullptr);
  const detail::MtgNotes notes(path, cache.path("code"));
  const GraphTotals totals = {5, 1, 2, 3, true};
  EXPECT_FALSE(notes.find(7, now));
  // It may still be written to without its times changing.
  EXPECT_FALSE(notes.may_add(now));
  notes.add(7, totals, now);
  EXPECT_FALSE(notes.find(7, now));
  EXPECT_TRUE(notes.may_add(now + 10));
  notes.add(7, totals, now + 10);
  const std::optional<GraphTotals> found = notes.find(7, now + 10);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->max_degree, 5U);
  EXPECT_EQ(found->isolated, 1U);
  EXPECT_EQ(found->unlabelled, 2U);
  EXPECT_EQ(found->label_codes, 3U);
  EXPECT_TRUE(found->labelled);
  EXPECT_TRUE(detail::MtgNotes(path, cache.path("code")).find(7, now + 3600));
  EXPECT_FALSE(notes.find(7, now + 25 * 3600));
  EXPECT_FALSE(notes.find(7, now));
  EXPECT_FALSE(notes.find(8, now + 10));
  EXPECT_FALSE(detail::MtgNotes(path, "").find(7, now + 10));
  EXPECT_FALSE(detail::MtgNotes(folder.path("none"), cache.path("code")).find(7, now + 10));
  // Another file in its place.
  const std::string bytes = read_bytes(path);
  folder.file("other", bytes);
  ASSERT_EQ(std::rename(folder.path("other").c_str(), path.c_str()), 0);
  EXPECT_FALSE(notes.find(7, now + 10));
  EXPECT_FALSE(detail::MtgNotes(path, cache.path("code")).find(7, now + 10));
}

TEST(Mtg, ContentKeysAreThoseOfFiles) {
  const TemporaryFolder folder;
  const std::string path = write_labelled(folder), other = write_ranked(folder);
  const LoadedGraph loaded = load(path), again = load(path), ranked = load(other);
  EXPECT_NE(loaded.graph.content_key(), 0U);
  EXPECT_EQ(loaded.graph.content_key(), again.graph.content_key());
  EXPECT_NE(loaded.graph.content_key(), ranked.graph.content_key());
  // Nothing is known of a graph made of it in memory, except its order, which follows from it.
  EXPECT_EQ(load(folder.file("g.txt", "1 2\n")).graph.content_key(), 0U);
  const Result<Graph> lower = ordered_by_degree(ranked.graph, Halves::Lower);
  const Result<Graph> upper = ordered_by_degree(ranked.graph, Halves::Upper);
  ASSERT_TRUE(lower && upper);
  EXPECT_NE(lower->content_key(), ranked.graph.content_key());
  EXPECT_NE(lower->content_key(), upper->content_key());
}

TEST(Mtg, LongSectionsAreHashedInPieces) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kLeaves = detail::kMtgPiece / 8 + 1000;  // Two pieces of offsets and of neighbours.
  const Result<Graph> star = generate_star(kLeaves + 1);
  ASSERT_TRUE(star);
  const std::string path = folder.path("star.mtg");
  ASSERT_TRUE(write_mtg(*star, path));
  const std::string good = read_bytes(path);
  EXPECT_EQ(version_of(good), 2U);
  EXPECT_EQ(load(path).graph.edge_count(), kLeaves);
  // The checksum of a section is that of the sums of its pieces.
  detail::MtgEntry entry{};
  std::memcpy(&entry, good.data() + sizeof(detail::MtgHeader), sizeof(entry));
  const std::uint64_t sums[2] = {
      XXH3_64bits(good.data() + entry.begin, detail::kMtgPiece),
      XXH3_64bits(good.data() + entry.begin + detail::kMtgPiece, entry.bytes - detail::kMtgPiece)};
  EXPECT_EQ(entry.xxh3, XXH3_64bits(sums, sizeof(sums)));
  for (const std::uint64_t at : {entry.begin, entry.begin + detail::kMtgPiece, entry.begin + entry.bytes - 1}) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    EXPECT_NE(refused(folder, bytes).message.find("the checksum of its offsets is wrong"), std::string::npos);
  }
  // In version 1 it is that of the whole section.
  std::string first = good;
  detail::MtgHeader header{};
  std::memcpy(&header, first.data(), sizeof(header));
  for (std::uint64_t at = 0; at < header.section_count; ++at) {
    char* const place = first.data() + sizeof(header) + at * sizeof(entry);
    std::memcpy(&entry, place, sizeof(entry));
    entry.xxh3 = XXH3_64bits(first.data() + entry.begin, entry.bytes);
    std::memcpy(place, &entry, sizeof(entry));
  }
  first = with_header(first, [](detail::MtgHeader& changed) { changed.version = 1; });
  EXPECT_EQ(load(folder.file("first.mtg", first)).graph.edge_count(), kLeaves);
  refused(folder, with_header(first, [](detail::MtgHeader& changed) { changed.version = 2; }));
}

TEST(Mtg, ShortFilesHaveVersionOne) {
  const TemporaryFolder folder;
  EXPECT_EQ(version_of(read_bytes(write_labelled(folder))), 1U);
  const std::string ranked = read_bytes(write_ranked(folder));
  EXPECT_EQ(version_of(ranked), 5U);
  EXPECT_NE(refused(folder, with_header(ranked, [](detail::MtgHeader& header) { header.version = 1; })).message, "");
}

TEST(Mtg, OtherVersionsAndMachinesAreNamed) {
  const TemporaryFolder folder;
  const std::string good = read_bytes(write_labelled(folder));
  const Error newer = refused(folder, with_header(good, [](detail::MtgHeader& header) { header.version = 7; }));
  EXPECT_EQ(newer.message, "the .mtg has version 7; this program reads versions up to 6");
  EXPECT_EQ(newer.hint, "use a newer Matcha, or convert the graph again");
  const Error foreign =
      refused(folder, with_header(good, [](detail::MtgHeader& header) { header.endian_tag = 0x04030201; }));
  EXPECT_NE(foreign.message.find("another byte order"), std::string::npos);
  EXPECT_NE(refused(folder, "MTG by hand").message.find("damaged .mtg"), std::string::npos);
  std::string converted = good;
  converted.replace(4, 2, "\n");
  EXPECT_NE(refused(folder, converted).message.find("damaged .mtg"), std::string::npos);
}

TEST(TextWriters, RoundTripThroughEveryFormat) {
  const TemporaryFolder folder;
  const LoadedGraph original = load(write_labelled(folder));
  for (const Compression compression : {Compression::None, Compression::Gzip, Compression::Zstd}) {
    const std::string path = folder.path("out");
    ASSERT_TRUE(write_text(original.graph, path, {Format::Tve, compression}));
    const LoadedGraph tve = load(path);
    EXPECT_EQ(tve.report.compression, compression);
    EXPECT_EQ(tve.report.format, Format::Tve);
    EXPECT_EQ(adjacency_of(tve.graph), adjacency_of(original.graph));
    EXPECT_EQ(labels_of(tve.graph), labels_of(original.graph));

    ASSERT_TRUE(write_text(original.graph, path, {Format::EdgeList, compression}));
    ASSERT_TRUE(write_labels(tve.graph, folder.path("labels"), {Format::EdgeList, compression}));
    Adjacency joined = adjacency_of(original.graph);
    joined.erase(1000);
    EXPECT_EQ(adjacency_of(load(path).graph), joined);

    ASSERT_TRUE(write_text(original.graph, path, {Format::MatrixMarket, compression}));
    const LoadedGraph matrix = load(path);
    EXPECT_EQ(adjacency_of(matrix.graph), adjacency_of(original.graph));
    EXPECT_EQ(labels_of(matrix.graph), labels_of(original.graph));
  }
}

TEST(TextWriters, DirectedAndTemporal) {
  const TemporaryFolder folder;
  const Result<Graph> temporal = read_mtg(write_temporal(folder));
  ASSERT_TRUE(temporal);
  for (const Format format : {Format::EdgeList, Format::MatrixMarket, Format::Tve}) {
    ASSERT_TRUE(write_text(*temporal, folder.path("out"), {format, Compression::None}));
    GraphSpec spec = spec_of(folder.path("out"));
    spec.temporal = true;
    const LoadedGraph again = load(spec);
    EXPECT_EQ(adjacency_of(again.graph), adjacency_of(*temporal));
    EXPECT_EQ(std::memcmp(again.graph.view().edge_info, temporal->view().edge_info, 3 * 8), 0);
  }
  GraphSpec spec = spec_of(folder.file("d", "0 1\n1 0\n2 1\n"));
  spec.directed = true;
  const LoadedGraph directed = load(spec);
  for (const Format format : {Format::EdgeList, Format::Tve}) {
    ASSERT_TRUE(write_text(directed.graph, folder.path("out"), {format, Compression::None}));
    spec.path = folder.path("out");
    EXPECT_EQ(adjacency_of(load(spec).graph), adjacency_of(directed.graph));
  }
  ASSERT_TRUE(write_mtg(directed.graph, folder.path("d.mtg")));
  // A .mtg knows its direction.
  EXPECT_EQ(adjacency_of(load(folder.path("d.mtg")).graph), adjacency_of(directed.graph));
}

TEST(TextWriters, LargeFilesPackInSeveralBlocks) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i) + " " + std::to_string((i * 7919LL) % 60'000) + "\n";
  const LoadedGraph original = load(folder.file("g", text));
  for (const Compression compression : {Compression::None, Compression::Gzip, Compression::Zstd}) {
    ASSERT_TRUE(write_text(original.graph, folder.path("out"), {Format::EdgeList, compression}));
    EXPECT_EQ(load(folder.path("out")).graph.edge_count(), original.graph.edge_count());
  }
}

}  // namespace
}  // namespace matcha::runtime::test
