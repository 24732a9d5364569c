#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>

#include "frontend/format.h"
#include "tests/unit/frontend/support.h"

/// `format` on every program of the tree, as it is and with its lines broken at random: one layout, the same tree.
namespace matcha::frontend::testing {
namespace {

/// The formatted text, or the diagnostics.
std::string formatted(const std::string& text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::optional<std::string> out = format(sources.add("test.mt", text), diagnostics);
  return out ? *out : render_text(diagnostics, false);
}

std::string tree(const std::string& text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::string out = print_ast(*parse(sources, sources.add("test.mt", text), diagnostics));
  EXPECT_FALSE(diagnostics.has_errors()) << text;
  return out;
}

std::vector<std::string> programs_of_the_tree() {
  std::vector<std::string> out;
  for (const char* folder : {"examples", "stdlib", "tests/asg"}) {
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".mt") out.push_back(read_file(entry.path().string()));
    }
  }
  std::ranges::sort(out);
  return out;
}

/// Breaks lines within brackets at random spaces, and puts spaces in other places.
std::string scrambled(const std::string& text, std::mt19937_64& random) {
  std::string out;
  int depth = 0;
  bool comment = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') comment = false;
    if (quote == 0 && c == '#') comment = true;
    if (!comment && (c == '"' || c == '\'')) quote = quote == 0 ? c : quote == c ? '\0' : quote;
    out += c;
    if (comment || quote != 0) continue;
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    const bool between = c == ' ' || c == ',' || c == '(' || c == '[';
    if (depth > 0 && between && random() % 4 == 0) out += random() % 2 == 0 ? "\n" : "   ";
  }
  return out;
}

TEST(Format, EveryProgramHasOneLayout) {
  std::mt19937_64 random(7);
  std::size_t broken = 0;
  for (const std::string& text : programs_of_the_tree()) {
    SCOPED_TRACE(text);
    const std::string once = formatted(text);
    EXPECT_EQ(formatted(once), once);
    EXPECT_EQ(tree(once), tree(text));
    const std::string other = scrambled(text, random);
    broken += other != text ? 1 : 0;
    // A comment within brackets has its place in the text.
    const std::size_t comment = text.find("  #");
    if (comment == std::string::npos || text.find_first_not_of(' ', text.find_last_of('\n', comment) + 1) > comment) {
      EXPECT_EQ(formatted(other), once);
    }
    bool quoted = false;  // Docstrings and comments are as wide as they are written.
    std::istringstream lines(once);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(line.ends_with(' ')) << line;
      const std::size_t quotes = line.find("\"\"\"");
      const bool code = !quoted && quotes == std::string::npos && line.find('#') == std::string::npos;
      if (quotes != std::string::npos && line.find("\"\"\"", quotes + 3) == std::string::npos) quoted = !quoted;
      EXPECT_TRUE(!code || line.size() <= kFormatWidth) << line;
    }
  }
  EXPECT_GT(broken, 10u);
}

TEST(Format, SpacesAndBlankLines) {
  EXPECT_EQ(formatted("\n\n\"\"\"Doc.\"\"\"\nfrom   std.clique import triangles,four_cliques\n"
                      "def f ( a:int=1 ,b = - 2 )->Tuple< int,2 > :\n\n\n  x=a+-b*( 2 )\n\n\n\n  y = not(x<1)\n"
                      "  return mk_tuple ( val = [ x , 1 if y else -1, ] )\ndef main(g):return f( lambda : 1 )\n"),
            "\"\"\"Doc.\"\"\"\nfrom std.clique import triangles, four_cliques\n\n"
            "def f(a: int = 1, b=-2) -> Tuple<int, 2>:\n    x = a + -b * (2)\n\n    y = not (x < 1)\n"
            "    return mk_tuple(val=[x, 1 if y else -1])\n\ndef main(g): return f(lambda: 1)\n");
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("# only this"), "# only this\n");
  EXPECT_EQ(formatted("\xEF\xBB\xBF"
                      "def main():\r\n  return 1\r\n"),
            "def main():\n    return 1\n");
}

TEST(Format, CommentsStay) {
  const std::string text =
      "# head\n\n# of main\ndef main(  # the entry\n        g,\n        # graph\n        k):  # header\n"
      "  # first\n  x = size(vertices(g))   #   x\n  def inner(v):\n    return v\n    # end of inner\n"
      "  # after inner\n  return x + k + sum([1, # one\n    2\n    # last\n    ]) + inner(1 + # why\n  2)\n# end\n";
  const std::string once = formatted(text);
  EXPECT_EQ(
      once,
      "# head\n\n# of main\ndef main(  # the entry\n    g,\n    # graph\n    k\n):  # header\n"
      "    # first\n    x = size(vertices(g))  #   x\n    def inner(v):\n        return v\n        # end of inner\n"
      "    # after inner\n    return x + k + sum([\n        1,  # one\n        2\n        # last\n    ]) + inner(\n"
      "        1 +  # why\n            2\n    )\n\n# end\n");
  EXPECT_EQ(formatted(once), once);
  EXPECT_EQ(tree(once), tree(text));
}

TEST(Format, LongLinesBreakWithinBrackets) {
  const std::string name(40, 'n');
  EXPECT_EQ(formatted("def main(" + name + "):\n    return sum(apply(lambda v: " + name + " + v + " + name +
                      ", vertices(" + name + ")))\n"),
            "def main(" + name + "):\n    return sum(apply(\n        lambda v: " + name + " + v + " + name +
                ",\n        vertices(" + name + ")\n    ))\n");
  std::string numbers;
  for (int i = 0; i < 60; ++i) numbers += (i > 0 ? ", " : "") + std::to_string(1000 + i);
  const std::string list = formatted("def main():\n    return [" + numbers + "]\n");
  EXPECT_EQ(std::ranges::count(list, '\n'), 7) << list;
}

TEST(Format, ErrorsAreReported) {
  EXPECT_NE(formatted("def main(2):\n    return 1\n").find("[syntax]"), std::string::npos);
  EXPECT_NE(formatted("def main():\n    return \xff\n").find("[encoding]"), std::string::npos);
}

}  // namespace
}  // namespace matcha::frontend::testing
