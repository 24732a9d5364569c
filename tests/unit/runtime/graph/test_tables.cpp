#include <gtest/gtest.h>

#include "runtime/graph/mtg.h"
#include "runtime/graph/order.h"
#include "runtime/graph/write.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

using NamedEdges = std::set<std::pair<std::string, std::string>>;

/// The arcs from smaller to larger ranks, or all arcs of a directed graph, in the ids of the files.
NamedEdges named_edges(const Graph& graph) {
  NamedEdges edges;
  const GraphView view = graph.view();
  for (std::uint64_t source = 0; source < view.universe; ++source) {
    for (std::uint64_t arc = view.offsets[source]; arc < view.offsets[source + 1]; ++arc) {
      const std::uint64_t target = view.neighbors[arc];
      if (!graph.facts().directed && target < source) continue;
      edges.emplace(graph.universe().id_text(source), graph.universe().id_text(target));
    }
  }
  return edges;
}

/// Tables of a test; every one is read in chunks of all sizes.
class Tables : public testing::Test {
 protected:
  GraphSpec table(const std::string& bytes, std::vector<ColumnRef> columns = {}) {
    GraphSpec spec = spec_of(folder_.file("t" + std::to_string(++files_), bytes));
    spec.columns = std::move(columns);
    return spec;
  }

  void expect_edges(const GraphSpec& spec, const NamedEdges& edges, const std::string& text) {
    for (const std::uint64_t chunk_bytes : {1ULL, 16ULL, 1ULL << 20}) {
      IoOptions options;
      options.chunk_bytes = chunk_bytes;
      const LoadedGraph loaded = load(spec, options);
      EXPECT_EQ(named_edges(loaded.graph), edges);
      EXPECT_EQ(loaded.report.table, text);
    }
  }

  void expect_error(const GraphSpec& spec, std::uint64_t line, const std::string& message) {
    for (const std::uint64_t chunk_bytes : {1ULL, 16ULL, 1ULL << 20}) {
      IoOptions options;
      options.chunk_bytes = chunk_bytes;
      const Error error = load_error(spec, options);
      EXPECT_NE(error.message.find(message), std::string::npos) << error.render();
      EXPECT_EQ(error.line, line) << error.render();
    }
  }

  TemporaryFolder folder_;
  int files_ = 0;
};

const ColumnRef kSrc("src"), kDst("dst");

TEST_F(Tables, AHeadingAboveNumbers) {
  expect_edges(table("source,target\n1,2\n2,3\n"), {{"1", "2"}, {"2", "3"}}, "csv, heading, source → target");
  expect_edges(table("# c\n\nx\ty\n1\t2\n"), {{"1", "2"}}, "tsv, heading, x → y");
  expect_edges(table("\xEF\xBB\xBFwho;whom\r\n1;2\r\n"), {{"1", "2"}}, "csv with `;`, heading, who → whom");
  expect_edges(table("from to\n1 2\n"), {{"1", "2"}}, "columns, heading, from → to");
}

TEST_F(Tables, HeadingsByOrder) {
  GraphSpec spec = table("1,2\n3,4\n");
  spec.table.heading = Heading::Yes;
  expect_edges(spec, {{"3", "4"}}, "csv, heading, 1 → 2");
  spec = table("a,b\nc,d\n");
  spec.table.heading = Heading::No;
  expect_edges(spec, {{"a", "b"}, {"c", "d"}}, "csv, column 0 → column 1");
  expect_error(table("a1,b1\nc1,d1\n"), 1, "is `a1,b1` a heading? Its ids do not occur again");
}

