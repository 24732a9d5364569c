#include <gtest/gtest.h>

#include "tests/unit/frontend/support.h"

namespace matcha::frontend::testing {
namespace {

constexpr const char* kSum = "asg main\nparam n: int\n%0 = add n, 1 : int\nresult %0\n";

TEST(Layout, OneLineBody) { EXPECT_EQ(asg_text("def main(n): return n + 1"), kSum); }

TEST(Layout, NoLineBreakAtTheEnd) { EXPECT_EQ(asg_text("def main(n):\n    return n + 1"), kSum); }

TEST(Layout, CarriageReturns) { EXPECT_EQ(asg_text("def main(n):\r\n    return n + 1\r\n"), kSum); }

TEST(Layout, OldMacLineBreaks) { EXPECT_EQ(asg_text("def main(n):\r    return n + 1\r"), kSum); }

TEST(Layout, ByteOrderMark) {
  EXPECT_EQ(asg_text("\xEF\xBB\xBF"
                     "def main(n):\n    return n + 1\n"),
            kSum);
}

TEST(Layout, BlankLinesAndCommentsHaveNoIndentation) {
  EXPECT_EQ(
      asg_text("# first\n\ndef main(n): # here\n      # deep\n\n# none\n    \n\t\n    return n + 1 # end\n  # after\n"),
      kSum);
}

TEST(Layout, BracketsJoinLines) { EXPECT_EQ(asg_text("def main(\n n,\n ):\n    return (n +\n1)\n"), kSum); }

TEST(Layout, TabsBetweenWordsAreSpaces) { EXPECT_EQ(asg_text("def\tmain(n):\n    return\tn\t+ 1\t\n"), kSum); }

TEST(Layout, Docstrings) {
  EXPECT_EQ(
      asg_text("\"\"\"A module,\nin two lines.\"\"\"\n\ndef main(n):\n    '''One\n  more.'''\n    return n + 1\n"),
      kSum);
}

TEST(Layout, CharactersOutsideAsciiInCommentsAndQuotes) {
  EXPECT_EQ(asg_text("# größe\ndef main(n):\n    'Zählt → alles'\n    return n + 1\n"), kSum);
}

TEST(Layout, PlacesCountBytesAfterOtherCharacters) {
  std::unique_ptr<Compiled> compiled = compile_text("def main(g: Graph):\n    return vertex_label(g, 1) == 'é' + x\n");
  ASSERT_EQ(compiled->diagnostics->all().size(), 1u);
  EXPECT_EQ(compiled->diagnostics->all()[0].loc.line, 2u);
  EXPECT_EQ(compiled->diagnostics->all()[0].loc.column, 41u);
}

TEST(Layout, NestedBlocksCloseTogether) {
  EXPECT_EQ(asg_text("def main(n):\n  def a(x):\n    def b(y):\n      return y + 1\n    return b(x)\n  return a(n)\n"),
            kSum);
}

TEST(Layout, NumbersAsInPython) {
  EXPECT_EQ(asg_text("def main(): return mk_tuple(val=[1_000, 0xff, 0XF_F, 0o17, 0b1_01, 00, 0_0])"),
            "asg main\n%0 = mk_tuple 1000, 255, 255, 15, 5, 0, 0 : Tuple<int, 7>\nresult %0\n");
  EXPECT_EQ(asg_text("def main(): return mk_tuple(val=[1., .5, 1e3, 1_0.2_5e-1, -0.0])"),
            "asg main\n%0 = neg 0.0 : float\n%1 = mk_tuple 1.0, 0.5, 1000.0, 1.025, %0 : Tuple<float, 5>\nresult %1\n");
}

TEST(Layout, Precedence) {
  EXPECT_EQ(asg_text("def main(a: int, b: int): return not a + b * 2 < -a % 3 == b or a < 1 and b < 2"),
            asg_text("def main(a: int, b: int): return (not (((a + (b * 2)) < ((-a) % 3)) and ((-a) % 3) == b)) or "
                     "((a < 1) and (b < 2))"));
  EXPECT_EQ(asg_text("def main(a: int): return 1 if a < 1 else 2 if a < 2 else 3"),
            asg_text("def main(a: int): return 1 if a < 1 else (2 if a < 2 else 3)"));
  EXPECT_EQ(asg_text("def main(a: int): return a - 1 - 2"), asg_text("def main(a: int): return (a - 1) - 2"));
}

TEST(Layout, ErrorsOfSeveralLinesInOneRun) {
  EXPECT_EQ(compile_text("def a(x)\n    return x\ndef b(:\n    return 1\ndef c(x):\n    return +\n")
                ->diagnostics->error_count(),
            3u);
}

TEST(Layout, Encodings) {
  for (const std::string& text :
       {std::string("\xFF\xFE"
                    "d\0e\0",
                    6),
        std::string("d\0e\0f\0", 6), std::string("def main(): return 1 # \xE9\n"),
        std::string("def main():\0 return 1", 21), std::string("# \xC0\x80\ndef main(): return 1"),
        std::string("# \xED\xA0\x80\n"), std::string("# \xF0\x9F\x98")}) {
    std::unique_ptr<Compiled> compiled = compile_text(text);
    EXPECT_TRUE(compiled->has(DiagId::Encoding)) << text;
    EXPECT_TRUE(compiled->diagnostics->all()[0].loc.valid());
  }
}

}  // namespace
}  // namespace matcha::frontend::testing
