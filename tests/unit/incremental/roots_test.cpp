// Programs that evaluate one vertex after the other, compared with an evaluation by hand and with the engine that
// recomputes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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

/// A graph by hand.
struct World {
  std::map<int, std::set<int>> near;
  std::map<int, std::int64_t> labels;
};
using Scope = std::vector<int>;  ///< Vertices with a name, in order: v0, v1, ….

/// A part of a program: its text and its value.
template <typename T>
struct Part {
  std::string text;
  std::function<T(const World&, const Scope&)> value;
};
using IntPart = Part<std::int64_t>;
using BoolPart = Part<bool>;
using SetPart = Part<std::set<int>>;

std::string name_of(std::size_t at) { return "v" + std::to_string(at); }

/// Random programs and their values.
class Programs {
 public:
  Programs(unsigned seed, bool has_labels) : random_(seed), has_labels_(has_labels) {}

  /// The program of a sum, an `any` or an `all` over all vertices, and its value.
  std::string text;
  std::function<Number(const World&)> value;

  void make() {
    names_ = 1;
    const unsigned what = pick(5);
    const std::string loop = ", vertices(G)))\n";
    if (what < 2) {
      const BoolPart cond = boolean(2);
      const IntPart part = integer(3);
      text = "def f(G: Graph) -> int:\n    return sum(apply(lambda v0: " + part.text +
             ", cond=lambda v0: " + cond.text + loop;
      value = [=](const World& world) {
        __int128 sum = 0;
        for (const auto& [v, near] : world.near) sum += cond.value(world, {v}) ? part.value(world, {v}) : 0;
        return Number(sum);
      };
    } else if (what < 4) {
      const bool is_any = what == 2;
      const BoolPart part = boolean(3);
      text = std::string("def f(G: Graph) -> bool:\n    return ") + (is_any ? "any" : "all") +
             "(apply(lambda v0: " + part.text + loop;
      value = [=](const World& world) {
        const auto holds = [&](const auto& row) { return part.value(world, {row.first}); };
        return Number(is_any ? std::ranges::any_of(world.near, holds) : std::ranges::all_of(world.near, holds));
      };
    } else {
      // One end below the other, so that ids are compared.
      const IntPart part = integer_of_two();
      text = "def f(G: Graph) -> int:\n    def at(v0):\n        return sum(apply(lambda v1: " + part.text +
             ", cond=lambda v1: v0 < v1, neighbor(G, v0)))\n    return sum(apply(at, vertices(G)))\n";
      value = [=](const World& world) {
        __int128 sum = 0;
        for (const auto& [v, near] : world.near) {
          for (const int w : near) sum += v < w ? part.value(world, {v, w}) : 0;
        }
        return Number(sum);
      };
    }
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::size_t any_name() { return pick(static_cast<unsigned>(names_)); }

  SetPart neighbours() {
    const std::size_t at = any_name();
    return {"neighbor(G, " + name_of(at) + ")",
            [at](const World& world, const Scope& scope) { return world.near.at(scope[at]); }};
  }

  SetPart set() {
    const SetPart a = neighbours();
    if (pick(2) == 0) return a;
    const SetPart b = neighbours();
    const bool meets = pick(3) != 0;
    return {std::string(meets ? "intersect(" : "diff(") + a.text + ", " + b.text + ")",
            [=](const World& world, const Scope& scope) {
              const std::set<int> first = a.value(world, scope), second = b.value(world, scope);
              std::set<int> result;
              for (const int v : first) {
                if (second.contains(v) == meets) result.insert(v);
              }
              return result;
            }};
  }

  IntPart integer_of_two() {
    names_ = 2;
    return integer(2);
  }

  IntPart integer(int depth) {
    const unsigned what = pick(depth <= 0 ? 4 : 9);
    if (what < 2) {
      const SetPart of = set();
      return {"size(" + of.text + ")", [=](const World& world, const Scope& scope) {
                return static_cast<std::int64_t>(of.value(world, scope).size());
              }};
    }
    if (what == 2) {
      const std::int64_t number = pick(4);
      return {std::to_string(number), [=](const World&, const Scope&) { return number; }};
    }
    if (what == 3 && has_labels_) {
      const std::size_t at = any_name();
      return {"vertex_label(G, " + name_of(at) + ")",
              [at](const World& world, const Scope& scope) { return world.labels.at(scope[at]); }};
    }
    if (what < 7) return operation(depth);
    return sum(depth);
  }

  IntPart operation(int depth) {
    const IntPart a = integer(depth - 1), b = integer(depth - 1);
    switch (pick(5)) {
      case 0:
        return {"(" + a.text + " + " + b.text + ")",
                [=](const World& world, const Scope& scope) { return a.value(world, scope) + b.value(world, scope); }};
      case 1:
        return {"(" + a.text + " * " + b.text + ")",
                [=](const World& world, const Scope& scope) { return a.value(world, scope) * b.value(world, scope); }};
      case 2:
        return {"min(" + a.text + ", " + b.text + ")", [=](const World& world, const Scope& scope) {
                  return std::min(a.value(world, scope), b.value(world, scope));
                }};
      case 3:
        return {"(" + a.text + " / 3)",
                [=](const World& world, const Scope& scope) { return a.value(world, scope) / 3; }};
      default:
        return {"(" + a.text + " % 3)",
                [=](const World& world, const Scope& scope) { return a.value(world, scope) % 3; }};
    }
  }

  IntPart sum(int depth) {
    const SetPart over = set();
    const std::string name = name_of(names_++);
    const bool has_cond = pick(2) == 0;
    const BoolPart cond = boolean(depth - 2);
    const IntPart part = integer(depth - 1);
    --names_;
    const std::string where = has_cond ? ", cond=lambda " + name + ": " + cond.text : "";
    return {"sum(apply(lambda " + name + ": " + part.text + where + ", " + over.text + "))",
            [=](const World& world, const Scope& scope) {
              std::int64_t result = 0;
              Scope inner = scope;
              inner.push_back(0);
              for (const int v : over.value(world, scope)) {
                inner.back() = v;
                if (!has_cond || cond.value(world, inner)) result += part.value(world, inner);
              }
              return result;
            }};
  }

  BoolPart boolean(int depth) {
    const unsigned what = pick(4);
    const std::size_t a = any_name(), b = any_name();
    if (what == 0) {
      return {"has_edge(G, " + name_of(a) + ", " + name_of(b) + ")",
              [=](const World& world, const Scope& scope) { return world.near.at(scope[a]).contains(scope[b]); }};
    }
    if (what == 1) {
      return {name_of(a) + " <= " + name_of(b), [=](const World&, const Scope& scope) { return scope[a] <= scope[b]; }};
    }
    const IntPart left = integer(depth - 1), right = integer(0);
    return {left.text + " >= " + right.text, [=](const World& world, const Scope& scope) {
              return left.value(world, scope) >= right.value(world, scope);
            }};
  }

  std::mt19937 random_;
  bool has_labels_;
  std::size_t names_ = 1;  ///< In scope.
};

ResidentGraph::Shared start_graph(bool directed, bool empty) {
  std::vector<std::int64_t> sources, targets;
  if (!empty) {
    for (std::int64_t u = 0; u < 9; ++u) {
      sources.push_back(u);
      targets.push_back((u * u + 1) % 9);
    }
  }
  runtime::ColumnInput columns;
  columns.sources = runtime::IntColumn::of(sources.data(), sources.size());
  columns.targets = runtime::IntColumn::of(targets.data(), targets.size());
  columns.directed = directed;
  runtime::Result<ResidentGraph::Shared> graph = ResidentGraph::from_columns(columns);
  return graph ? *graph : nullptr;
}

void read_world(const ResidentGraph& graph, World& world) {
  const runtime::GraphView view = graph.graph().view();
  world = {};
  for (std::uint64_t v = 0; v < view.universe; ++v) {
    const int id = static_cast<int>(graph.graph().universe().id(v));
    std::set<int>& near = world.near[id];
    world.labels[id] = view.labels == nullptr ? runtime::kNoLabel : view.labels[v];
    for (std::uint64_t i = view.offsets[v]; i < view.offsets[v + 1]; ++i) {
      near.insert(static_cast<int>(graph.graph().universe().id(view.neighbors[i])));
    }
  }
}

Update spread_update(std::mt19937& random, unsigned vertices, bool has_labels) {
  Update update;
  const unsigned what = static_cast<unsigned>(random() % 40);
  update.kind = what < 22   ? UpdateKind::InsertEdge
                : what < 34 ? UpdateKind::DeleteEdge
                : what < 38 ? UpdateKind::SetVertex
                            : UpdateKind::DeleteVertex;
  // Some vertices are added late, and between others.
  update.u = static_cast<std::int64_t>(random() % vertices) * 2 - 3;
  update.v = static_cast<std::int64_t>(random() % vertices) * 2 - 3;
  if (update.kind == UpdateKind::SetVertex && has_labels) {
    update.has_label = true;
    update.label = static_cast<std::int64_t>(random() % 3);
  }
  return update;
}

constexpr std::size_t kEngines = 4;

/// An engine that recomputes, one that reads the neighbourhood of changes, one that recomputes whole graphs when
/// allowed, and one with two threads and free choice.
struct Engines {
  std::array<std::unique_ptr<Engine>, kEngines> all;
  std::array<ApplyOptions, kEngines> options;
  std::array<std::vector<Answer>, kEngines> answers;
  std::shared_ptr<MessageLog> log = std::make_shared<MessageLog>();