TEST_F(Tables, ColumnsByNameAndNumber) {
  const std::string text = "when,dst,src,amount\n2020,bob,alice,\"1,5\"\n2021,carol,bob,2\n";
  const NamedEdges edges = {{"alice", "bob"}, {"bob", "carol"}};
  expect_edges(table(text, {kSrc, kDst}), edges, "csv, heading, src → dst");
  expect_edges(table(text, {2U, 1U}), edges, "csv, heading, src → dst");
  expect_edges(table("7 8 9\n9 8\n", {1U, 0U}), {{"7", "8"}, {"8", "9"}}, "columns, column 1 → column 0");
  expect_error(table(text, {kSrc, ColumnRef("target")}), 1, "there is no column `target`");
  expect_error(table("1,2\n3,4\n", {kSrc, kDst}), 1, "there is no column");
  expect_error(table("src,dst,src\n1,2,3\n", {kSrc, kDst}), 0, "several columns `src`");
}

TEST_F(Tables, AHeadingChoosesTheColumns) {
  const NamedEdges edges = {{"a", "b"}, {"b", "c"}};
  for (const auto& [bytes, text] : std::vector<std::pair<std::string, std::string>>{
           {"id,Source,TARGET,weight\n1,a,b,5\n2,b,c,7\n", "csv, heading, Source → TARGET"},
           {"tail\trelation\thead\nb\tr\ta\nc\tr\tb\n", "tsv, heading, head → tail"},
           {"tx|ts|payer|payee\n1|5|a|b\n2|6|b|c\n", "csv with `|`, heading, payer → payee"},
           {",source,target\n0,a,b\n1,b,c\n", "csv, heading, source → target"},
           {",who,whom\n0,a,b\n1,b,c\n", "csv, heading, who → whom"},
           {":START_ID,role,:END_ID\na,x,b\nb,x,c\n", "csv, heading, :START_ID → :END_ID"},
           {"n,Src IP,Dst IP\n1,a,b\n2,b,c\n", "csv, heading, Src IP → Dst IP"},
           {"protein1 protein2 score\na b 1\nb c 2\n", "columns, heading, protein1 → protein2"}}) {
    SCOPED_TRACE(bytes);
    expect_edges(table(bytes), edges, text);
  }
  expect_error(table("tx,person,friend\n1,a,b\n"), 1, "The heading has 3: `tx`, `person`, `friend`");
  expect_error(table("src_ip,src_port,dst_ip,dst_port\n1,2,3,4\n"), 1, "which columns are the ends of an edge?");
  expect_error(table("source,target\nsource,a\na,target\n"), 1, "a heading? Its names are ids below, too");
  expect_error(table("node1,node2\nnode3,node4\n"), 1, "a heading? Its ids do not occur again");
  expect_edges(table("7 8 9\n8 9 9\n"), {{"7", "8"}, {"8", "9"}}, "");
  expect_edges(table("u v\nv w\n"), {{"u", "v"}, {"v", "w"}}, "columns, column 0 → column 1");
}

TEST_F(Tables, AHeadingBehindAHash) {
  const std::string text = "# 2020\n#Id\tA\tB\n1\tx\ty\n# more\n2\ty\tz\n";
  expect_edges(table(text, {ColumnRef("A"), ColumnRef("B")}), {{"x", "y"}, {"y", "z"}}, "tsv, heading, A → B");
  EXPECT_EQ(load(table(text, {1U, 2U})).report.comments, 1U);
  expect_edges(table("# weight\tFromNodeId\tToNodeId\n7\t1\t2\n"), {{"1", "2"}}, "tsv, heading, FromNodeId → ToNodeId");
  expect_edges(table("# FromNodeId\tToNodeId\n1\t2\n"), {{"1", "2"}}, "");
}

TEST_F(Tables, BelowAHeadingNoLineIsAComment) {
  expect_edges(table("source,target\n#a,u2\nu2,%b\n//c,u2\n"), {{"#a", "u2"}, {"%b", "u2"}, {"//c", "u2"}},
               "csv, heading, source → target");
  expect_error(table("source,target\n1,2\n# note\n"), 3, "expected a vertex id, found `# note`");
}

