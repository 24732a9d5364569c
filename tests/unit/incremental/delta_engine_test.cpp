// Programs and patterns that answer by deltas, against the engine that runs again.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "incremental/engine.h"
#include "incremental/netting.h"
#include "session/message_log.h"
#include "tests/unit/sanitized.h"

namespace matcha::session::stream {
namespace {

ResidentGraph::Shared empty_graph(bool directed) {
  runtime::ColumnInput columns;
  columns.directed = directed;
  runtime::Result<ResidentGraph::Shared> graph = ResidentGraph::from_columns(columns);
  return graph ? *graph : nullptr;
}

/// Each pair is an edge three times out of five.
ResidentGraph::Shared dense_graph(std::int64_t vertices) {
  std::mt19937 random(1);
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t u = 0; u < vertices; ++u) {
    for (std::int64_t v = 0; v < u; ++v) {
      if (random() % 5 < 2) continue;
      sources.push_back(u);
      targets.push_back(v);
    }
  }
  runtime::ColumnInput columns;
  columns.sources = runtime::IntColumn::of(sources.data(), sources.size());
  columns.targets = runtime::IntColumn::of(targets.data(), targets.size());
  runtime::Result<ResidentGraph::Shared> graph = ResidentGraph::from_columns(columns);
  return graph ? *graph : nullptr;
}

/// Edges have labels 0, 1 and 2, one or two of them; of these there are few.
ResidentGraph::Shared labelled_graph(bool directed) {
  const std::array<std::int64_t, 5> sources = {0, 1, 2, 2, 4}, targets = {1, 2, 0, 0, 1}, labels = {0, 1, 1, 2, 0};
  const std::array<std::int64_t, 4> vertices = {0, 1, 2, 4};
  runtime::ColumnInput columns;
  columns.sources = runtime::IntColumn::of(sources.data(), sources.size());
  columns.targets = runtime::IntColumn::of(targets.data(), targets.size());
  columns.edge_labels.codes = runtime::IntColumn::of(labels.data(), labels.size());
  columns.vertices = runtime::IntColumn::of(vertices.data(), vertices.size());
  columns.vertex_labels.codes = runtime::IntColumn::of(vertices.data(), vertices.size());
  columns.directed = directed;
  runtime::Result<ResidentGraph::Shared> graph = ResidentGraph::from_columns(columns);
  return graph ? *graph : nullptr;
}

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

ProgramRequest request_of(const std::string& program) {
  ProgramRequest request;
  request.text = program;
  request.device = "cpu";
  request.tier = "interp";
  return request;
}

ProgramRequest pattern_of(const std::string& text, const std::string& induced, bool embeddings) {
  ProgramRequest request = request_of("");
  request.pattern.text = text;
  request.pattern.induced = induced;
  request.pattern.embeddings = embeddings;
  return request;
}

/// A random update: edges mostly, some labels and vertices that go. `labelled`: edges have one of four labels.
Update random_update(std::mt19937& random, unsigned vertices, bool labelled) {
  Update update;
  const unsigned what = static_cast<unsigned>(random() % 40);
  update.kind = what < 24   ? UpdateKind::InsertEdge
                : what < 34 ? UpdateKind::DeleteEdge
                : what < 39 ? UpdateKind::SetVertex
                            : UpdateKind::DeleteVertex;
  update.u = static_cast<std::int64_t>(random() % vertices);
  update.v = static_cast<std::int64_t>(random() % vertices);
  const bool is_edge = update.kind == UpdateKind::InsertEdge || update.kind == UpdateKind::DeleteEdge;
  if (labelled && is_edge && (update.kind == UpdateKind::InsertEdge || random() % 4 != 0)) {
    update.has_label = true;
    update.label = static_cast<std::int64_t>(random() % 4);
  }
  if (update.kind == UpdateKind::SetVertex) {
    update.has_label = true;
    update.label = static_cast<std::int64_t>(random() % 3);
  }
  return update;
}

/// Runs engines over the same batches: one recomputes, one counts the delta of each edge, one counts the whole graph
/// when allowed, and two share the edges among threads. True if the second one answered by deltas.
bool agree_from(const ResidentGraph::Shared& start, const std::vector<ProgramRequest>& requests, bool rows,
                unsigned seed, unsigned vertices, int rounds = 25) {
  const auto log = std::make_shared<MessageLog>();
  constexpr std::size_t kEngines = 5;
  rounds = unless_sanitized(rounds, (rounds + 3) / 4);
  std::array<std::unique_ptr<Engine>, kEngines> engines;
  for (std::size_t e = 0; e < kEngines; ++e) engines[e] = e == 0 ? make_recompute(start, log) : make_delta(start, log);
  ProgramOptions wanted;
  wanted.rows = rows;
  for (const std::unique_ptr<Engine>& engine : engines) {
    for (const ProgramRequest& request : requests) {
      EXPECT_EQ(engine->add(request, wanted, log), Status::Ok) << log->text();
    }
  }
  if (testing::Test::HasFailure()) return false;
  std::array<ApplyOptions, kEngines> options;
  for (ApplyOptions& one : options) one.run.threads = 1;
  options[1].strategy = options[3].strategy = options[4].strategy = BatchStrategy::EdgeByEdge;
  options[2].strategy = BatchStrategy::Recount;
  options[3].run.threads = 2;
  options[4].run.threads = 4;
  options[3].shares_always = options[4].shares_always = true;
  std::array<std::vector<Answer>, kEngines> answers;
  for (std::size_t e = 0; e < kEngines; ++e)
    EXPECT_EQ(engines[e]->start(options[e], answers[e]), Status::Ok) << log->text();
  std::mt19937 random(seed);
  bool all = true, anew = false;
  for (int round = 0; round < rounds; ++round) {
    Netting netting(engines[1]->present(), VertexRules{0, false});
    for (unsigned i = 1 + static_cast<unsigned>(random() % 9); i != 0; --i)
      netting.add(random_update(random, vertices, start->maybe_informed() != nullptr));
    const NetBatch batch = netting.take();
    for (std::size_t e = 0; e < kEngines; ++e) {
      EXPECT_EQ(engines[e]->apply(batch, options[e], answers[e]), Status::Ok) << log->text();
      EXPECT_EQ(answers[e].size(), requests.size());
    }
    if (testing::Test::HasFailure()) return false;
    for (std::size_t p = 0; p < requests.size(); ++p) {
      const Answer& again = answers[0][p];
      for (std::size_t e = 1; e < kEngines; ++e) {
        const Answer& delta = answers[e][p];
        EXPECT_EQ(again.total, delta.total) << "program " << p << " round " << round;
        EXPECT_EQ(again.delta, delta.delta) << "program " << p << " round " << round;
        if (again.plus && delta.plus) {
          EXPECT_TRUE(*again.plus == *delta.plus && *again.minus == *delta.minus) << "program " << p;
        }
        EXPECT_EQ(again.plus.has_value(), delta.plus.has_value()) << "program " << p;
        EXPECT_TRUE(delta.how == MaintenanceMethod::Delta || !delta.why.empty());
        // Each engine may give any row of a subgraph.
        EXPECT_EQ(answers[1][p].changes.rows.words, delta.changes.rows.words) << "program " << p << " engine " << e;
        EXPECT_EQ(answers[1][p].changes.signs, delta.changes.signs) << "program " << p << " engine " << e;
      }
      all = all && answers[1][p].how == MaintenanceMethod::Delta;
      anew = anew || answers[2][p].how == MaintenanceMethod::Recompute;
    }
    EXPECT_EQ(engines[0]->present().edge_count(), engines[1]->present().edge_count());
    if (testing::Test::HasFailure()) return false;
  }
  EXPECT_NE(anew, rows) << "rows are not listed anew";
  // The graph that would be written.
  for (std::size_t e = 1; e < kEngines; ++e) {
    const auto graph = engines[e]->graph();
    const bool labelled = start->maybe_informed() != nullptr;
    EXPECT_TRUE(graph && (labelled ? *(*graph)->maybe_informed() : (*graph)->graph()).edge_count() ==
                             engines[0]->present().edge_count());
  }
  return all;
}

bool agree(const std::vector<ProgramRequest>& requests, bool directed, bool rows, unsigned seed,
           unsigned vertices = 9) {
  return agree_from(empty_graph(directed), requests, rows, seed, vertices);
}

TEST(DeltaEngine, ProgramsOfTheExamples) {
  for (const char* name : {"triangle", "diamond", "clique4", "clique4_ordered", "clique5", "four_cycle", "house",
                           "tailed_triangle", "tailed_triangle_induced", "wedge"}) {
    SCOPED_TRACE(name);
    const std::string text = text_of_file(std::string("examples/") + name + ".mt");
    ASSERT_FALSE(text.empty());
    const bool by_delta = agree({request_of(text)}, false, false, 11);
    const bool is_plain = std::string(name) == "triangle" || std::string(name) == "diamond";
    EXPECT_TRUE(by_delta || !is_plain) << "is run again";
  }
}

TEST(DeltaEngine, ProgramsOfSumsAgree) {
  const char* const kPrograms[] = {// Labels by number and by word, and pairs that are not adjacent.
                                   R"(def f(G: Graph) -> int:
    def at_u(u):
        return sum(apply(lambda v: 1, cond=lambda v: vertex_label(G, v) == 2, neighbor(G, u)))
    return sum(apply(at_u, cond=lambda u: vertex_label(G, u) == 1, vertices(G)))
)",
                                   R"(def f(G: Graph) -> int:
    def at_u(u):
        def at_v(v):
            return size(diff(neighbor(G, v), neighbor(G, u)))
        return sum(apply(at_v, neighbor(G, u)))
    return sum(apply(at_u, vertices(G)))
)",
                                   // Walks: vertices may be the same.
                                   R"(def f(G: Graph) -> int:
    def at_u(u):
        def at_v(v):
            return sum(apply(lambda w: size(neighbor(G, w)), neighbor(G, v)))
        return sum(apply(at_v, neighbor(G, u)))
    return sum(apply(at_u, vertices(G)))
)",
                                   // Products of sizes.
                                   R"(def f(G: Graph) -> int:
    def at_u(u):
        d = size(neighbor(G, u))
        return d * (d - 1) * (d - 2) / 6
    return sum(apply(at_u, vertices(G)))
)"};
  unsigned seed = 0;
  for (const char* program : kPrograms) {
    SCOPED_TRACE(program);
    agree({request_of(program)}, false, false, ++seed);
  }
}

