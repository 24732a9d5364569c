// The references of `run --verify`: counts by trying all maps, samples of graphs, and the detection of a wrong program.

#include "session/verification.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/graph/generate.h"
#include "session/exhaustive_count.h"
#include "session/message_log.h"

namespace matcha::session {
namespace {

using pattern::Induced;

/// A graph with edges as given, or with both directions of each.
runtime::Graph graph_of(std::uint64_t vertices, std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs,
                        bool directed, std::vector<std::int64_t> labels = {}, std::vector<std::int64_t> infos = {}) {
  std::vector<std::uint32_t> from, to;
  std::vector<std::int64_t> info;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    for (int back = 0; back < (directed ? 1 : 2); ++back) {
      from.push_back(back == 0 ? arcs[i].first : arcs[i].second);
      to.push_back(back == 0 ? arcs[i].second : arcs[i].first);
      if (!infos.empty()) info.push_back(infos[i]);
    }
  }
  std::vector<std::uint32_t> all;
  for (std::uint32_t v = 0; v < vertices; ++v) all.push_back(v);
  if (labels.empty()) labels.assign(vertices, 0);
  runtime::BuildInput input;
  input.universe = std::make_shared<const runtime::Universe>(runtime::Universe::identity(vertices));
  input.sources = from.data();
  input.targets = to.data();
  input.count = from.size();
  input.label_vertices = all.data();
  input.labels = labels.data();
  input.label_count = vertices;
  input.index = runtime::IndexKind::Csr;
  if (!infos.empty()) {
    input.edge_info = info.data();
    input.info_kind = runtime::InfoKind::Int;
  }
  return std::move(*runtime::build_graph(input));
}

std::uint64_t matches(const std::string& text, const runtime::Graph& graph, Induced induced = Induced::Edge,
                      bool embeddings = false, const runtime::LabelDictionary& dictionary = {}) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const auto set = pattern::read_pattern(sources, sources.add("<pattern>", text), diagnostics);
  EXPECT_TRUE(set) << text;
  const auto counts = count_exhaustively(*set, {induced, embeddings, 1'000'000}, graph, dictionary);
  EXPECT_TRUE(counts) << text;
  return counts && counts->size() == 1 ? counts->front() : ~std::uint64_t{0};
}

TEST(ExhaustiveCount, AgreesWithCountsByHand) {
  const runtime::Graph k4 = graph_of(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, false);
  EXPECT_EQ(matches("triangle", k4), 4U);
  EXPECT_EQ(matches("triangle", k4, Induced::Edge, true), 24U);
  EXPECT_EQ(matches("0-1,1-2", k4), 12U);
  EXPECT_EQ(matches("0-1,1-2", k4, Induced::Vertex), 0U);
  EXPECT_EQ(matches("0-1,1-2,0~2", k4), 0U);
  EXPECT_EQ(matches("cycle:4", k4), 3U);
  EXPECT_EQ(matches("0-1,2-3", k4), 3U);
  const runtime::Graph path = graph_of(4, {{0, 1}, {1, 2}, {2, 3}}, false, {7, 7, 8, 7});
  EXPECT_EQ(matches("0-1,1-2,0~2", path), 2U);
  EXPECT_EQ(matches("0-1,0:7", path), 4U);  // 0-1 both ways, 1-2, 3-2.
  EXPECT_EQ(matches("0-1,0:7,1:7", path), 1U);
  EXPECT_EQ(matches("0-1,0:'x'", path), 0U);
}

TEST(ExhaustiveCount, ArcsAndLabelsOfEdges) {
  const runtime::Graph arcs = graph_of(3, {{0, 1}, {1, 2}, {2, 0}, {1, 0}}, true);
  EXPECT_EQ(matches("0>1,1>2,2>0", arcs), 1U);
  EXPECT_EQ(matches("0>1,1>2,2>0", arcs, Induced::Vertex), 0U);
  EXPECT_EQ(matches("0>1", arcs), 4U);
  EXPECT_EQ(matches("0>1", arcs, Induced::Vertex), 2U);
  const runtime::LabelDictionary words({"owns", "pays"});
  const std::int64_t owns = *words.code("owns"), pays = *words.code("pays");
  const runtime::Graph edges = graph_of(3, {{0, 1}, {1, 2}, {0, 1}}, false, {}, {pays, owns, owns});
  EXPECT_EQ(matches("0-1=pays", edges, Induced::Edge, false, words), 1U);
  EXPECT_EQ(matches("0-1=owns", edges, Induced::Edge, false, words), 2U);
  EXPECT_EQ(matches("0-1=owns,0-1=pays", edges, Induced::Edge, false, words), 1U);
  EXPECT_EQ(matches("0-1=pays,1-2=owns", edges, Induced::Edge, false, words), 1U);
  EXPECT_EQ(matches("0-1", edges, Induced::Edge, false, words), 2U);
}

