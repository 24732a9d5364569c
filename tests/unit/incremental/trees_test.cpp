// Cliques of a stream by trees below edges, against cliques that are listed one by one and the engine that recomputes.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "incremental/engine.h"
#include "incremental/netting.h"
#include "session/message_log.h"
#include "tests/unit/engines/cliques/clique_cases.h"
#include "tests/unit/sanitized.h"

namespace matcha::session::stream {
namespace {

using runtime::cliques::BruteForce;

ResidentGraph::Shared graph_of_edges(const std::vector<std::int64_t>& sources,
                                     const std::vector<std::int64_t>& targets) {
  runtime::ColumnInput columns;
  columns.sources = runtime::IntColumn::of(sources.data(), sources.size());
  columns.targets = runtime::IntColumn::of(targets.data(), targets.size());
  runtime::Result<ResidentGraph::Shared> graph = ResidentGraph::from_columns(columns);
  return graph ? *graph : nullptr;
}

ProgramRequest cliques_of(const std::string& size) {
  ProgramRequest request;
  request.device = "cpu";
  request.pattern.text = "clique:" + size;
  return request;
}

/// Cliques by size from 1, of the graph that an engine has; ids are below `vertices`.
std::vector<std::uint64_t> listed(const Present& present, std::int64_t vertices) {
  std::vector<std::int64_t> there;
  for (std::int64_t id = 0; id < vertices; ++id) {
    if (present.label_of(id)) there.push_back(id);
  }
  runtime::cliques::Adjacency adjacency = runtime::cliques::without_edges(there.size());
  for (std::size_t u = 0; u < there.size(); ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (present.has_edge(there[v], there[u], runtime::kNoLabel)) runtime::cliques::join(adjacency, u, v);
    }
  }
  return BruteForce(adjacency).counts();
}

/// A random line: edges that come or go, in one of three cases among few vertices, and vertices.
Update random_clique_line(std::mt19937& random, unsigned vertices) {
  Update update;
  const unsigned what = static_cast<unsigned>(random() % 40);
  update.kind = what < 25   ? UpdateKind::InsertEdge
                : what < 37 ? UpdateKind::DeleteEdge
                : what < 39 ? UpdateKind::SetVertex
                            : UpdateKind::DeleteVertex;
  const unsigned among = random() % 3 == 0 ? std::min(vertices, 6U) : vertices;
  update.u = static_cast<std::int64_t>(random() % among);
  update.v = static_cast<std::int64_t>(random() % among);
  return update;
}

__int128 sum_of(const std::vector<std::uint64_t>& counts, std::size_t size) {
  return size <= counts.size() ? static_cast<__int128>(counts[size - 1]) : 0;
}

constexpr std::array kCliqueSizes = {2, 3, 4, 5, 6, 9, 13};

/// The engine that recomputes; trees that take the cheaper way, always trees, always the whole graph, two threads.
class TreeEngines {
 public:
  explicit TreeEngines(const ResidentGraph::Shared& start) {
    for (std::size_t e = 0; e < kCount; ++e) {
      engines_[e] = e == 0 ? make_recompute(start, log_) : make_delta(start, log_);
      options_[e].run.threads = e == 4 ? 2 : 1;
      ProgramOptions wanted;
      wanted.method = e == 0 ? "recompute" : "trees";
      for (const int size : kCliqueSizes) add(e, cliques_of(std::to_string(size)), wanted);
      add(e, cliques_of("*"), wanted);
    }
    options_[2].strategy = options_[4].strategy = BatchStrategy::EdgeByEdge;
    options_[3].strategy = BatchStrategy::Recount;
    for (std::size_t e = 0; e < kCount; ++e) {
      EXPECT_EQ(engines_[e]->start(options_[e], answers_[e]), Status::Ok) << log_->text();
    }
  }

  const Present& present() const { return engines_[0]->present(); }
  void apply(const NetBatch& batch) {
    for (std::size_t e = 0; e < kCount; ++e) {
      ASSERT_EQ(engines_[e]->apply(batch, options_[e], answers_[e]), Status::Ok) << log_->text();
    }
  }
  void expect(const std::vector<std::uint64_t>& wanted) const {
    std::vector<Number> all;
    for (const std::uint64_t count : wanted) all.emplace_back(static_cast<__int128>(count));
    as_series(all);
    for (std::size_t e = 0; e < kCount; ++e) {
      for (std::size_t p = 0; p <= kCliqueSizes.size(); ++p) {
        const Answer& answer = answers_[e][p];
        SCOPED_TRACE("engine " + std::to_string(e) + " program " + std::to_string(p));
        if (p == kCliqueSizes.size()) {
          ASSERT_EQ(answer.total, all);
        } else {
          ASSERT_EQ(answer.total, std::vector<Number>{sum_of(wanted, static_cast<std::size_t>(kCliqueSizes[p]))});
        }
        ASSERT_EQ(answer.delta, answers_[0][p].delta);
        ASSERT_TRUE(answer.plus == answers_[0][p].plus && answer.minus == answers_[0][p].minus);
        ASSERT_TRUE(e != 2 || answer.how == MaintenanceMethod::Trees);
      }
    }
  }

 private:
  void add(std::size_t engine, const ProgramRequest& request, const ProgramOptions& wanted) {
    EXPECT_EQ(engines_[engine]->add(request, wanted, log_), Status::Ok) << log_->text();
  }

