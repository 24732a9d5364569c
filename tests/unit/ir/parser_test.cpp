#include "ir/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/analysis/facts.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

struct BadText {
  const char* name;
  std::string text;
  std::uint32_t line;
  std::uint32_t column;
  const char* message;
};

std::string in_module(const std::string& body) {
  return "module loop \"m\" (%G: graph, %x: i64) {\n  " + body + "\n}\n";
}

class ParserErrors : public testing::TestWithParam<BadText> {};

TEST_P(ParserErrors, NamesThePlace) {
  const BadText& bad = GetParam();
  Parsed parsed(bad.text);
  EXPECT_FALSE(parsed.module);
  ASSERT_EQ(parsed.diagnostics.error_count(), 1U);
  const Diagnostic& diagnostic = parsed.diagnostics.all()[0];
  EXPECT_EQ(diagnostic.id, DiagId::IrSyntax);
  EXPECT_EQ(diagnostic.message, bad.message);
  EXPECT_EQ(diagnostic.loc.line, bad.line);
  EXPECT_EQ(diagnostic.loc.column, bad.column);
}

const BadText kBadTexts[] = {
    {"Empty", "", 1, 1, "expected `module`"},
    {"Stage", "module asg \"m\" () {}", 1, 8, "expected one of loop, kernel"},
    {"Name", "module loop m () {}", 1, 13, "expected the name of the module in quotes"},
    {"OpenString", "module loop \"m", 1, 13, "expected the name of the module in quotes"},
    {"ParamType", "module loop \"m\" (%a: int) {}", 1, 22, "expected a type"},
    {"GraphColumn", "module loop \"m\" (%a: list<graph>) {}", 1, 27, "a list has no columns of `graph`"},
    {"WideColumn", "module loop \"m\" (%a: list<i64, i128>) {}", 1, 32, "a list has no columns of `i128`"},
    {"Twice", "module loop \"m\" (%a: i64, %a: i64) {}", 1, 27, "`%a` is bound already"},
    {"OpenBlock", "module loop \"m\" () {\n  let %a = 1\n", 3, 1, "expected a statement"},
    {"After", "module loop \"m\" () {\n  return 1\n}\nreturn 2", 4, 1, "expected the end of the text"},
    {"Statement", in_module("sum %a"), 2, 3, "expected a statement"},
    {"NotBound", in_module("return %y"), 2, 10, "`%y` is not bound"},
    {"Bound", in_module("let %x = 1"), 2, 7, "`%x` is bound already"},
    {"Side", in_module("return size(cut(vertices(%G), %x))"), 2, 15, "`cut`: `cut` needs a side"},
    {"Operator", in_module("return frob(%x)"), 2, 10, "`frob` is not an operator"},
    {"Infix", in_module("return (%x , %x)"), 2, 14, "expected an infix operator"},
    {"Character", in_module("return $"), 2, 10, "expected an expression"},
    {"BigNumber", in_module("return 9223372036854775808"), 2, 10, "`9223372036854775808` is not a number"},
    {"BadNumber", in_module("return 1.5.2"), 2, 10, "`1.5.2` is not a number"},
    {"Arity", in_module("return min(%x)"), 2, 10, "`min`: `min` takes 2 operands, not 1"},
    {"Types", in_module("return (%x + 1.5)"), 2, 14, "`+`: operand 2 has type `f64`, not i64"},
    {"OperandType", in_module("return size(%x)"), 2, 10, "`size`: operand 1 has type `i64`, not a list"},
    {"Converts", in_module("return convert<graph>(%x)"), 2, 10, "`convert`: `i64` cannot become `graph`"},
    {"NoType", in_module("return convert(%x)"), 2, 10, "`convert`: `convert` needs its result type"},
    {"At", in_module("return at<2>(edges(%G), 0)"), 2, 10, "`at` takes a list that has the column and an i64"},
    {"Rows", in_module("return list<list<i64, i64>>(1, 2, 3)"), 2, 10, "`list`: 3 items do not fill rows of 2 columns"},
    {"ItemType", in_module("return list<list<f64>>(1)"), 2, 10, "`list`: item 1 has type `i64`, not `f64`"},
    {"ForScalar", in_module("for %u in %x {}"), 2, 10, "`for` walks lists"},
    {"ForColumns", in_module("for %u in edges(%G) {}"), 2, 10, "1 loop variables for 2 columns"},
    {"IfInt", in_module("if %x {}"), 2, 6, "`if` takes a bool"},
    {"Sink", in_module("collect %n: product i64 {}"), 2, 15, "expected one of sum, min, max, any, all, list"},
    {"Index", in_module("build_graph %H = btree(edges(%G))"), 2, 20, "expected one of csr, hash"},
    {"Group", "module kernel \"m\" () {\n  region (parallel, group=x)", 2, 27, "expected a number"},
    {"LabelWord", in_module("return label_name(a)"), 2, 21, "expected a label in quotes"},
};

