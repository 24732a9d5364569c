#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/parser.h"
#include "runtime/cpu/set_kernels.h"
#include "tests/unit/codegen/llvm/harness.h"

namespace matcha::codegen::test {

namespace {

constexpr const char* kFolder = "tests/unit/codegen/llvm/modules";

std::string read_module(const std::string& name) {
  std::ifstream in(std::string(kFolder) + "/" + name + ".mtir");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> module_names() {
  std::vector<std::string> names;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(kFolder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Modules : public ::testing::TestWithParam<std::string> {};

/// With every number of threads, SIMD tier and way of splitting.
void expect_everywhere(Compiled& compiled, World& world, const std::string& expected) {
  for (unsigned threads : {1u, 2u, 8u}) {
    for (runtime::Tier tier : runtime::supported_tiers()) {
      for (bool split : {false, true}) {
        EXPECT_EQ(run(compiled, world, {threads, tier, split}), expected)
            << threads << " threads, " << runtime::tier_name(tier) << (split ? ", split" : "");
      }
    }
  }
}

/// The interpreter's answer, from both tiers, and from both in turn.
TEST_P(Modules, AgreesWithInterpreter) {
  std::string text = read_module(GetParam());
  std::string wanted_error = text.starts_with("# error: ") ? text.substr(2, text.find('\n') - 2) : "";
  for (bool sparse_ids : {false, true}) {  // the dense graph has lists of more than one register
    World world = sparse_ids ? World::random(40, 0.3, 7, true) : World::random(60, 0.7, 5, false);
    ASSERT_EQ(world.graphs.size(), 1u);
    // Of as many blocks as can be, as if it had more than 2^32 arcs.
    if (sparse_ids) {
      ASSERT_TRUE(ensure_split_offsets(world.graphs[0], world.graphs[0].view().max_degree + 1));
      ASSERT_LT(world.graphs[0].split_offsets().shift, 2U);
    }
    std::string expected = run_interpreter(text, world);
    if (wanted_error.empty()) {
      EXPECT_FALSE(expected.starts_with("error")) << expected;
    } else {
      EXPECT_EQ(expected, wanted_error);
    }
    for (const Tiers tiers : {Tiers::Native, Tiers::Plan, Tiers::Alternating}) {
      Compiled compiled(text, tiers);
      ASSERT_FALSE(HasFailure());
      expect_everywhere(compiled, world, expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Modules, ::testing::ValuesIn(module_names()),
                         [](const ::testing::TestParamInfo<std::string>& info) { return info.param; });

std::int64_t answer(const RunOutcome& outcome) {
  const RunResult* result = std::get_if<RunResult>(&outcome);
  if (result == nullptr || result->values.empty()) return -1;
  const __int128* value = std::get_if<__int128>(&result->values[0]);
  return value != nullptr ? static_cast<std::int64_t>(*value) : -1;
}

TEST(Llvm, RefusesTheScheduleOfAnotherTarget) {
  for (const char* how : {"group=8", "group=1, steal=none", "group=1, steal=half, stack=paged"}) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    ir::Context context;
    const std::string text = std::string("module kernel \"m\" (%G: graph) {\n  region (parallel, split=0, ") + how +
                             ") {\n    collect %n: sum i128 { for %u in vertices(%G) { yield %n, 1 } }\n  }\n"
                             "  return %n\n}\n";
    const std::optional<ir::Module> module = ir::parse(context, sources.add("test.mtir", text), diagnostics);
    ASSERT_TRUE(module) << render_text(diagnostics, false);
    EXPECT_EQ(make_llvm()->load(*module, diagnostics), nullptr);
    ASSERT_EQ(diagnostics.all().size(), 1U) << how;
    EXPECT_EQ(diagnostics.all()[0].id, DiagId::TargetLimit);
    EXPECT_EQ(diagnostics.all()[0].loc.line, 2U);
  }
}

TEST(Llvm, CountsTheTrianglesOfAClique) {
  World world = World::random(20, 1.0, 1, false);
  EXPECT_EQ(run_llvm(read_module("triangles"), world), "1140");
  EXPECT_EQ(run_llvm(read_module("triangles_loops"), world), "1140");
}

TEST(Llvm, DefersSecondLevelLoops) {
  World world = World::random(60, 0.5, 3, false);
  Compiled compiled(read_module("triangles_loops"));
  compiled.executable().control().defer_items = 1;
  RunOptions options;
  options.threads = 2;
  std::vector<Argument> arguments = world.arguments();
  RunOutcome outcome = compiled.executable().run(arguments, *world.universe, options);
  ASSERT_TRUE(std::holds_alternative<RunResult>(outcome));
  EXPECT_GT(std::get<RunResult>(outcome).deferred, 0u);
  EXPECT_EQ(std::get<RunResult>(outcome).positions, 60u);
}

/// Rows of a list that nothing else reads are handed over in blocks; the rows are the same as when they are returned.
TEST(Llvm, StreamsRows) {
  World world = World::random(40, 0.3, 7, true);
  std::string text =
      "module kernel \"rows\" (%G: graph) { region (parallel, split=2, group=1) { collect %l: list list<vid, vid> {"
      " for %u in vertices(%G) { for %v in below(neighbors(%G, %u), %u) { yield %l, %v, %u } } } } return %l }";
  Compiled compiled(text);
  for (unsigned threads : {1u, 2u, 8u}) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
    RunOptions options;
    options.threads = threads;
    options.on_rows = [&](const Rows& block) {
      EXPECT_EQ(block.kinds.size(), 2u);
      for (std::uint64_t i = 0; i < block.count; ++i) {
        rows.emplace_back(static_cast<const std::uint32_t*>(block.columns[1])[i],
                          static_cast<const std::uint32_t*>(block.columns[0])[i]);
      }
      return true;
    };
    compiled.executable().control().defer_items = 1;
    compiled.executable().control().row_capacity = 3;
    std::vector<Argument> arguments = world.arguments();
    RunOutcome outcome = compiled.executable().run(arguments, *world.universe, options);
    std::sort(rows.begin(), rows.end());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
    runtime::GraphView view = world.graphs[0].view();
    for (std::uint32_t u = 0; u < 40; ++u) {
      for (std::uint64_t arc = view.offsets[u]; arc < view.offsets[u + 1]; ++arc) {
        if (view.neighbors[arc] < u) expected.emplace_back(u, view.neighbors[arc]);
      }
    }
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(answer(outcome), static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(std::get<RunResult>(outcome).rows, expected.size());
  }
}

/// A list that is computed otherwise is handed over at the end.
TEST(Llvm, HandsOverOtherLists) {
  World world = World::random(40, 0.3, 7, false);
  Compiled compiled("module kernel \"rows\" (%G: graph) { return vertices(%G) }");
  std::uint64_t rows = 0;
  RunOptions options;
  options.on_rows = [&](const Rows& block) {
    rows += block.count;
    return true;
  };
  std::vector<Argument> arguments = world.arguments();
  EXPECT_EQ(answer(compiled.executable().run(arguments, *world.universe, options)), 40);
  EXPECT_EQ(rows, 40u);
}

TEST(Llvm, EndsWhenRowsAreRefused) {
  World world = World::random(40, 0.5, 7, false);
  Compiled compiled(
      "module kernel \"rows\" (%G: graph) { region (parallel, split=2, group=1) { collect %l: list list<vid> {"
      " for %u in vertices(%G) { for %v in neighbors(%G, %u) { yield %l, %v } } } } return %l }");
  compiled.executable().control().row_capacity = 2;
  RunOptions options;
  options.threads = 1;
  std::uint64_t calls = 0;
  options.on_rows = [&](const Rows&) { return ++calls < 3; };
  std::vector<Argument> arguments = world.arguments();
  RunOutcome outcome = compiled.executable().run(arguments, *world.universe, options);
  ASSERT_TRUE(std::holds_alternative<RunResult>(outcome));
  EXPECT_EQ(std::get<RunResult>(outcome).ending, Ending::RowsRefused);
  EXPECT_EQ(calls, 3u);
}

/// Eight nested loops over a clique do not end by themselves in any time; the partial count is there.
class Endless : public ::testing::Test {
 protected:
  static std::string text() {
    std::string loops;
    std::string ends;
    for (int i = 0; i < 8; ++i) {
      loops += "for %v" + std::to_string(i) + " in neighbors(%G, %u) { ";
      ends += "} ";
    }
    return "module kernel \"endless\" (%G: graph) { region (parallel, split=2, group=1) { collect %n: sum i128 {"
           " for %u in vertices(%G) { " +
           loops + "yield %n, (convert<i64>(%v7) % 2) " + ends +
           "} } }"
           " return %n, (%n / convert<i128>(2)) }";
  }
};

TEST_F(Endless, StopsOnRequest) {
  World world = World::random(200, 1.0, 1, false);
  Compiled compiled(text());
  std::atomic<std::uint32_t> stop{1};
  for (unsigned threads : {1u, 2u}) {
    RunOptions options;
    options.threads = threads;
    options.stop_request = &stop;
    std::vector<Argument> arguments = world.arguments();
    RunOutcome outcome = compiled.executable().run(arguments, *world.universe, options);
    ASSERT_TRUE(std::holds_alternative<RunResult>(outcome));
    EXPECT_EQ(std::get<RunResult>(outcome).ending, Ending::Stopped);
    EXPECT_EQ(std::get<RunResult>(outcome).values.size(), 2u);
  }
}

TEST_F(Endless, StopsAtTheDeadline) {
  World world = World::random(30, 1.0, 1, false);
  Compiled compiled(text());
  RunOptions options;
  options.threads = 2;
  options.deadline = std::chrono::steady_clock::now();
  std::vector<Argument> arguments = world.arguments();
  RunOutcome outcome = compiled.executable().run(arguments, *world.universe, options);
  ASSERT_TRUE(std::holds_alternative<RunResult>(outcome));
  EXPECT_EQ(std::get<RunResult>(outcome).ending, Ending::Deadline);
}

TEST(Llvm, NamesTheListThatDoesNotFitMemory) {
  World world = World::random(20, 0.5, 1, false);
  std::string text =
      "module kernel \"big\" (%G: graph) { region (parallel, split=2, group=1) { buffer %pairs: "
      "list<vid>[4611686018427387904]"
      " collect %n: sum i128 { for %u in vertices(%G) { store %s in %pairs = neighbors(%G, %u) yield %n, size(%s) } } "
      "} return %n }";
  EXPECT_TRUE(
      run_llvm(text, world).starts_with("error: the intermediate list `pairs` of up to 4611686018427387904 items"));
}

TEST(Llvm, RunsTwice) {
  World world = World::random(40, 0.3, 7, true);
  Compiled compiled(read_module("build_hash"));
  std::string first = run(compiled, world, {});
  EXPECT_EQ(run(compiled, world, {}), first);
}

TEST(Llvm, BindsScalarsAndLists) {
  World world = World::random(10, 1.0, 7, true);
  runtime::InputList list;
  list.size = 3;
  list.columns.resize(2);
  list.columns[0].ranks = {4, 2, 9};
  list.columns[1].kind = runtime::ColumnKind::Int;
  list.columns[1].ints = {10, -20, 30};
  Compiled compiled(
      "module kernel \"args\" (%G: graph, %l: list<vid, i64>, %x: i64, %f: f64, %b: bool) {"
      " region (parallel, split=2, group=1) { collect %n: sum i128 { for %u, %t in %l {"
      "  yield %n, ((size(neighbors(%G, %u)) * %t) + %x) } } } return %n, (%f * 2.0), not(%b), %l }");
  std::vector<Argument> arguments = {&world.graphs[0], &list, std::int64_t{5}, 1.5, true};
  EXPECT_EQ(render(compiled.executable().run(arguments, *world.universe, {})),
            "195, 3, false, [(v4, 10), (v2, -20), (v9, 30)]");
  arguments.pop_back();
  EXPECT_TRUE(
      render(compiled.executable().run(arguments, *world.universe, {})).starts_with("error: the program takes 5"));
  arguments.push_back(std::int64_t{1});
  EXPECT_TRUE(
      render(compiled.executable().run(arguments, *world.universe, {})).starts_with("error: the argument for `b`"));
}

/// The text names values and functions as the program does, and calls the runtime by name.
TEST(Llvm, EmitsReadableText) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  ir::Context context;
  std::optional<ir::Module> module =
      ir::parse(context, sources.add("triangles.mtir", read_module("triangles")), diagnostics);
  ASSERT_TRUE(module.has_value());
  std::optional<std::string> text = make_llvm()->emit(*module, diagnostics);
  ASSERT_TRUE(text.has_value());
  for (const char* part :
       {"define void @region_0(ptr", "define void @region_0_inner(ptr", "define void @region_0_prepare(ptr",
        "call i1 @rt_defer(", "call i64 %intersect_count(", "%v = ", "%j = phi"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
  }
  EXPECT_EQ(text->find("inttoptr"), std::string::npos);
}

/// The counting loop keeps its sum in registers: between the call of the kernel and the next one nothing is stored.
TEST(Llvm, SumsInRegisters) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  ir::Context context;
  std::optional<ir::Module> module =
      ir::parse(context, sources.add("triangles.mtir", read_module("triangles")), diagnostics);
  ASSERT_TRUE(module.has_value());
  std::optional<std::string> text = make_llvm()->emit(*module, diagnostics);
  ASSERT_TRUE(text.has_value());
  std::size_t call = text->find("call i64 %intersect_count(");
  ASSERT_NE(call, std::string::npos);
  std::string rest = text->substr(call, text->find("\n\n", call) - call);
  EXPECT_EQ(rest.find("store "), std::string::npos) << rest;
}

/// A module that divides by %x, with places in its nodes.
ir::Module dividing_module(ir::Context& context, bool in_region, SourceLoc place) {
  ir::Builder builder(context);
  const ir::Var* graph = builder.var(context.graph(), "G");
  const ir::Var* x = builder.var(context.i64(), "x");
  const ir::Var* params[] = {graph, x};
  builder.set_loc(place);
  const ir::Expr* quotient = builder.make(ir::Kind::Div, {builder.integer(1), x});
  builder.set_loc({});
  const ir::Expr* result = quotient;
  std::vector<const ir::Stmt*> body;
  if (in_region) {
    const ir::Var* u = builder.var(context.vid(), "u");
    const ir::Var* sum = builder.var(context.i128(), "n");
    const ir::Stmt* yields[] = {builder.yield(sum, std::vector<const ir::Expr*>{quotient})};
    const ir::Expr* lists[] = {builder.make(ir::Kind::Vertices, {graph})};
    const ir::Var* vars[] = {u};
    const ir::Stmt* loops[] = {builder.loop(vars, lists, nullptr, builder.block(yields))};
    const ir::Sink sinks[] = {{sum, ir::SinkKind::Sum, nullptr}};
    body.push_back(builder.region({}, {}, builder.collect(sinks, builder.block(loops))));
    result = sum;
  }
  const ir::Expr* results[] = {result};
  body.push_back(builder.ret(results));
  return builder.module(ir::Stage::Kernel, "divide", params, builder.block(body));
}

TEST(Llvm, ReportsThePlaceOfATrap) {
  World world = World::random(10, 0.5, 7, false);
  for (bool in_region : {false, true}) {
    SourceManager sources;
    sources.add("first.mt", "");
    SourceLoc place{sources.add("second.mt", ""), 7, 3, 5};
    Diagnostics diagnostics(sources);
    ir::Context context;
    ir::Module module = dividing_module(context, in_region, place);
    std::unique_ptr<Executable> executable = make_llvm()->load(module, diagnostics);
    ASSERT_NE(executable, nullptr);
    std::vector<Argument> arguments = {&world.graphs[0], std::int64_t{0}};
    RunOutcome outcome = executable->run(arguments, *world.universe, {});
    ASSERT_TRUE(std::holds_alternative<RunError>(outcome));
    EXPECT_EQ(std::get<RunError>(outcome).loc, place);
    EXPECT_EQ(std::get<RunError>(outcome).error.kind, runtime::ErrorKind::Runtime);
  }
}

TEST(Llvm, RefusesStageLoop) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  ir::Module module;
  ir::Context context;
  ir::Builder builder(context);
  module.body = builder.block({});
  EXPECT_EQ(make_llvm()->load(module, diagnostics), nullptr);
  EXPECT_TRUE(diagnostics.has_errors());
}

}  // namespace

}  // namespace matcha::codegen::test
