// Patterns: their readers and errors, symmetry, orders.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "planner/order.h"
#include "planner/program.h"
#include "question/read.h"
#include "question/symmetry.h"
#include "question/type_parts.h"

namespace matcha::pattern {
namespace {

struct Read {
  std::optional<PatternSet> set;
  std::string errors;
};

Read read(const std::string& text, const std::string& labels = {}, bool is_file = false) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  Read result;
  result.set = read_pattern(sources, sources.add("<pattern>", text), diagnostics, is_file);
  if (result.set && !labels.empty()) {
    set_labels(*result.set, sources, sources.add("<labels>", labels), diagnostics);
  }
  result.errors = render_text(diagnostics, false);
  return result;
}

/// The pattern as text, or the errors.
std::string text_of(const std::string& text, const std::string& labels = {}) {
  const Read result = read(text, labels);
  return result.errors.empty() ? to_text(result.set->patterns.front()) : result.errors;
}

TEST(PatternText, Edges) {
  EXPECT_EQ(text_of("0-1,1-2,2-0"), "0-1,0-2,1-2");
  EXPECT_EQ(text_of(" 1-2 ; 2-3\n# a comment\n3-1-2"), "1-2,1-3,2-3");
  EXPECT_EQ(text_of("0-1-2-0,0:a,2:-7,1:'b c'"), "0-1,0-2,1-2,0:'a',1:'b c',2:-7");
  EXPECT_EQ(text_of("0:x-1:x"), "0-1,0:'x',1:'x'");
  EXPECT_EQ(text_of("0>1>2,2>0,0!3,3-1"), "0>1,0!3,1>2,1-3,2>0");
  EXPECT_EQ(text_of("0-1=b,2-1='x y',2-0=-3,0:a"), "0-1='b',0-2=-3,1-2='x y',0:'a'");
  EXPECT_EQ(text_of("0-1=3-2:b=-4-0"), "0-1=3,0-2,1-2=-4,2:'b'");
  EXPECT_EQ(text_of("5"), "5");
  EXPECT_EQ(text_of("0-1,1-2", "a,,3"), "0-1,1-2,0:'a',2:3");
  EXPECT_TRUE(read("0>1").set->patterns.front().directed);
  EXPECT_FALSE(read("0-1").set->patterns.front().directed);
}

/// The pattern of a file as text, or the errors.
std::string text_of_file(const std::string& text) {
  const Read result = read(text, {}, true);
  return result.errors.empty() ? to_text(result.set->patterns.front()) : result.errors;
}

TEST(PatternText, FilesOfPeregrine) {
  EXPECT_EQ(text_of_file("1 2\n1 3\n2 3\n"), "1-2,1-3,2-3");
  EXPECT_EQ(text_of_file("# a star\n1 2\n1 3 # both\n2 3 1"), "1-2,1-3,2!3");
  EXPECT_NE(text_of_file("1 2\n1 3\n2 3 5\n").find("<pattern>:3:5: error"), std::string::npos);  // A weight?
  EXPECT_EQ(text_of_file("1 100 2 101\n1 100 3 -1\n2 101 3 -1\n"), "1-2,1-3,2-3,1:100,2:101");
  EXPECT_EQ(text_of_file("1 5 2 6\n2 6 3 5 1\n1 5 3 5\n"), "1-2,1-3,2!3,1:5,2:6,3:5");
  EXPECT_NE(text_of_file("1 5 2 6\n1 7 3 5\n").find("<pattern>:2:1"), std::string::npos);  // Two labels.
  EXPECT_NE(text_of_file("1 2\n1 1\n").find("<pattern>:2:1: error: vertex 1 has a loop"), std::string::npos);
  EXPECT_EQ(text_of_file("0-1,1-2"), "0-1,1-2");
  EXPECT_NE(text_of("1 2\n2 3").find("error"), std::string::npos);  // Not as text.
}

TEST(PatternText, MatricesOfGraphPi) {
  EXPECT_EQ(text_of("adjacency:011101110"), "0-1,0-2,1-2");
  EXPECT_EQ(text_of("adjacency:0101101001011010"), "0-1,0-3,1-2,2-3");
  for (const char* wrong : {"adjacency:", "adjacency:01", "adjacency:0112", "adjacency:1110", "adjacency:0100"}) {
    EXPECT_NE(text_of(wrong).find("no adjacency matrix"), std::string::npos) << wrong;
  }
}

TEST(PatternText, NamesOfVertices) {
  EXPECT_EQ(text_of("a-b-c-a"), "a-b,a-c,b-c");
  EXPECT_EQ(text_of("c-a,a-b"), "c-a,a-b");  // In order of appearance.
  EXPECT_EQ(text_of("a->b,b<-c,a~c"), "a->b,a~c,c->b");
  EXPECT_EQ(text_of("a:x-b=y-c"), "a-b='y',b-c,(a:'x')");
  EXPECT_EQ(text_of("a,b"), "(a),(b)");
  EXPECT_EQ(text_of("0-a"), "v0-a");
  EXPECT_EQ(text_of("v1-0"), "v1-v0");
  EXPECT_EQ(text_of("v - w , e - t"), "v-w,e-t");  // These are not lines of a file.
  EXPECT_EQ(text_of("größe-a"), "größe-a");
  EXPECT_EQ(text_of("a-b,b-c", "x,,3"), "a-b,b-c,(a:'x'),(c:3)");
  EXPECT_EQ(read("b-a").set->patterns.front().names, (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(read("1-0").set->patterns.front().names.empty());
  EXPECT_EQ(read("x-y-z-x").set->patterns.front().name, "triangle");
}

TEST(PatternText, DrawnArrows) {
  EXPECT_EQ(text_of("(a:person)-[:pays]->(b:account)-[:owns]-(c)"),
            "a->b='pays',b-c='owns',(a:'person'),(b:'account')");
  EXPECT_EQ(text_of("( a : person ) - [ : pays ] -> ( b )"), text_of("(a:person)-[:pays]->(b)"));
  EXPECT_EQ(text_of("(a)<-[:'x y']-(b)"), "b->a='x y'");
  EXPECT_EQ(text_of("(a)--(b)-->(c)<--(d)"), "a-b,b->c,d->c");
  EXPECT_EQ(text_of("(a)-[]->(b)~(c)"), "a->b,b~c");
  EXPECT_EQ(text_of("(a)->()<-(:x)"), "a->v1,v2->v1,(v2:'x')");
  EXPECT_EQ(text_of("(v1)-()-()"), "v1-v2,v2-v3");  // A vertex without a name gets a free one.
  EXPECT_EQ(text_of("(0:3)-(1:-4)"), "0-1,0:3,1:-4");
  EXPECT_EQ(text_of("(house)-(kite)"), "(house)-(kite)");
  EXPECT_EQ(text_of("a-[:x]-b,a-[:y]-b"), "a-b='x',a-b='y'");
  EXPECT_EQ(text_of("# a triangle\n(a)-(b)-(c)-(a)\n"), "a-b,a-c,b-c");
}

TEST(PatternText, IsReadAgainAsItWas) {
  for (const char* text : {"(a:person)-[:pays]->(b:account)-[:owns]-(c)", "(house)-(kite),(edge)", "a~b,b-c,(a:'x y')",
                           "0-1=b,2~1,2-0=-3,0:a", "(a)-()-(:x)", "a,b", "größe->a", "a->b=x|y,b->a=?p,a->c=?p,a->c=?",
                           "a->a=z,a@17,b@'c d',c:x|'y z'", "0-0,0-1", "a@17", "a@b,", "0@17", "a->b,b-a,b->c,c->b",
                           "0>1,1>0", "a->b=x,b->a=x"}) {
    EXPECT_EQ(text_of(text_of(text)), text_of(text)) << text;
    EXPECT_EQ(read(text_of(text)).set->patterns.front().directed, read(text).set->patterns.front().directed) << text;
  }
}

TEST(PatternText, LabelsHaveTheirPlace) {
  const PatternSet set = *read("(a:person)-[:pays]->(b),\n(b:'big bank')").set;
  ASSERT_EQ(set.labels.size(), 3U);
  EXPECT_EQ(set.labels[0].literal, "'person'");
  EXPECT_EQ(set.labels[0].loc, (SourceLoc{0, 1, 4, 6}));
  EXPECT_EQ(set.labels[1].loc, (SourceLoc{0, 1, 14, 4}));
  EXPECT_TRUE(set.labels[1].of_edge);
  EXPECT_EQ(set.labels[2].loc, (SourceLoc{0, 2, 4, 10}));
}

TEST(PatternText, LineOfAFile) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::string before(6, '\n');
  EXPECT_FALSE(read_pattern(sources, sources.add("patterns.txt", before + "  a-b$c"), diagnostics));
  EXPECT_EQ(render_text(diagnostics, false).substr(0, 17), "patterns.txt:7:6:") << render_text(diagnostics, false);
  EXPECT_NE(render_text(diagnostics, false).find("a-b$c\n"), std::string::npos);
  EXPECT_EQ(read_pattern(sources, sources.add("patterns.txt", before + "  triangle "), diagnostics)->loc,
            (SourceLoc{1, 7, 3, 8}));
}

TEST(PatternText, Graph6AndNames) {
  EXPECT_EQ(text_of("graph6:D?{"), "0-4,1-4,2-4,3-4");
  EXPECT_EQ(text_of(">>graph6<<C~\n"), "0-1,0-2,0-3,1-2,1-3,2-3");
  EXPECT_EQ(text_of("triangle"), "0-1,0-2,1-2");
  EXPECT_EQ(text_of("cycle:6"), "0-1,0-5,1-2,2-3,3-4,4-5");
  EXPECT_EQ(text_of("path:4"), "0-1,1-2,2-3");
  EXPECT_EQ(text_of("star:4"), "0-1,0-2,0-3");
  EXPECT_EQ(text_of("wheel:4"), "0-1,0-3,0-4,1-2,1-4,2-3,2-4,3-4");
  EXPECT_EQ(text_of("book:2"), "0-2,0-3,1-2,1-3,2-3");
  const std::pair<const char*, const char*> usual[] = {
      {"K4", "clique:4"},          {"4-clique", "clique:4"},   {"C5", "cycle:5"},
      {"5-cycle", "cycle:5"},      {"p4", "path:4"},           {"claw", "star:4"},
      {"cherry", "wedge"},         {"paw", "tailed-triangle"}, {"butterfly", "bowtie"},
      {"hourglass", "bowtie"},     {"chair", "fork"},          {"hexagon", "cycle:6"},
      {"tetrahedron", "clique:4"}, {"star4", "star:4"},        {"path-4", "path:4"}};
  for (const auto& [name, meant] : usual) EXPECT_EQ(text_of(name), text_of(meant)) << name;
  EXPECT_EQ(text_of("0111101111011110"), text_of("clique:4"));
  // Larger cliques are no patterns.
  EXPECT_EQ(read("clique:12").set->cliques, std::nullopt);
  EXPECT_EQ(read("K99").set->cliques, 99U);
  EXPECT_EQ(read("clique:*").set->cliques, 0U);
  EXPECT_EQ(read("1001").errors, "");
  EXPECT_EQ(text_of("K2,3"), "0-2,0-3,0-4,1-2,1-3,1-4");
  EXPECT_NE(read("K7,6").errors, "");
  EXPECT_EQ(read("paw-claw").errors, "");
  for (const NamedPattern& known : pattern_names()) {
    const std::string name(known.name.substr(0, known.name.find(':')));
    EXPECT_EQ(read(name.size() < known.name.size() ? name + ":4" : name).errors, "") << name;
  }
}

TEST(PatternText, Files) {
  EXPECT_EQ(text_of("t 3 2\nv 0 5 1\nv 1 x 2\nv 2 5 1\ne 0 1 0\ne 1 2 0\n"), "0-1,1-2,0:5,1:'x',2:5");
  EXPECT_EQ(text_of("# t 0\nv 0 1\nv 1 1\ne 1 0 1\ne 0 1 1\n"), "0-1=1,0:1,1:1");
  EXPECT_EQ(text_of("v 0\nv 1\nv 2\ne 0 1 cites\ne 1 2 0\ne 2 0\n"), "0-1='cites',0-2,1-2=0");
  EXPECT_EQ(text_of("v 0 3\nv 1 3\ne 0 1"), "0-1,0:3,1:3");
}

TEST(PatternText, NamesOfSmallPatterns) {
  EXPECT_EQ(read("3-1,1-2,2-3,3-7").set->patterns.front().name, "tailed-triangle");
  EXPECT_EQ(read("0-1,1-2,2-3,3-0,0-2,1-3").set->patterns.front().name, "clique:4");
  EXPECT_EQ(read("0-1,0:a").set->patterns.front().name, "");
}

void expect_error(const std::string& text, const std::string& place, const std::string& says, DiagId id,
                  const std::string& labels = {}) {
  const std::string errors = read(text, labels).errors;
  EXPECT_EQ(errors.substr(0, place.size()), place) << errors;
  EXPECT_NE(errors.find(says), std::string::npos) << errors;
  EXPECT_NE(errors.find("[" + std::string(diag_text(id)) + "]"), std::string::npos) << errors;
}

TEST(PatternErrors, HaveTheirPlace) {
  expect_error("0-1,1-1x", "<pattern>:1:7:", "the number of a vertex", DiagId::PatternSyntax);
  expect_error("0-1,\n1*2", "<pattern>:2:2:", "expected", DiagId::PatternSyntax);
  expect_error("0-1,1-", "<pattern>:1:7:", "expected a vertex", DiagId::PatternSyntax);
  expect_error("0:", "<pattern>:1:1:", "a label after", DiagId::PatternSyntax);
  expect_error("0:'a", "<pattern>:1:1:", "closing quote", DiagId::PatternSyntax);
  expect_error("9999999999999999999-1", "<pattern>:1:1:", "the number of a vertex", DiagId::PatternSyntax);
  expect_error("0-1,2!2", "<pattern>:1:5:", "vertex 2 and itself are no pair", DiagId::PatternEdge);
  expect_error("0-1,1!0", "<pattern>:1:5:", "must be adjacent and must not", DiagId::PatternEdge);
  expect_error("0-1$5", "<pattern>:1:4:", "or `=`", DiagId::PatternSyntax);
  expect_error("0-1=", "<pattern>:1:1:", "a label after `=`", DiagId::PatternSyntax);
  expect_error("0-1,1!2=5", "<pattern>:1:5:", "no edge that could have a label", DiagId::PatternLabel);
  expect_error("0:a-1,0:b", "<pattern>:1:7:", "has the labels 'a' and 'b'", DiagId::PatternLabel);
  expect_error("0-1", "<labels>:1:5:", "one more label", DiagId::PatternLabel, "a,b,c");
  expect_error("0-1", "<labels>:1:3:", "cannot be written", DiagId::PatternLabel, "a,b'");
  expect_error("", "<pattern>:1:1:", "no vertices", DiagId::PatternSize);
  expect_error("trianle", "<pattern>:1:1:", "did you mean `triangle`?", DiagId::PatternName);
  expect_error("clique", "<pattern>:1:1:", "takes a number from 2 to 1000000000", DiagId::PatternName);
  expect_error("clique:1", "<pattern>:1:1:", "takes a number from 2 to 1000000000", DiagId::PatternName);
  expect_error("cycle:99", "<pattern>:1:1:", "takes a number from 3 to 12", DiagId::PatternName);
  expect_error("house:3", "<pattern>:1:1:", "takes no number", DiagId::PatternName);
  expect_error("graph6:C", "<pattern>:1:1:", "not graph6", DiagId::PatternSyntax);
  expect_error("t 2 1\nv 0 1\ne 0", "<pattern>:3:1:", "expected `t N M`", DiagId::PatternSyntax);
  expect_error("t 2 1\nv 0 1\nt 3 1", "<pattern>:3:1:", "more than one pattern", DiagId::PatternSyntax);
}

TEST(PatternErrors, OfNamesAndArrows) {
  expect_error("(a:)-(b)", "<pattern>:1:3:", "a label after `:`", DiagId::PatternSyntax);
  expect_error("(a", "<pattern>:1:3:", "expected `:` or `)`", DiagId::PatternSyntax);
  expect_error("(a {x: 1", "<pattern>:1:4:", "expected `}`", DiagId::PatternSyntax);
  expect_error("(a:x:y)", "<pattern>:1:5:", "a vertex has one label", DiagId::PatternSyntax);
  expect_error("(a:x)-(a:y)", "<pattern>:1:7:", "vertex a has the labels 'x' and 'y'", DiagId::PatternLabel);
  expect_error("(a)-[3:x]->(b)", "<pattern>:1:6:", "the name of an edge", DiagId::PatternSyntax);
  expect_error("(a)-[:x*]->(b)", "<pattern>:1:8:", "expected `]`", DiagId::PatternSyntax);
  expect_error("0@", "<pattern>:1:1:", "after `@`", DiagId::PatternSyntax);
  expect_error("0@3-1,0@4", "<pattern>:1:9:", "vertex 0 is 3 and 4", DiagId::PatternLabel);
  expect_error("(a)-[*2]->(b)", "<pattern>:1:6:", "as many edges as are drawn", DiagId::PatternSyntax);
  expect_error("(a)-[:x](b)", "<pattern>:1:9:", "expected `-` or `->`", DiagId::PatternSyntax);
  expect_error("(a)<-[:x]->(b)", "<pattern>:1:4:", "one direction", DiagId::PatternSyntax);
  expect_error("a<b", "<pattern>:1:2:", "`a<-b`", DiagId::PatternSyntax);
  expect_error("a-[:x]-b=y", "<pattern>:1:9:", "expected `,`", DiagId::PatternSyntax);
  expect_error("a.b-c", "<pattern>:1:1:", "letters, digits", DiagId::PatternSyntax);
  expect_error("\xff-a", "<pattern>:1:1:", "UTF-8", DiagId::PatternSyntax);
  expect_error("a-b-a~a", "<pattern>:1:5:", "vertex a and itself are no pair", DiagId::PatternEdge);
  expect_error("a-b,b~a", "<pattern>:1:5:", "vertices b and a must be adjacent and must not", DiagId::PatternEdge);
  expect_error("(a) (b)", "<pattern>:1:4:", "expected a sign", DiagId::PatternSyntax);
  expect_error("a,b,b,c", "<pattern>:1:5:", "did you mean `a-b,b-c`?", DiagId::PatternSyntax);
  // Names of patterns are no vertices by mistake.
  expect_error("house,kite", "<pattern>:1:1:", "`(house)`", DiagId::PatternSyntax);
  expect_error("a-clique", "<pattern>:1:3:", "--pattern A --pattern B", DiagId::PatternSyntax);
  expect_error("tailed-triangel", "<pattern>:1:1:", "did you mean `tailed-triangle`?", DiagId::PatternName);
  expect_error("a:person", "<pattern>:1:1:", "`(a)`", DiagId::PatternName);
}

TEST(PatternErrors, TooManyVertices) {
  std::string path = "0-1";
  for (int v = 2; v <= 12; ++v) path += "-" + std::to_string(v);
  expect_error(path, "<pattern>:1:1:", "13 vertices; at most 12 are taken without labels", DiagId::PatternSize);
  EXPECT_EQ(read(path + ",0:a").errors, "");
  for (int v = 13; v <= 64; ++v) path += "-" + std::to_string(v);
  expect_error(path + ",0:a", "<pattern>:1:1:", "65 vertices; at most 64", DiagId::PatternSize);
}

TEST(PatternSymmetry, Orders) {
  const auto order = [](const std::string& text) {
    return Symmetry(read(text).set->patterns.front()).order().value_or(0);
  };
  EXPECT_EQ(order("clique:6"), 720U);
  EXPECT_EQ(order("cycle:7"), 14U);
  EXPECT_EQ(order("house"), 2U);
  EXPECT_EQ(order("star:12"), 39916800U);
  EXPECT_EQ(order("0-1,1-2,0:a,2:b"), 1U);
  EXPECT_EQ(order("0-1,1-2,0:a,2:a"), 2U);
  EXPECT_EQ(order("0>1,1>2,2>0"), 3U);
  EXPECT_EQ(order("0-1,1-2,2-3,0!3"), 2U);
  EXPECT_EQ(order("0-1,1-2,2-3,0!2"), 1U);
  EXPECT_EQ(order("0-1=a,1-2=a,2-0=a"), 6U);
  EXPECT_EQ(order("0-1=a,1-2=a,2-0=b"), 2U);
  EXPECT_EQ(order("0-1=a,1-2=a,2-0"), 2U);
  EXPECT_EQ(order("0-1=a,1-2=b,2-3=a,3-0=c"), 2U);
  EXPECT_EQ(order("0-1=a,1-2=b,2-3=a,3-0=b"), 4U);
  EXPECT_EQ(order("0-1=a,0-1=b,1-2=a"), 1U);
  EXPECT_EQ(order("0>1=a,1>0=b"), 1U);
  EXPECT_EQ(order("0>1=a,1>0=a"), 2U);
  EXPECT_EQ(order("0-1=a,1-2=a,0!2"), 2U);
  // A tree of arcs, of nine branches with three leaves each: arcs in one direction alone would not show its levels.
  std::string tree = "0:a";
  std::uint64_t trees = 1;
  for (int branch = 1; branch <= 9; ++branch) {
    tree += ",0>" + std::to_string(branch);
    for (int leaf = 0; leaf < 3; ++leaf)
      tree += "," + std::to_string(branch) + ">" + std::to_string(10 * branch + leaf);
    trees *= static_cast<std::uint64_t>(branch) * 6;
  }
  EXPECT_EQ(order(tree), trees);
  // The number does not exist beyond 62 bits.
  std::string star = "0:a";
  for (int v = 1; v < 60; ++v) star += ",0-" + std::to_string(v);
  EXPECT_FALSE(Symmetry(read(star).set->patterns.front()).order());
}

TEST(PatternSymmetry, OrdersOfMoreThan64Bits) {
  const auto star = [](int leaves) {
    std::string text = "0:a";
    for (int v = 1; v <= leaves; ++v) text += ",0-" + std::to_string(v);
    return Symmetry(read(text).set->patterns.front());
  };
  unsigned __int128 factorial = 1;
  for (unsigned i = 2; i <= 33; ++i) factorial *= i;
  EXPECT_FALSE(star(33).order());
  const std::optional<unsigned __int128> wide = star(33).wide_order();
  ASSERT_TRUE(wide);
  EXPECT_TRUE(*wide == factorial);
  EXPECT_FALSE(star(34).wide_order());
}

TEST(PatternSymmetry, OrbitsOfFixedVertices) {
  // In any order of requests.
  for (const std::vector<Mask>& asked : {std::vector<Mask>{0b001, 0b011, 0b010, 0}, {0, 0b010, 0b011, 0b001}}) {
    Pattern wedge = Pattern::empty(3);
    wedge.add_edge(0, 1);
    wedge.add_edge(1, 2);
    Symmetry symmetry(wedge);
    for (Mask fixed : asked) {
      const bool swaps = !has(fixed, 0);
      const std::vector<Mask> expected = {swaps ? Mask{0b101} : Mask{0b001}, 0b010, swaps ? Mask{0b101} : Mask{0b100}};
      EXPECT_EQ(symmetry.orbits(fixed), expected) << fixed;
    }
  }
}

TEST(PatternSymmetry, AutomorphismsAreListed) {
  const char* const texts[] = {"clique:4", "cycle:6", "house",       "star:5",          "0-1,1-2,0:a,2:b",
                               "edge",     "path:4",  "0>1,1>2,2>0", "0-1,1-2,2-3,0!2", "0-1=a,1-2=b,2-3=a,3-0=b"};
  for (const std::string text : texts) {
    const Pattern pattern = read(text).set->patterns.front();
    Symmetry symmetry(pattern);
    constexpr std::uint64_t kMost = 24;
    const auto maps = symmetry.automorphisms(kMost);
    ASSERT_TRUE(maps) << text;
    EXPECT_EQ(maps->size(), symmetry.order()) << text;
    EXPECT_EQ(std::set(maps->begin(), maps->end()).size(), maps->size()) << text;
    for (const std::vector<int>& map : *maps) {
      // `renumbered` takes the vertex that becomes vertex i.
      const Pattern moved = renumbered(pattern, map);
      EXPECT_TRUE(moved.out == pattern.out && moved.anti == pattern.anti && moved.labels == pattern.labels &&
                  moved.edge_labels == pattern.edge_labels)
          << text;
    }
    EXPECT_FALSE(symmetry.automorphisms(maps->size() - 1)) << text;
  }
}

TEST(PatternSymmetry, PartsByTypes) {
  // Labels as a graph has them, with its labels for each type.
  const auto parts = [](const std::string& text) {
    std::set<std::string> found;
    Pattern pattern = read(text).set->patterns.front();
    pattern.kinds.assign(pattern.ids.size(), "");
    const auto patterns = type_parts(pattern, Induced::Edge, 64);
    for (const Pattern& one : patterns.value()) found.insert(fmt::format("{}", fmt::join(one.labels, " ")));
    return found;
  };
  using Parts = std::set<std::string>;
  EXPECT_EQ(parts("0-1,1-2"), Parts());
  EXPECT_EQ(parts("0-1,0:a|b,1:a|b"), Parts());
  EXPECT_EQ(parts("0-1,0:a|b,1:c"), Parts());
  EXPECT_EQ(parts("0-1,1-2,0:a|b,1:a"), Parts());
  EXPECT_EQ(parts("0-1,0:a|b,1:b"), (Parts{"'a' 'b'", "'b' 'b'"}));
  EXPECT_EQ(parts("0-1,0:a|b,1:b|c"), (Parts{"'a' 'c'|'b'", "'b' 'b'", "'b' 'c'"}));
  EXPECT_EQ(parts("0-1,1-2,2-0,0:a|b,1:b,2:b"), (Parts{"'a' 'b' 'b'", "'b' 'b' 'b'"}));
}

TEST(PatternSymmetry, ConnectedPatterns) {
  // OEIS A001349.
  const std::size_t known[] = {1, 2, 6, 21, 112, 853};
  for (int n = 2; n <= 7; ++n) EXPECT_EQ(connected_patterns(n).size(), known[n - 2]) << n;
}

TEST(PatternSymmetry, CanonicalKey) {
  const auto key = [](const std::string& text) { return canonical_key(read(text).set->patterns.front()); };
  EXPECT_EQ(key("0-1,1-2,2-3"), key("2-0,0-3,3-1"));
  EXPECT_NE(key("0-1,1-2,2-3"), key("0-1,0-2,0-3"));
  EXPECT_EQ(key("0:a-1:b"), key("0:b-1:a"));
  EXPECT_NE(key("0:a-1:b"), key("0:a-1:a"));
  EXPECT_EQ(key("0>1"), key("1>0"));
  EXPECT_NE(key("0>1"), key("0-1"));
  EXPECT_NE(key("0-1,1-2,0!2"), key("0-1,1-2"));
  EXPECT_EQ(key("0-1=a,1-2=b"), key("2-1=a,1-0=b"));
  EXPECT_NE(key("0-1=a,1-2=b"), key("0-1=a,1-2=c"));
  EXPECT_NE(key("0-1=a,1-2=b"), key("0-1=a,1-2"));
  EXPECT_NE(key("0-1=a,1-2=a,0!2"), key("0-1=a,1-2=a,0-2=b"));
}

TEST(PatternOrder, RestrictionsLeaveOneMatchOfEachSubgraph) {
  // Of all orders of the ids of a match, those that satisfy the restrictions are one in as many as there are
  // automorphisms.
  const GraphSketch sketch = typical_graph();
  for (int n = 3; n <= 5; ++n) {
    for (const Pattern& one : connected_patterns(n)) {
      const CostModel model(one, Induced::Vertex, sketch);
      Symmetry symmetry(one);
      OrderSearch search;
      search.most = 5;
      for (const Order& order : best_orders(one, model, symmetry, search)) {
        std::vector<int> ids;
        for (int v = 0; v < n; ++v) ids.push_back(v);
        std::uint64_t all = 0, kept = 0;
        do {
          bool good = true;
          for (const auto& [larger, smaller] : direct_restrictions(order.larger)) {
            good = good && ids[static_cast<std::size_t>(larger)] > ids[static_cast<std::size_t>(smaller)];
          }
          ++all;
          kept += good ? 1 : 0;
        } while (std::next_permutation(ids.begin(), ids.end()));
        EXPECT_EQ(kept * *symmetry.order(), all) << to_text(one);
        Mask before = bit(order.vertices[0]);
        for (std::size_t i = 1; i < order.vertices.size(); ++i) {
          EXPECT_NE(one.near(order.vertices[i]) & before, 0U) << to_text(one);
          before |= bit(order.vertices[i]);
        }
      }
    }
  }
}

TEST(PatternProgram, MotifsAreNotListed) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::uint32_t file = sources.add("<pattern>", "motif:3");
  const std::optional<PatternSet> set = read_pattern(sources, file, diagnostics);
  Request request;
  request.rows = true;
  EXPECT_FALSE(write_program(*set, request, typical_graph(), {file, 1, 1, 7}, diagnostics));
  EXPECT_NE(render_text(diagnostics, false).find("<pattern>:1:1: error: the matches of all motifs"), std::string::npos);
}

PatternProgram program_of(const char* text, const Request& request) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::uint32_t file = sources.add("<pattern>", text);
  const std::optional<PatternSet> set = read_pattern(sources, file, diagnostics);
  const std::optional<PatternProgram> program =
      write_program(*set, request, typical_graph(), {file, 1, 1, 1}, diagnostics);
  EXPECT_TRUE(program) << render_text(diagnostics, false);
  return program.value_or(PatternProgram{});
}

