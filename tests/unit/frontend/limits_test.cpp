#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/frontend/support.h"

namespace matcha::frontend::testing {
namespace {

std::string repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// The text is refused with `id` and there is no other error.
void refused(DiagId id, const std::string& text) {
  std::unique_ptr<Compiled> compiled = compile_text(text);
  EXPECT_TRUE(compiled->has(id)) << render_text(*compiled->diagnostics, false).substr(0, 500);
  EXPECT_FALSE(compiled->graph);
}

TEST(Limits, Brackets) {
  for (const char* bracket : {"(", "[", "f("})
    refused(DiagId::TooDeep, "def main(): return " + repeat(bracket, 10'000));
  refused(DiagId::TooDeep, "def main(): return " + repeat("(", 10'000) + "1" + repeat(")", 10'000));
  refused(DiagId::TooDeep, "def main(): return " + repeat("(", 257) + "1" + repeat(")", 257));
  EXPECT_TRUE(compile_fully("def main(): return " + repeat("(", 256) + "1" + repeat(")", 256)));
}

TEST(Limits, ClosingBrackets) { refused(DiagId::UnmatchedBracket, "def main(): return " + repeat(")", 10'000)); }

TEST(Limits, Lambdas) {
  refused(DiagId::TooDeep, "def main(): return " + repeat("lambda: ", 10'000) + "1");
  refused(DiagId::TooDeep, "def main(): return " + repeat("1 if True else lambda a, b: ", 10'000) + "1");
}

TEST(Limits, Conditionals) {
  refused(DiagId::TooDeep, "def main(): return " + repeat("1 if True else ", 10'000) + "1");
  EXPECT_TRUE(compile_fully("def main(): return size([" + repeat("1 if True else 2, ", 1'000) + "1])"));
}

TEST(Limits, Operators) {
  for (const char* sign : {"-", "not ", "- + "}) {
    refused(DiagId::TooDeep, "def main(x): return " + repeat(sign, 10'000) + "x");
  }
  refused(DiagId::TooDeep, "def main(x): return x" + repeat(" + 1", 10'000));
  refused(DiagId::TooDeep, "def main(x): return x" + repeat("()", 10'000));
  EXPECT_TRUE(compile_fully("def main(x): return x" + repeat(" + 1", 900)));
  EXPECT_TRUE(compile_fully("def main(x): return x" + repeat(" < 1", 1)));
}

TEST(Limits, Types) { refused(DiagId::TooDeep, "def main(x: " + repeat("List<", 10'000) + "int): return 1"); }

TEST(Limits, Blocks) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::string(static_cast<std::size_t>(i), ' ') + "def f(x):\n";
  refused(DiagId::TooDeep, text + std::string(200, ' ') + "return 1\n");
}

TEST(Limits, Tokens) {
  refused(DiagId::TooLarge, "def main(): return [" + repeat("1, ", 60'000) + "1]");
  EXPECT_TRUE(compile_fully("def main(): return [" + repeat("1, ", 20'000) + "1]"));
}

TEST(Limits, ChainsOfStatements) {
  std::string text = "def main(x0: int):\n";
  for (int i = 0; i < 5'000; ++i) text += "    x" + std::to_string(i + 1) + " = x" + std::to_string(i) + " * 3 + 1\n";
  refused(DiagId::TooDeep, text + "    return x5000\n");
}

TEST(Limits, DeepestGraph) {
  std::string text = "def main(x0: int):\n";
  for (int i = 0; i < 1'150; ++i) {
    text += "    x" + std::to_string(i + 1) + " = max(x" + std::to_string(i) + ", " + std::to_string(i) + ")\n";
  }
  EXPECT_TRUE(compile_fully(text + "    return x1150\n"));
}

TEST(Limits, DeepestCalls) {
  std::string text = "def f0(x): return x\n";
  for (int i = 0; i < 240; ++i) {
    text += "def f" + std::to_string(i + 1) + "(x): return f" + std::to_string(i) + "(x)\n";
  }
  EXPECT_TRUE(compile_fully(text + "def main(): return f240(1)\n"));
}

TEST(Limits, ChainsOfLists) {
  std::string text = "def main():\n    x0 = [1]\n";
  for (int i = 0; i < 3'000; ++i) text += "    x" + std::to_string(i + 1) + " = [x" + std::to_string(i) + "]\n";
  refused(DiagId::TooComplex, text + "    return size(x3000)\n");
}

TEST(Limits, ChainsOfCalls) {
  std::string text = "def f0(x): return x\n";
  for (int i = 0; i < 5'000; ++i) {
    text += "def f" + std::to_string(i + 1) + "(x): return f" + std::to_string(i) + "(x)\n";
  }
  refused(DiagId::TooDeep, text + "def main(): return f5000(1)\n");
  std::string backward;
  for (int i = 5'000; i > 0; --i) {
    backward += "def f" + std::to_string(i) + "(x): return f" + std::to_string(i - 1) + "(x)\n";
  }
  refused(DiagId::TooDeep, backward + "def f0(x): return x\ndef main(): return f5000(1)\n");
}

TEST(Limits, TypesThatDoubleAtEachFunction) {
  std::string text = "def f0(x, y): return x + y\n";
  for (int i = 0; i < 40; ++i) {
    std::string before = "f" + std::to_string(i);
    text += "def f" + std::to_string(i + 1) + "(x, y): return " + before + "(x, y) * " + before + "(y, x)\n";
  }
  refused(DiagId::TooComplex, text + "def main(x, y): return f40(x, y)\n");
}

TEST(Limits, FunctionTypesThatDouble) {
  std::string text = "def main():\n    f0 = lambda k: k\n";
  for (int i = 0; i < 60; ++i) {
    std::string before = "f" + std::to_string(i);
    text += "    f" + std::to_string(i + 1) + " = lambda k: k(" + before + ", " + before + ")\n";
  }
  refused(DiagId::TooComplex, text + "    return f60(lambda a, b: 1)\n");
}

TEST(Limits, SharedScalarsStaySmall) {
  std::string text = "def main(x0: int):\n";
  for (int i = 0; i < 300; ++i) {
    std::string before = "x" + std::to_string(i);
    text += "    x" + std::to_string(i + 1) + " = " + before + " * " + before + " if " + before + " < 9 else " +
            before + " - 1\n";
  }
  EXPECT_TRUE(compile_fully(text + "    return x300\n"));
}

TEST(Limits, LongWords) {
  std::string word(50'000, 'a');
  std::unique_ptr<Compiled> compiled =
      compile_text("def " + word + "b(): return 1\ndef main(): return " + word + "()\n");
  EXPECT_TRUE(compiled->has(DiagId::UnknownName));
}

}  // namespace
}  // namespace matcha::frontend::testing