  Engines(const ResidentGraph::Shared& start, const std::string& program, bool rows) {
    ProgramRequest request;
    request.text = program;
    request.device = "cpu";
    request.tier = "interp";
    ProgramOptions wanted;
    wanted.rows = rows;
    for (std::size_t e = 0; e < kEngines; ++e) {
      all[e] = e == 0 ? make_recompute(start, log) : make_delta(start, log);
      options[e].run.threads = e == 3 ? 2 : 1;
      EXPECT_EQ(all[e]->add(request, wanted, log), Status::Ok) << log->text();
    }
    options[1].strategy = BatchStrategy::EdgeByEdge;
    options[2].strategy = BatchStrategy::Recount;
    if (testing::Test::HasFailure()) return;
    for (std::size_t e = 0; e < kEngines; ++e) {
      EXPECT_EQ(all[e]->start(options[e], answers[e]), Status::Ok) << log->text();
    }
  }

  void apply(const NetBatch& batch) {
    for (std::size_t e = 0; e < kEngines; ++e) {
      EXPECT_EQ(all[e]->apply(batch, options[e], answers[e]), Status::Ok) << log->text();
    }
  }

  void compare() const {
    const Answer& again = answers[0][0];
    for (std::size_t e = 1; e < kEngines; ++e) {
      const Answer& other = answers[e][0];
      EXPECT_EQ(again.total, other.total) << "engine " << e;
      EXPECT_EQ(again.delta, other.delta) << "engine " << e;
      EXPECT_EQ(again.plus.has_value(), other.plus.has_value()) << "engine " << e;
      if (again.plus && other.plus) {
        EXPECT_TRUE(*again.plus == *other.plus && *again.minus == *other.minus) << "engine " << e;
      }
      EXPECT_EQ(again.changes.rows.words, other.changes.rows.words) << "engine " << e;
      EXPECT_EQ(again.changes.signs, other.changes.signs) << "engine " << e;
    }
  }
};

/// The inputs of a program.
struct Course {
  bool directed = false;
  bool has_labels = false;
  bool rows = false;
  unsigned vertices = 12;
};

/// Runs a program on batches of random updates. Whether the answers came by roots.
bool agree(const std::string& program, const std::function<Number(const World&)>& maybe_value, unsigned seed,
           const Course& course = {}) {
  SCOPED_TRACE(program);
  // Without labels there is an initial graph.
  Engines engines(start_graph(course.directed, course.has_labels), program, course.rows);
  std::mt19937 random(seed);
  bool by_roots = true;
  World world;
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
    Netting netting(engines.all[0]->present(), VertexRules{course.has_labels ? 0 : runtime::kNoLabel, false});
    const unsigned most = round == 0 ? 3 * course.vertices : 7;
    for (unsigned i = 1 + static_cast<unsigned>(random() % most); i != 0; --i) {
      netting.add(spread_update(random, course.vertices, course.has_labels));
    }
    engines.apply(netting.take());
    if (testing::Test::HasFailure()) return false;
    engines.compare();
    by_roots = by_roots && engines.answers[1][0].how == MaintenanceMethod::Roots;
    // The graph is rebuilt after several batches together.
    if (!maybe_value || round % 3 != 2) continue;
    read_world(**engines.all[1]->graph(), world);
    EXPECT_EQ(engines.answers[1][0].total, (std::vector<Number>{maybe_value(world)})) << "round " << round;
  }
  return by_roots;
}

