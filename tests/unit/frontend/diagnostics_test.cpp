#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/unit/frontend/support.h"

namespace matcha::frontend::testing {
namespace {

TEST(Diagnostics, Text) {
  std::unique_ptr<Compiled> compiled =
      compile_text("def main(g: Graph):\n    a = 1\n    a = neighbor(g, 2)\n    return size(a) + sizes(a)\n");
  EXPECT_EQ(render_text(*compiled->diagnostics, false),
            "test.mt:3:5: error: `a` is bound already in this scope [rebinding]\n"
            "      a = neighbor(g, 2)\n"
            "      ^\n"
            "  hint: a name is bound once; choose another\n"
            "test.mt:2:5: note: first bound here\n"
            "      a = 1\n"
            "      ^\n"
            "test.mt:4:12: error: `size` takes a list, a table or a tuple; it gets `int` [arg-type]\n"
            "      return size(a) + sizes(a)\n"
            "             ^~~~~~~\n"
            "test.mt:4:22: error: `sizes` is not defined [unknown-name]\n"
            "      return size(a) + sizes(a)\n"
            "                       ^~~~~\n"
            "  hint: did you mean `size`?\n");
}

TEST(Diagnostics, NoteOfTheCall) {
  std::unique_ptr<Compiled> compiled =
      compile_text("def add(x): return x + 1\ndef main(g: Graph):\n    return add(g)\n");
  ASSERT_EQ(compiled->diagnostics->all().size(), 1u);
  const Diagnostic& d = compiled->diagnostics->all()[0];
  EXPECT_EQ(d.loc.line, 1u);
  ASSERT_EQ(d.notes.size(), 1u);
  EXPECT_EQ(d.notes[0].loc.line, 3u);
}

TEST(Diagnostics, Color) {
  std::unique_ptr<Compiled> compiled = compile_text("def main(): return x\n");
  std::string text = render_text(*compiled->diagnostics, true);
  EXPECT_NE(text.find("\033[1;31m"), std::string::npos);
  EXPECT_EQ(render_text(*compiled->diagnostics, false), std::regex_replace(text, std::regex("\033\\[[0-9;]*m"), ""));
}

TEST(Diagnostics, Json) {
  std::unique_ptr<Compiled> compiled = compile_text("def main(): return 'a\"\\b' + x\n");
  EXPECT_EQ(
      render_json(*compiled->diagnostics),
      "[\n  {\"file\":\"test.mt\",\"line\":1,\"column\":29,\"length\":1,\"severity\":\"error\",\"id\":\"unknown-name\","
      "\"message\":\"`x` is not defined\",\"hint\":\"\",\"notes\":[]}\n]\n");
  EXPECT_EQ(render_json(*compile_text("def main(): return 1")->diagnostics), "[]\n");
  std::string escaped = render_json(*compile_text("def main(): return 1 + \x01\n")->diagnostics);
  EXPECT_TRUE(std::ranges::all_of(escaped, [](char c) { return c >= ' ' || c == '\n'; })) << escaped;
}

TEST(Diagnostics, LongAndControlLinesAreCut) {
  std::unique_ptr<Compiled> compiled =
      compile_text("def main(): return " + std::string(5'000, ' ') + "\x1b[31m" + std::string(5'000, '1') + "\n");
  std::string text = render_text(*compiled->diagnostics, false);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= ' ' || c == '\n'; })) << text;
  EXPECT_LT(text.size(), 12'000u);
}

TEST(Diagnostics, NearestWord) {
  EXPECT_EQ(nearest_word("neighbour", {"neighbor", "vertices"}), "neighbor");
  EXPECT_EQ(nearest_word("siez", {"size", "sum"}), "size");
  EXPECT_EQ(nearest_word("hosue", {"book", "house"}), "house");
  EXPECT_EQ(nearest_word("sezi", {"size", "sum"}), "");
  EXPECT_EQ(nearest_word("sizes", {"size", "sum"}), "size");
  EXPECT_EQ(nearest_word("xyz", {"size", "sum"}), "");
  EXPECT_EQ(nearest_word("a", {"b"}), "");
}

TEST(Diagnostics, EveryIdHasTextAndMeaning) {
  for (DiagId id : all_diag_ids()) {
    EXPECT_FALSE(diag_text(id).empty());
    EXPECT_FALSE(diag_meaning(id).empty());
  }
}

}  // namespace
}  // namespace matcha::frontend::testing