TEST_F(Tables, TheLabelOfAnEdgeIsTheColumnOfThatName) {
  GraphSpec spec = table("source,weight,target,type\n1,9,2,x\n2,9,3,y\n");
  spec.edge_info = true;
  spec.info = ColumnKind::Label;
  expect_edges(spec, {{"1", "2"}, {"2", "3"}}, "csv, heading, source → target, type");
  spec = table("source,weight,target,colour\n1,9,2,x\n");
  spec.edge_info = true;
  spec.info = ColumnKind::Label;
  expect_error(spec, 1, "which column has the labels of edges?");
  spec.columns = {ColumnRef(), ColumnRef(), ColumnRef("colour")};
  expect_edges(spec, {{"1", "2"}}, "csv, heading, source → target, colour");
  spec = table("source,label,target,type\n1,x,2,y\n");
  spec.edge_info = true;
  spec.info = ColumnKind::Label;
  expect_error(spec, 1, "which column has the labels of edges?");
}

TEST_F(Tables, OneSlashBeginsNoComment) {
  expect_edges(table("/m/a /m/b\n// a remark\n/m/b /m/c\n"), {{"/m/a", "/m/b"}, {"/m/b", "/m/c"}},
               "columns, column 0 → column 1");
}

TEST_F(Tables, RepeatedLoopsAreCountedAsLoops) {
  std::string text = "source,target\n";
  constexpr std::uint64_t kLines = 700;
  for (std::uint64_t line = 0; line < kLines; ++line) text += "1,2\n3,3\n";
  const LoadedGraph loaded = load(table(text));
  EXPECT_EQ(loaded.report.loops, kLines);
  EXPECT_EQ(loaded.report.duplicates, kLines - 1);
}

TEST_F(Tables, TriplesWithoutAHeading) {
  expect_error(table("ann\tknows\tbob\nbob\tknows\tcid\n"), 1, "are these lines `head relation tail`?");
  expect_edges(table("ann bob x\nbob cid x\n"), {{"ann", "bob"}, {"bob", "cid"}}, "columns, column 0 → column 1");
}

TEST_F(Tables, LettersAsIds) {
  const NamedEdges edges = {{"e", "f"}, {"f", "t"}};
  expect_edges(table("e f\nf t\n"), edges, "columns, column 0 → column 1");
  expect_edges(table("t f\nf e\n"), edges, "columns, column 0 → column 1");
  expect_edges(table("v 1\n1 e\n"), {{"1", "v"}, {"1", "e"}}, "columns, column 0 → column 1");
  expect_edges(table("e 1 2\ne 2 3\n", {1U, 2U}), {{"1", "2"}, {"2", "3"}}, "columns, column 1 → column 2");
  EXPECT_EQ(load(table("e 1 2\ne 2 3\n")).report.format, Format::Tve);
  GraphSpec spec = table("t # 0\nv 1 1\nv 2 1\ne 1 2\n");
  spec.table.text_ids = true;
  EXPECT_EQ(load(spec).report.format, Format::Tve);
}

TEST_F(Tables, WholeNumbers) {
  expect_edges(table("src,dst\n1.0,2\n2.00,3\n"), {{"1", "2"}, {"2", "3"}}, "csv, heading, src → dst");
  expect_edges(table("1.0 2\n2. 3\n"), {{"1", "2"}, {"2", "3"}}, "");
  EXPECT_NE(load_error(table("1.5 2\n")).hint.find("ids are whole numbers"), std::string::npos);
  EXPECT_NE(load_error(table("src,dst\n1e3,2\n")).hint.find("ids are whole numbers"), std::string::npos);
  EXPECT_TRUE(load(table("007 7\n")).report.leading_zeros);
  EXPECT_TRUE(load(table("src,dst\n1,07\n")).report.leading_zeros);
  EXPECT_FALSE(load(table("0 7\n")).report.leading_zeros);
}

TEST_F(Tables, LabelsThatAreTurnedRound) {
  for (const char* text : {"label,id\nred,1\nblue,2\n", "red 1\nblue 2\n", "colour\tvertex\nred\t1\n"}) {
    GraphSpec spec = table("1 2\n");
    spec.labels_path = folder_.file("l", text);
    EXPECT_NE(load_error(spec).hint.find("--vertices"), std::string::npos) << text;
  }
  for (const char* text : {"1 red\n", "1 plasmid\n2 node\n", "id,label\n1,red\n"}) {
    GraphSpec spec = table("1 2\n");
    spec.labels_path = folder_.file("l", text);
    EXPECT_NE(load(spec).report.labels, 0U) << text;
  }
}