/// A pattern with labels asks for few edges, and the program beside it for all.
TEST(RootEngine, BesideAPatternWithLabels) {
  const auto log = std::make_shared<MessageLog>();
  const ResidentGraph::Shared start = start_graph(false, true);
  const std::unique_ptr<Engine> again = make_recompute(start, log), engine = make_delta(start, log);
  ApplyOptions options;
  options.run.threads = 1;
  options.strategy = BatchStrategy::EdgeByEdge;
  for (const bool is_pattern : {true, false}) {
    ProgramRequest request;
    request.device = "cpu";
    request.tier = "interp";
    if (is_pattern) {
      request.pattern.text = "a:1-b:2,b-c:1";
    } else {
      request.text =
          "def f(G: Graph) -> int:\n    return sum(apply(lambda v: size(neighbor(G, v)) * size(neighbor(G, v)), "
          "vertices(G)))\n";
    }
    ProgramOptions wanted;
    ASSERT_EQ(again->add(request, wanted, log), Status::Ok) << log->text();
    wanted.method = is_pattern ? "delta" : "roots";
    ASSERT_EQ(engine->add(request, wanted, log), Status::Ok) << log->text();
  }
  std::vector<Answer> right, found;
  ASSERT_EQ(again->start(options, right), Status::Ok);
  ASSERT_EQ(engine->start(options, found), Status::Ok);
  std::mt19937 random(17);
  for (int round = 0; round < 12; ++round) {
    Netting netting(again->present(), VertexRules{0, false});
    for (int i = 0; i < 40; ++i) {
      Update update = spread_update(random, 12, false);
      if (round == 0) {
        update = {UpdateKind::SetVertex, true, i % 12 * 2 - 3, 0, i % 3};
      } else if (update.kind == UpdateKind::SetVertex || update.kind == UpdateKind::DeleteVertex) {
        continue;
      }
      netting.add(update);
    }
    const NetBatch batch = netting.take();
    ASSERT_EQ(again->apply(batch, options, right), Status::Ok) << log->text();
    ASSERT_EQ(engine->apply(batch, options, found), Status::Ok) << log->text();
    for (std::size_t program = 0; program < 2; ++program) {
      EXPECT_EQ(right[program].total, found[program].total) << "program " << program << ", round " << round;
    }
    EXPECT_EQ(found[1].how, MaintenanceMethod::Roots);
  }
}

