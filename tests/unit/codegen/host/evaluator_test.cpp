#include "codegen/host/evaluator.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <string>

#include "codegen/host/host_plan.h"
#include "ir/match.h"
#include "ir/verifier.h"
#include "tests/ir/parsed.h"
#include "tests/unit/codegen/llvm/harness.h"

namespace matcha::codegen::host {
namespace {

using test::World;

/// The results of a module without regions whose one parameter is the graph of `world`, as `test::render` writes them.
std::string evaluate(const std::string& text, World& world) {
  ir::Parsed parsed(text);
  EXPECT_TRUE(parsed.module && ir::verify(*parsed.module, parsed.diagnostics))
      << render_text(parsed.diagnostics, false);
  Values values;
  Graph& graph = values.graphs[parsed.module->params[0]];
  graph.graph = &world.graphs[0];
  graph.view = world.graphs[0].view();
  std::vector<std::uint32_t> vertices(graph.view.vertex_count);
  std::iota(vertices.begin(), vertices.end(), 0U);
  if (graph.view.vertices == nullptr) graph.view.vertices = vertices.data();
  Evaluator evaluator(values, *world.universe);
  RunResult result;
  try {
    for (const Step& step : Plan(*parsed.module).steps) {
      if (const ir::Let* const* let = std::get_if<const ir::Let*>(&step)) {
        const ir::Var* var = (*let)->var;
        if (var->type->is_list()) {
          values.lists[var] = evaluator.list(*(*let)->value);
        } else if (var->type->is_graph()) {
          values.graphs[var] = Graph(evaluator.graph(*(*let)->value));
        } else {
          values.scalars[var] = evaluator.scalar(*(*let)->value);
        }
        continue;
      }
      for (const ir::Expr* value : std::get<const ir::Return*>(step)->values) {
        if (value->type->is_list()) {
          result.values.emplace_back(list_value(evaluator.list(*value)).value());
        } else {
          result.values.push_back(result_value(evaluator.scalar(*value)));
        }
      }
    }
  } catch (const Trap& trap) {
    return test::render(RunError{trap.error, trap.loc});
  }
  return test::render(RunOutcome(std::move(result)));
}

/// Both evaluators run, on a graph with its own ids and on one without.
void expect_agreement(const std::string& body) {
  const std::string text = "module kernel \"m\" (%G: graph) assumes simple(%G) {\n" + body + "\n}";
  for (bool sparse_ids : {false, true}) {
    World world = World::random(20, 0.4, 3, sparse_ids);
    ASSERT_EQ(world.graphs.size(), 1U);
    EXPECT_EQ(evaluate(text, world), test::run_interpreter(text, world)) << body;
  }
}

std::string returned(const std::string& values) { return "return " + values; }

TEST(HostEvaluator, Numbers) {
  expect_agreement(returned("(7 + -9), (7 - 9), (7 * -9), (-7 / 2), (-7 % 2), neg(5), min(3, -4), max(3, -4)"));
  expect_agreement(returned("(1.5 + 2.0), (1.5 - 2.0), (1.5 * 2.0), (1.5 / -2.0), (7.5 % 2.0), neg(0.5)"));
  expect_agreement(returned("min(0.0, -0.0), max(-0.0, 0.0), min(1.0, 2.0), max(1.0, 2.0)"));
  expect_agreement(returned("convert<i128>(4), (convert<i128>(4) * convert<i128>(9223372036854775807))"));
  expect_agreement(returned("neg(convert<i128>(4)), convert<f64>(convert<i128>(4)), convert<i64>(convert<i128>(4))"));
  expect_agreement(returned("convert<f64>(4), convert<i64>(true), at_most(3, 3)"));
  expect_agreement(returned("(-9223372036854775807 % -1), ((-9223372036854775807 - 1) % -1)"));
}

TEST(HostEvaluator, Truth) {
  expect_agreement(returned("(1 == 2), (1 != 2), (1 < 2), (2 <= 2), not(true), (true == false), (1.5 < 1.5)"));
  expect_agreement(returned("(false and ((1 / 0) == 1)), (true or ((1 / 0) == 1)), select(true, 1, (1 / 0))"));
}

TEST(HostEvaluator, Errors) {
  for (const char* value :
       {"(1 / 0)", "(1 % 0)", "(1.0 / 0.0)", "(1.0 % 0.0)", "(9223372036854775807 + 1)", "(-9223372036854775807 - 2)",
        "(9223372036854775807 * 2)", "((-9223372036854775807 - 1) / -1)", "neg((-9223372036854775807 - 1))",
        "at_most(4, 3)", "convert<i64>((convert<i128>(9223372036854775807) + convert<i128>(1)))", "convert<vid>(-100)",
        "at<0>(vertices(%G), 1000)", "at<0>(vertices(%G), -1)", "((true and ((1 / 0) == 1)) or ((1 % 0) == 1))"}) {
    const std::string text = "module kernel \"m\" (%G: graph) assumes simple(%G) { return " + std::string(value) + " }";
    World world = World::random(20, 0.4, 3, true);
    EXPECT_TRUE(evaluate(text, world).starts_with("error: ")) << value;
    expect_agreement(returned(value));
  }
}

TEST(HostEvaluator, AnEmptyExtremeIsAnErrorWhereItIsRead) {
  ir::Parsed parsed(
      "module kernel \"m\" (%G: graph) assumes simple(%G) { region (sequential, split=0, group=1) { collect %m: min "
      "i64 { } } return %m "
      "}");
  ASSERT_TRUE(parsed.module) << render_text(parsed.diagnostics, false);
  Values values;
  const ir::Expr* read = ir::as<ir::Return>(parsed.module->body->body.back())->values[0];
  values.scalars[ir::as<ir::Var>(read)] = std::monostate{};
  World world = World::random(4, 0.4, 3, false);
  EXPECT_THROW(Evaluator(values, *world.universe).scalar(*read), Trap);
}

TEST(HostEvaluator, Graphs) {
  expect_agreement(returned("vertices(%G), edges(%G), size(vertices(%G)), size(edges(%G)), max_degree(%G)"));
  const std::string vertex = "let %v = at<0>(vertices(%G), 7) let %w = at<0>(vertices(%G), 3)\n";
  expect_agreement(vertex + returned("neighbors(%G, %v), lower_neighbors(%G, %v), upper_neighbors(%G, %v)"));
  expect_agreement(vertex + returned("label(%G, %v), label(%G, %w), has_edge(%G, %v, %w), has_edge(%G, %v, %v)"));
  expect_agreement(vertex + returned("edge_info<list<i64>>(%G, %v), size(edge_info<list<i64>>(%G, %w))"));
  expect_agreement(vertex + returned("edge_info<list<vid>>(%G, %v), edge_info<list<bool>>(%G, %v)"));
  expect_agreement(vertex + returned("convert<i64>(%v), convert<vid>(convert<i64>(%w)), %v, (%v == %w), (%v < %w)"));
  expect_agreement("let %H = %G let %S = select((1 < 2), %G, %H)\n" + returned("size(edges(%S)), vertices(%S)"));
}

TEST(HostEvaluator, Lists) {
  const std::string lists =
      "let %v = at<0>(vertices(%G), 7)\n"
      "let %n = neighbors(%G, %v)\n"
      "let %i = list<list<i64>>(5, 3, 5, -1, 8)\n"
      "let %f = list<list<f64>>(0.5, -0.0, 0.0, 2.5)\n"
      "let %s = sorted(%i)\n";
  expect_agreement(lists + returned("%i, %f, %s, sorted(%f), sorted(list<list<bool>>(true, false, true))"));
  expect_agreement(lists + returned("intersect(%i, list<list<i64>>(5, 8)), diff(%i, list<list<i64>>(5, 8))"));
  expect_agreement(lists + returned("intersect(%f, list<list<f64>>(0.0)), diff(vertices(%G), %n)"));
  expect_agreement(lists + returned("below(%s, 5), above(%s, 5), below(%n, %v), above(%n, %v), below(%s, -5)"));
  expect_agreement(lists + returned("span(%i, 1, 3), span(%i, -4, 2), span(%i, 3, 1), span(%i, 4, 99)"));
  expect_agreement(lists + returned("contains(%i, 3), contains(%i, 4), contains(%n, %v), contains(%f, 0.0)"));
  expect_agreement(lists + returned("lower_bound(%s, 5), lower_bound(%n, %v), lower_bound(%s, 99)"));
  expect_agreement(lists + returned("at<0>(%i, 3), at<1>(edges(%G), 4), size(intersect(%n, vertices(%G)))"));
  expect_agreement(lists + returned("list<list<vid, f64>>(%v, 1.5, %v, -2.0), select((1 < 2), %i, %s)"));
  expect_agreement(lists + returned("span(below(%s, 8), 1, 9), span(edges(%G), 2, 5)"));
}

/// Each value is reached in two ways: an exponential walk would not end.
TEST(HostEvaluator, SharedOperandsAreComputedOnce) {
  ir::Parsed parsed("module kernel \"m\" (%G: graph, %x: i64) { return %x }");
  ASSERT_TRUE(parsed.module);
  ir::Builder b(parsed.context);
  const ir::Expr* value = parsed.module->params[1];
  for (int i = 0; i < 200; ++i) value = b.make(ir::Kind::Max, {value, b.make(ir::Kind::Neg, {value})});
  Values values;
  values.scalars[parsed.module->params[1]] = std::int64_t{3};
  World world = World::random(4, 0.4, 3, false);
  EXPECT_EQ(std::get<std::int64_t>(Evaluator(values, *world.universe).scalar(*value)), 3);
}

}  // namespace
}  // namespace matcha::codegen::host
