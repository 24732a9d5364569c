#include <gtest/gtest.h>

#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

/// 10-20, 20-30, 10-30, 30-45; 50 is isolated where the format can say so.
const Adjacency kSquare = {{10, {20, 30}}, {20, {10, 30}}, {30, {10, 20, 45}}, {45, {30}}};

struct FormatCase {
  std::string name;
  std::string text;
  Format format;
};

std::ostream& operator<<(std::ostream& out, const FormatCase& format) { return out << format.name; }

class EveryFormat : public testing::TestWithParam<FormatCase> {};

TEST_P(EveryFormat, LoadsPlainGzAndZst) {
  const TemporaryFolder folder;
  const std::string& text = GetParam().text;
  const std::size_t half = text.size() / 2;
  const std::vector<std::pair<std::string, Compression>> packings = {
      {text, Compression::None},
      {gzip(text), Compression::Gzip},
      {zstd(text), Compression::Zstd},
      {gzip(text.substr(0, half)) + gzip(text.substr(half)), Compression::Gzip},
      {zstd(text.substr(0, half)) + zstd(text.substr(half)), Compression::Zstd},
  };
  for (const auto& [bytes, compression] : packings) {
    for (const std::uint64_t chunk_bytes : {1ULL, 7ULL, 64ULL, 1ULL << 20}) {
      IoOptions options;
      options.chunk_bytes = chunk_bytes;
      // The file name is misleading: formats are recognized by their bytes.
      const LoadedGraph loaded = load(spec_of(folder.file("graph.pdf", bytes)), options);
      EXPECT_EQ(adjacency_of(loaded.graph), kSquare) << chunk_bytes;
      EXPECT_EQ(loaded.report.format, GetParam().format);
      EXPECT_EQ(loaded.report.compression, compression);
      EXPECT_EQ(loaded.report.file_bytes, bytes.size());
      EXPECT_EQ(loaded.graph.edge_count(), 4U);
      EXPECT_EQ(loaded.graph.view().max_degree, 3U);
    }
  }
}

TEST_P(EveryFormat, ByteOrderMarkAndReturnsAreTolerated) {
  const TemporaryFolder folder;
  std::string text;
  for (const char c : GetParam().text) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(adjacency_of(load(folder.file("a", "\xEF\xBB\xBF" + text)).graph), kSquare);
  EXPECT_EQ(adjacency_of(load(folder.file("b", gzip("\xEF\xBB\xBF" + text))).graph), kSquare);
}

TEST_P(EveryFormat, LastNewlineMayBeMissing) {
  const TemporaryFolder folder;
  std::string text = GetParam().text;
  text.pop_back();
  EXPECT_EQ(adjacency_of(load(folder.file("a", text)).graph), kSquare);
  EXPECT_EQ(adjacency_of(load(folder.file("b", zstd(text))).graph), kSquare);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, EveryFormat,
    testing::Values(
        FormatCase{"snap", "# Directed graph: x.txt\n# FromNodeId\tToNodeId\n10\t20\n20\t30\n10\t30\n30\t45\n",
                   Format::EdgeList},
        FormatCase{"snap_both_directions", "# both\n10 20\n20 10\n20 30\n30 20\n10 30\n30 10\n30 45\n45 30\n",
                   Format::EdgeList},
        FormatCase{"konect", "% sym unweighted\n% 4 4 4\n10 20 1 1082040961\n20 30 1 5\n10 30 2 6\n30 45 1 7\n",
                   Format::EdgeList},
        FormatCase{"wel", "10 20 0.5\n20 30 1e-3\n10 30 7\n30 45 -1\n", Format::EdgeList},
        FormatCase{"csv", "// edges\n10,20,x\n20 , 30,y\n10,\t30,,\n30,45,z\n", Format::EdgeList},
        FormatCase{"blank_lines", "\n\n  10 20  \n\t\n\t20\t30\t\n10   30\n\n30 45\n\n", Format::EdgeList},
        FormatCase{"rapidmatch",
                   "t 4 4\nv 10 0 2\nv 20 0 2\nv 30 0 3\nv 45 0 1\ne 10 20\ne 20 30 0\ne 10 30 0\ne 30 45\n",
                   Format::Tve},
        FormatCase{"wrong_degree", "t 4 4\nv 10 0 9\nv 20 0 9\nv 30 0\nv 45 0 0\ne 10 20\ne 20 30\ne 10 30\ne 30 45\n",
                   Format::Tve},
        FormatCase{"gspan",
                   "t # 0\nv 10 0\nv 20 0\nv 30 0\nv 45 0\ne 10 20 7\ne 20 30 7\ne 10 30 7\ne 30 45 7\nt # -1\n",
                   Format::Tve},
        FormatCase{"gspan_comment",
                   "# t 0\nv 10 0\nv 20 0\nv 30 0\nv 45 0\ne 10 20 7\ne 20 10 7\ne 20 30 7\ne 30 20 7\ne 10 30 7\n"
                   "e 30 10 7\ne 30 45 7\ne 45 30 7\n",
                   Format::Tve},
        FormatCase{"calig", "v 10 3\nv 20 1\nv 30 2\nv 45 3\ne 10 20\ne 20 30\ne 10 30\ne 30 45\n", Format::Tve},
        FormatCase{"edges_only", "e 10 20\ne 20 30\ne 10 30\ne 30 45\n", Format::Tve}),
    [](const testing::TestParamInfo<FormatCase>& info) { return info.param.name; });

