#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

using Labels = std::map<std::int64_t, std::string>;

/// A graph file and a labels or vertices file.
class LabelFiles : public testing::Test {
 protected:
  GraphSpec labelled(const std::string& graph, const std::string& labels) {
    GraphSpec spec = spec_of(folder_.file("graph", graph));
    spec.labels_path = folder_.file("labels", labels);
    return spec;
  }

  void expect_error(const GraphSpec& spec, std::uint64_t line, const std::string& message) {
    for (const std::uint64_t chunk_bytes : {1ULL, 1ULL << 20}) {
      IoOptions options;
      options.chunk_bytes = chunk_bytes;
      const Error error = load_error(spec, options);
      EXPECT_NE(error.message.find(message), std::string::npos) << error.render();
      EXPECT_EQ(error.line, line) << error.render();
      EXPECT_EQ(error.file, spec.labels_path);
    }
  }

  TemporaryFolder folder_;
};

TEST_F(LabelFiles, OneALineForIdsFromZero) {
  const LoadedGraph loaded = load(labelled("0 2\n", "7\n8\n9\n7\n"));
  EXPECT_EQ(labels_of(loaded.graph), (Labels{{0, "7"}, {1, "8"}, {2, "9"}, {3, "7"}}));
  EXPECT_EQ(adjacency_of(loaded.graph), (Adjacency{{0, {2}}, {1, {}}, {2, {0}}, {3, {}}}));
  EXPECT_TRUE(loaded.report.identity_ids);
  EXPECT_EQ(loaded.report.isolated, 2U);
  EXPECT_EQ(loaded.report.labels, 3U);
  EXPECT_EQ(loaded.graph.view().labels[3], 7);
  EXPECT_EQ(loaded.graph.view().original_ids, nullptr);
}

TEST_F(LabelFiles, OneALineInTheOrderOfSparseIds) {
  EXPECT_EQ(labels_of(load(labelled("90 5\n7 5\n", "# c\na\n\nb\na\n")).graph),
            (Labels{{5, "a"}, {7, "b"}, {90, "a"}}));
}

TEST_F(LabelFiles, IdAndLabel) {
  const LoadedGraph loaded = load(labelled("5 6\n", "6 y\n9\tx\n5, y\n"));
  EXPECT_EQ(labels_of(loaded.graph), (Labels{{5, "y"}, {6, "y"}, {9, "x"}}));
  EXPECT_EQ(adjacency_of(loaded.graph), (Adjacency{{5, {6}}, {6, {5}}, {9, {}}}));
  EXPECT_EQ(loaded.graph.view().labels[*loaded.graph.universe().rank(9)], -1);
}

TEST_F(LabelFiles, NumbersAreTheirOwnCodesAndMayBeNegative) {
  EXPECT_EQ(load(labelled("0 1\n", "-3\n9223372036854775807\n")).graph.view().labels[0], -3);
}

TEST_F(LabelFiles, WordsMayLookLikeWordsOfNumbers) {
  EXPECT_EQ(labels_of(load(labelled("0 1\n", "nan\ninf\n")).graph), (Labels{{0, "nan"}, {1, "inf"}}));
  EXPECT_EQ(labels_of(load(labelled("0 1\n", "\xC3\xA9t\xC3\xA9\n3\n")).graph),
            (Labels{{0, "\xC3\xA9t\xC3\xA9"}, {1, "3"}}));
}

TEST_F(LabelFiles, PackedAndWithReturns) {
  EXPECT_EQ(labels_of(load(labelled("0 1\n", gzip("a\r\nb\r\n"))).graph), (Labels{{0, "a"}, {1, "b"}}));
  EXPECT_EQ(labels_of(load(labelled("0 1\n", zstd("1 a\n0 b"))).graph), (Labels{{0, "b"}, {1, "a"}}));
}

TEST_F(LabelFiles, ReplaceThoseOfVertexLines) {
  EXPECT_EQ(labels_of(load(labelled("v 3 1\nv 4 1\ne 3 4\n", "x\ny\n")).graph), (Labels{{3, "x"}, {4, "y"}}));
}

TEST_F(LabelFiles, WrongCount) {
  expect_error(labelled("0 1\n5 1\n", "7\n8\n"), 2, "the file has 2 labels, the graph has 3 vertices");
  expect_error(labelled("8 9\n", "1\n#\n2\n3\n4\n"), 4, "the file has 4 labels, the graph has 2 vertices");
  expect_error(labelled("v 0\nv 1\n", "1\n2\n3\n"), 3, "the file has 3 labels, the graph has 2 vertices");
}

TEST_F(LabelFiles, DuplicateUnknownAndMissing) {
  expect_error(labelled("1 2\n", "1 5\n2 5\n1 5\n"), 3, "vertex `1` has a second label");
  expect_error(labelled("v 0\nv 1\ne 0 1\n", "0 5\n1 5\n2 5\n"), 3, "vertex `2` is not in the graph");
}

