// Programs made by the front end for patterns, compared with every map of the pattern into the graph.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>

#include "codegen/backend.h"
#include "codegen/cuda/cuda.h"
#include "frontend/frontend.h"
#include "frontend/lower.h"
#include "passes/pass_manager.h"
#include "planner/program.h"
#include "question/symmetry.h"
#include "runtime/graph/label_slices.h"
#include "tests/differential/pattern_naive.h"

namespace matcha::differential {
namespace {

using Row = std::vector<std::int64_t>;

/// The values of a run: a number for each position of the result, or rows.
struct Answer {
  std::vector<std::int64_t> numbers;
  std::vector<Row> rows;
  std::string error;
};

/// The ways to run a program.
enum class RunMethod {
  Interpreter,
  Cpu,
  Plan,  ///< The CPU too, without a compiler.
  Gpu,   ///< The emulated one, in groups of a warp.
};

/// Compiles a text and runs it on a world.
class TextRun {
 public:
  TextRun(const std::string& text, const World& world, RunMethod by) : made_(world) {
    const std::uint32_t file = sources_.add("pattern.mt", text);
    const std::optional<frontend::asg::Graph> asg = frontend::compile(sources_, file, {}, diagnostics_);
    std::optional<ir::Module> module = asg ? frontend::lower(*asg, context_, diagnostics_) : std::nullopt;
    if (module && by != RunMethod::Interpreter) {
      const std::optional<passes::Pipeline> pipeline =
          passes::parse_pipeline(by != RunMethod::Gpu ? "cpu" : "c-family", diagnostics_);
      const passes::TargetInfo target = by != RunMethod::Gpu ? passes::TargetInfo{} : passes::gpu_target();
      passes::PipelineResult result = passes::run_pipeline(*module, *pipeline, context_, target, {}, {}, diagnostics_);
      if (!diagnostics_.has_errors()) module = result.module;
    }
    if (diagnostics_.all().empty() && module) {
      slice(*asg);
      run(*module, by);
    }
    if (!diagnostics_.all().empty()) answer.error = render_text(diagnostics_, false);
  }

  Answer answer;

 private:
  static std::unique_ptr<codegen::Backend> backend_of(RunMethod by) {
    switch (by) {
      case RunMethod::Interpreter: return codegen::make_interpreter();
      case RunMethod::Cpu: return codegen::make_llvm();
      case RunMethod::Plan: return codegen::make_plan();
      case RunMethod::Gpu: break;
    }
    codegen::CudaOptions options;
    options.code_folder = EMULATED_CACHE;
    return codegen::make_cuda(options);
  }

  /// Makes the graphs by label, or backwards, that the program reads of its one graph.
  void slice(const frontend::asg::Graph& asg) {
    using frontend::asg::Op;
    for (const frontend::asg::Slice& each : asg.slices) {
      const bool backwards = each.node->op == Op::Backwards;
      const runtime::ArcSide side = backwards ? runtime::ArcSide::Sources : runtime::ArcSide::Targets;
      ASSERT_TRUE(each.maybe_label == nullptr || each.maybe_label->op == Op::Int);
      runtime::LabelSlices& slices = made_.graph.label_slices();
      const auto made = each.maybe_label != nullptr ? slices.slice(made_.graph, side, each.maybe_label->int_value)
                                                    : slices.backwards(made_.graph);
      ASSERT_TRUE(made);
      slices_.push_back(runtime::Graph::alias(**made, *made));
    }
  }

  void run(const ir::Module& module, RunMethod by) {
    const std::unique_ptr<codegen::Backend> backend = backend_of(by);
    const std::unique_ptr<codegen::Executable> program = backend->load(module, diagnostics_);
    if (program == nullptr) return;
    codegen::RunOptions options;
    if (!made_.labels.empty()) options.labels = made_.labels.data();
    std::vector<codegen::Argument> arguments = {&made_.graph};
    for (runtime::Graph& graph : slices_) arguments.emplace_back(&graph);
    const codegen::RunOutcome ended = program->run(arguments, *made_.universe, options);
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&ended)) {
      answer.error = failed->error.message;
      return;
    }
    for (const codegen::ResultValue& value : std::get<codegen::RunResult>(ended).values) take(value);
  }