const std::string kBanner = "%%MatrixMarket matrix coordinate ";

TEST(MatrixMarket, RowsAreVerticesCountedFromOne) {
  const TemporaryFolder folder;
  const Adjacency expected = {{1, {2, 3}}, {2, {1}}, {3, {1}}, {4, {}}};
  for (const char* const field :
       {"pattern symmetric\n% c\n4 4 2\n2 1\n3 1\n", "integer symmetric\n4 4 2\n2 1 5\n3 1 6\n",
        "real symmetric\n\n4 4 2\n2 1 0.5\n3 1 1e9\n", "real skew-symmetric\n4 4 2\n2 1 0.5\n3 1 1e9\n",
        "complex hermitian\n4 4 2\n2 1 0.5 1\n3 1 1e9 1\n", "pattern general\n4 4 3\n2 1\n1 2\n3 1\n",
        "pattern general\n4 4 3\n2 1\n4 4\n3 1\n"}) {
    for (const std::string& bytes : {kBanner + field, gzip(kBanner + field), zstd(kBanner + field)}) {
      const LoadedGraph loaded = load(folder.file("m", bytes));
      EXPECT_EQ(adjacency_of(loaded.graph), expected) << field;
      EXPECT_EQ(loaded.report.format, Format::MatrixMarket);
      EXPECT_EQ(loaded.report.isolated, 1U);
    }
  }
}

TEST(MatrixMarket, DirectedKeepsGeneralArcsAndMirrorsSymmetricOnes) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("m", kBanner + "pattern general\n3 3 2\n1 2\n3 2\n"));
  spec.directed = true;
  EXPECT_EQ(adjacency_of(load(spec).graph), (Adjacency{{1, {2}}, {2, {}}, {3, {2}}}));
  spec.path = folder.file("s", kBanner + "pattern symmetric\n3 3 2\n2 1\n3 2\n");
  EXPECT_EQ(adjacency_of(load(spec).graph), (Adjacency{{1, {2}}, {2, {1, 3}}, {3, {2}}}));
}

TEST(Tve, LabelsComeFromTheVertexLines) {
  const TemporaryFolder folder;
  const LoadedGraph loaded = load(folder.file("q", "t 3 1\nv 7 red 1\nv 3 5 0\nv 9 blue 1\ne 7 9\n"));
  EXPECT_EQ(labels_of(loaded.graph), (std::map<std::int64_t, std::string>{{3, "5"}, {7, "red"}, {9, "blue"}}));
  EXPECT_EQ(loaded.graph.dictionary().code("blue"), -1);
  EXPECT_EQ(loaded.graph.dictionary().code("red"), -2);
  EXPECT_EQ(loaded.graph.dictionary().code("green"), std::nullopt);
  EXPECT_EQ(loaded.report.labels, 3U);
  EXPECT_EQ(loaded.report.isolated, 1U);
}

TEST(Temporal, KeepsRepeatsInFileOrder) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("t", "# u v t\n1 2 30\n1 2 10\n2 1 5\n1 1 6\n1 0 9\n1 2 10\n"));
  spec.temporal = true;
  const LoadedGraph loaded = load(spec);
  EXPECT_EQ(adjacency_of(loaded.graph), (Adjacency{{0, {}}, {1, {0, 2, 2, 2}}, {2, {1}}}));
  const std::int64_t* const times = static_cast<const std::int64_t*>(loaded.graph.view().edge_info);
  EXPECT_EQ(std::vector<std::int64_t>(times, times + 5), (std::vector<std::int64_t>{9, 30, 10, 10, 5}));
  EXPECT_EQ(loaded.report.loops, 1U);
  EXPECT_EQ(loaded.report.edges, 5U);
  EXPECT_EQ(loaded.graph.facts().info, InfoKind::Int);
  EXPECT_FALSE(loaded.graph.facts().simple);
}

TEST(Temporal, FloatInfo) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("t", "0 1 2.5\n0 1 -1e300\n"));
  spec.temporal = true;
  spec.info = ColumnKind::Float;
  const LoadedGraph loaded = load(spec);
  const double* const weights = static_cast<const double*>(loaded.graph.view().edge_info);
  EXPECT_EQ(weights[0], 2.5);
  EXPECT_EQ(weights[1], -1e300);
}

