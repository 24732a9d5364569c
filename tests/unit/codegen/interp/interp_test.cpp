#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "ir/builder.h"
#include "runtime/cpu/region.h"
#include "tests/ir/parsed.h"

namespace matcha::codegen {
namespace {

/// The path 10 - 20 - 30 - 40 and the edge 20 - 40, over the universe 10, 20, 30, 40, 50; labels 1, 2, 3, and none
/// for 40.
struct PathWorld {
  PathWorld() {
    const std::vector<std::int64_t> ids = {10, 20, 30, 40, 50};
    runtime::Result<runtime::Universe> made =
        runtime::Universe::from_ids({runtime::IdSpan{ids.data(), ids.size()}}, {});
    universe = std::make_shared<const runtime::Universe>(std::move(*made));
    const std::vector<std::uint64_t> offsets = {0, 1, 4, 6, 8, 8};
    const std::vector<std::uint32_t> neighbors = {1, 0, 2, 3, 1, 3, 1, 2};
    const std::vector<std::int64_t> labels = {1, 2, 3, runtime::kNoLabel, runtime::kNoLabel};
    runtime::GraphArrays arrays;
    arrays.offsets = runtime::Buffer<std::uint64_t>(offsets.size());
    std::copy(offsets.begin(), offsets.end(), arrays.offsets.begin());
    arrays.neighbors = runtime::Buffer<std::uint32_t>(neighbors.size());
    std::copy(neighbors.begin(), neighbors.end(), arrays.neighbors.begin());
    arrays.labels = runtime::Buffer<std::int64_t>(labels.size());
    std::copy(labels.begin(), labels.end(), arrays.labels.begin());
    arrays.vertices = runtime::Buffer<std::uint32_t>(4);
    for (std::uint32_t i = 0; i < 4; ++i) arrays.vertices[i] = i;
    graph = runtime::Graph::from_arrays(universe, std::move(arrays), {});
  }

  std::shared_ptr<const runtime::Universe> universe;
  runtime::Graph graph;
};

class InterpTest : public testing::Test {
 protected:
  /// Runs a module with the parameter `%G`, and others if `arguments` has more.
  RunOutcome run(const std::string& text, const RunOptions& options = {}, std::vector<Argument> more = {}) {
    parsed_ = std::make_unique<ir::Parsed>(text);
    EXPECT_TRUE(parsed_->module) << render_text(parsed_->diagnostics, false);
    std::unique_ptr<Executable> program = make_interpreter()->load(*parsed_->module, parsed_->diagnostics);
    EXPECT_NE(program, nullptr) << render_text(parsed_->diagnostics, false);
    std::vector<Argument> arguments = {&world.graph};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program->run(arguments, *world.universe, options);
  }
  RunOutcome loop(const std::string& body, const RunOptions& options = {}) {
    return run("module loop \"m\" (%G: graph) {\n" + body + "\n}", options);
  }
  RunOutcome kernel(const std::string& body) { return run("module kernel \"m\" (%G: graph) {\n" + body + "\n}"); }