TEST(RootEngine, RandomPrograms) {
  unsigned by_roots = 0;
  constexpr unsigned kPrograms = unless_sanitized(60U, 20U);
  for (unsigned seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    Course course;
    course.has_labels = seed % 2 == 0;
    course.directed = seed % 4 == 3;
    // In a large graph not all is near.
    course.vertices = seed % 3 == 0 ? 12 : 60;
    Programs programs(seed, course.has_labels);
    programs.make();
    by_roots += agree(programs.text, programs.value, seed, course) ? 1 : 0;
  }
  // Some are delta programs.
  EXPECT_GT(by_roots, kPrograms * 2 / 3);
}

TEST(RootEngine, ResultsOfAllKinds) {
  const char* const kPrograms[] = {
      // The largest, the smallest, and a vertex.
      "def f(G: Graph) -> int:\n    return max(apply(lambda v: size(neighbor(G, v)), vertices(G)))\n",
      "def f(G: Graph) -> int:\n    return min(apply(lambda v: size(neighbor(G, v)), vertices(G)))\n",
      "def f(G: Graph):\n    return max(apply(lambda v: v, cond=lambda v: size(neighbor(G, v)) < 3, vertices(G)))\n",
      // Ids as numbers.
      "def f(G: Graph) -> int:\n    return sum(apply(lambda v: v * size(neighbor(G, v)) % 7, vertices(G)))\n",
      // Floats that are no sums of powers of two.
      "def f(G: Graph) -> float:\n    return sum(apply(lambda v: 1.0 / (3 + size(neighbor(G, v))), vertices(G)))\n",
      ("def f(G: Graph) -> float:\n    return max(apply(lambda v: 0.0 - 1.0 / (1 + size(neighbor(G, v))), "
       "vertices(G)))\n"),
      // Several, with something computed of them.
      R"(def f(G: Graph):
    a = sum(apply(lambda v: size(neighbor(G, v)), vertices(G)))
    b = any(apply(lambda v: size(neighbor(G, v)) > 4, vertices(G)))
    c = all(apply(lambda v: size(neighbor(G, v)) < 6, vertices(G)))
    d = sum(apply(lambda v: 1.0 / (3 + size(neighbor(G, v))), vertices(G)))
    return mk_tuple(val=[a / 2, b, c, d / 3.0, size(apply(lambda v: v, cond=lambda v: size(neighbor(G, v)) == 2, vertices(G)))])
)"};
  unsigned seed = 100;
  for (const char* program : kPrograms) EXPECT_TRUE(agree(program, {}, ++seed)) << program;
  EXPECT_TRUE(agree(kPrograms[0], {}, ++seed, {.directed = true})) << "arcs";
}