TEST_F(Tables, QuotesAsInRfc4180) {
  expect_edges(table("src,dst,note\n\"a, b\",\"say \"\"hi\"\"\",\"two\nlines\"\n\"a, b\", c ,x\n"),
               {{"a, b", "say \"hi\""}, {"a, b", "c"}}, "csv, heading, src → dst");
  expect_edges(table("\"source\",\"target\"\n\"1\",\"2\"\n"), {{"1", "2"}}, "csv, heading, source → target");
  expect_error(table("src,dst,note\n1,2,\"x\n\ny\"\n1,z,\n"), 5, "expected a vertex id, found `z`");
  expect_error(table("src,dst\n1,2\n3,\"4\n5,6\n"), 3, "a quoted cell does not end");
  expect_error(table("src,dst\n1,2\n3,4\"\n"), 3, "a quote inside of `4\"`");
  expect_error(table("src,dst\n1,2\n3,\"4\"5\n"), 3, "a quoted cell is followed by `5`");
}

TEST_F(Tables, LinesOfUnlikeLength) {
  expect_error(table("src,dst\n1,2,3\n"), 2, "the line has 3 columns, those before have 2");
  expect_error(table("src,dst\n1,2\n1,2,3\n"), 3, "the line has 3 columns, those before have 2");
  expect_edges(table("src,dst\n1,2\n1,3,3\n", {kSrc, kDst}), {{"1", "2"}, {"1", "3"}}, "csv, heading, src → dst");
  expect_error(table("src,dst\n1,2\n1\n", {kSrc, kDst}), 3, "the line has 1 column, 2 are needed");
  expect_error(table("src,dst\n1,2\n1,\n"), 3, "expected a vertex id, the column is empty");
}

TEST_F(Tables, CommasOfDecimalNumbers) {
  const NamedEdges edges = {{"1", "2"}, {"2", "3"}};
  expect_edges(table("1;2;0,5\n2;3;1\n", {0U, 1U}), edges, "csv with `;`, column 0 → column 1");
  expect_edges(table("1;2;0,5\n2;3;1,5\n"), edges, "csv with `;`, column 0 → column 1");
  expect_edges(table("1,2,a;b;3\n2,3,c\n"), edges, "");
  expect_edges(table("1,2,7;8;0,5\n2,3,c,0\n"), edges, "");
}

TEST_F(Tables, FirstLinesThatAreNoTable) {
  expect_error(table("1::2::5\n2::3::5\n"), 1, "the line has 1 column, 2 are needed");
  expect_error(table("a->b\nb->c\n"), 1, "the line has 1 column, 2 are needed");
  EXPECT_NE(load_error(table("1:2\n2:3\n")).hint.find("separate columns"), std::string::npos);
  for (const char* const pairs : {"(1,2)\n(2,3)\n(1,3)\n", "(1, 2),\n(2, 3)\n", "[a; b]\n"}) {
    expect_error(table(pairs), 1, "are these lines pairs in brackets?");
  }
  expect_error(table("1 -> 2\n3 -> 4\n"), 1, "is `->` an arrow or an id?");
  expect_error(table("10,20\t0.5\n20,30\t0.7\n"), 1, "is `10,20` two ids or one?");
  expect_error(table("10,20\t30\n30\t10,20\n"), 1, "expected a vertex id, found `10,20`");
  expect_error(table("sep=;\nsource;target\n1;2\n"), 1, "the line says what separates the cells");
  const GraphSpec rows_of_r = table("\"from\" \"to\"\n\"1\" \"a\" \"b\"\n\"2\" \"b\" \"a\"\n");
  expect_error(rows_of_r, 2, "the line has 3 columns, those before have 2");
  EXPECT_NE(load_error(rows_of_r).hint.find("`FILE:1,2`"), std::string::npos);
}