TEST(EdgeLabels, OfAnUndirectedGraphAreWordsAndNumbers) {
  const TemporaryFolder folder;
  for (const char* text : {"e 1 2 b\ne 2 1 b\ne 1 2 a\ne 3 3 a\ne 2 3 7\n", "1 2 b\n2 1 b\n1 2 a\n3 3 a\n2 3 7\n"}) {
    GraphSpec spec = spec_of(folder.file("g", text));
    spec.edge_info = true;
    spec.info = ColumnKind::Label;
    const LoadedGraph loaded = load(spec);
    EXPECT_EQ(adjacency_of(loaded.graph), (Adjacency{{1, {2, 2}}, {2, {1, 1, 3}}, {3, {2}}}));
    const std::int64_t* const labels = static_cast<const std::int64_t*>(loaded.graph.view().edge_info);
    // Parallel edges ascend by code; words have -1 for the first of the alphabet, -2 for the second.
    EXPECT_EQ(std::vector<std::int64_t>(labels, labels + 6), (std::vector<std::int64_t>{-2, -1, -2, -1, 7, 7}));
    EXPECT_EQ(loaded.graph.dictionary().words(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(loaded.report.loops, 1U);
    EXPECT_EQ(loaded.report.duplicates, 0U);
    EXPECT_EQ(loaded.report.reversed, 1U);
    EXPECT_EQ(loaded.report.edges, 3U);
    EXPECT_FALSE(loaded.graph.facts().simple);
    EXPECT_FALSE(loaded.graph.facts().directed);
    EXPECT_TRUE(loaded.graph.facts().word_info);
  }
}

TEST(EdgeLabels, OfADirectedGraph) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g", "1 2 5\n1 2 5\n2 1 5\n2 3 4\n"));
  spec.edge_info = spec.directed = true;
  spec.info = ColumnKind::Label;
  const LoadedGraph loaded = load(spec);
  EXPECT_EQ(adjacency_of(loaded.graph), (Adjacency{{1, {2}}, {2, {1, 3}}, {3, {}}}));
  EXPECT_EQ(loaded.report.duplicates, 1U);
  EXPECT_TRUE(loaded.graph.facts().simple);
  EXPECT_FALSE(loaded.graph.facts().word_info);
}

TEST(Report, ListsDroppedEdges) {
  const TemporaryFolder folder;
  const std::string path = folder.file("g", "# x\n1 1\n1 2\n1 2\n2 1\n2 3\n3 3\n");
  const LoadedGraph loaded = load(path);
  EXPECT_EQ(loaded.report.lines, 6U);
  EXPECT_EQ(loaded.report.loops, 2U);
  EXPECT_EQ(loaded.report.duplicates, 1U);
  EXPECT_EQ(loaded.report.reversed, 1U);
  EXPECT_EQ(loaded.report.edges, 2U);
  EXPECT_FALSE(loaded.report.identity_ids);
  const std::string line = loaded.report.render();
  EXPECT_NE(line.find(path + ": edge list, undirected: 3 vertices, 2 edges, max degree 2, ids 1…3; dropped 2 loops, "
                             "1 repeated edge; 1 edge given in both directions; read "),
            std::string::npos)
      << line;
  GraphSpec spec = spec_of(path);
  spec.directed = true;
  const LoadedGraph directed = load(spec);
  EXPECT_EQ(directed.report.edges, 3U);
  EXPECT_EQ(directed.report.duplicates, 1U);
  EXPECT_EQ(directed.report.reversed, 0U);
  EXPECT_EQ(adjacency_of(directed.graph), (Adjacency{{1, {2}}, {2, {1, 3}}, {3, {}}}));
}

TEST(Ids, WholeInt64RangeInAscendingOrder) {
  const TemporaryFolder folder;
  const std::int64_t high = std::numeric_limits<std::int64_t>::max();
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  const LoadedGraph loaded =
      load(folder.file("g", "9223372036854775807 -9223372036854775808\n-5 0\n0 9223372036854775807\n007 0\n"));
  EXPECT_EQ(adjacency_of(loaded.graph),
            (Adjacency{{low, {high}}, {-5, {0}}, {0, {-5, 7, high}}, {7, {0}}, {high, {low, 0}}}));
  EXPECT_EQ(loaded.graph.universe().rank(low), 0U);
  EXPECT_EQ(loaded.graph.universe().rank(high), 4U);
  EXPECT_EQ(loaded.graph.universe().rank(1), std::nullopt);
}

TEST(EmptyGraph, CommentsOrAHeaderAreEnough) {
  const TemporaryFolder folder;
  for (const std::string& text :
       {std::string("# nothing\n"), std::string("%\n"), kBanner + "pattern symmetric\n0 0 0\n", std::string("t 0 0\n"),
        gzip("# nothing\n"), std::string("\n")}) {
    const LoadedGraph loaded = load(folder.file("e", text));
    EXPECT_EQ(loaded.graph.vertex_count(), 0U);
    EXPECT_EQ(loaded.graph.edge_count(), 0U);
    EXPECT_EQ(loaded.graph.view().offsets[0], 0U);
  }
}

TEST(Progress, EndsAtTheSizeOfTheFile) {
  const TemporaryFolder folder;
  const std::string bytes = gzip("1 2\n2 3\n3 4\n4 5\n");
  IoOptions options;
  options.chunk_bytes = 4;
  std::uint64_t last = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    EXPECT_EQ(total, bytes.size());
    last = done;
  };
  load(spec_of(folder.file("g", bytes)), options);
  EXPECT_EQ(last, bytes.size());
}

}  // namespace
}  // namespace matcha::runtime::test