TEST(DeltaEngine, OtherProgramsAreRunAgain) {
  const char* const kPrograms[] = {"def f(G: Graph) -> int:\n    return size(vertices(G))\n",
                                   "def f(G: Graph) -> int:\n    return sum(apply(lambda u: size(neighbor(G, u)), "
                                   "cond=lambda u: size(neighbor(G, u)) "
                                   ">= 3, vertices(G)))\n",
                                   "def f(G: Graph) -> int:\n    return sum(apply(lambda u: size(apply(lambda v: v, "
                                   "cond=lambda v: v < u, neighbor(G, "
                                   "u))) * size(neighbor(G, u)), vertices(G)))\n"};
  for (const char* program : kPrograms) EXPECT_FALSE(agree({request_of(program)}, false, false, 3)) << program;
  EXPECT_FALSE(agree({pattern_of("a-b,c-d", "edge", false)}, false, false, 5, 6));
}

TEST(DeltaEngine, PatternsWithLabelsAndTheirRows) {
  for (const bool rows : {false, true}) {
    for (const std::string induced : {"edge", "vertex"}) {
      std::vector<ProgramRequest> requests;
      for (const char* text :
           {"triangle", "(a:1)-(b:2)", "(a:1)-b-(c:1)", "(a:0)-(b)-(c:2)-(a)", "square", "diamond"}) {
        requests.push_back(pattern_of(text, induced, requests.size() % 2 == 1));
      }
      EXPECT_TRUE(agree(requests, false, rows, rows ? 21 : 22));
    }
  }
  EXPECT_TRUE(agree({pattern_of("a->b->c", "edge", false), pattern_of("a->b->c->a", "edge", true)}, true, false, 31));
  EXPECT_TRUE(agree({pattern_of("motif:4", "", false)}, false, false, 32));
  // Some by deltas, some not.
  EXPECT_FALSE(agree({pattern_of("wedge", "edge", false), pattern_of("a-b,c-d", "edge", false)}, false, false, 33, 6));
}