TEST_F(LabelFiles, AnUnknownVertexMayBeInTheSizeLine) {
  const GraphSpec spec = labelled("4 3\n3 2\n3 0\n1 3\n", "3 a\n0 a\n2 a\n4 a\n1 a\n");
  expect_error(spec, 4, "vertex `4` is not in the graph");
  EXPECT_NE(load_error(spec).hint.find("`--header no`"), std::string::npos);
  EXPECT_EQ(load_error(labelled("v 0\nv 1\ne 0 1\n", "2 5\n")).hint, "");
}

TEST_F(LabelFiles, SomeVerticesMayHaveNone) {
  const LoadedGraph loaded = load(labelled("1 2\n2 3\n", "1 5\n2 5\n"));
  EXPECT_EQ(labels_of(loaded.graph), (Labels{{1, "5"}, {2, "5"}, {3, ""}}));
  EXPECT_EQ(loaded.report.unlabelled, 1U);
  EXPECT_EQ(loaded.report.labels, 1U);
  EXPECT_TRUE(loaded.graph.facts().labelled);
}

TEST_F(LabelFiles, WordsWithBlanksStandInQuotesOrBetweenTabs) {
  const Labels wanted = {{1, "Big Corp"}, {2, "a \"b\""}};
  EXPECT_EQ(labels_of(load(labelled("1 2\n", "1 \"Big Corp\"\n2 \"a \"\"b\"\"\"\n")).graph), wanted);
  EXPECT_EQ(labels_of(load(labelled("1 2\n", "id,kind\n1,Big Corp\n2,\"a \"\"b\"\"\"\n")).graph), wanted);
  EXPECT_EQ(labels_of(load(labelled("1 2\n", "2\tb\n1\tBig Corp\n")).graph), (Labels{{1, "Big Corp"}, {2, "b"}}));
}

TEST_F(LabelFiles, BadLines) {
  expect_error(labelled("0 1\n", "1\n2 3\n"), 2, "the line has 2 columns, those before have 1");
  expect_error(labelled("0 1\n", "1 2 3\n"), 1, "the line has 3 columns");
  expect_error(labelled("0 1\n", "a b\n"), 1, "expected a vertex id, found `a`");
  expect_error(labelled("0 1\n", "1\n1.5\n"), 2, "expected an integer or a word as label, found `1.5`");
  expect_error(labelled("0 1\n", "1\n99999999999999999999\n"), 2, "does not fit in 64 bits");
  expect_error(labelled("0 1\n", "1\n-9223372036854775808\n"), 2, "is reserved");
  expect_error(labelled("0 1\n", "a\n-1\n"), 2, "negative label `-1` beside labels that are words");
  expect_error(labelled("0 1\n", "a\n\x01\n"), 2, "expected a label, found `\\x01`");
}

TEST_F(LabelFiles, VerticesFileAddsIsolatedVertices) {
  GraphSpec spec = spec_of(folder_.file("graph", "4 2\n"));
  spec.vertices_path = folder_.file("vertices", gzip("# ids\n2\n9\n4\n9\n"));
  EXPECT_EQ(adjacency_of(load(spec).graph), (Adjacency{{2, {4}}, {4, {2}}, {9, {}}}));
  spec.labels_path = folder_.file("labels", "2 1\n4 1\n9 1\n5 1\n");
  EXPECT_EQ(load_error(spec).message, "vertex `5` is not in the graph");
  spec.labels_path.clear();
  spec.vertices_path = folder_.file("vertices", "2\nx\n");
  EXPECT_EQ(load_error(spec).line, 2U);
}

TEST(LabelDictionary, SortsAndCodes) {
  const LabelDictionary dictionary({"pear", "apple", "pear"});
  EXPECT_EQ(dictionary.words(), (std::vector<std::string>{"apple", "pear"}));
  EXPECT_EQ(dictionary.code("apple"), -1);
  EXPECT_EQ(dictionary.code("pear"), -2);
  EXPECT_EQ(dictionary.name(-2), "pear");
  EXPECT_EQ(dictionary.name(-3), "-3");
  EXPECT_EQ(dictionary.name(4), "4");
}

TEST(LabelNumbers, AreThoseOfAllOtherCodesInOrder) {
  // Side by side, far apart, and from one end of int64 to the other.
  for (const std::vector<std::int64_t>& codes :
       {std::vector<std::int64_t>{3, -2, kNoLabel, 3, 7},
        {1, std::int64_t{1} << 40, kNoLabel, 1},
        {kNoLabel + 1, std::numeric_limits<std::int64_t>::max(), 0, kNoLabel}}) {
    const LabelNumbers numbers(codes.data(), codes.size());
    std::set<std::int64_t> distinct(codes.begin(), codes.end());
    distinct.erase(kNoLabel);
    EXPECT_EQ(numbers.codes(), std::vector<std::int64_t>(distinct.begin(), distinct.end()));
    for (std::size_t place = 0; place < numbers.codes().size(); ++place) {
      EXPECT_EQ(numbers.number(numbers.codes()[place]), place);
    }
  }
  const std::int64_t none[] = {kNoLabel};
  EXPECT_TRUE(LabelNumbers(none, 1).codes().empty());
  EXPECT_TRUE(LabelNumbers(none, 0).codes().empty());
}

}  // namespace
}  // namespace matcha::runtime::test