TEST(ExhaustiveCount, EndsAfterItsSteps) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const auto set = pattern::read_pattern(sources, sources.add("<pattern>", "clique:5"), diagnostics);
  const runtime::Graph empty = graph_of(50, {}, false);
  EXPECT_FALSE(count_exhaustively(*set, {Induced::Edge, false, 10}, empty, {}));
}

/// The inputs of a program with one graph.
struct Inputs {
  explicit Inputs(runtime::Graph graph) {
    bound.inputs.universe = graph.shared_universe();
    bound.inputs.dictionary = std::make_shared<const runtime::LabelDictionary>();
    bound.main_graph = "G";
    bound.arguments.emplace_back(&bound.inputs.graphs.emplace("G", std::move(graph)).first->second);
  }
  BoundInputs bound;
};

TEST(GraphSamples, HaveAllEdgesBetweenTheirVertices) {
  const Inputs clique(
      graph_of(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}, false));
  GraphSamples samples(clique.bound, 1);
  for (const std::uint64_t size : {1, 2, 4, 5, 9}) {
    const auto sample = samples.draw(size);
    ASSERT_TRUE(sample);
    const runtime::Graph& graph = (*sample)->bound.inputs.graphs.at("G");
    const std::uint64_t n = std::min<std::uint64_t>(size, 5);
    EXPECT_EQ(graph.vertex_count(), n);
    EXPECT_EQ(graph.view().arc_count, n * (n - 1));
  }
}

/// Returns the value of another function, or one more in every third run.
class Miscounting final : public codegen::Executable {
 public:
  Miscounting(codegen::Executable& right, bool wrong) : right_(right), wrong_(wrong) {}
  codegen::RunOutcome run(std::span<const codegen::Argument> arguments, const runtime::Universe& universe,
                          const codegen::RunOptions& options) override {
    codegen::RunOutcome outcome = right_.run(arguments, universe, options);
    if (wrong_ && ++runs_ % 3 == 0) std::get<__int128>(std::get<codegen::RunResult>(outcome).values[0]) += 1;
    return outcome;
  }

 private:
  codegen::Executable& right_;
  bool wrong_;
  int runs_ = 0;
};

std::string checked(bool wrong, Verification& found) {
  const Inputs inputs(std::move(*runtime::generate_gnp(40, 0.2, 3)));
  MessageLog log;
  const CompileOptions options;
  Compilation program(options, log);
  program.take(
      "def wedges(G: Graph) -> int:\n"
      "    return sum(apply(lambda v: size(neighbor(G, v)) * (size(neighbor(G, v)) - 1), vertices(G)))\n");
  EXPECT_EQ(program.check(), Status::Ok);
  EXPECT_EQ(program.lower(), Status::Ok);
  const std::unique_ptr<codegen::Backend> backend = codegen::make_interpreter();
  Diagnostics diagnostics(program.sources());
  const std::unique_ptr<codegen::Executable> right = backend->load(program.module_as_written({}), diagnostics);
  Miscounting tested(*right, wrong);
  SampleTask task;
  task.bound = &inputs.bound;
  task.tested = [&](const SampleInputs&) { return &tested; };
  task.compilation = &program;
  return check_on_samples(task, found);
}

TEST(Verification, FindsAProgramThatMiscounts) {
  Verification found;
  EXPECT_EQ(checked(false, found), "");
  EXPECT_GT(found.samples, 10U);
  EXPECT_GT(found.with_matches, 10U);
  Verification none;
  const std::string problem = checked(true, none);
  EXPECT_NE(problem.find("on a sample of the graph, where the interpreter"), std::string::npos) << problem;
  EXPECT_EQ(none.samples, 2U);
}

TEST(Verification, ShowsTheFirstLineThatDiffers) {
  EXPECT_EQ(difference("12", "13"), "12 and 13");
  EXPECT_EQ(difference("1\n22\n3", "1\n23\n3"), "22 and 23");
  EXPECT_EQ(difference("1\n2", "1"), "2 and ");
}

}  // namespace
}  // namespace matcha::session
