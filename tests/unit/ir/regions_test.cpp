// The analyses of regions for the back ends of a CPU: graphs of rows, sums of 64 bits, shared and filtered positions.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "ir/analysis/position_loops.h"
#include "ir/analysis/row_graphs.h"
#include "ir/analysis/spine.h"
#include "ir/analysis/sum_bounds.h"
#include "ir/match.h"
#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

/// A module whose first step is a region.
class FirstRegion {
 public:
  explicit FirstRegion(const std::string& text)
      : parsed_("module kernel \"m\" (%G: graph) assumes simple(%G) {\n" + text + "\n}") {
    EXPECT_TRUE(parsed_.module) << render_text(parsed_.diagnostics, false);
    facts_.emplace(*parsed_.module);
  }

  const Module& module() const { return *parsed_.module; }
  const Facts& facts() const { return *facts_; }
  const Region& region() const { return *as<Region>(module().body->body[0]); }
  const For& outer() const { return *as<For>(region().collect->body->body[0]); }
  /// The graph that is built of rows of its first sink.
  const BuildGraph* built() const { return built_of_rows(*facts_, module(), region(), region().collect->sinks[0]); }
  SumBound sum() const { return sum_bound(*facts_, outer(), region().collect->sinks[0].var); }

 private:
  Parsed parsed_;
  std::optional<Facts> facts_;
};

/// Collects edges by `loop` and walks the graph that `build` makes of them.
std::string edges_of(const std::string& loop, const std::string& build = "csr(%l)",
                     const std::string& body = "for %y in neighbors(%D, %x) { yield %n, 1 }") {
  return "region (parallel, split=2, group=1) { collect %l: list list<vid, vid> { for %u in vertices(%G) { " + loop +
         " } } }\nbuild_graph %D = " + build +
         "\nregion (parallel, split=2, group=1) { collect %n: sum i128 { for %x in vertices(%D) { " + body +
         " } } }\nreturn %n";
}

TEST(RowGraphs, EdgesInOrderNeedNoList) {
  const std::string upper = "for %v in upper_neighbors(%G, %u) { yield %l, %u, %v }";
  EXPECT_NE(FirstRegion(edges_of(upper)).built(), nullptr);
  EXPECT_NE(FirstRegion(edges_of("for %v in neighbors(%G, %u) { if (%u < %v) { yield %l, %u, %v } }")).built(),
            nullptr);
  EXPECT_EQ(FirstRegion(edges_of("for %v in neighbors(%G, %u) { yield %l, %v, %u }")).built(), nullptr)
      << "the walked vertex comes first";
  EXPECT_EQ(FirstRegion(edges_of(upper, "hash(%l)")).built(), nullptr) << "a hash table is built of a list";
  EXPECT_EQ(FirstRegion(edges_of(upper + " yield %l, %u, %u")).built(), nullptr) << "two yields";
  EXPECT_EQ(FirstRegion(edges_of(upper, "csr(%l)", "yield %n, size(%l)")).built(), nullptr) << "the list is read too";
}

TEST(RowGraphs, VerticesWithoutNeighboursDoNotShow) {
  const auto may_be = [](const std::string& body) {
    const FirstRegion module(edges_of("for %v in upper_neighbors(%G, %u) { yield %l, %u, %v }", "csr(%l)", body));
    return every_rank_may_be_vertex(module.module(), as<BuildGraph>(module.module().body->body[1])->var);
  };
  EXPECT_TRUE(may_be("for %y in neighbors(%D, %x) { yield %n, 1 }"));
  EXPECT_TRUE(may_be("if (2 <= size(neighbors(%D, %x))) { yield %n, 1 }"));
  EXPECT_FALSE(may_be("if (0 <= size(neighbors(%D, %x))) { yield %n, 1 }"));
  EXPECT_FALSE(may_be("yield %n, 1"));
  EXPECT_FALSE(may_be("for %y in neighbors(%G, %x) { yield %n, 1 }"));
}

std::string sum_of(const std::string& body) {
  return "region (parallel, split=2, group=1) { collect %n: sum i128 { for %u in vertices(%G) { " + body +
         " } } }\nreturn %n";
}

TEST(SumBounds, PartsThatFitAWord) {
  const __int128 ranks = (__int128{1} << 32) - 2;
  SumBound sum = FirstRegion(sum_of("yield %n, 1")).sum();
  EXPECT_TRUE(sum.magnitude == ranks && !sum.negative);
  sum = FirstRegion(sum_of("for %v in neighbors(%G, %u) { yield %n, 1 }")).sum();
  EXPECT_TRUE(sum.magnitude == ranks * ranks);
  EXPECT_TRUE(sum.fits_64_bits()) << "unsigned";
  sum = FirstRegion(sum_of("for %v in neighbors(%G, %u) { yield %n, -1 }")).sum();
  EXPECT_TRUE(sum.negative);
  EXPECT_FALSE(sum.fits_64_bits()) << "one bit less";
  EXPECT_FALSE(FirstRegion(sum_of("for %v in neighbors(%G, %u) { yield %n, 2 }")).sum().fits_64_bits());
  sum = FirstRegion(sum_of("for %v in span(neighbors(%G, %u), 0, 8) { yield %n, size(neighbors(%G, %v)) }")).sum();
  EXPECT_TRUE(sum.magnitude == ranks * 8 * ranks);
  EXPECT_FALSE(sum.fits_64_bits());
  sum = FirstRegion(sum_of("if (%u < %u) { yield %n, 3 } else { yield %n, 4 }")).sum();
  EXPECT_TRUE(sum.magnitude == ranks * 7) << "both parts of an `if`";
}

TEST(PositionLoops, LoopsThatEndAPosition) {
  const std::string loop = "for %v in neighbors(%G, %u) { yield %n, 1 }";
  EXPECT_EQ(last_loops(*FirstRegion(sum_of(loop)).outer().body).size(), 1U);
  EXPECT_EQ(last_loops(*FirstRegion(sum_of(loop + " yield %n, 1")).outer().body).size(), 0U);
  const std::string choice = "if (%u < %u) { " + loop + " } else { yield %n, 1 }";
  EXPECT_EQ(last_loops(*FirstRegion(sum_of(choice)).outer().body).size(), 1U);
  EXPECT_EQ(spine(*FirstRegion(sum_of(choice)).outer().body).size(), 0U) << "each part of an `if` ends in a loop";
}

TEST(PositionLoops, ConditionsThatAreAskedAhead) {
  const std::string loop = "for %v in neighbors(%G, %u) { yield %n, 1 }";
  const auto filters = [](const std::string& body) { return filter_of(FirstRegion(sum_of(body)).outer()) != nullptr; };
  const std::string cond = "if (2 <= size(neighbors(%G, %u))) { ";
  EXPECT_TRUE(filters(cond + loop + " }"));
  EXPECT_FALSE(filters(cond + loop + " } else { yield %n, 1 }"));
  EXPECT_FALSE(filters(cond + loop + " } yield %n, 1"));
  EXPECT_FALSE(filters(cond +
                       "for %v in neighbors(%G, %u) { for %w in neighbors(%G, %v) { for %x in neighbors(%G, %w) { "
                       "yield %n, 1 } } } }"))
      << "three loops";
}

}  // namespace
}  // namespace matcha::ir