TEST_F(Tables, QuotesOfCommentsPairWithNone) {
  expect_edges(table("1,2,\"a\nb\"\n# an inch is 1\"\n2,3,\"c\nd\"\n3,4,e\n", {0U, 1U}),
               {{"1", "2"}, {"2", "3"}, {"3", "4"}}, "csv, column 0 → column 1");
}

TEST_F(Tables, ALineOfUnlikeLengthIsWhereItBegins) {
  expect_error(table("1,2\n3,4,\"a\nb\"\n5,6\n"), 2, "the line has 3 columns, those before have 2");
}

TEST_F(Tables, IdsOfText) {
  const LoadedGraph loaded = load(table("zoe,al\nal,Ben\nBen,zoe\nzoe,zoe\n"));
  EXPECT_EQ(named_edges(loaded.graph), (NamedEdges{{"Ben", "al"}, {"Ben", "zoe"}, {"al", "zoe"}}));
  EXPECT_EQ(loaded.report.ids, IdKind::Text);
  EXPECT_EQ(loaded.report.first_id + loaded.report.last_id, "Benzoe");
  EXPECT_EQ(loaded.report.loops, 1U);
  GraphSpec spec = table("007 7\n7 08\n");
  EXPECT_EQ(load(spec).report.vertices, 2U);
  spec.table.text_ids = true;
  EXPECT_EQ(load(spec).report.vertices, 3U);
  expect_error(table("alice bob\nbob \x02\n"), 2, "expected a vertex id, found `\\x02`");
}

TEST_F(Tables, IdsBeyondInt64) {
  const LoadedGraph loaded = load(table("5 4\n18446744073709551615 5\n9223372036854775808 4\n"));
  EXPECT_EQ(loaded.report.ids, IdKind::Unsigned);
  EXPECT_EQ(named_edges(loaded.graph),
            (NamedEdges{{"4", "5"}, {"4", "9223372036854775808"}, {"5", "18446744073709551615"}}));
  expect_error(table("5 4\n18446744073709551615 5\n-1 4\n"), 3, "expected a vertex id from 0 to");
}

TEST_F(Tables, VerticesWithLabels) {
  GraphSpec spec = table("a,b\nb,c\n");
  spec.vertices_path = folder_.file("v", "name,kind,id\nx,Big Corp,a\ny,,b\nz,\"p, q\",d\n");
  spec.id_column = ColumnRef("id");
  spec.label_column = ColumnRef("kind");
  const LoadedGraph loaded = load(spec);
  EXPECT_EQ(loaded.report.vertices, 4U);
  EXPECT_EQ(loaded.report.unlabelled, 2U);
  EXPECT_EQ(loaded.graph.dictionary().words(), (std::vector<std::string>{"", "Big Corp", "p, q"}));
  EXPECT_EQ(loaded.graph.view().labels[0], -2);
  EXPECT_EQ(loaded.graph.view().labels[3], -3);
  spec.vertices_path = folder_.file("v", "id,kind\na,x\nb,y\na,x\n");
  EXPECT_EQ(load_error(spec).line, 4U);
  EXPECT_EQ(load_error(spec).message, "vertex `a` has a second label");
}

TEST_F(Tables, VerticesWithAHeadingHaveLabels) {
  const auto labels_of = [this](const std::string& vertices) {
    GraphSpec spec = table("a,b\nb,c\n");
    spec.vertices_path = folder_.file("v", vertices);
    const LoadedGraph loaded = load(spec);
    return loaded.graph.view().labels == nullptr ? std::vector<std::string>() : loaded.graph.dictionary().words();
  };
  EXPECT_EQ(labels_of("id,label\na,x\nb,y\n"), (std::vector<std::string>{"", "x", "y"}));
  EXPECT_EQ(labels_of("name;age;Type\na;3;x\nb;4;y\n"), (std::vector<std::string>{"", "x", "y"}));
  EXPECT_EQ(labels_of("id,type,label\na,p,x\nb,q,y\n"), (std::vector<std::string>{"", "x", "y"}));
  // Several usual names, no name of ids, or a labels file.
  EXPECT_EQ(labels_of("id,type,kind\na,p,x\nb,q,y\n"), std::vector<std::string>());
  EXPECT_EQ(labels_of("id,color\na,p\nb,q\n"), std::vector<std::string>());
  GraphSpec spec = table("a,b\nb,c\n");
  spec.vertices_path = folder_.file("v", "id,label\na,x\nb,y\n");
  spec.labels_path = folder_.file("l", "a one\nb two\nc one\n");
  EXPECT_EQ(load(spec).graph.dictionary().words(), (std::vector<std::string>{"one", "two"}));
}