  static std::string text(const RunOutcome& outcome) {
    if (const RunError* error = std::get_if<RunError>(&outcome)) return "error: " + error->error.message;
    std::string all;
    for (const ResultValue& value : std::get<RunResult>(outcome).values) all += (all.empty() ? "" : " ") + one(value);
    return all;
  }
  static std::string one(const ResultValue& value) {
    if (const __int128* i = std::get_if<__int128>(&value)) return std::to_string(static_cast<std::int64_t>(*i));
    if (const double* d = std::get_if<double>(&value)) return std::to_string(*d);
    if (const bool* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
    if (const VertexValue* v = std::get_if<VertexValue>(&value)) return "#" + std::to_string(v->rank);
    const ListValue& list = std::get<ListValue>(value);
    std::string all;
    for (std::size_t row = 0; row < list.size; ++row) {
      for (const runtime::Column& column : list.columns) all += (all.empty() ? "" : " ") + cell(column, row);
    }
    return "[" + all + "]";
  }
  static std::string cell(const runtime::Column& column, std::size_t row) {
    switch (column.kind()) {
      case runtime::ElementKind::Vid: return "#" + std::to_string(column.view<std::uint32_t>()[row]);
      case runtime::ElementKind::Int: return std::to_string(column.view<std::int64_t>()[row]);
      case runtime::ElementKind::Float: return std::to_string(column.view<double>()[row]);
      case runtime::ElementKind::Bool: return column.view<std::uint8_t>()[row] != 0 ? "true" : "false";
    }
    return "?";
  }
  static std::string trap(runtime::TrapCode code) { return std::string("error: ") + runtime::trap_message(code); }

  PathWorld world;

 private:
  std::unique_ptr<ir::Parsed> parsed_;
};

TEST_F(InterpTest, CountsTriangles) {
  EXPECT_EQ(text(loop(R"(collect %n: sum i128 {
      for %u in vertices(%G) { for %v in below(neighbors(%G, %u), %u) {
        yield %n, size(intersect(below(neighbors(%G, %u), %v), neighbors(%G, %v)))
      } }
    }
    return %n)")),
            "1");
}

TEST_F(InterpTest, Scalars) {
  EXPECT_EQ(
      text(loop("return (-7 / 2), (-7 % 2), (7.5 / 2.0), (-7.5 % 2.0), min(2.5, -1.0), max(3, 4), select(true, 1, 2)")),
      "-3 -1 3.750000 -1.500000 -1.000000 4 1");
  EXPECT_EQ(text(loop("return convert<i64>(convert<vid>(30)), convert<vid>(30), convert<i64>(true), convert<f64>(3)")),
            "30 #2 1 3.000000");
  EXPECT_EQ(text(loop("return (1 < 2), (2.5 <= 2.5), (true != false), not(true), (1 == 2)")),
            "true true true false false");
}

TEST_F(InterpTest, FactsOfTheGraph) {
  EXPECT_EQ(text(loop(R"(let %u = convert<vid>(20) let %s = convert<vid>(50)
    return vertices(%G), neighbors(%G, %u), size(edges(%G)), max_degree(%G), has_edge(%G, %u, %s), label(%G, %u),
           neighbors(%G, %s))")),
            "[#0 #1 #2 #3] [#0 #2 #3] 8 3 false 2 []");
}

TEST_F(InterpTest, Lists) {
  EXPECT_EQ(text(loop(R"(let %l = list<list<i64>>(5, 1, 5, 3)
    return intersect(%l, list<list<i64>>(3, 5)), diff(%l, list<list<i64>>(5)), sorted(%l), span(%l, -2, 2),
           below(sorted(%l), 5), above(sorted(%l), 1), lower_bound(sorted(%l), 4), contains(%l, 3), at<0>(%l, 3))")),
            "[5 5 3] [1 3] [1 3 5 5] [5 1] [1 3] [3 5 5] 2 true 3");
}

TEST_F(InterpTest, ListsOfLists) {
  EXPECT_EQ(text(loop(R"(collect %all: list list<list<vid>> {
      for %u in vertices(%G) { yield %all, above(neighbors(%G, %u), %u) }
    }
    return size(%all), flatten(%all))")),
            "4 [#1 #2 #3 #3]");
}

TEST_F(InterpTest, Sinks) {
  EXPECT_EQ(
      text(loop(
          R"(collect %s: sum i64, %f: sum f64, %m: min i64, %x: max vid, %a: any bool, %b: all bool, %l: list list<i64, vid> {
      for %u at %i in vertices(%G) {
        yield %s, %i
        yield %f, 0.5
        yield %m, (2 - %i)
        yield %x, %u
        yield %a, (%i == 2)
        yield %b, (%i == 2)
        if (%i < 2) { yield %l, %i, %u }
      }
    }
    return %s, %f, %m, %x, %a, %b, %l)")),
      "6 2.000000 -1 #3 true false [0 #0 1 #1]");
  EXPECT_EQ(text(loop("collect %s: sum i64, %a: any bool, %b: all bool, %l: list list<i64> { } return %s, %a, %b, %l")),
            "0 false true []");
}

TEST_F(InterpTest, FloatSumsDoNotDependOnTheOrder) {
  EXPECT_EQ(text(loop(R"(collect %f: sum f64, %g: sum f64 {
      for %x in list<list<f64>>(1e+300, 1.0, -1e+300, 1.0) { yield %f, %x }
      for %y in list<list<f64>>(1.0, 1e+300, 1.0, -1e+300) { yield %g, %y }
    }
    return %f, %g)")),
            "2.000000 2.000000");
}

TEST_F(InterpTest, TopLevelSumsAreWide) {
  RunOutcome outcome = loop(R"(collect %n: sum i128 {
      for %u in vertices(%G) { yield %n, 9223372036854775807 }
    }
    return %n)");
  const __int128 wide = std::get<__int128>(std::get<RunResult>(outcome).values.at(0));
  EXPECT_TRUE(wide == static_cast<__int128>(INT64_MAX) * 4);
}

TEST_F(InterpTest, Traps) {
  using runtime::TrapCode;
  EXPECT_EQ(text(loop("return (1 / 0)")), trap(TrapCode::DivisionByZero));
  EXPECT_EQ(text(loop("return (1.0 % 0.0)")), trap(TrapCode::DivisionByZero));
  EXPECT_EQ(text(loop("return (9223372036854775807 + 1)")), trap(TrapCode::IntegerOverflow));
  EXPECT_EQ(text(loop("return (-9223372036854775808 / -1)")), trap(TrapCode::IntegerOverflow));
  EXPECT_EQ(text(loop("return neg(-9223372036854775808)")), trap(TrapCode::IntegerOverflow));
  EXPECT_EQ(text(loop("return at<0>(list<list<i64>>(1), 1)")), trap(TrapCode::IndexOutOfRange));
  EXPECT_EQ(text(loop("return at<0>(list<list<i64>>(1), -1)")), trap(TrapCode::IndexOutOfRange));
  EXPECT_EQ(text(loop("return at_most(3, 2)")), trap(TrapCode::CapacityExceeded));
  EXPECT_EQ(text(loop("return convert<vid>(7)")), trap(TrapCode::UnknownVertex));
  EXPECT_EQ(text(loop("return label(%G, convert<vid>(40))")), trap(TrapCode::NoLabel));
  EXPECT_EQ(text(loop("collect %m: min i64 { } return %m")), trap(TrapCode::EmptyList));
  EXPECT_EQ(text(loop("for %a, %b in list<list<i64>>(1), list<list<i64>>(1, 2) { } return 1")),
            trap(TrapCode::LengthMismatch));
  EXPECT_EQ(text(loop("collect %s: sum i64 { for %u in vertices(%G) { yield %s, 9223372036854775807 } } return %s")),
            trap(TrapCode::IntegerOverflow));
  EXPECT_EQ(text(loop("let %w = convert<i128>(9223372036854775807) return convert<i64>((%w + %w))")),
            trap(TrapCode::IntegerOverflow));
}

TEST_F(InterpTest, UnneededValuesDoNotTrap) {
  EXPECT_EQ(
      text(loop("return ((1 == 2) and ((1 / 0) == 1)), ((1 == 1) or ((1 / 0) == 1)), select((1 == 2), (1 / 0), 5)")),
      "false true 5");
  EXPECT_EQ(text(loop("collect %m: min i64 { } return 1")), "1");
}

TEST_F(InterpTest, ErrorsHaveAPlace) {
  ir::Context context;
  ir::Builder b(context);
  const ir::Var* x = b.var(context.i64(), "x");
  b.set_loc({0, 12, 5, 3});
  const ir::Expr* division = b.make(ir::Kind::Div, {b.integer(1), x});
  const ir::Stmt* body[] = {b.ret({&division, 1})};
  SourceManager sources;
  Diagnostics diagnostics(sources);
  std::unique_ptr<Executable> program =
      make_interpreter()->load(b.module(ir::Stage::Loop, "m", {&x, 1}, b.block(body)), diagnostics);
  const Argument zero = std::int64_t{0};
  RunOutcome outcome = program->run({&zero, 1}, *world.universe, {});
  EXPECT_EQ(std::get<RunError>(outcome).loc.line, 12U);
  EXPECT_EQ(std::get<RunError>(outcome).error.kind, runtime::ErrorKind::Runtime);
  const Argument wrong = true;
  EXPECT_EQ(text(program->run({&wrong, 1}, *world.universe, {})), "error: the argument for `x` has another type");
}

TEST_F(InterpTest, BuildsGraphs) {
  const std::string body = R"(collect %e: list list<vid, vid>, %t: list list<i64>, %p: list list<vid, i64> {
      for %u, %v at %i in edges(%G) {
        yield %e, %v, %u
        yield %e, %v, %v
        yield %t, %i
        yield %t, (%i * 10)
      }
      yield %p, convert<vid>(50), 9
    }
    build_graph %H = INDEX(%e, labels %p, info %t)
    let %ten = convert<vid>(10)
    return neighbors(%H, %ten), edge_info<list<i64>>(%H, %ten), vertices(%H), label(%H, convert<vid>(50)))";
  for (const char* index : {"csr", "hash"}) {
    std::string text_of = body;
    text_of.replace(text_of.find("INDEX"), 5, index);
    EXPECT_EQ(text(loop(text_of)), "[#0 #1] [10 1] [#0 #1 #2 #3 #4] 9") << index;
  }
  // A graph without its own labels has those of the run; with an empty list of them it has none.
  const std::vector<std::int64_t> labels = {7, 7, 7, 7, 7};
  RunOptions options;
  options.labels = labels.data();
  EXPECT_EQ(text(loop("build_graph %H = csr(edges(%G)) return label(%H, convert<vid>(10))", options)), "7");
  EXPECT_EQ(
      text(loop("build_graph %H = csr(edges(%G), labels list<list<vid, i64>>()) return label(%H, convert<vid>(10))",
                options)),
      trap(runtime::TrapCode::NoLabel));
}

constexpr const char* kPlanned = R"(
  region (parallel, split=2, group=1) {
    buffer %b: list<vid>[CAPACITY]
    buffer %c: list<vid>[3]
    collect %n: sum i64 {
      for %u in vertices(%G) {
        store %s in %b = intersect(vertices(%G), neighbors(%G, %u))
        collect %l: list list<vid> in %c {
          for %v in %s { yield %l, %v }
        }
        yield %n, size(%l)
      }
    }
  }
  return %n)";

TEST_F(InterpTest, ChecksTheMemoryPlan) {
  const auto planned = [&](const std::string& capacity) {
    std::string body = kPlanned;
    body.replace(body.find("CAPACITY"), 8, capacity);
    return text(kernel(body));
  };
  EXPECT_EQ(planned("max_degree(%G)"), "8");
  EXPECT_EQ(planned("(max_degree(%G) - 1)"), trap(runtime::TrapCode::CapacityExceeded));
  EXPECT_EQ(planned("-5"), trap(runtime::TrapCode::CapacityExceeded));
  std::string sink = kPlanned;
  sink.replace(sink.find("CAPACITY"), 8, "9");
  sink.replace(sink.find("[3]"), 3, "[2]");
  EXPECT_EQ(text(kernel(sink)), trap(runtime::TrapCode::CapacityExceeded));
}

TEST_F(InterpTest, StreamsRows) {
  std::vector<std::uint32_t> seen;
  RunOptions options;
  options.on_rows = [&](const Rows& rows) {
    EXPECT_EQ(rows.kinds.size(), 2U);
    const std::uint32_t* second = static_cast<const std::uint32_t*>(rows.columns[1]);
    seen.insert(seen.end(), second, second + rows.count);
    return true;
  };
  const std::string found = "collect %l: list list<vid, vid> { for %u, %v in edges(%G) { yield %l, %u, %v } }";
  RunOutcome outcome = loop(found + "return %l", options);
  EXPECT_EQ(text(outcome), "8");
  EXPECT_EQ(std::get<RunResult>(outcome).rows, 8U);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 0, 2, 3, 1, 3, 1, 2}));
  // A list that is no sink is handed over as well.
  seen.clear();
  EXPECT_EQ(text(loop("return span(edges(%G), 0, 3)", options)), "3");
  EXPECT_EQ(seen.size(), 3U);
  options.on_rows = [](const Rows&) { return false; };
  EXPECT_EQ(std::get<RunResult>(loop(found + "return %l", options)).ending, Ending::RowsRefused);
}