  void take(const codegen::ResultValue& value) {
    if (const __int128* number = std::get_if<__int128>(&value)) {
      answer.numbers.push_back(static_cast<std::int64_t>(*number));
      return;
    }
    const codegen::ListValue& list = std::get<codegen::ListValue>(value);
    for (std::size_t i = 0; i < list.size; ++i) {
      Row row;
      for (const runtime::Column& column : list.columns) {
        row.push_back(column.kind() == runtime::ElementKind::Vid ? made_.universe->id(column.view<std::uint32_t>()[i])
                                                                 : column.view<std::int64_t>()[i]);
      }
      answer.rows.push_back(row);
    }
  }

  SourceManager sources_;
  Diagnostics diagnostics_{sources_};
  ir::Context context_;
  RuntimeWorld made_;
  std::deque<runtime::Graph> slices_;
};

/// A graph of `n` vertices with an edge or arc in `density` of ten places; ids are not dense, labels are 0 to 2.
World graph(std::uint64_t seed, int n, int density, bool directed) {
  std::mt19937_64 random(seed);
  World world;
  world.directed = directed;
  for (int v = 0; v < n; ++v) world.vertices.push_back(3 * v + static_cast<int>(random() % 3));
  world.universe = world.vertices;
  for (std::int64_t u : world.vertices) {
    world.labels[u] = static_cast<std::int64_t>(random() % 3);
    for (std::int64_t v : world.vertices) {
      if (u == v || (!directed && u > v) || random() % 10 >= static_cast<std::uint64_t>(density)) continue;
      world.arcs.insert({u, v});
      if (!directed) world.arcs.insert({v, u});
    }
  }
  return world;
}

/// Gives every edge or arc of the world one to three labels of four, mostly one.
void label_edges(World& world, std::mt19937_64& random, bool directed) {
  for (const auto& [u, v] : world.arcs) {
    if (!directed && u > v) continue;
    std::set<std::int64_t> labels;
    do {
      labels.insert(static_cast<std::int64_t>(random() % 4) - 1);
    } while (random() % 4 == 0);
    world.edge_labels[{u, v}] = labels;
    if (!directed) world.edge_labels[{v, u}] = labels;
  }
}

/// Requires labels of most edges of a pattern, of some of them two.
void label_edges(pattern::Pattern& one, std::mt19937_64& random) {
  for (int u = 0; u < one.size(); ++u) {
    pattern::for_each(one.out[static_cast<std::size_t>(u)], [&](int v) {
      const bool edge = pattern::has(one.in[static_cast<std::size_t>(u)], v) && !one.directed;
      if (edge && u > v) return;
      for (std::uint64_t chance = 5; random() % 6 < chance; chance = 1) {
        const std::string label = std::to_string(static_cast<std::int64_t>(random() % 3) - 1);
        one.add_edge_label(u, v, label);
        if (edge) one.add_edge_label(v, u, label);
      }
    });
  }
}

PlainPattern plain(const pattern::Pattern& from) {
  PlainPattern to;
  to.size = from.size();
  for (int u = 0; u < from.size(); ++u) {
    pattern::for_each(from.out[static_cast<std::size_t>(u)], [&](int v) { to.arcs.insert({u, v}); });
    pattern::for_each(from.anti[static_cast<std::size_t>(u)], [&](int v) { to.anti.insert({u, v}); });
    to.labels.push_back(from.label(u).empty() ? PlainPattern::kAnyLabel : std::stoll(from.label(u)));
  }
  for (const auto& [arc, labels] : from.edge_labels) {
    for (const std::string& label : labels) to.edge_labels[arc].insert(std::stoll(label));
  }
  return to;
}

