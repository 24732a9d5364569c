#include "ir/builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/match.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace matcha::ir {
namespace {

class BuilderTest : public testing::Test {
 protected:
  const Expr* make(Kind kind, std::initializer_list<const Expr*> operands, const Type* wanted = nullptr) {
    return b.make(kind, operands, wanted);
  }

  Context context;
  Builder b{context};
  const Var* x = b.var(context.i64(), "x");
  const Var* y = b.var(context.i64(), "y");
  const Var* u = b.var(context.vid(), "u");
  const Var* v = b.var(context.vid(), "v");
  const Var* f = b.var(context.f64(), "f");
  const Var* c = b.var(context.boolean(), "c");
  const Var* g = b.var(context.graph(), "G");
};

TEST_F(BuilderTest, EqualExpressionsAreOneNode) {
  EXPECT_EQ(make(Kind::Add, {x, y}), make(Kind::Add, {x, y}));
  EXPECT_NE(make(Kind::Add, {x, y}), make(Kind::Add, {y, x}));
  EXPECT_NE(make(Kind::Add, {x, y}), make(Kind::Sub, {x, y}));
  EXPECT_EQ(b.real(0.5), b.real(0.5));
  EXPECT_NE(b.real(0.0), b.real(-0.0));
  EXPECT_NE(b.integer(1), b.boolean(true));
  EXPECT_EQ(b.label_name("a"), b.label_name("a"));
  EXPECT_NE(b.label_name("a"), b.label_name("b"));
  const Expr* edges = make(Kind::Edges, {g});
  EXPECT_EQ(b.at(edges, x, 1), b.at(edges, x, 1));
  EXPECT_NE(b.at(edges, x, 0), b.at(edges, x, 1));
  EXPECT_NE(make(Kind::EdgeInfo, {g, u}, context.list(context.i64())),
            make(Kind::EdgeInfo, {g, u}, context.list(context.f64())));
}

TEST_F(BuilderTest, NodesOfAnotherSideAreOtherNodes) {
  const Expr* all = b.make(Kind::Neighbors, {g, u});
  const Expr* lower = b.make({Kind::Neighbors, Side::Lower}, {g, u});
  const Expr* upper = b.make({Kind::Neighbors, Side::Upper}, {g, u});
  EXPECT_EQ(lower, b.make({Kind::Neighbors, Side::Lower}, {g, u}));
  EXPECT_NE(all, lower);
  EXPECT_NE(all, upper);
  EXPECT_NE(lower, upper);
  EXPECT_NE(b.make({Kind::Cut, Side::Lower}, {all, v}), b.make({Kind::Cut, Side::Upper}, {all, v}));
  const Expr* other[] = {g, v};
  EXPECT_EQ(b.with_operands(upper, other), b.make({Kind::Neighbors, Side::Upper}, {g, v}));
  EXPECT_EQ(print(*lower), "lower_neighbors(%G, %u)");
  EXPECT_EQ(print(*b.make({Kind::Cut, Side::Upper}, {all, v})), "above(neighbors(%G, %u), %v)");
}

TEST(Kinds, TraitsAndGroupsAgree) {
  const auto check = [](Kind kind) {
    EXPECT_TRUE(!keeps_order_of_first(kind) || is_part_of_first(kind)) << keyword(kind);
    EXPECT_TRUE(!is_part_of_first(kind) || arity(kind) > 0) << keyword(kind);
    EXPECT_TRUE(!is_set_op(kind) || (walks(kind) && arity(kind) == 2)) << keyword(kind);
  };
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits) check(Kind::Struct);
#define MATCHA_STMT(Struct, word, First, Last) check(Kind::Struct);
#include "ir/nodes.def"
}

TEST_F(BuilderTest, VariablesAreIdentities) {
  const Var* other = b.var(context.i64(), "x");
  EXPECT_NE(x, other);
  EXPECT_LT(x->id, other->id);
  EXPECT_NE(make(Kind::Neg, {x}), make(Kind::Neg, {other}));
}

TEST_F(BuilderTest, TypesAreInterned) {
  const Type* columns[] = {context.vid(), context.i64()};
  EXPECT_EQ(context.list(columns), context.list(columns));
  EXPECT_NE(context.list(context.vid()), context.list(context.i64()));
  EXPECT_EQ(to_string(*context.list(context.list(context.f64()))), "list<list<f64>>");
}