TEST_F(InterpTest, EndsEarlyWithPartialValues) {
  std::atomic<std::uint32_t> stop = 1;
  RunOptions options;
  options.stop_request = &stop;
  RunOutcome outcome = loop("collect %n: sum i64 { for %u in vertices(%G) { yield %n, 1 } } return (%n + 5)", options);
  EXPECT_EQ(std::get<RunResult>(outcome).ending, Ending::Stopped);
  EXPECT_EQ(text(outcome), "5");
  // A value that never came to be ends no run with an error.
  outcome = loop("collect %n: min i64 { for %u in vertices(%G) { yield %n, 1 } } return %n", options);
  EXPECT_EQ(std::get<RunResult>(outcome).ending, Ending::Stopped);
  EXPECT_TRUE(std::get<RunResult>(outcome).values.empty());
  RunOptions late;
  late.deadline = std::chrono::steady_clock::time_point::min();
  outcome = loop("collect %n: sum i64 { for %u in vertices(%G) { yield %n, 1 } } return %n", late);
  EXPECT_EQ(std::get<RunResult>(outcome).ending, Ending::Deadline);
}

TEST_F(InterpTest, ReportsProgress) {
  std::vector<std::uint64_t> done;
  RunOptions options;
  options.on_progress = [&](std::uint64_t positions, std::uint64_t total) {
    EXPECT_EQ(total, 4U);
    done.push_back(positions);
  };
  RunOutcome outcome =
      loop("collect %n: sum i64 { for %u in vertices(%G) { for %v in neighbors(%G, %u) { yield %n, 1 } } } return %n",
           options);
  EXPECT_EQ(done, (std::vector<std::uint64_t>{4}));
  EXPECT_EQ(std::get<RunResult>(outcome).positions, 4U);
}

