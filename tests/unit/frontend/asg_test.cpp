#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/frontend/support.h"

namespace matcha::frontend::testing {
namespace {

std::size_t count(const std::string& text, asg::Op op) {
  std::unique_ptr<Compiled> compiled = compile_text(text);
  EXPECT_TRUE(compiled->graph) << render_text(*compiled->diagnostics, false);
  if (!compiled->graph) return 0;
  return static_cast<std::size_t>(std::count_if(compiled->graph->nodes.begin(), compiled->graph->nodes.end(),
                                                [op](const asg::Node* node) { return node->op == op; }));
}

TEST(Asg, EqualNodesAreShared) {
  EXPECT_EQ(count("def main(a: int, b: int): return (a + b) * (a + b)", asg::Op::Add), 1u);
  EXPECT_EQ(count("def main(a: int, b: int): return (a + b) * (b + a)", asg::Op::Add), 2u);
}

TEST(Asg, EqualFunctionsAreSharedUnderAnyNames) {
  EXPECT_EQ(count("def main(l: List<int>): return sum(apply(lambda v: v * 2, l)) - sum(apply(lambda w: w * 2, l))",
                  asg::Op::Apply),
            1u);
  EXPECT_EQ(count("def main(l: List<int>): return sum(apply(lambda v: v * 2, l)) - sum(apply(lambda w: w * 3, l))",
                  asg::Op::Apply),
            2u);
  EXPECT_EQ(count("def main(l: List<int>):\n"
                  "    return sum(apply(lambda v: v, cond=lambda v: v > 2, l)) - sum(apply(lambda v: v, l))",
                  asg::Op::Apply),
            2u);
  EXPECT_EQ(
      count(
          "def main(l: List<int>): return sum(apply(lambda v, w: v - w, l, l)) - sum(apply(lambda v, w: w - v, l, l))",
          asg::Op::Apply),
      2u);
}

TEST(Asg, EqualFunctionsAreSharedAtAnyDepth) {
  std::string inner = "sum(apply(lambda w: w + 1, m))";
  EXPECT_EQ(count("def main(l: List<int>, m: List<int>):\n"
                  "    return sum(apply(lambda v: v * " +
                      inner + ", l)) + " + inner,
                  asg::Op::Apply),
            2u);
}

TEST(Asg, FunctionsThatReadOuterItemsAreNotMixedUp) {
  // The inner functions look alike, but the items that they read belong to different lists.
  EXPECT_EQ(count("def main(l: List<int>, m: List<int>):\n"
                  "    a = sum(apply(lambda v: sum(apply(lambda w: v * w, m)), l))\n"
                  "    b = sum(apply(lambda w: sum(apply(lambda v: v * w, m)), l))\n"
                  "    c = sum(apply(lambda v: sum(apply(lambda w: w * v, m)), l))\n"
                  "    return a + b + c",
                  asg::Op::Apply),
            4u);
}

TEST(Asg, OperandsBelongToOneApply) {
  std::unique_ptr<Compiled> compiled = compile_text(
      "def main(l: List<int>, m: List<int>): return sum(apply(lambda v: v * 2, l)) + sum(apply(lambda v: v * 2, m))");
  ASSERT_TRUE(compiled->graph);
  std::vector<const asg::Node*> operands;
  for (const asg::Node* node : compiled->graph->nodes) {
    if (node->apply != nullptr)
      operands.insert(operands.end(), node->apply->operands.begin(), node->apply->operands.end());
  }
  std::sort(operands.begin(), operands.end());
  EXPECT_EQ(operands.size(), 2u);
  EXPECT_EQ(std::unique(operands.begin(), operands.end()), operands.end());
}

TEST(Asg, InputsHaveSmallerIds) {
  std::unique_ptr<Compiled> compiled = compile_text(read_file("tests/asg/listing_2.mt"));
  ASSERT_TRUE(compiled->graph);
  for (const asg::Node* node : compiled->graph->nodes) {
    for (const asg::Node* input : node->inputs) EXPECT_LT(input->id, node->id);
    if (node->apply != nullptr) {
      EXPECT_LT(node->apply->body->id, node->id);
    }
  }
}

TEST(Asg, ListingOneOfTheMatchaPaper) {
  EXPECT_EQ(asg_text(read_file("tests/asg/listing_1.mt")), read_file("tests/asg/listing_1.asg.expected"));
}

TEST(Asg, ListingTwoOfTheMatchaPaper) {
  EXPECT_EQ(asg_text(read_file("tests/asg/listing_2.mt")), read_file("tests/asg/listing_2.asg.expected"));
}

TEST(Asg, Dot) {
  std::unique_ptr<Compiled> compiled =
      compile_text("def main(l: List<int>): return sum(apply(lambda v: v + 1, cond=lambda v: v < 3, l))");
  ASSERT_TRUE(compiled->graph);
  EXPECT_EQ(asg::print_dot(*compiled->graph), read_file("tests/asg/small.dot.expected"));
}

TEST(Asg, TreeOfAProgram) {
  SourceManager sources;
  std::uint32_t file = sources.add(
      "small.mt",
      "from std.cycle import wedges\ndef main(g, k: int = 2) -> int:\n    return wedges(g) if 1 < k <= 3 else -k\n");
  Diagnostics diagnostics(sources);
  std::unique_ptr<Program> program = check(sources, file, {}, diagnostics);
  EXPECT_EQ(print_ast(*program), read_file("tests/asg/small.ast.expected"));
}

}  // namespace
}  // namespace matcha::frontend::testing