TEST_F(BuilderTest, FoldsInts) {
  EXPECT_EQ(make(Kind::Add, {b.integer(2), b.integer(3)}), b.integer(5));
  EXPECT_EQ(make(Kind::Div, {b.integer(-7), b.integer(2)}), b.integer(-3));
  EXPECT_EQ(make(Kind::Mod, {b.integer(-7), b.integer(2)}), b.integer(-1));
  EXPECT_EQ(make(Kind::Mod, {b.integer(INT64_MIN), b.integer(-1)}), b.integer(0));
  EXPECT_EQ(make(Kind::Min, {b.integer(4), b.integer(-1)}), b.integer(-1));
  EXPECT_EQ(make(Kind::Max, {b.integer(4), b.integer(-1)}), b.integer(4));
  EXPECT_EQ(make(Kind::Le, {b.integer(4), b.integer(4)}), b.boolean(true));
  EXPECT_EQ(make(Kind::Ne, {b.integer(4), b.integer(4)}), b.boolean(false));
  EXPECT_EQ(make(Kind::Neg, {b.integer(4)}), b.integer(-4));
  EXPECT_EQ(make(Kind::Neg, {b.real(4)}), b.real(-4));
}

TEST_F(BuilderTest, FoldingKeepsTraps) {
  for (const Expr* e :
       {make(Kind::Add, {b.integer(INT64_MAX), b.integer(1)}), make(Kind::Sub, {b.integer(INT64_MIN), b.integer(1)}),
        make(Kind::Mul, {b.integer(INT64_MAX), b.integer(2)}), make(Kind::Div, {b.integer(1), b.integer(0)}),
        make(Kind::Mod, {b.integer(1), b.integer(0)}), make(Kind::Div, {b.integer(INT64_MIN), b.integer(-1)}),
        make(Kind::Neg, {b.integer(INT64_MIN)})}) {
    EXPECT_NE(e->kind, Kind::ConstInt) << print(*e);
  }
  const Expr* trap = make(Kind::Div, {b.integer(1), x});
  const Expr* trapping_cond = make(Kind::Eq, {trap, y});
  EXPECT_EQ(make(Kind::Select, {trapping_cond, y, y})->kind, Kind::Select);
  const Expr* items[] = {trap, y};
  EXPECT_EQ(make(Kind::Size, {b.literal(context.list(context.i64()), items)})->kind, Kind::Size);
}

TEST_F(BuilderTest, SimplifiesBools) {
  const Expr* yes = b.boolean(true);
  const Expr* no = b.boolean(false);
  EXPECT_EQ(make(Kind::And, {yes, c}), c);
  EXPECT_EQ(make(Kind::And, {c, yes}), c);
  EXPECT_EQ(make(Kind::And, {no, c}), no);
  EXPECT_EQ(make(Kind::Or, {no, c}), c);
  EXPECT_EQ(make(Kind::Or, {c, no}), c);
  EXPECT_EQ(make(Kind::Or, {yes, c}), yes);
  EXPECT_EQ(make(Kind::Not, {make(Kind::Not, {c})}), c);
  EXPECT_EQ(make(Kind::Select, {yes, x, y}), x);
  EXPECT_EQ(make(Kind::Select, {no, x, y}), y);
  EXPECT_EQ(make(Kind::Select, {c, x, x}), x);
  // Operands before the constant are still evaluated.
  const Expr* trap = make(Kind::Eq, {make(Kind::Div, {x, y}), x});
  EXPECT_EQ(make(Kind::And, {trap, no})->kind, Kind::And);
  EXPECT_EQ(make(Kind::Or, {trap, yes})->kind, Kind::Or);
}

