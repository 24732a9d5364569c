#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <random>

#include "runtime/graph/mtg.h"
#include "runtime/graph/write.h"
#include "tests/unit/runtime/graph/support.h"
#include "tests/unit/sanitized.h"

namespace matcha::runtime::test {
namespace {

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Ids of one of several kinds: dense, shifted, with holes, spread over 64 bits.
std::int64_t random_id(std::mt19937_64& random, int kind) {
  switch (kind) {
    case 0: return static_cast<std::int64_t>(random() % 50);
    case 1: return static_cast<std::int64_t>(random() % 200) + 1'000'000;
    case 2: return static_cast<std::int64_t>(random() % 3000) * 17 - 9000;
    default: return static_cast<std::int64_t>(random() % 300 * 0x123456789ABCDEFULL);
  }
}

std::string text_of(const Edges& edges, std::mt19937_64& random) {
  constexpr const char* kSeparators[] = {" ", "\t", ",", "  ", " , "};
  // Two columns in all lines, or three.
  constexpr const char* kEnds[2][7] = {{"\n", " \n", "\r\n", ",\n", "\n\n", "\n# note\n", " # 7 8\n"},
                                       {" 7\n", ",x \n", "\tx\r\n", " 7 # 8 9\n", " 8\n\n", ",8\n# note\n", " ,x\n"}};
  const std::uint64_t width = random() % 2;
  std::string text = "# edges\n";
  for (const auto& [source, target] : edges) {
    text += std::to_string(source) + kSeparators[random() % 5] + std::to_string(target) + kEnds[width][random() % 7];
  }
  return text;
}

void expect_same_arrays(const Graph& a, const Graph& b) {
  const GraphView x = a.view();
  const GraphView y = b.view();
  ASSERT_EQ(x.universe, y.universe);
  ASSERT_EQ(x.arc_count, y.arc_count);
  EXPECT_TRUE(std::equal(x.offsets, x.offsets + x.universe + 1, y.offsets));
  EXPECT_TRUE(std::equal(x.neighbors, x.neighbors + x.arc_count, y.neighbors));
  EXPECT_EQ(x.max_degree, y.max_degree);
}

TEST(RandomFiles, MatchANaiveReaderWithAnyThreadsAndChunks) {
  for (std::uint64_t seed = 0; seed < unless_sanitized(60U, 24U); ++seed) {
    std::mt19937_64 random(seed);
    const TemporaryFolder folder;
    const int kind = static_cast<int>(seed % 4);
    Edges edges(random() % 2000);
    for (auto& [source, target] : edges) {
      source = random_id(random, kind);
      target = random() % 20 == 0 ? source : random_id(random, kind);
    }
    const std::string text = text_of(edges, random);
    const std::string packed = seed % 3 == 0 ? gzip(text) : (seed % 3 == 1 ? zstd(text) : text);
    GraphSpec spec = spec_of(folder.file("g", packed));
    for (const bool directed : {false, true}) {
      spec.directed = directed;
      const LoadedGraph loaded = load(spec);
      ASSERT_EQ(adjacency_of(loaded.graph), naive_adjacency(edges, directed)) << "seed " << seed;
      EXPECT_EQ(loaded.report.lines, edges.size());
      EXPECT_EQ(loaded.report.lines,
                loaded.report.edges + loaded.report.loops + loaded.report.duplicates + loaded.report.reversed);
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
      IoOptions options;
      options.chunk_bytes = 1 + random() % 300;
      expect_same_arrays(load(spec, options).graph, loaded.graph);
      ASSERT_TRUE(write_mtg(loaded.graph, folder.path("m")));
      expect_same_arrays(load(folder.path("m")).graph, loaded.graph);
      ASSERT_TRUE(write_text(loaded.graph, folder.path("e"), {Format::Tve, Compression::None}));
      spec.path = folder.path("e");
      expect_same_arrays(load(spec).graph, loaded.graph);
      spec.path = folder.path("g");
    }
  }
}

TEST(RandomFiles, TemporalMatchesAStableSort) {
  for (std::uint64_t seed = 0; seed < unless_sanitized(20U, 8U); ++seed) {
    std::mt19937_64 random(seed);
    const TemporaryFolder folder;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> expected;
    std::string text;
    for (int at = 0; at < 3000; ++at) {
      const std::int64_t source = random_id(random, static_cast<int>(seed % 4));
      const std::int64_t target = random_id(random, static_cast<int>(seed % 4));
      const std::int64_t time = static_cast<std::int64_t>(random());
      text += std::to_string(source) + " " + std::to_string(target) + " " + std::to_string(time) + "\n";
      if (source != target) expected[{source, target}].push_back(time);
    }
    GraphSpec spec = spec_of(folder.file("t", text));
    spec.temporal = true;
    IoOptions options;
    options.chunk_bytes = 500;
    const LoadedGraph loaded = load(spec, options);
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> found;
    const GraphView view = loaded.graph.view();
    for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
      for (std::uint64_t arc = view.offsets[rank]; arc < view.offsets[rank + 1]; ++arc) {
        found[{loaded.graph.universe().id(rank), loaded.graph.universe().id(view.neighbors[arc])}].push_back(
            static_cast<const std::int64_t*>(view.edge_info)[arc]);
      }
    }
    ASSERT_EQ(found, expected) << "seed " << seed;
  }
}

/// Damaged text and packed files: an error or a graph, never a crash.
TEST(RandomFiles, DamagedFilesNeverCrash) {
  const std::vector<std::string> seeds = {"# x\n1 2\n2 3\n",
                                          "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 1 7\n",
                                          "t 2 1\nv 0 a 1\nv 1 b 1\ne 0 1 3\n", "# t 0\nv 0 1\nv 1 2\ne 0 1 3\n"};
  std::mt19937_64 random(3);
  const TemporaryFolder folder;
  IoOptions options;
  options.max_bytes = 1 << 24;
  int refused = 0;
  constexpr int kRounds = unless_sanitized(4000, 2000);
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    if (round % 3 == 1) bytes = gzip(bytes);
    if (round % 3 == 2) bytes = zstd(bytes);
    for (std::uint64_t change = 1 + random() % 3; change != 0; --change) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes.resize(at + 1); break;
        default: bytes.insert(at, 1, "0123456789 \n-#%tve,"[random() % 19]); break;
      }
    }
    options.chunk_bytes = 1 + random() % 40;
    const Result<LoadedGraph> loaded = load_graph(spec_of(folder.file("d", bytes)), options);
    if (!loaded) ++refused;
  }
  EXPECT_GT(refused, kRounds / 4);
}

}  // namespace
}  // namespace matcha::runtime::test
