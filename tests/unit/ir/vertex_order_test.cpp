#include "ir/analysis/vertex_order.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

/// `free` or the reason why not, for a module with the body `text`.
std::string verdict_of_body(const std::string& text) {
  Parsed parsed("module loop \"m\" (%G: graph, %k: i64) assumes simple(%G), labelled(%G) {\n" + text + "\n}");
  EXPECT_TRUE(parsed.module) << render_text(parsed.diagnostics, false);
  const VertexOrder order = vertex_order(*parsed.module);
  return order.is_free ? "free" : order.why_not;
}

/// The same for a nest of loops that yields into `%n`.
std::string verdict(const std::string& loops) {
  return verdict_of_body("collect %n: sum i128 {\n" + loops + "\n}\nreturn %n");
}

const char* const kMatches = "which matches are counted depends on the order of the ids";
const char* const kInside = "the order decides a number that is more than added up";

TEST(VertexOrder, TrianglesInOrder) {
  const auto triangle = [](const std::string& conditions) {
    return verdict(
        "for %u in vertices(%G) { for %v in neighbors(%G, %u) {\n"
        "for %w in intersect(neighbors(%G, %u), neighbors(%G, %v)) { if (" +
        conditions + ") { yield %n, 1 } } } }");
  };
  EXPECT_EQ(triangle("(%u < %v) and (%v < %w)"), "free");
  EXPECT_EQ(triangle("(%u <= %v) and (%w != %v)"), "free");
  // The least of three: two ways for each triangle.
  EXPECT_EQ(triangle("(%u < %v) and (%u < %w)"), "free");
  EXPECT_EQ(triangle("(%u < %v) or (%v < %w)"), "free");
  // A label breaks the symmetry behind the order.
  EXPECT_EQ(triangle("((%u < %v) and (%v < %w)) and (label(%G, %u) == 1)"), kMatches);
  EXPECT_EQ(triangle("(%u < %v) and (label(%G, %w) == 1)"), "free");
  EXPECT_EQ(triangle("(%u < %w) and (label(%G, %w) == 1)"), kMatches);
  // Three neighbours are required of one corner only; two it has anyway.
  EXPECT_EQ(triangle("((%u < %v) and (%v < %w)) and (3 <= size(neighbors(%G, %u)))"), kMatches);
  EXPECT_EQ(triangle("((%u < %v) and (%v < %w)) and (2 <= size(neighbors(%G, %u)))"), "free");
  EXPECT_EQ(triangle("convert<i64>(%u) < %k"), "an id is used as a number");
  EXPECT_EQ(triangle("%u < convert<vid>(%k)"), "a number is used as an id");
}

TEST(VertexOrder, Paths) {
  const auto path = [](const std::string& conditions) {
    return verdict("for %u in vertices(%G) { for %v in neighbors(%G, %u) { for %w in neighbors(%G, %v) { if (" +
                   conditions + ") { yield %n, 1 } } } }");
  };
  EXPECT_EQ(path("%u < %w"), "free");
  EXPECT_EQ(path("%u <= %w"), "free");
  EXPECT_EQ(path("%u < %v"), kMatches);
  EXPECT_EQ(path("(%u < %v) and (%v < %w)"), kMatches);
  // How many paths have both ends below the middle depends on the order.
  EXPECT_EQ(path("((%u < %v) and (%w < %v)) and (%u != %w)"), kMatches);
  // The cases u = w and u != w are treated separately.
  EXPECT_EQ(path("(%u == %w) or (%u < %w)"), "free");
  EXPECT_EQ(path("(%u == %w) and (%u < %v)"), "free");
}

TEST(VertexOrder, SquaresByTheirLargestVertex) {
  const auto square = [](const std::string& conditions) {
    return verdict(
        "for %a in vertices(%G) { for %b in neighbors(%G, %a) { for %d in neighbors(%G, %a) {\n"
        "for %c in intersect(neighbors(%G, %b), neighbors(%G, %d)) { if (" +
        conditions + ") { yield %n, 1 } } } } }");
  };
  EXPECT_EQ(square("((%b < %a) and (%d < %b)) and (%c < %a)"), "free");
  EXPECT_EQ(square("(%b < %a) and (%d < %b)"), kMatches);
  EXPECT_EQ(square("((%d < %b) and (%c < %a)) and (%b != %d)"), "free");
  EXPECT_EQ(square("((%b < %a) and (%d < %b)) and (%c < %b)"), kMatches);
}

TEST(VertexOrder, ValuesAreSymmetricToo) {
  const auto edge = [](const std::string& value) {
    return verdict(
        "for %u, %v in edges(%G) { if (%u < %v) { let %c = size(intersect(neighbors(%G, %v), neighbors(%G, %u)))\n"
        "yield %n, " +
        value + " } }");
  };
  EXPECT_EQ(edge("((%c * (%c - 1)) / 2)"), "free");
  EXPECT_EQ(edge("(label(%G, %u) * label(%G, %v))"), "free");
  EXPECT_EQ(edge("(label(%G, %u) - label(%G, %v))"), kMatches);
  EXPECT_EQ(edge("((size(neighbors(%G, %u)) * size(neighbors(%G, %v))) - %c)"), "free");
  EXPECT_EQ(edge("(size(neighbors(%G, %u)) - 1)"), kMatches);
}

