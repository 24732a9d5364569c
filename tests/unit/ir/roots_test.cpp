#include "ir/analysis/roots.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

/// The reads of a module with the body `text`: rows, `+` if `among`, degrees, labels; or the problem.
std::string reads_of_body(const std::string& text, bool directed = false) {
  Parsed parsed("module loop \"m\" (%G: graph, %k: i64) assumes simple(%G), labelled(%G) {\n" + text + "\n}");
  EXPECT_TRUE(parsed.module) << render_text(parsed.diagnostics, false);
  const RootReads reads = read_roots(*parsed.module, directed);
  if (!reads.ok()) return reads.problem;
  return std::to_string(reads.rows) + (reads.among ? "+ " : " ") + std::to_string(reads.degrees) + " " +
         std::to_string(reads.labels);
}

/// The same for the body of a loop over the vertices %v, which yields into %n.
std::string reads(const std::string& steps, bool directed = false) {
  return reads_of_body("collect %n: sum i128 { for %v in vertices(%G) {\n" + steps + "\n} }\nreturn %n", directed);
}

/// The same for a number of %v.
std::string reads_for(const std::string& number) { return reads("yield %n, " + number); }

TEST(Roots, ReadsAroundAVertex) {
  EXPECT_EQ(reads_for("1"), "-1 -1 -1");
  EXPECT_EQ(reads_for("label(%G, %v)"), "-1 -1 0");
  EXPECT_EQ(reads_for("convert<i64>(%v)"), "-1 -1 -1");
  EXPECT_EQ(reads_for("(%k + size(neighbors(%G, %v)))"), "-1 0 -1");
  EXPECT_EQ(reads("if (3 <= size(neighbors(%G, %v))) { yield %n, 1 }"), "-1 0 -1");
}

TEST(Roots, StepsAreCounted) {
  const auto near = [](const std::string& number) {
    return reads("for %w in neighbors(%G, %v) { yield %n, " + number + " }");
  };
  EXPECT_EQ(near("1"), "0 -1 -1");
  EXPECT_EQ(near("label(%G, %w)"), "0 -1 1");
  EXPECT_EQ(near("size(neighbors(%G, %w))"), "0 1 -1");
  EXPECT_EQ(near("size(lower_neighbors(%G, %w))"), "1 -1 -1");
  EXPECT_EQ(near("label(%G, at<0>(neighbors(%G, %w), 0))"), "1 -1 2");
}

TEST(Roots, OnlyWhetherTheyAreAdjacent) {
  const auto near = [](const std::string& number) {
    return reads("for %w in neighbors(%G, %v) { yield %n, " + number + " }");
  };
  EXPECT_EQ(near("size(intersect(neighbors(%G, %v), neighbors(%G, %w)))"), "0+ -1 -1");
  EXPECT_EQ(near("size(intersect(neighbors(%G, %w), neighbors(%G, %v)))"), "0+ -1 -1");
  EXPECT_EQ(near("size(diff(neighbors(%G, %v), neighbors(%G, %w)))"), "0+ -1 -1");
  // The rest of the neighbour's data is read.
  EXPECT_EQ(near("size(diff(neighbors(%G, %w), neighbors(%G, %v)))"), "1 -1 -1");
  // An end has its whole row read anyway.
  EXPECT_EQ(near("select(has_edge(%G, %v, %w), 1, 0)"), "0 -1 -1");
  EXPECT_EQ(near("select(contains(neighbors(%G, %w), %v), 1, 0)"), "0 -1 -1");
  EXPECT_EQ(reads("for %a in neighbors(%G, %v) { for %b in neighbors(%G, %v) {\n"
                  "if has_edge(%G, %a, %b) { yield %n, 1 } } }"),
            "0+ -1 -1");
  // Vertices in the rows of two neighbours.
  EXPECT_EQ(reads("for %a in neighbors(%G, %v) { for %b in neighbors(%G, %v) {\n"
                  "yield %n, size(intersect(neighbors(%G, %a), neighbors(%G, %b))) } }"),
            "1 -1 -1");
  // Each use of a named list is examined.
  EXPECT_EQ(reads("for %w in neighbors(%G, %v) { let %c = intersect(neighbors(%G, %w), neighbors(%G, %v))\n"
                  "for %x in %c { yield %n, size(intersect(%c, neighbors(%G, %x))) } }"),
            "0+ -1 -1");
}

TEST(Roots, ArcsAreDecidedByTheirSources) {
  const auto near = [](const std::string& number) {
    return reads("for %w in neighbors(%G, %v) { yield %n, " + number + " }", true);
  };
  EXPECT_EQ(near("select(has_edge(%G, %v, %w), 1, 0)"), "0 -1 -1");
  EXPECT_EQ(near("select(has_edge(%G, %w, %v), 1, 0)"), "0+ -1 -1");
  EXPECT_EQ(near("select(contains(neighbors(%G, %w), %v), 1, 0)"), "0+ -1 -1");
  EXPECT_EQ(near("size(intersect(neighbors(%G, %v), neighbors(%G, %w)))"), "0+ -1 -1");
}

TEST(Roots, FilledLists) {
  EXPECT_EQ(reads("collect %big: list list<vid> { for %w in neighbors(%G, %v) {\n"
                  "if (2 <= size(neighbors(%G, %w))) { yield %big, %w } } }\n"
                  "for %x in %big { yield %n, size(intersect(%big, neighbors(%G, %x))) }"),
            "0+ 1 -1");
  EXPECT_EQ(reads("collect %far: list list<vid> { for %w in neighbors(%G, %v) {\n"
                  "for %x in neighbors(%G, %w) { yield %far, %x } } }\n"
                  "for %y in %far { yield %n, label(%G, %y) }"),
            "1 -1 2");
  EXPECT_EQ(reads("collect %m: max i64 { for %w in neighbors(%G, %v) { yield %m, label(%G, %w) } }\nyield %n, %m"),
            "0 -1 1");
}

TEST(Roots, ReadsBeyondAVertexAreProblems) {
  EXPECT_EQ(reads_for("size(vertices(%G))"), "all vertices are walked at one");
  EXPECT_EQ(reads_for("size(edges(%G))"), "all edges are walked at one");
  EXPECT_EQ(reads_for("max_degree(%G)"), "the largest degree of all is read");
  EXPECT_EQ(reads_for("label(%G, convert<vid>(%k))"), "a number is used as an id");
  EXPECT_EQ(reads("for %w in vertices(%G) { yield %n, 1 }"), "all vertices are walked at one");
  EXPECT_EQ(reads_of_body("collect %n: sum i128 { for %u, %v in edges(%G) { yield %n, 1 } }\nreturn %n"),
            "a loop is not over all vertices of the graph");
  EXPECT_EQ(reads_of_body("collect %n: sum i128 { for %v at %i in vertices(%G) { yield %n, %i } }\nreturn %n"),
            "the place of a vertex among all is read");
  EXPECT_EQ(reads_of_body("collect %a: sum i64 { for %v in vertices(%G) { yield %a, 1 } }\n"
                          "collect %b: sum i64 { for %w in vertices(%G) { yield %b, %a } }\nreturn %b"),
            "a result of all vertices is read at one");
  EXPECT_EQ(reads_of_body("return size(vertices(%G))"), "a result is computed of the graph");
}

}  // namespace
}  // namespace matcha::ir