/// Each reads as far as it can, and no further.
TEST(RootEngine, HowFarIsRead) {
  const char* const kPrograms[] = {// Rows of vertices that are 2 steps away, and 3.
                                   R"(def f(G: Graph) -> int:
    def near(v):
        return sum(apply(lambda w: size(neighbor(G, w)), neighbor(G, v)))
    def far(v):
        return sum(apply(lambda w: near(w) % 7, neighbor(G, v)))
    return sum(apply(lambda v: far(v) % 5, vertices(G)))
)",
                                   R"(def f(G: Graph) -> int:
    def near(v):
        return sum(apply(lambda w: size(neighbor(G, w)), neighbor(G, v)))
    def far(v):
        return sum(apply(lambda w: near(w) % 7, neighbor(G, v)))
    return sum(apply(lambda v: sum(apply(lambda w: far(w) % 5, neighbor(G, v))) % 3, vertices(G)))
)",
                                   // Arcs back.
                                   R"(def f(G: Graph) -> int:
    def at(v):
        return sum(apply(lambda w: 1, cond=lambda w: has_edge(G, w, v), neighbor(G, v))) % 3
    return sum(apply(at, vertices(G)))
)",
                                   // Whether vertices are adjacent that are 1 step away, and 2.
                                   R"(def f(G: Graph) -> int:
    def at(v):
        return sum(apply(lambda w: size(intersect(neighbor(G, v), neighbor(G, w))), neighbor(G, v))) % 7
    return sum(apply(at, vertices(G)))
)",
                                   R"(def f(G: Graph) -> int:
    def triangles(v):
        return sum(apply(lambda w: size(intersect(neighbor(G, v), neighbor(G, w))), neighbor(G, v))) % 7
    return sum(apply(lambda v: sum(apply(triangles, neighbor(G, v))) % 5, vertices(G)))
)",
                                   R"(def f(G: Graph) -> int:
    def at(v):
        near = neighbor(G, v)
        def first(w):
            both = intersect(near, neighbor(G, w))
            return sum(apply(lambda x: size(intersect(both, neighbor(G, x))), both)) % 5
        return sum(apply(first, near)) % 11
    return sum(apply(at, vertices(G)))
)"};
  unsigned seed = 300;
  for (const char* program : kPrograms) {
    for (const bool directed : {false, true}) {
      EXPECT_TRUE(agree(program, {}, ++seed, {.directed = directed, .vertices = 40})) << program;
    }
  }
}

TEST(RootEngine, RowsThatComeAndGo) {
  const char* const kPrograms[] = {
      R"(def f(G: Graph):
    def at(v):
        return mk_tuple(val=[v, size(neighbor(G, v))])
    return apply(at, cond=lambda v: size(neighbor(G, v)) >= 2, vertices(G))
)",
      R"(def f(G: Graph):
    def at(e):
        return mk_tuple(val=[get(e, 0), get(e, 1), size(intersect(neighbor(G, get(e, 0)), neighbor(G, get(e, 1))))])
    return apply(at, cond=lambda e: size(neighbor(G, get(e, 0))) > size(neighbor(G, get(e, 1))), edges(G))
)"};
  unsigned seed = 200;
  for (const char* program : kPrograms) {
    for (const bool rows : {false, true}) EXPECT_TRUE(agree(program, {}, ++seed, {.rows = rows})) << program;
    EXPECT_TRUE(agree(program, {}, ++seed, {.directed = true, .rows = true})) << "arcs";
  }
}

TEST(RootEngine, ProgramsOfTheWholeGraphAreRecomputed) {
  const char* const kPrograms[] = {
      "def f(G: Graph) -> int:\n    return sum(apply(lambda v: size(vertices(G)), vertices(G)))\n",
      ("def f(G: Graph) -> int:\n    return size(vertices(G)) * sum(apply(lambda v: size(neighbor(G, v)) / 2, "
       "vertices(G)))\n"),
      R"(def f(G: Graph) -> int:
    H = mk_graph(apply(lambda e: e, cond=lambda e: size(neighbor(G, get(e, 0))) >= size(neighbor(G, get(e, 1))), edges(G)))
    return sum(apply(lambda v: size(neighbor(H, v)) / 2, vertices(G)))
)"};
  for (const char* program : kPrograms) EXPECT_FALSE(agree(program, {}, 7)) << program;
}

}  // namespace
}  // namespace matcha::session::stream