/// Nothing when the algorithm does not fit the pattern.
std::optional<std::string> program(const pattern::Pattern& one, const pattern::Request& request) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::optional<pattern::PatternProgram> written =
      pattern::write_program({{one}, false}, request, pattern::typical_graph(), {}, diagnostics);
  if (written) return written->text;
  return std::nullopt;
}

/// A row of the vertices of each match, in a form that is the same for all embeddings of one subgraph.
std::vector<Row> as_subgraphs(const PlainPattern& pattern, const std::vector<Row>& rows) {
  std::set<Row> found;
  for (const Row& row : rows) {
    Row form;
    std::set<std::pair<std::int64_t, std::int64_t>> anti;
    std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> arcs;
    for (const auto& [u, v] : pattern.arcs) {
      const auto labels = pattern.edge_labels.find({u, v});
      arcs[{row[static_cast<std::size_t>(u)], row[static_cast<std::size_t>(v)]}] =
          labels == pattern.edge_labels.end() ? std::set<std::int64_t>{} : labels->second;
    }
    for (const auto& [u, v] : pattern.anti)
      anti.insert({row[static_cast<std::size_t>(u)], row[static_cast<std::size_t>(v)]});
    std::map<std::int64_t, std::int64_t> labels;
    for (std::size_t v = 0; v < row.size(); ++v) labels[row[v]] = pattern.labels[v];
    for (const auto& [v, label] : labels) form.insert(form.end(), {v, label});
    for (const auto& [arc, edge_labels] : arcs) {
      form.insert(form.end(), {arc.first, arc.second, static_cast<std::int64_t>(edge_labels.size())});
      form.insert(form.end(), edge_labels.begin(), edge_labels.end());
    }
    form.push_back(-1);
    for (const auto& [u, v] : anti) form.insert(form.end(), {u, v});
    found.insert(form);
  }
  return {found.begin(), found.end()};
}

struct Case {
  pattern::Pattern pattern;
  pattern::Request request;
  RunMethod by = RunMethod::Interpreter;
};

/// Number of compared programs, to verify that a test tests something.
std::map<pattern::Algorithm, int> programs_by_algorithm;

/// Runs the program of a case and compares its answer with every map.
void check(const Case& one, const World& world) {
  const std::optional<std::string> written = program(one.pattern, one.request);
  if (!written) {
    ASSERT_NE(one.request.algorithm, pattern::Algorithm::Extend);
    return;
  }
  const std::string& text = *written;
  ++programs_by_algorithm[one.request.algorithm];
  const bool vertex_induced = one.request.induced == pattern::Induced::Vertex;
  const PlainPattern facts = plain(one.pattern);
  const std::vector<Row> maps = embeddings(facts, world, vertex_induced);
  const std::int64_t group = automorphisms(facts, vertex_induced);
  ASSERT_EQ(static_cast<std::int64_t>(maps.size()) % group, 0);
  const Answer answer = TextRun(text, world, one.by).answer;
  ASSERT_EQ(answer.error, "") << text;
  if (!one.request.rows) {
    const std::int64_t wanted = static_cast<std::int64_t>(maps.size()) / (one.request.embeddings ? 1 : group);
    ASSERT_EQ(answer.numbers, std::vector<std::int64_t>{wanted}) << text << world.to_text();
    return;
  }
  std::vector<Row> rows = answer.rows;
  std::sort(rows.begin(), rows.end());
  if (one.request.embeddings) {
    ASSERT_EQ(rows, maps) << text << world.to_text();
    return;
  }
  ASSERT_EQ(static_cast<std::int64_t>(rows.size()) * group, static_cast<std::int64_t>(maps.size())) << text;
  for (const Row& row : rows) ASSERT_TRUE(std::binary_search(maps.begin(), maps.end(), row)) << text;
  ASSERT_EQ(as_subgraphs(facts, rows).size(), rows.size()) << text << world.to_text();
}

