#include <gtest/gtest.h>

#include "tests/unit/frontend/support.h"

namespace matcha::frontend::testing {
namespace {

TEST(Lower, Listings) {
  for (const char* name : {"listing_1", "listing_2"}) {
    std::string path = std::string("tests/asg/") + name;
    EXPECT_EQ(ir_text(read_file(path + ".mt")), read_file(path + ".ir.expected"));
  }
}

TEST(Lower, TopLevelSumsAre128BitsWide) {
  std::string text = ir_text("def main(l: List<int>):\n    n = sum(l)\n    return sum(apply(lambda v: v * n, l))");
  EXPECT_NE(text.find("sum i128"), std::string::npos);
  EXPECT_NE(text.find("convert<i64>("), std::string::npos);
}

TEST(Lower, ListsUsedAsVerticesHoldVertices) {
  EXPECT_NE(ir_text("def main(g: Graph, l: List<int>): return sum(apply(lambda v: size(neighbor(g, v)), l))")
                .find("%l: list<vid>"),
            std::string::npos);
  EXPECT_NE(ir_text("def main(l: List<int>): return sum(l)").find("%l: list<i64>"), std::string::npos);
  EXPECT_NE(ir_text("def main(g: Graph, l: List<Tuple<int, 2>>):\n"
                    "    return sum(apply(lambda e: size(neighbor(g, get(e, 0))) * get(e, 1), l))")
                .find("%l: list<vid, i64>"),
            std::string::npos);
}

TEST(Lower, ArithmeticOnVerticesReadsOriginalIds) {
  EXPECT_NE(ir_text("def main(g: Graph): return sum(apply(lambda v: v * 2, vertices(g)))").find("convert<i64>(%v)"),
            std::string::npos);
  EXPECT_EQ(ir_text("def main(g: Graph): return sum(apply(lambda e: get(e, 0) < get(e, 1), edges(g)))")
                .find("convert<i64>(%e0)"),
            std::string::npos);
}

TEST(Lower, ListsOfListsAreWalkedNotStored) {
  for (const char* text : {
           "def main(g: Graph): return flatten(apply(lambda v: neighbor(g, v), vertices(g)))",
           "def main(g: Graph): return size(apply(lambda v: neighbor(g, v), vertices(g)))",
           "def main(g: Graph): return apply(lambda l: size(l) + sum(l), apply(lambda v: neighbor(g, v), vertices(g)))",
           "def main(g: Graph): return flatten([neighbor(g, 1), [2, 3], vertices(g)])",
           "def main(g: Graph): return flatten(flatten(apply(lambda v: [neighbor(g, v), [v]], vertices(g))))",
           "def main(g: Graph, b: bool): return flatten(apply(lambda v: neighbor(g, v), vertices(g)) if b else [[1]])",
           "def main(g: Graph): return sum(flatten(apply(lambda l: apply(lambda w: w * size(l), l), [neighbor(g, 1), "
           "neighbor(g, 2)])))",
       }) {
    EXPECT_EQ(ir_text(text).find("list<list"), ir_text(text).find("list<list<")) << text;
    EXPECT_TRUE(ir_text(text).starts_with("module loop")) << ir_text(text);
  }
}

TEST(Lower, MixedSets) {
  for (const char* set : {"intersect", "diff"}) {
    std::string name(set);
    for (const char* operands : {"(neighbor(g, 1), [1, 2])", "([1, 2], neighbor(g, 1))", "([], neighbor(g, 1))"}) {
      const std::string text = ir_text("def main(g: Graph): return " + name + operands);
      EXPECT_TRUE(text.starts_with("module loop")) << text;
    }
  }
}

TEST(Lower, BranchesThatNeedStatements) {
  std::string text =
      ir_text("def main(l: List<int>, b: bool): return max(l) if b and any(apply(lambda v: v > 2, l)) else 0");
  EXPECT_NE(text.find("if %b"), std::string::npos) << text;
  EXPECT_NE(
      ir_text("def main(l: List<float>, b: bool): return apply(lambda v: v / 2, l) if b else l").find("list<f64>"),
      std::string::npos);
}

TEST(Lower, NamedValuesAreComputedWhereTheyAreBound) {
  std::string text = ir_text(
      "def main(g: Graph):\n    n = sum(apply(lambda v: v, cond=lambda v: v > 2, vertices(g)))\n"
      "    return sum(apply(lambda v: v % n, vertices(g)))");
  EXPECT_LT(text.find("%n: sum"), text.rfind("for %v")) << text;
}

TEST(Lower, UnusedValuesAreNotComputed) {
  EXPECT_EQ(ir_text("def main(g: Graph):\n    _n = 1 / 0\n    return size(vertices(g))"),
            ir_text("def main(g: Graph):\n    return size(vertices(g))"));
}

TEST(Lower, GraphsStandAtTopLevel) {
  std::string text = ir_text(
      "def main(g: Graph):\n    def f(v):\n        h = mk_graph(edges(g))\n        return size(neighbor(h, v))\n"
      "    return sum(apply(f, vertices(g)))");
  EXPECT_LT(text.find("build_graph"), text.find("for ")) << text;
}

TEST(Lower, LabelsAndInformation) {
  std::string text = ir_text(
      "def main(e: List<Tuple<int, 2>>, l: List<Tuple<int, 2>>, t: List<float>):\n"
      "    g = mk_graph(e, vlabel=l, einfo=t)\n"
      "    return sum(edge_info(g, 1)) + vertex_label(g, 2)");
  EXPECT_NE(text.find("%l: list<vid, i64>"), std::string::npos) << text;
  EXPECT_NE(text.find("labels %l"), std::string::npos) << text;
  EXPECT_NE(text.find("info %t"), std::string::npos) << text;
}

}  // namespace
}  // namespace matcha::frontend::testing