TEST(DeltaEngine, LabelsOfEdges) {
  for (const bool directed : {false, true}) {
    const std::string arrow = directed ? "->" : "-";
    const auto pattern = [&](std::string text, const std::string& induced, bool embeddings) {
      for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += arrow.size()) {
        text.replace(at, 1, arrow);
      }
      return pattern_of(text, induced, embeddings);
    };
    for (const std::string induced : {"edge", "vertex"}) {
      for (const bool rows : {false, true}) {
        if (unless_sanitized(false, rows == (induced == "edge"))) continue;
        std::vector<ProgramRequest> requests;
        for (const char* text :
             {"a-b=0", "a-b=1,b-c=1", "a-b=0,b-c,c-a=2", "a-b=0,a-b=1,b-c=2", "a-b=1,a-c=1,a-d=1", "(a:1)-(b:2)=1,b-c",
              "a-b", "a-b=0,a-c=1,a-d=1", "a-b=0,b-c=1,c-d=0,d-a=1", "a-b=2,b-c=2,a~c"}) {
          requests.push_back(pattern(text, induced, requests.size() % 2 == 1));
        }
        EXPECT_TRUE(agree_from(labelled_graph(directed), requests, rows, rows ? 51 : 52, 7, 15)) << induced << directed;
      }
    }
    EXPECT_TRUE(agree_from(labelled_graph(directed), {pattern("a-b=0|1,b-c", "edge", false)}, false, 53, 6, 8));
    // An edge of any label has none, the other pattern has.
    EXPECT_FALSE(agree_from(labelled_graph(directed),
                            {pattern("a-b=?,b-c", "edge", true), pattern("a-b", "edge", false)}, false, 54, 6, 8));
  }
}