TEST_F(BuilderTest, ConvertsToTheCommonType) {
  EXPECT_EQ(print(*make(Kind::Add, {u, x})), "(convert<i64>(%u) + %x)");
  EXPECT_EQ(print(*make(Kind::Add, {u, v})), "(convert<i64>(%u) + convert<i64>(%v))");
  EXPECT_EQ(print(*make(Kind::Lt, {u, v})), "(%u < %v)");
  EXPECT_EQ(print(*make(Kind::Max, {u, v})), "max(%u, %v)");
  EXPECT_EQ(print(*make(Kind::Lt, {u, x})), "(convert<i64>(%u) < %x)");
  EXPECT_EQ(print(*make(Kind::Mul, {x, f})), "(convert<f64>(%x) * %f)");
  EXPECT_EQ(print(*make(Kind::Mul, {u, f})), "(convert<f64>(convert<i64>(%u)) * %f)");
  EXPECT_EQ(print(*make(Kind::Mul, {b.integer(2), f})), "(2.0 * %f)");
  EXPECT_EQ(print(*make(Kind::Neg, {u})), "neg(convert<i64>(%u))");
  EXPECT_EQ(b.convert(c, context.i64())->type, context.i64());
  EXPECT_EQ(print(*b.convert(c, context.f64())), "convert<f64>(convert<i64>(%c))");
  EXPECT_EQ(b.convert(x, context.i64()), x);
  EXPECT_EQ(print(*b.convert(b.var(context.i128(), "n"), context.vid())), "convert<vid>(convert<i64>(%n))");
}

TEST_F(BuilderTest, FloatsPrintAsTheyRead) {
  EXPECT_EQ(print(*b.real(1)), "1.0");
  EXPECT_EQ(print(*b.real(std::numeric_limits<double>::infinity())), "inf");
  EXPECT_EQ(print(*b.real(-std::numeric_limits<double>::quiet_NaN())), "nan");
  EXPECT_EQ(print(*b.real(1e-7)), "1e-07");
}

TEST_F(BuilderTest, WithOperandsKeepsTheKindAndThePlace) {
  b.set_loc({0, 7, 3, 1});
  const Expr* e = b.at(make(Kind::Edges, {g}), x, 1);
  b.set_loc({});
  const Expr* operands[] = {e->operands[0], y};
  const Expr* other = b.with_operands(e, operands);
  EXPECT_EQ(print(*other), "at<1>(edges(%G), %y)");
  EXPECT_EQ(other->loc.line, 7U);
  EXPECT_EQ(b.with_operands(e, e->operands), e);
}

TEST_F(BuilderTest, AWrongTypeIsABug) {
  EXPECT_DEATH(make(Kind::Neighbors, {x, u}), "operand 1 has type `i64`, not a graph");
  EXPECT_DEATH(make(Kind::Not, {x}), "not bool");
  EXPECT_DEATH(make(Kind::Select, {c, x, f}), "operand 3 has type `f64`, not i64");
  EXPECT_DEATH(b.let(x, f), "let: the type of the value");
  EXPECT_DEATH(b.at(make(Kind::Edges, {g}), x, 2), "a column of a list");
}

// Modules that no text can express: the parser knows every value by one name.
TEST_F(BuilderTest, VerifierFindsDoubleBindings) {
  const Stmt* body[] = {b.let(x, b.integer(1)), b.let(x, b.integer(2)), b.ret(std::vector<const Expr*>{x})};
  SourceManager sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(verify(b.module(Stage::Loop, "m", {}, b.block(body)), diagnostics));
  ASSERT_EQ(diagnostics.error_count(), 1U);
  EXPECT_EQ(diagnostics.all()[0].message, "body[1].let: `%x` is bound twice");
}

TEST_F(BuilderTest, VerifierChecksLoopVariables) {
  const Expr* lists[] = {make(Kind::Neighbors, {g, u})};
  const Var* vars[] = {x};
  const Stmt* inside = b.loop(vars, lists, nullptr, b.block({}));
  const Var* none[] = {v, y};
  const Stmt* body[] = {inside, b.loop(none, lists, nullptr, b.block({})), b.loop({}, {}, nullptr, b.block({})),
                        b.ret(std::vector<const Expr*>{b.integer(1)})};
  const Var* params[] = {g, u};
  SourceManager sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(verify(b.module(Stage::Loop, "m", params, b.block(body)), diagnostics));
  std::string text = render_text(diagnostics, false);
  EXPECT_NE(text.find("body[0].for: a loop variable has another type than its column"), std::string::npos) << text;
  EXPECT_NE(text.find("body[1].for: `for` binds one variable a column"), std::string::npos) << text;
  EXPECT_NE(text.find("body[2].for: `for` needs a list"), std::string::npos) << text;
}

}  // namespace
}  // namespace matcha::ir
