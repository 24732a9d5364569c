#include <gtest/gtest.h>

#include "runtime/graph/mtg.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

class InputFiles : public testing::Test {
 protected:
  GraphSpec graph(const std::string& name, const std::string& text) {
    GraphSpec spec = spec_of(folder_.file(name, text));
    spec.name = name;
    return spec;
  }

  ListSpec list(const std::string& name, const std::string& text, std::vector<ColumnSpec> columns = {}) {
    return ListSpec{name, folder_.file(name, text), std::move(columns)};
  }

  void must(Status status) { ASSERT_TRUE(status) << status.error().render(); }

  Inputs finish(InputSet& set) {
    Result<Inputs> inputs = set.finish();
    if (!inputs) {
      ADD_FAILURE() << inputs.error().render();
      return Inputs{};
    }
    return std::move(*inputs);
  }

  TemporaryFolder folder_;
};

using Ranks = std::vector<std::uint32_t>;

TEST_F(InputFiles, GraphsAndListsShareOneUniverse) {
  InputSet set;
  must(set.add_graph(graph("a", "10 30\n")));
  must(set.add_graph(graph("b", "20 30\n30 40\n")));
  must(set.add_list(
      list("c", "5 10 1.5\n40 20 2.5\n",
           {{0, ColumnKind::Vertex}, {2, ColumnKind::Float}, {1, ColumnKind::Vertex}, {1, ColumnKind::Int}})));
  const Inputs inputs = finish(set);
  EXPECT_EQ(inputs.universe->size(), 5U);
  EXPECT_EQ(inputs.graphs.at("a").view().universe, 5U);
  EXPECT_EQ(inputs.graphs.at("a").vertex_count(), 2U);
  EXPECT_EQ(adjacency_of(inputs.graphs.at("a")), (Adjacency{{10, {30}}, {30, {10}}}));
  EXPECT_EQ(adjacency_of(inputs.graphs.at("b")), (Adjacency{{20, {30}}, {30, {20, 40}}, {40, {30}}}));
  EXPECT_EQ(inputs.graphs.at("a").shared_universe(), inputs.graphs.at("b").shared_universe());
  const InputList& list = inputs.lists.at("c");
  ASSERT_EQ(list.size, 2U);
  EXPECT_EQ(list.columns[0].ranks, (Ranks{0, 4}));
  EXPECT_EQ(list.columns[1].floats, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(list.columns[2].ranks, (Ranks{1, 2}));
  EXPECT_EQ(list.columns[3].ints, (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(inputs.reports.at("b").edges, 2U);
  // The set is empty again.
  EXPECT_EQ(finish(set).graphs.size(), 0U);
}

TEST_F(InputFiles, ListsOnly) {
  InputSet set;
  must(set.add_list(list("edges", "1 0 7\n0 1 8\n")));
  must(set.add_list(list("times", "1 0 7\n0 1 8\n", {{2, ColumnKind::Int}})));
  const Inputs inputs = finish(set);
  EXPECT_TRUE(inputs.universe->is_identity());
  EXPECT_EQ(inputs.lists.at("edges").columns[0].ranks, (Ranks{1, 0}));
  EXPECT_EQ(inputs.lists.at("times").columns[0].ints, (std::vector<std::int64_t>{7, 8}));
}

TEST_F(InputFiles, PlainIntsDoNotJoinTheUniverse) {
  InputSet set;
  must(set.add_list(list("numbers", "1000\n-4\n", {{0, ColumnKind::Int}})));
  const Inputs inputs = finish(set);
  EXPECT_EQ(inputs.universe->size(), 0U);
  EXPECT_EQ(inputs.lists.at("numbers").size, 2U);
}

TEST_F(InputFiles, ListsFromEveryGraphFormat) {
  InputSet set;
  must(set.add_list(list("tve", "t 3 2\nv 1 0\nv 2 0\nv 3 0\ne 1 2 9\ne 2 3 8\n", {{0}, {1}, {2, ColumnKind::Int}})));
  must(set.add_list(list("mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 3 2\n",
                         {{0}, {1}, {2, ColumnKind::Float}})));
  GraphSpec temporal = graph("t", "3 1 50\n1 2 40\n");
  temporal.temporal = true;
  ASSERT_TRUE(write_mtg(load(temporal).graph, folder_.path("t.mtg")));
  must(set.add_list(ListSpec{"mtg", folder_.path("t.mtg"), {{0}, {1}, {2, ColumnKind::Int}}}));
  ASSERT_TRUE(write_mtg(load(folder_.file("u", "3 1\n2 1\n")).graph, folder_.path("u.mtg")));
  must(set.add_list(ListSpec{"undirected", folder_.path("u.mtg"), {}}));
  const Inputs inputs = finish(set);
  EXPECT_EQ(inputs.lists.at("tve").columns[1].ranks, (Ranks{1, 2}));
  EXPECT_EQ(inputs.lists.at("tve").columns[2].ints, (std::vector<std::int64_t>{9, 8}));
  EXPECT_EQ(inputs.lists.at("mtx").columns[0].ranks, (Ranks{1, 2}));
  EXPECT_EQ(inputs.lists.at("mtx").columns[2].floats, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(inputs.lists.at("mtg").columns[0].ranks, (Ranks{0, 2}));
  EXPECT_EQ(inputs.lists.at("mtg").columns[2].ints, (std::vector<std::int64_t>{40, 50}));
  EXPECT_EQ(inputs.lists.at("undirected").columns[0].ranks, (Ranks{0, 0}));
  EXPECT_EQ(inputs.lists.at("undirected").columns[1].ranks, (Ranks{1, 2}));
}

TEST_F(InputFiles, BadListsHaveTheirPlace) {
  InputSet set;
  const auto error_of = [&](const ListSpec& spec) {
    const Status status = set.add_list(spec);
    return status ? Error{} : status.error();
  };
  Error error = error_of(list("a", "1 2\n1\n"));
  EXPECT_EQ(error.line, 2U);
  EXPECT_EQ(error.message, "expected a vertex id, the line ends");
  error = error_of(list("a", "1 2 x\n", {{2, ColumnKind::Int}}));
  EXPECT_EQ(error.message, "expected an integer, found `x`");
  error = error_of(list("a", "1 2 1e999\n", {{2, ColumnKind::Float}}));
  EXPECT_EQ(error.line, 1U);
  error = error_of(list("a", "1 2\n", {{7, ColumnKind::Float}}));
  EXPECT_EQ(error.message, "the line has 2 columns, 8 are needed");
  ASSERT_TRUE(write_mtg(load(folder_.file("u", "3 1\n2 1\n")).graph, folder_.path("u.mtg")));
  error = error_of(ListSpec{"a", folder_.path("u.mtg"), {{2, ColumnKind::Int}}});
  EXPECT_EQ(error.message, "the .mtg has no column 2");
  EXPECT_EQ(finish(set).lists.size(), 0U);
}

TEST_F(InputFiles, NamesMustDiffer) {
  InputSet set;
  must(set.add_graph(graph("a", "1 2\n")));
  const Status graph_again = set.add_graph(graph("a", "1 2\n"));
  ASSERT_FALSE(graph_again);
  EXPECT_EQ(graph_again.error().message, "input `a` is given twice");
  EXPECT_FALSE(set.add_list(list("a", "1 2\n")));
}

TEST_F(InputFiles, LabelWordsShareOneDictionary) {
  GraphSpec first = graph("a", "0 1\n");
  first.labels_path = folder_.file("a.labels", "pear\nfig\n");
  GraphSpec second = graph("b", "5 6\n");
  second.labels_path = folder_.file("b.labels", "apple\npear\n");
  ASSERT_TRUE(write_mtg(load(second).graph, folder_.path("b.mtg")));
  for (const std::string& path : {second.path, folder_.path("b.mtg")}) {
    if (path != second.path) second.labels_path.clear();
    second.path = path;
    InputSet set;
    must(set.add_graph(first));
    must(set.add_graph(second));
    const Inputs inputs = finish(set);
    EXPECT_EQ(inputs.dictionary->words(), (std::vector<std::string>{"apple", "fig", "pear"}));
    EXPECT_EQ(labels_of(inputs.graphs.at("a")), (std::map<std::int64_t, std::string>{{0, "pear"}, {1, "fig"}}));
    EXPECT_EQ(labels_of(inputs.graphs.at("b")), (std::map<std::int64_t, std::string>{{5, "apple"}, {6, "pear"}}));
    EXPECT_EQ(inputs.graphs.at("a").view().labels[3], kNoLabel) << "vertex 6 is not in a";
  }
}

TEST_F(InputFiles, MtgAloneStaysMappedAndJoinsOthersRenumbered) {
  GraphSpec spec = graph("g", "7 9\n9 11\n");
  ASSERT_TRUE(write_mtg(load(spec).graph, folder_.path("g.mtg")));
  spec.path = folder_.path("g.mtg");
  InputSet set;
  must(set.add_graph(spec));
  must(set.add_list(list("more", "8 7\n")));
  const Inputs inputs = finish(set);
  EXPECT_EQ(inputs.universe->size(), 4U);
  EXPECT_EQ(adjacency_of(inputs.graphs.at("g")), (Adjacency{{7, {9}}, {9, {7, 11}}, {11, {9}}}));
  EXPECT_EQ(inputs.graphs.at("g").vertex_count(), 3U);
  GraphSpec with_vertices = spec;
  with_vertices.vertices_path = folder_.file("v", "3\n");
  EXPECT_EQ(adjacency_of(load(with_vertices).graph), (Adjacency{{3, {}}, {7, {9}}, {9, {7, 11}}, {11, {9}}}));
  GraphSpec with_labels = spec;
  with_labels.labels_path = folder_.file("l", "x\n2\nx\n");
  EXPECT_EQ(labels_of(load(with_labels).graph), (std::map<std::int64_t, std::string>{{7, "x"}, {9, "2"}, {11, "x"}}));
}

TEST_F(InputFiles, NegativeNumberLabelsAndWordsClashAcrossGraphs) {
  GraphSpec first = graph("a", "0 1\n");
  first.labels_path = folder_.file("a.labels", "1\n-2\n");
  GraphSpec second = graph("b", "0 1\n");
  second.labels_path = folder_.file("b.labels", "u\nv\n");
  ASSERT_TRUE(write_mtg(load(first).graph, folder_.path("a.mtg")));
  EXPECT_EQ(load(folder_.path("a.mtg")).graph.view().labels[1], -2);
  for (const bool from_mtg : {false, true}) {
    if (from_mtg) {
      first.labels_path.clear();
      first.path = folder_.path("a.mtg");
    }
    InputSet set;
    must(set.add_graph(first));
    must(set.add_graph(second));
    const Result<Inputs> inputs = set.finish();
    ASSERT_FALSE(inputs);
    EXPECT_EQ(inputs.error().message, "negative label `-2` beside labels that are words");
  }
}

TEST_F(InputFiles, EdgeListOfAGraph) {
  const LoadedGraph loaded = load(graph("g", "7 9\n9 11\n"));
  const Result<InputList> list = edge_list(loaded.graph);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->columns[0].ranks, (Ranks{0, 1, 1, 2}));
  EXPECT_EQ(list->columns[1].ranks, (Ranks{1, 0, 2, 1}));
  EXPECT_EQ(list->size, 4U);
  GraphSpec temporal = graph("t", "1 0 5\n1 0 4\n");
  temporal.temporal = true;
  const Result<InputList> arcs = edge_list(load(temporal).graph);
  ASSERT_TRUE(arcs);
  EXPECT_EQ(arcs->columns[2].ints, (std::vector<std::int64_t>{5, 4}));
}

}  // namespace
}  // namespace matcha::runtime::test