/// Long rows are cut before they are merged.
TEST(DeltaEngine, LongRows) {
  constexpr unsigned kVertices = 125;
  for (const char* induced : {"edge", "vertex"}) {
    std::vector<ProgramRequest> requests;
    for (const char* text : {"triangle", "square", "diamond"}) requests.push_back(pattern_of(text, induced, false));
    EXPECT_TRUE(agree_from(dense_graph(kVertices), requests, false, 41, kVertices, 5)) << induced;
  }
}

/// The cost of recomputation is measured, so only the answers are compared.
TEST(DeltaEngine, ManyEdgesAtOnce) {
  constexpr std::int64_t kVertices = 90;
  const auto log = std::make_shared<MessageLog>();
  const std::unique_ptr<Engine> engine = make_delta(dense_graph(kVertices), log);
  EXPECT_EQ(engine->add(pattern_of("house", "edge", false), {}, log), Status::Ok) << log->text();
  ApplyOptions options;
  options.run.threads = 1;
  std::vector<Answer> answers;
  EXPECT_EQ(engine->start(options, answers), Status::Ok);
  const std::vector<Number> before = answers[0].total;
  NetBatch batch;
  for (std::int64_t u = 0; u < kVertices; ++u) {
    for (std::int64_t v = u + 1; v < kVertices; v += 7) {
      (engine->present().has_edge(u, v, runtime::kNoLabel) ? batch.deleted : batch.inserted).push_back({u, v});
    }
  }
  EXPECT_EQ(engine->apply(batch, options, answers), Status::Ok);
  const __int128 plus = *answers[0].plus, minus = *answers[0].minus;
  EXPECT_TRUE(plus > 0 && minus > 0);
  EXPECT_EQ(difference(answers[0].total, before), answers[0].delta);
  EXPECT_EQ(answers[0].delta, (std::vector<Number>{plus - minus}));
  std::swap(batch.deleted, batch.inserted);
  EXPECT_EQ(engine->apply(batch, options, answers), Status::Ok);
  EXPECT_TRUE(*answers[0].plus == minus && *answers[0].minus == plus);
  EXPECT_EQ(answers[0].total, before);
}

}  // namespace
}  // namespace matcha::session::stream