TEST_F(InterpTest, SharedOperandsAreComputedOnce) {
  ir::Context context;
  ir::Builder b(context);
  const ir::Var* g = b.var(context.graph(), "G");
  const ir::Expr* set = b.make(ir::Kind::Vertices, {g});
  for (int i = 0; i < 60; ++i) set = b.make(ir::Kind::Intersect, {set, set});
  const ir::Expr* size = b.make(ir::Kind::Size, {set});
  const ir::Stmt* body[] = {b.ret({&size, 1})};
  SourceManager sources;
  Diagnostics diagnostics(sources);
  std::unique_ptr<Executable> program =
      make_interpreter()->load(b.module(ir::Stage::Loop, "m", {&g, 1}, b.block(body)), diagnostics);
  const Argument graph = &world.graph;
  EXPECT_EQ(text(program->run({&graph, 1}, *world.universe, {})), "4");
}

TEST_F(InterpTest, TakesOnlyValidModules) {
  ir::Parsed parsed("module loop \"m\" (%l: list<i64>) { return size(below(%l, 1)) }");
  EXPECT_EQ(make_interpreter()->load(*parsed.module, parsed.diagnostics), nullptr);
  EXPECT_TRUE(parsed.diagnostics.has_errors());
}

}  // namespace
}  // namespace matcha::codegen