TEST(VertexOrder, SizesAreMultipliedOut) {
  // A house by its wall a-b: the floor and the roof are counted separately, and pairs of equal vertices are subtracted.
  const std::string house =
      "for %a in vertices(%G) { for %b in neighbors(%G, %a) { if (%a < %b) { for %d in neighbors(%G, %a) { if (%d != "
      "%b) {\n"
      "let %c = diff(intersect(neighbors(%G, %b), neighbors(%G, %d)), list<list<vid>>(%a))\n"
      "let %t = diff(intersect(neighbors(%G, %a), neighbors(%G, %b)), list<list<vid>>(%d))\n";
  EXPECT_EQ(verdict(house + "yield %n, ((size(%c) * size(%t)) - size(intersect(%c, %t))) } } } } }"), "free");
  EXPECT_EQ(verdict(house + "yield %n, (size(%c) * size(%t)) } } } } }"), kMatches);
}

TEST(VertexOrder, SumsInsideThatAreFree) {
  const auto corners = [](const std::string& condition) {
    return verdict(
        "for %u in vertices(%G) {\ncollect %t: sum i64 { for %v in neighbors(%G, %u) {\n"
        "for %w in intersect(neighbors(%G, %u), neighbors(%G, %v)) { if (" +
        condition + ") { yield %t, 1 } } } }\nyield %n, (%t * %t) }");
  };
  EXPECT_EQ(corners("%w < %v"), "free");
  EXPECT_EQ(corners("%w < %u"), kInside);
}

TEST(VertexOrder, FilteredLists) {
  const auto filtered = [](const std::string& condition) {
    return verdict(
        "for %u in vertices(%G) {\ncollect %l: list list<vid> { for %x in neighbors(%G, %u) { if (%x < %u) { yield %l, "
        "%x } } }\n"
        "for %v in %l { for %w in intersect(%l, neighbors(%G, %v)) { if (" +
        condition + ") { yield %n, 1 } } } }");
  };
  EXPECT_EQ(filtered("%w < %v"), "free");
  EXPECT_EQ(filtered("%v != %u"), "free");
  EXPECT_EQ(filtered("label(%G, %v) == 3"), kMatches);
}

TEST(VertexOrder, NumbersOfNeighboursThenIds) {
  const auto edges = [](const std::string& size) {
    return verdict(
        "for %u, %v in edges(%G) {\ncollect %t: sum i64 { for %x in vertices(%G) { if has_edge(%G, %u, %v) { yield %t, "
        "1 } } }\nif ((size(neighbors(%G, %u)) < " +
        size + ") or ((size(neighbors(%G, %u)) == " + size + ") and (%u < %v))) { yield %n, 1 } }");
  };
  EXPECT_EQ(edges("size(neighbors(%G, %v))"), "free");
  // As many as the graph has vertices.
  EXPECT_NE(edges("%t"), "free");
}

TEST(VertexOrder, OtherResults) {
  EXPECT_EQ(verdict_of_body("return vertices(%G)"), "the result is a list, whose order shows");
  EXPECT_EQ(verdict_of_body("return size(vertices(%G)), max_degree(%G)"), "free");
  EXPECT_EQ(verdict_of_body("collect %m: max i64 { for %u, %v in edges(%G) { if (%u < %v) {\n"
                            "yield %m, (size(neighbors(%G, %u)) + size(neighbors(%G, %v))) } } }\nreturn %m"),
            "free");
  EXPECT_EQ(verdict_of_body("collect %m: max i64 { for %u, %v in edges(%G) { if (%u < %v) {\n"
                            "yield %m, size(neighbors(%G, %u)) } } }\nreturn %m"),
            kMatches);
  const auto built = [](const std::string& condition) {
    return verdict_of_body("collect %l: list list<vid, vid> { for %u, %v in edges(%G) { if (" + condition +
                           ") { yield %l, %u, %v } } }\nbuild_graph %D = csr(%l)\nreturn size(vertices(%D))");
  };
  EXPECT_EQ(built("%u < %v"), "free");
  EXPECT_EQ(built("label(%G, %u) == 1"), "a graph is built of other edges than those in the direction of an order");
  EXPECT_EQ(verdict("for %u in vertices(%G) { for %v at %i in neighbors(%G, %u) { if (%i < 3) { yield %n, 1 } } }"),
            "a position in a list is read");
  EXPECT_EQ(verdict("for %u in vertices(%G) { for %v in neighbors(%G, %u) { if ((%v < %u) and ((%k / %k) == 1)) {\n"
                    "yield %n, 1 } } }"),
            "a step may end with an error before it is known whether it counts");
}

TEST(VertexOrder, SumsOfFloatsAreRoundedWhereTheyStand) {
  const auto sums = [](const std::string& condition) {
    return verdict_of_body(
        "collect %n: sum f64 { for %u in vertices(%G) {\ncollect %t: sum f64 { for %v in neighbors(%G, %u) { if (" +
        condition +
        ") {\nyield %t, (convert<f64>(label(%G, %u)) * convert<f64>(label(%G, %v))) } } }\nyield %n, %t } "
        "}\nreturn %n");
  };
  EXPECT_EQ(sums("%v != %u"), "free");
  EXPECT_EQ(sums("%v < %u"), kInside);
}

TEST(VertexOrder, ReportsWalkedHalves) {
  const auto order = [](const std::string& condition) {
    Parsed parsed(
        "module loop \"m\" (%G: graph) assumes simple(%G), labelled(%G) { collect %n: sum i128 { for %u in "
        "vertices(%G) {\n"
        "for %v in neighbors(%G, %u) { if " +
        condition + " { yield %n, 1 } } } }\nreturn %n }");
    return vertex_order(*parsed.module);
  };
  EXPECT_TRUE(order("(%v < %u)").walks_down);
  EXPECT_FALSE(order("(%u < %v)").walks_down);
  EXPECT_TRUE(order("(%u < %v)").is_used);
  EXPECT_FALSE(order("(%u != %v)").is_used);
  EXPECT_FALSE(order("(%u < %v)").is_deep);
}

}  // namespace
}  // namespace matcha::ir