std::vector<MatchingPlan> plans_of(const char* text, const Request& request) { return program_of(text, request).plans; }

TEST(PatternProgram, CandidatesThatStandApartAreMultiplied) {
  const auto text = [](const char* pattern) {
    Request request;
    request.induced = Induced::Edge;
    request.embeddings = true;
    request.algorithm = Algorithm::Extend;
    return program_of(pattern, request).text;
  };
  // Neither leaf is compared with the other, which has another label.
  EXPECT_NE(text("0-1,0-2,0:a,1:b,2:c").find(" * size("), std::string::npos);
  // They may be the same vertex; or they are adjacent.
  EXPECT_EQ(text("0-1,0-2,0:a,1:b,2:b").find(" * size("), std::string::npos);
  EXPECT_EQ(text("0-1,0-2,1-2,0:a,1:b,2:c").find(" * size("), std::string::npos);
}

TEST(PatternProgram, PlansListOrderRestrictionsAndLoops) {
  Request request;
  const std::vector<MatchingPlan> plans = plans_of("triangle", request);
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].order.size(), 3U);
  EXPECT_EQ(plans[0].restrictions.size(), 2U);
  ASSERT_EQ(plans[0].loops.size(), 3U);
  EXPECT_NEAR(plans[0].loops[0].matches, static_cast<double>(typical_graph().vertices), 1);
  EXPECT_EQ(plans[0].loops[2].vertices.size(), 3U);
  EXPECT_TRUE(plans[0].loops[2].complete);
  EXPECT_FALSE(plans[0].loops[1].complete);
  // Six times the subgraphs are counted, of which each is found once.
  request.embeddings = true;
  EXPECT_FALSE(plans_of("triangle", request)[0].loops[2].complete);
}

TEST(PatternProgram, PlansOfProductsHaveTheOrderOfTheCutset) {
  Request request;
  request.induced = Induced::Edge;
  request.algorithm = Algorithm::Decompose;
  const MatchingPlan plan = plans_of("star:4", request).at(0);
  EXPECT_EQ(plan.algorithm, Algorithm::Decompose);
  EXPECT_EQ(plan.order, std::vector<int>{0});
  // All leaves are one orbit, and attached parts of the hub need no restriction.
  EXPECT_TRUE(plan.restrictions.empty());
}

TEST(PatternProgram, PlansOfSumsHaveThoseOfTheirParts) {
  Request request;
  request.algorithm = Algorithm::Decompose;
  const std::vector<MatchingPlan> plans = plans_of("path:3", request);
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_TRUE(plans[0].order.empty());
  EXPECT_EQ(plans[1].factor, 1);
  EXPECT_EQ(plans[2].factor, -3);
  EXPECT_EQ(plans[2].pattern.edge_count(), 3);
}

TEST(PatternProgram, PlansOfAMotifAreOneAPattern) { EXPECT_EQ(plans_of("motif:4", {}).size(), 6U); }

}  // namespace
}  // namespace matcha::pattern