TEST_F(Tables, AnotherInputIsText) {
  // Values read as numbers are read again.
  InputSet set;
  GraphSpec numbers = table("1 02\n");
  numbers.name = "numbers";
  GraphSpec text = table("1 x\nx 1\n");
  text.name = "text";
  ASSERT_TRUE(set.add_graph(numbers));
  ASSERT_TRUE(set.add_graph(text));
  Result<Inputs> inputs = set.finish();
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->universe->size(), 3U);
  EXPECT_EQ(named_edges(inputs->graphs.at("numbers")), (NamedEdges{{"02", "1"}}));
  EXPECT_EQ(named_edges(inputs->graphs.at("text")), (NamedEdges{{"1", "x"}}));
}

TEST_F(Tables, MtgKeepsThem) {
  for (const std::string& text :
       {std::string("zoe,al\nal,Ben\nBen,zoe\n"), std::string("18446744073709551615 5\n5 4\n")}) {
    const LoadedGraph loaded = load(table(text));
    const std::string path = folder_.path("g.mtg");
    ASSERT_TRUE(write_mtg(loaded.graph, path));
    const LoadedGraph again = load(path);
    EXPECT_EQ(named_edges(again.graph), named_edges(loaded.graph));
    EXPECT_EQ(again.report.ids, loaded.report.ids);
    EXPECT_EQ(again.report.last_id, loaded.report.last_id);
    const Result<Graph> ranked = ordered_by_degree(loaded.graph, Halves::Lower);
    ASSERT_TRUE(ranked);
    ASSERT_TRUE(write_mtg(loaded.graph, path, {}, {&*ranked, Halves::Lower}));
    EXPECT_EQ(named_edges(load(path).graph), named_edges(loaded.graph));
    const std::string edges = folder_.path("g.txt");
    ASSERT_TRUE(write_text(loaded.graph, edges, {}));
    EXPECT_EQ(named_edges(load(edges).graph), named_edges(loaded.graph));
  }
  // Beside another input its ranks move.
  ASSERT_TRUE(write_mtg(load(table("b,d\nd,b\n")).graph, folder_.path("g.mtg")));
  GraphSpec spec = spec_of(folder_.path("g.mtg"));
  spec.vertices_path = folder_.file("v", "a\nc\n");
  const LoadedGraph wider = load(spec);
  EXPECT_EQ(named_edges(wider.graph), (NamedEdges{{"b", "d"}}));
  EXPECT_EQ(wider.report.vertices, 4U);
}

TEST_F(Tables, Lists) {
  InputSet set;
  const std::string path = folder_.file("l", "who,when\nann,5\nbob,6\n");
  ASSERT_TRUE(set.add_list({"when", path, {{0, ColumnKind::Int, "when"}}, true, {}}));
  ASSERT_TRUE(set.add_list({"who", path, {{0, ColumnKind::Vertex, "who"}}, true, {}}));
  Result<Inputs> inputs = set.finish();
  ASSERT_TRUE(inputs) << inputs.error().render();
  EXPECT_EQ(inputs->lists.at("when").columns[0].ints, (std::vector<std::int64_t>{5, 6}));
  EXPECT_EQ(inputs->universe->id_text(inputs->lists.at("who").columns[0].ranks[1]), "bob");
}

}  // namespace
}  // namespace matcha::runtime::test