/// The following programs are run by a GPU.
void use_emulated_gpu() {
  ::setenv("MATCHA_LIBCUDA", EMULATED_CUDA, 1);
  ::setenv("MATCHA_NVRTC", EMULATED_CUDA, 1);
}

bool full() { return std::getenv("MATCHA_FULL") != nullptr; }

std::vector<pattern::Algorithm> algorithms() {
  return {pattern::Algorithm::Extend, pattern::Algorithm::Join, pattern::Algorithm::Decompose};
}

/// The labelled parts.
struct Labels {
  bool vertices = false;
  bool edges = false;
};

/// Every connected pattern of `n` vertices, or one of `step`, with and without labels, both meanings, subgraphs and
/// embeddings.
void check_connected(int n, Labels labelled, RunMethod by, std::size_t step = 1) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  const std::vector<pattern::Pattern> all = pattern::connected_patterns(n);
  for (std::size_t i = 0; i < all.size(); i += step) {
    pattern::Pattern one = all[i];
    // Some vertices keep any label.
    for (std::string& label : one.labels) {
      if (labelled.vertices && random() % 5 != 0) label = std::to_string(random() % 3);
    }
    World world = graph(random(), n + 4, 3 + static_cast<int>(random() % 5), false);
    if (labelled.edges) label_edges(one, random);
    // Programs without labels get a simple graph.
    if (one.edge_labelled()) label_edges(world, random, false);
    // A program takes seconds to compile for the emulated GPU: one algorithm for a pattern.
    std::vector<pattern::Algorithm> taken = algorithms();
    if (by == RunMethod::Gpu && !full()) taken = {taken[i / step % taken.size()]};
    for (pattern::Algorithm algorithm : taken) {
      for (pattern::Induced induced : {pattern::Induced::Vertex, pattern::Induced::Edge}) {
        check({one, {.induced = induced, .embeddings = random() % 3 == 0, .algorithm = algorithm}, by}, world);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Patterns, ConnectedInterpreted) {
  for (int n = 2; n <= (full() ? 6 : 5); ++n) check_connected(n, {}, RunMethod::Interpreter);
}

TEST(Patterns, ConnectedCompiled) {
  programs_by_algorithm.clear();
  for (int n = 2; n <= (full() ? 6 : 5); ++n) {
    check_connected(n, {}, RunMethod::Cpu);
    check_connected(n, {}, RunMethod::Plan);
  }
  // Both meanings of 30 patterns, by two back ends; cliques have no cutset.
  EXPECT_GE(programs_by_algorithm[pattern::Algorithm::Extend], 120);
  EXPECT_GE(programs_by_algorithm[pattern::Algorithm::Decompose], 100);
}

TEST(Patterns, ConnectedOnAGpu) {
  use_emulated_gpu();
  for (int n = 2; n <= 3; ++n) check_connected(n, {}, RunMethod::Gpu);
  check_connected(4, {}, RunMethod::Gpu, full() ? 1 : 3);
  check_connected(5, {}, RunMethod::Gpu, full() ? 1 : 20);
}

TEST(Patterns, ConnectedLabelledOnAGpu) {
  use_emulated_gpu();
  for (int n = 2; n <= (full() ? 5 : 3); ++n) check_connected(n, {true, n % 2 != 0}, RunMethod::Gpu);
}

TEST(Patterns, ConnectedLabelledInterpreted) {
  for (int n = 2; n <= (full() ? 6 : 5); ++n) check_connected(n, {true, false}, RunMethod::Interpreter);
}

TEST(Patterns, ConnectedLabelledCompiled) {
  for (int n = 2; n <= (full() ? 6 : 5); ++n) {
    check_connected(n, {true, false}, RunMethod::Cpu);
    check_connected(n, {true, false}, RunMethod::Plan);
  }
}

TEST(Patterns, ConnectedEdgeLabelledInterpreted) {
  for (int n = 2; n <= (full() ? 6 : 4); ++n) check_connected(n, {false, true}, RunMethod::Interpreter);
}

TEST(Patterns, ConnectedEdgeLabelledCompiled) {
  programs_by_algorithm.clear();
  for (int n = 2; n <= (full() ? 6 : 5); ++n) {
    check_connected(n, {n % 2 == 0, true}, RunMethod::Cpu);
    check_connected(n, {n % 2 == 0, true}, RunMethod::Plan);
  }
  EXPECT_GE(programs_by_algorithm[pattern::Algorithm::Join], 120);
  EXPECT_GE(programs_by_algorithm[pattern::Algorithm::Decompose], 80);
}

/// Five or more interchangeable vertices around one or two others: binomial coefficients.
TEST(Patterns, AlikeVerticesAreChosen) {
  std::mt19937_64 random(11);
  for (int alike = 5; alike <= 6; ++alike) {
    for (int centres = 1; centres <= 2; ++centres) {
      pattern::Pattern one = pattern::Pattern::empty(centres + alike);
      if (centres == 2) one.add_edge(0, 1);
      for (int v = centres; v < one.size(); ++v) {
        for (int u = 0; u < centres; ++u) one.add_edge(u, v);
      }
      for (bool embeddings : {false, true}) {
        const World world = graph(random(), one.size() + 3, 8, false);
        const pattern::Request request{
            .induced = pattern::Induced::Edge, .embeddings = embeddings, .algorithm = pattern::Algorithm::Decompose};
        for (RunMethod by : {RunMethod::Cpu, RunMethod::Plan}) {
          check({one, request, by}, world);
        }
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// A core of one to three vertices, and leaves on it of which many are alike: by one edge or arc, or by two, with the
/// same labels or other ones.
pattern::Pattern with_leaves(std::mt19937_64& random, bool directed) {
  const int core = 1 + static_cast<int>(random() % 3), leaves = 2 + static_cast<int>(random() % 3);
  pattern::Pattern one = pattern::Pattern::empty(core + leaves);
  const auto join = [&](int u, int v) {
    const std::string label = std::to_string(random() % 2);
    if (directed && random() % 4 != 0) {
      random() % 2 == 0 ? one.add_arc(u, v) : one.add_arc(v, u);
    } else {
      one.add_edge(u, v);
    }
    for (const auto& [from, to] : {std::pair{u, v}, std::pair{v, u}}) {
      if (pattern::has(one.out[static_cast<std::size_t>(from)], to)) one.add_edge_label(from, to, label);
    }
  };
  for (int v = 1; v < core; ++v) join(v - 1, v);
  for (int v = core; v < one.size(); ++v) {
    const int place = static_cast<int>(random() % static_cast<std::uint64_t>(core));
    join(place, v);
    if (core > 1 && random() % 3 == 0) join((place + 1) % core, v);
  }
  for (std::string& label : one.labels) {
    if (random() % 4 != 0) label = std::to_string(random() % 2);
  }
  one.directed = directed;
  return one;
}

/// Parts attached to the same vertices are counted as one product, minus the overlaps.
TEST(Patterns, LeavesWithLabels) {
  std::mt19937_64 random(19);
  programs_by_algorithm.clear();
  for (int i = 0; i < (full() ? 1500 : 150); ++i) {
    const bool directed = random() % 2 == 0;
    const pattern::Pattern one = with_leaves(random, directed);
    World world = graph(random(), 8, 4 + static_cast<int>(random() % 4), directed);
    label_edges(world, random, directed);
    for (pattern::Algorithm algorithm : {pattern::Algorithm::Extend, pattern::Algorithm::Decompose}) {
      const pattern::Request request{
          .induced = pattern::Induced::Edge, .embeddings = random() % 2 == 0, .algorithm = algorithm};
      check({one, request, random() % 3 == 0 ? RunMethod::Cpu : RunMethod::Plan}, world);
      if (::testing::Test::HasFatalFailure()) {
        FAIL() << "round " << i;
        return;
      }
    }
  }
  EXPECT_GE(programs_by_algorithm[pattern::Algorithm::Decompose], 100);
}

/// Random patterns of up to 5 vertices: arcs, anti-edges, parts that are not connected, labels of both kinds.
TEST(Patterns, Random) {
  std::mt19937_64 random(7);
  for (int i = 0; i < (full() ? 4000 : 400); ++i) {
    const int n = 1 + static_cast<int>(random() % 5);
    const bool directed = random() % 2 == 0, labelled = random() % 3 == 0;
    pattern::Pattern one = pattern::Pattern::empty(n);
    const std::uint64_t density = 2 + random() % 8;
    for (int u = 0; u < n; ++u) {
      if (labelled && random() % 4 != 0) one.labels[static_cast<std::size_t>(u)] = std::to_string(random() % 3);
      for (int v = 0; v < u; ++v) {
        if (random() % 10 < density) {
          directed&& random() % 3 != 0 ? one.add_arc(u, v) : one.add_edge(u, v);
        } else if (random() % 5 == 0) {
          one.anti[static_cast<std::size_t>(u)] |= pattern::bit(v);
          one.anti[static_cast<std::size_t>(v)] |= pattern::bit(u);
        }
      }
    }
    one.directed = directed;
    World world = graph(random(), 1 + static_cast<int>(random() % 8), 2 + static_cast<int>(random() % 7), directed);
    if (random() % 3 == 0) {
      label_edges(one, random);
      if (one.edge_labelled()) label_edges(world, random, directed);
    }
    const std::vector<pattern::Algorithm> all = algorithms();
    const pattern::Request request{.induced = random() % 2 == 0 ? pattern::Induced::Vertex : pattern::Induced::Edge,
                                   .embeddings = random() % 3 == 0,
                                   .rows = random() % 3 == 0,
                                   .algorithm = all[random() % all.size()]};
    check({one, request,
           random() % 4 == 0   ? RunMethod::Cpu
           : random() % 3 == 0 ? RunMethod::Plan
                               : RunMethod::Interpreter},
          world);
    if (::testing::Test::HasFatalFailure()) {
      FAIL() << "round " << i;
      return;
    }
  }
}

/// A motif program gives the counts of its patterns in their order.
TEST(Patterns, Motifs) {
  const World world = graph(11, 12, 4, false);
  for (int n = 3; n <= 4; ++n) {
    for (pattern::Algorithm algorithm : algorithms())
      for (pattern::Induced induced : {pattern::Induced::Vertex, pattern::Induced::Edge}) {
        SourceManager sources;
        Diagnostics diagnostics(sources);
        const pattern::PatternSet set{pattern::connected_patterns(n), true};
        const std::optional<pattern::PatternProgram> written = pattern::write_program(
            set, {.induced = induced, .algorithm = algorithm}, pattern::typical_graph(), {}, diagnostics);
        ASSERT_TRUE(written);
        std::vector<std::int64_t> wanted;
        const bool vertex_induced = induced == pattern::Induced::Vertex;
        for (const pattern::Pattern& one : set.patterns) {
          const std::vector<Row> maps = embeddings(plain(one), world, vertex_induced);
          wanted.push_back(static_cast<std::int64_t>(maps.size()) / automorphisms(plain(one), vertex_induced));
        }
        for (RunMethod by : {RunMethod::Interpreter, RunMethod::Cpu, RunMethod::Plan}) {
          const Answer answer = TextRun(written->text, world, by).answer;
          EXPECT_EQ(answer.error, "");
          EXPECT_EQ(answer.numbers, wanted) << written->text;
        }
      }
  }
}

}  // namespace
}  // namespace matcha::differential