INSTANTIATE_TEST_SUITE_P(Texts, ParserErrors, testing::ValuesIn(kBadTexts),
                         [](const testing::TestParamInfo<BadText>& info) { return std::string(info.param.name); });

TEST(Parser, DeepNestingIsAnError) {
  std::string open;
  for (int i = 0; i < 100'000; ++i) open += "neg(";
  EXPECT_EQ(Parsed(in_module("return " + open)).diagnostics.all().at(0).message, "nested too deeply");
  std::string blocks(100'000, '{');
  EXPECT_EQ(Parsed(in_module(blocks)).diagnostics.all().at(0).message, "nested too deeply");
  std::string types = "module loop \"m\" (%a: ";
  for (int i = 0; i < 100'000; ++i) types += "list<";
  EXPECT_EQ(Parsed(types).diagnostics.all().at(0).message, "nested too deeply");
}

TEST(Parser, ReadsCommentsAndSpacing) {
  Parsed parsed("# head\nmodule loop \"m\"(%x:i64){# here\r\n\treturn(%x<=-3)}# end");
  ASSERT_TRUE(parsed.module);
  EXPECT_EQ(print(*parsed.module), "module loop \"m\" (%x: i64) {\n  return (%x <= -3)\n}\n");
}

TEST(Parser, NamesAreGivenInOrder) {
  Parsed parsed("module loop \"m\" (%a.7: i64) { let %a = 1 let %a.b.c = 2 return %a.7, %a, %a.b.c }");
  ASSERT_TRUE(parsed.module);
  EXPECT_EQ(print(*parsed.module),
            "module loop \"m\" (%a: i64) {\n  let %a.2 = 1\n  let %a.3 = 2\n  return %a, %a.2, %a.3\n}\n");
}

// A chain of values that each read the one before twice: 2^n paths, n values.
std::string doubling(int steps, const std::string& first, const std::string& next) {
  std::string text = first + "\n";
  for (int i = 1; i <= steps; ++i) {
    std::string line = next;
    for (std::size_t at = 0; (at = line.find('@', at)) != std::string::npos;) {
      line.replace(at, 1, std::to_string(i - 1));
    }
    text += "  let %v" + std::to_string(i) + " = " + line + "\n";
  }
  return text;
}

TEST(Parser, SharedValuesCostNoMoreThanTheirText) {
  std::string ints = doubling(20'000, "let %v0 = %x", "(%v@ + %v@)") + "  return %v20000";
  Parsed a(in_module(ints));
  ASSERT_TRUE(a.module);
  EXPECT_TRUE(verify(*a.module, a.diagnostics));
  EXPECT_TRUE(print(*a.module) == in_module(ints));
  std::string lists = doubling(20'000, "let %v0 = vertices(%G)", "select((%x == 1), %v@, intersect(%v@, %v@))") +
                      "return size(below(%v20000, 3))";
  Parsed b(in_module("let %one = 1\n  " + lists));
  EXPECT_FALSE(b.module) << "below takes a vid";
  lists.replace(lists.rfind("below"), 5, "span");
  lists.replace(lists.rfind(", 3"), 3, ", 3, 9");
  Parsed c(in_module(lists));
  ASSERT_TRUE(c.module) << render_text(c.diagnostics, false);
  EXPECT_TRUE(verify(*c.module, c.diagnostics));
}

}  // namespace
}  // namespace matcha::ir