  static constexpr std::size_t kCount = 5;
  const std::shared_ptr<MessageLog> log_ = std::make_shared<MessageLog>();
  std::array<std::unique_ptr<Engine>, kCount> engines_;
  std::array<ApplyOptions, kCount> options_;
  std::array<std::vector<Answer>, kCount> answers_;
};

TEST(CliqueTrees, RandomBatchesEqualBruteForce) {
  const int graphs = unless_sanitized(std::getenv("MATCHA_TEST_ALL") != nullptr ? 400 : 40, 4);
  for (int seed = 0; seed < graphs; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    const unsigned vertices = 4 + static_cast<unsigned>(random() % 12);
    std::vector<std::int64_t> sources, targets;
    for (std::int64_t u = 0; seed % 4 != 0 && u < vertices; ++u) {
      for (std::int64_t v = 0; v < u; ++v) {
        if (random() % 100 >= 40U + 20U * (seed % 4U)) continue;
        sources.push_back(u);
        targets.push_back(v);
      }
    }
    TreeEngines engines(graph_of_edges(sources, targets));
    for (int round = 0; round < 12; ++round) {
      SCOPED_TRACE(round);
      Netting netting(engines.present(), VertexRules{0, false});
      for (unsigned i = static_cast<unsigned>(random() % 14); i != 0; --i)
        netting.add(random_clique_line(random, vertices));
      engines.apply(netting.take());
      if (testing::Test::HasFatalFailure()) return;
      engines.expect(listed(engines.present(), vertices));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Wide sets of common neighbours, numbers beyond 128 bits, and those that are too many.
TEST(CliqueTrees, NumbersOfAllWidths) {
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t u = 0; u < 250; ++u) {
    for (std::int64_t v = 0; v < u; ++v) {
      sources.push_back(u);
      targets.push_back(v);
    }
  }
  const ResidentGraph::Shared start = graph_of_edges(sources, targets);
  const auto log = std::make_shared<MessageLog>();
  const std::unique_ptr<Engine> trees = make_delta(start, log), again = make_recompute(start, log);
  for (const char* const size : {"*", "100", "247"}) {
    for (Engine* const engine : {trees.get(), again.get()}) {
      ASSERT_EQ(engine->add(cliques_of(size), {}, log), Status::Ok) << log->text();
    }
  }
  ApplyOptions options;
  options.run.threads = 1;
  options.strategy = BatchStrategy::EdgeByEdge;
  std::vector<Answer> mine, others;
  ASSERT_EQ(trees->start(options, mine), Status::Ok) << log->text();
  ASSERT_EQ(again->start(options, others), Status::Ok) << log->text();
  NetBatch go, come;
  go.deleted = {{1, 2}, {1, 5}, {2, 5}, {100, 249}};
  come.inserted = go.deleted;
  for (const NetBatch& batch : {go, come}) {
    ASSERT_EQ(trees->apply(batch, options, mine), Status::Ok) << log->text();
    ASSERT_EQ(again->apply(batch, options, others), Status::Ok) << log->text();
    for (std::size_t p = 0; p < 3; ++p) {
      EXPECT_EQ(mine[p].how, MaintenanceMethod::Trees);
      EXPECT_EQ(mine[p].total, others[p].total) << p;
      EXPECT_EQ(mine[p].delta, others[p].delta) << p;
      EXPECT_TRUE(mine[p].plus == others[p].plus && mine[p].minus == others[p].minus) << p;
    }
  }
  // A clique of 266 vertices has more cliques of some size than 256 bits have room for.
  NetBatch more;
  for (std::int64_t u = 250; u < 266; ++u) {
    more.vertices.push_back({u, false, true});
    for (std::int64_t v = 0; v < u; ++v) more.inserted.push_back({v, u});
  }
  std::ranges::sort(more.inserted, {}, [](const EdgeChange& edge) { return std::pair(edge.u, edge.v); });
  EXPECT_EQ(trees->apply(more, options, mine), Status::Run);
  EXPECT_NE(log->text().find("counts have at most 256"), std::string::npos) << log->text();
}

TEST(CliqueTrees, WhatTreesDoNotCount) {
  const auto log = std::make_shared<MessageLog>();
  const ResidentGraph::Shared start = graph_of_edges({0, 1, 2}, {1, 2, 0});
  ProgramOptions trees;
  trees.method = "trees";
  for (const char* const pattern : {"house", "clique:maximal"}) {
    ProgramRequest request = cliques_of("5");
    request.pattern.text = pattern;
    EXPECT_EQ(make_delta(start, log)->add(request, trees, log), Status::Usage);
  }
  const std::unique_ptr<Engine> engine = make_delta(start, log);
  ASSERT_EQ(engine->add(cliques_of("maximal"), {}, log), Status::Ok) << log->text();
  ASSERT_EQ(engine->add(cliques_of("8"), {}, log), Status::Ok) << log->text();
  std::vector<Answer> answers;
  ASSERT_EQ(engine->start({}, answers), Status::Ok) << log->text();
  NetBatch batch;
  batch.deleted = {{0, 1}};
  // No choice by measured times.
  ApplyOptions options;
  options.strategy = BatchStrategy::EdgeByEdge;
  ASSERT_EQ(engine->apply(batch, options, answers), Status::Ok) << log->text();
  EXPECT_EQ(answers[0].total, (std::vector<Number>{static_cast<__int128>(0), static_cast<__int128>(2)}));
  EXPECT_EQ(answers[0].delta,
            (std::vector<Number>{static_cast<__int128>(0), static_cast<__int128>(2), static_cast<__int128>(-1)}));
  EXPECT_FALSE(answers[0].plus);
  EXPECT_EQ(answers[0].how, MaintenanceMethod::Recompute);
  EXPECT_EQ(answers[1].how, MaintenanceMethod::Trees);
}

}  // namespace
}  // namespace matcha::session::stream
