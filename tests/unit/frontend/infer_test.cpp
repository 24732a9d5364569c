#include <gtest/gtest.h>

#include "tests/unit/frontend/support.h"

namespace matcha::frontend::testing {
namespace {

/// The parameters and the result type of the entry, as in `n: int, l: List<int> -> float`; or the messages.
std::string signature(const std::string& text) {
  std::unique_ptr<Compiled> compiled = compile_text(text);
  if (!compiled->graph) {
    std::string out;
    for (const std::string& message : compiled->messages()) out += message + "\n";
    return out;
  }
  std::string out;
  for (const asg::Param& param : compiled->graph->params) {
    out += (out.empty() ? "" : ", ") + param.name + ": " + to_string(*param.type);
    if (param.type->is_graph() && param.type->elem != nullptr) out += " of " + to_string(*param.type->elem);
  }
  return out + " -> " + to_string(*compiled->graph->result->type);
}

TEST(Infer, EntryParametersFromTheirUse) {
  EXPECT_EQ(signature("def main(n): return n + 1"), "n: int -> int");
  EXPECT_EQ(signature("def main(n): return n + 0.5"), "n: int -> float");
  EXPECT_EQ(signature("def main(n): return n < 0.5"), "n: float -> bool");
  EXPECT_EQ(signature("def main(a, b): return a if b else 1"), "a: int, b: bool -> int");
  EXPECT_EQ(signature("def main(g, v): return neighbor(g, v)"), "g: Graph, v: int -> List<int>");
  EXPECT_EQ(signature("def main(l): return sum(l)"), "l: List<int> -> int");
  EXPECT_EQ(signature("def main(l): return any(l)"),
            "1: no input can be bound to `l` of type `List<bool>` [entry-param]\n");
  EXPECT_EQ(signature("def main(l): return apply(lambda e: get(e, 0) + get(e, 2), l)"),
            "l: List<Tuple<int, 3>> -> List<int>");
  EXPECT_EQ(signature("def main(edges): return vertices(mk_graph(edges))"), "edges: List<Tuple<int, 2>> -> List<int>");
}

TEST(Infer, DefaultsAndAnnotations) {
  EXPECT_EQ(signature("def main(a=1, b=2.5, c=True, d: float = -3): return a + b + d if c else 0.0"),
            "a: int, b: float, c: bool, d: float -> float");
  EXPECT_EQ(signature("def main(l: List<Tuple<float, 2>>) -> float: return get(get(l, 0), 1)"),
            "l: List<Tuple<float, 2>> -> float");
  EXPECT_EQ(signature("def main(n: Var<int>) -> float: return n"), "n: int -> float");
}

TEST(Infer, FunctionsAreGeneral) {
  EXPECT_EQ(signature("def pair(x, y): return [x, y]\n"
                      "def main(): return mk_tuple(val=[sum(pair(1, 2)), sum(pair(0.5, 1.5))])"),
            " -> Tuple<int, float>");
  EXPECT_EQ(signature("def main():\n    f = lambda x: x\n    return f(1) if f(True) else size(f([1]))"), " -> int");
  EXPECT_EQ(signature("def twice(f, x): return f(f(x))\ndef main(n: int): return twice(lambda y: y * 0.5, n + 0.5)"),
            "n: int -> float");
  EXPECT_EQ(signature("def main(n: int):\n    def add(m):\n        return lambda x: x + m\n    return add(n)(2)"),
            "n: int -> int");
}

TEST(Infer, PositionsOfTuplesHaveTypesOfTheirOwn) {
  EXPECT_EQ(signature("def main(n: int): return mk_tuple(val=[n, 0.5, n < 2])"), "n: int -> Tuple<int, float, bool>");
  EXPECT_EQ(signature("def main(n: int) -> Tuple<int, int>: return mk_tuple(val=[n, 2])"), "n: int -> Tuple<int, 2>");
  EXPECT_EQ(signature("def main(n: int): return get(mk_tuple(val=[n, 0.5]), 1)"), "n: int -> float");
  EXPECT_EQ(signature("def main(g: Graph): return sum(apply(lambda v: mk_tuple(val=[v, 0.5, v < 2]), vertices(g)))"),
            "g: Graph -> Tuple<int, float, int>");
  EXPECT_EQ(signature("def swap(t): return mk_tuple(val=[get(t, 1), get(t, 0)])\n"
                      "def main(l: List<Tuple<int, float>>): return apply(swap, l)"),
            "l: List<Tuple<int, float>> -> List<Tuple<float, int>>");
  EXPECT_EQ(signature("def main(l, b: bool): return apply(lambda t: t if b else mk_tuple(val=[1, 0.5]), l)"),
            "l: List<Tuple<int, float>>, b: bool -> List<Tuple<int, float>>");
}

TEST(Infer, OpenPositionsOfTheEntry) {
  EXPECT_EQ(signature("def main(l): return size(apply(lambda t: 1, cond=lambda t: get(t, 1) < 0.5, l))"),
            "l: List<Tuple<float, 2>> -> int");
  EXPECT_EQ(
      signature("def main(g: Graph, l): return size(apply(lambda t: neighbor(g, get(t, 0)), cond=lambda t: get(t, 2) "
                "< 0.5, l))"),
      "g: Graph, l: List<Tuple<int, int, float>> -> int");
  EXPECT_EQ(signature("def main(x): return x if x > 0 else 0.5"), "x: float -> float");
}

TEST(Infer, HintsHowAnIntBecomesAFloat) {
  for (const char* text : {"def main(n: int): return [n, 0.5]", "def main(n: int): return n if n > 1 else 0.5",
                           "def main(n: int): return min(n, 0.5)",
                           "def f(l: List<Tuple<float, 2>>): return size(l)\n"
                           "def main(): return f([mk_tuple(val=[1, 0.5])])"}) {
    std::unique_ptr<Compiled> compiled = compile_text(text);
    ASSERT_EQ(compiled->diagnostics->error_count(), 1u) << text;
    EXPECT_EQ(compiled->diagnostics->all()[0].hint,
              "an int does not become a float by itself; write `1.0 * x` for `x`, or `2.0` for `2`");
  }
  EXPECT_EQ(compile_text("def main(n: int): return [n, True]")->diagnostics->all()[0].hint, "");
}

TEST(Infer, WordsOfPythonNameWhatToWrite) {
  const std::pair<std::string, std::string> words[] = {
      {"sorted(l)", "`sort("}, {"Counter(l)", "`count_by("}, {"defaultdict(l)", "`sum_by("},
      {"dict(l)", "`sum_by("}, {"group(l)", "`min_by`"},     {"reduce(l)", "`sum`"},
      {"unique(l)", "`keys("}, {"zip(l, l)", "`apply("},     {"enumerate(l)", "range(size("},
      {"ln(1.0)", "`log("},
  };
  for (const auto& [call, hint] : words) {
    const auto compiled = compile_text("def main(l: List<int>): return " + call);
    ASSERT_TRUE(compiled->diagnostics->has_errors()) << call;
    EXPECT_NE(compiled->diagnostics->all()[0].hint.find(hint), std::string::npos) << call;
  }
  const auto loop = compile_text("def main(n: int):\n    while n:\n        m = 1\n    return n");
  EXPECT_NE(loop->diagnostics->all()[0].hint.find("`iterate("), std::string::npos);
}

TEST(Infer, WhereAFloatIsWrittenIntsBecomeFloats) {
  EXPECT_EQ(signature("def half(x: float): return x / 2\ndef main(l: List<int>): return apply(half, l)"),
            "l: List<int> -> List<float>");
  EXPECT_EQ(signature("def main(n: int): return mk_list(type=float, val=[n, 0.5])"), "n: int -> List<float>");
  EXPECT_EQ(signature("def half(x: float): return x / 2\ndef main(n: int): return half(n)"), "n: int -> float");
  EXPECT_EQ(signature("def main(n: int): return mk_tuple(2, float, [n, 1])"), "n: int -> Tuple<float, 2>");
  EXPECT_EQ(signature("def main(l: List<int>): return mk_list(type=float, val=l)"), "l: List<int> -> List<float>");
}

TEST(Infer, SumsOfBoolsAndTuples) {
  EXPECT_EQ(signature("def main(g: Graph): return sum(apply(lambda e: get(e, 0) < get(e, 1), edges(g)))"),
            "g: Graph -> int");
  EXPECT_EQ(signature("def main(g: Graph): return sum(edges(g))"), "g: Graph -> Tuple<int, 2>");
}

TEST(Infer, EdgeInformation) {
  EXPECT_EQ(signature("def main(g): return sum(edge_info(g, 1))"), "g: Graph of int -> int");
  EXPECT_EQ(signature("def main(g: Graph): return sum(edge_info(g, 1)) + 0.5"), "g: Graph of int -> float");
  EXPECT_EQ(signature("def main(l, t: List<float>): return max(edge_info(mk_graph(l, einfo=t), 1))"),
            "l: List<Tuple<int, 2>>, t: List<float> -> float");
  EXPECT_EQ(signature("def total(g: Graph, v): return sum(edge_info(g, v))\ndef main(g): return total(g, 3)"),
            "g: Graph of int -> int");
}

TEST(Infer, PositionalArgumentsAfterKeywords) {
  EXPECT_EQ(signature("def f(a, b, c): return a - b * c\ndef main(): return f(c=1, 2, 3)"), " -> int");
  EXPECT_EQ(signature("def main(l: List<int>): return apply(cond=None, func=lambda v: v, l)"),
            "l: List<int> -> List<int>");
  EXPECT_EQ(
      signature("def main(l: List<int>):\n    def odd(v): return v % 2 == 1\n    return apply(lambda v: v, odd, l)"),
      "l: List<int> -> List<int>");
}

TEST(Infer, NamesOfOperatorsMayBeBound) {
  EXPECT_EQ(signature("def main(edges: List<Tuple<int, 2>>, size: int): return neighbor(mk_graph(edges), size)"),
            "edges: List<Tuple<int, 2>>, size: int -> List<int>");
}

TEST(Infer, AnErrorHasNoEcho) {
  EXPECT_EQ(compile_text("def main(g: Graph):\n    a = nothing(g)\n    b = a + 1\n    return apply(b, sum(a))")
                ->diagnostics->error_count(),
            1u);
}

TEST(Infer, EntryIsMainOrTheLast) {
  EXPECT_EQ(compile_text("def main(): return 1\ndef other(): return 2")->graph->entry, "main");
  EXPECT_EQ(compile_text("def one(): return 1\ndef other(): return 2")->graph->entry, "other");
  EXPECT_EQ(compile_text("def main(): return 1\ndef other(): return 2", "other")->graph->entry, "other");
}

}  // namespace
}  // namespace matcha::frontend::testing
