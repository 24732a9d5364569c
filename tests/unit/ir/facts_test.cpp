#include "ir/analysis/facts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/printer.h"
#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

/// A module, and the expressions that it returns.
class Returned {
 public:
  explicit Returned(const std::string& body)
      : parsed_(
            "module loop \"m\" (%G: graph, %M: graph, %l: list<i64>, %x: i64, %f: f64, %u: vid, %c: bool) "
            "assumes simple(%G), loop_free(%M) {\n" +
            body + "\n}") {
    EXPECT_TRUE(parsed_.module) << render_text(parsed_.diagnostics, false);
    facts_.emplace(*parsed_.module);
  }

  const Expr* operator[](std::size_t i) const { return as<Return>(parsed_.module->body->body.back())->values[i]; }
  std::size_t size() const { return as<Return>(parsed_.module->body->body.back())->values.size(); }
  const Facts& facts() const { return *facts_; }
  std::string order(std::size_t i) const {
    ListFacts facts = facts_->list((*this)[i]);
    return std::string(facts.ascending ? "ascending" : "any") + (facts.unique ? " unique" : "");
  }
  std::string bound(std::size_t i) {
    Builder builder(parsed_.context);
    const Expr* bound = facts_->bound(builder, (*this)[i]);
    return bound == nullptr ? "none" : print(*bound);
  }
  const Module& module() const { return *parsed_.module; }

 private:
  Parsed parsed_;
  std::optional<Facts> facts_;
};

TEST(Facts, ListsOfGraphs) {
  Returned r("return vertices(%G), edges(%G), neighbors(%G, %u), above(neighbors(%G, %u), %u), %l, sorted(%l)");
  EXPECT_EQ(r.order(0), "ascending unique");
  EXPECT_EQ(r.order(1), "ascending unique");
  EXPECT_EQ(r.order(2), "ascending unique");
  EXPECT_EQ(r.order(3), "ascending unique");
  EXPECT_EQ(r.order(4), "any");
  EXPECT_EQ(r.order(5), "ascending");
}

TEST(Facts, GraphsAreAsTheModuleAssumes) {
  Returned r(
      "let %N = %M return edge_info<list<i64>>(%N, %u), neighbors(%M, %u), neighbors(%N, %u), neighbors(%G, %u), "
      "neighbors(select(%c, %G, %M), %u)");
  EXPECT_EQ(r.order(0), "any");
  EXPECT_EQ(r.order(1), "ascending");
  EXPECT_EQ(r.order(2), "ascending");
  EXPECT_EQ(r.order(3), "ascending unique");
  EXPECT_EQ(r.order(4), "ascending");
  const auto loop_free = [&](std::size_t i) { return r.facts().loop_free(r[i]->operands[0]); };
  EXPECT_TRUE(loop_free(1));
  EXPECT_TRUE(loop_free(2));
  EXPECT_TRUE(loop_free(3));
  EXPECT_FALSE(loop_free(4));
  Module bare = r.module();
  bare.assumptions = {};
  EXPECT_FALSE(Facts(bare).simple(bare.params[0]));
  EXPECT_FALSE(Facts(bare).loop_free(bare.params[0]));
}

TEST(Facts, BuiltGraphsAreAsSimpleAsTheirEdges) {
  Returned r(R"(
    build_graph %A = csr(edges(%G))
    collect %pairs: list list<vid, vid> {
      for %a, %b in edges(%G) { yield %pairs, %b, %b }
    }
    build_graph %B = csr(%pairs)
    return neighbors(%A, %u), neighbors(%B, %u), edges(%B))");
  EXPECT_EQ(r.order(0), "ascending unique");
  EXPECT_EQ(r.order(1), "ascending");
  EXPECT_EQ(r.order(2), "ascending");
}

TEST(Facts, SetOperationsFollowTheFirstList) {
  Returned r(R"(
    return intersect(sorted(%l), %l), intersect(%l, sorted(%l)), diff(vertices(%G), neighbors(%G, %u)),
           span(vertices(%G), 1, 5), select(%c, vertices(%G), neighbors(%G, %u)), select(%c, sorted(%l), %l),
           list<list<i64>>(3), list<list<i64>>(3, 4), list<list<i64>>())");
  EXPECT_EQ(r.order(0), "ascending");
  EXPECT_EQ(r.order(1), "any");
  EXPECT_EQ(r.order(2), "ascending unique");
  EXPECT_EQ(r.order(3), "ascending unique");
  EXPECT_EQ(r.order(4), "ascending unique");
  EXPECT_EQ(r.order(5), "any");
  EXPECT_EQ(r.order(6), "ascending unique");
  EXPECT_EQ(r.order(7), "any");
  EXPECT_EQ(r.order(8), "ascending unique");
}

TEST(Facts, CollectedLists) {
  Returned r(R"(
    collect %same: list list<vid>, %swapped: list list<vid, vid>, %some: list list<vid, vid>, %twice: list list<vid>,
            %nested: list list<vid>, %both: list list<vid>, %arms: list list<vid>, %one: list list<vid>,
            %none: list list<vid>, %two: list list<vid> {
      if %c { yield %one, %u }
      yield %two, %u
      yield %two, %u
      for %a in vertices(%G) {
        if (%a != %u) { yield %same, %a }
        yield %twice, %a
        yield %twice, %a
        for %b in neighbors(%G, %a) { yield %nested, %b }
        if %c { yield %arms, %a } else { yield %arms, %a }
      }
      for %d, %e in edges(%G) {
        yield %swapped, %e, %d
        if (%d < %e) { yield %some, %d, %e }
        yield %both, %d
      }
    }
    return %same, %swapped, %some, %twice, %nested, %both, %arms, %one, %none, %two)");
  EXPECT_EQ(r.order(0), "ascending unique");
  EXPECT_EQ(r.order(1), "any unique");
  EXPECT_EQ(r.order(2), "ascending unique");
  EXPECT_EQ(r.order(3), "any");
  EXPECT_EQ(r.order(4), "any");
  EXPECT_EQ(r.order(5), "any");
  EXPECT_EQ(r.order(6), "any");
  EXPECT_EQ(r.order(7), "ascending unique");
  EXPECT_EQ(r.order(8), "ascending unique");
  EXPECT_EQ(r.order(9), "any");
}

TEST(Facts, ListsCollectedInNests) {
  Returned r(R"(
    collect %ab: list list<vid, vid>, %ba: list list<vid, vid>, %b: list list<vid> {
      for %a in vertices(%G) {
        for %v in neighbors(%G, %a) {
          if (%a < %v) { yield %ab, %a, %v }
          yield %ba, %v, %a
          yield %b, %v
        }
      }
    }
    collect %repeated: list list<vid, vid>, %twice: list list<vid, vid> {
      for %p in neighbors(%M, %u) {
        for %q in neighbors(%G, %p) {
          yield %repeated, %p, %q
          yield %twice, %p, %q
          yield %twice, %p, %q
        }
      }
    }
    return %ab, %ba, %b, %repeated, %twice, edge_info<list<i64>>(%M, %u))");
  EXPECT_EQ(r.order(0), "ascending unique");
  EXPECT_EQ(r.order(1), "any unique");
  EXPECT_EQ(r.order(2), "any");
  EXPECT_EQ(r.order(3), "any");
  EXPECT_EQ(r.order(4), "any");
}

TEST(Facts, Ranges) {
  Returned r(R"(
    let %n = size(%l)
    let %m = (%n + 3)
    return 5, %n, %m, (%n * %n), neg(%n), select(%c, 2, 9), min(%x, 4), max(%x, 4), convert<i64>(%c), %x, (%n / 2))");
  const auto range = [&](std::size_t i) { return r.facts().range(r[i]); };
  constexpr std::int64_t kLongest = std::int64_t{1} << 40;
  EXPECT_EQ(range(0).low, 5);
  EXPECT_EQ(range(0).high, 5);
  EXPECT_EQ(range(1).low, 0);
  EXPECT_EQ(range(1).high, kLongest);
  EXPECT_EQ(range(2).low, 3);
  EXPECT_EQ(range(2).high, kLongest + 3);
  EXPECT_EQ(range(3).low, 0);
  EXPECT_EQ(range(3).high, INT64_MAX);
  EXPECT_EQ(range(4).low, -kLongest);
  EXPECT_EQ(range(4).high, 0);
  EXPECT_EQ(range(5).low, 2);
  EXPECT_EQ(range(5).high, 9);
  EXPECT_EQ(range(6).high, 4);
  EXPECT_EQ(range(7).low, 4);
  EXPECT_EQ(range(8).low, 0);
  EXPECT_EQ(range(8).high, 1);
  EXPECT_EQ(range(9).low, INT64_MIN);
  EXPECT_EQ(range(10).high, kLongest / 2);
}

TEST(Facts, Traps) {
  Returned quiet(R"(
    let %n = size(%l)
    return (%n + 1), (%n - %n), (%x / 3), (%x % 7), (%f * %f), neg(%n), min(%x, 1), has_edge(%G, %u, %u),
           convert<i64>(%u), contains(%l, %x), size(intersect(%l, %l)), neighbors(%G, %u), span(%l, %x, %x),
           label_name("a"))");
  for (std::size_t i = 0; i < quiet.size(); ++i) EXPECT_FALSE(quiet.facts().may_trap(quiet[i])) << print(*quiet[i]);
  Returned loud(R"(
    collect %m: min i64, %s: sum i64 { for %y in %l { yield %m, %y yield %s, %y } }
    return (%x + 1), neg(%x), (%x * %x), (%x / 0), (%x / -1), (%x % %x), (%f / %f), at<0>(%l, 0), label(%G, %u),
           convert<vid>(%x), %m, size(list<list<i64>>(%m)))");
  for (std::size_t i = 0; i < loud.size(); ++i) EXPECT_TRUE(loud.facts().may_trap(loud[i])) << print(*loud[i]);
  Returned wide("let %w = convert<i128>(%x) return convert<i64>(%w), (%w + %w), neg(%w)");
  for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_TRUE(wide.facts().may_trap(wide[i])) << print(*wide[i]);
}

TEST(Facts, Bounds) {
  Returned r(R"(
    let %H = %G
    collect %got: list list<vid> { for %a in vertices(%G) { yield %got, %a } }
    return neighbors(%G, %u), neighbors(%H, %u), vertices(%H), diff(below(neighbors(%G, %u), %u), %got), %got, %l,
           list<list<i64, i64>>(1, 2, 3, 4), select(%c, %l, list<list<i64>>()), neighbors(select(%c, %G, %M), %u))");
  EXPECT_EQ(r.bound(0), "max_degree(%G)");
  EXPECT_EQ(r.bound(1), "max_degree(%G)");
  EXPECT_EQ(r.bound(2), "size(vertices(%G))");
  EXPECT_EQ(r.bound(3), "max_degree(%G)");
  EXPECT_EQ(r.bound(4), "size(%got)");
  EXPECT_EQ(r.bound(5), "size(%l)");
  EXPECT_EQ(r.bound(6), "2");
  EXPECT_EQ(r.bound(7), "max(size(%l), 0)");
  EXPECT_EQ(r.bound(8), "none");
}

TEST(Facts, BoundsOfListsCollectedInLoops) {
  Parsed parsed(R"(module loop "m" (%G: graph) {
    collect %n: sum i64 {
      for %u in vertices(%G) {
        collect %one: list list<vid>, %two: list list<vid>, %three: list list<vid> {
          for %v in neighbors(%G, %u) {
            yield %one, %v
            if (%v < %u) { yield %two, %v } else { yield %two, %u }
            for %w in neighbors(%G, %v) { yield %three, %w }
          }
          yield %two, %u
        }
        yield %n, (size(%one) + (size(%two) + size(%three)))
      }
    }
    return %n
  })");
  ASSERT_TRUE(parsed.module);
  Facts facts(*parsed.module);
  Builder builder(parsed.context);
  const For& loop = *as<For>(as<Collect>(parsed.module->body->body[0])->body->body[0]);
  const Collect& inner = *as<Collect>(loop.body->body[0]);
  EXPECT_EQ(print(*facts.bound(builder, inner.sinks[0].var)), "max_degree(%G)");
  EXPECT_EQ(print(*facts.bound(builder, inner.sinks[1].var)), "((max_degree(%G) * 2) + 1)");
  EXPECT_EQ(print(*facts.bound(builder, inner.sinks[2].var)), "(max_degree(%G) * max_degree(%G))");
  EXPECT_FALSE(facts.top_level(inner.sinks[0].var));
  EXPECT_FALSE(facts.top_level(loop.vars[0]));
  EXPECT_TRUE(facts.top_level(as<Collect>(parsed.module->body->body[0])->sinks[0].var));
  EXPECT_TRUE(facts.top_level(parsed.module->params[0]));
}

TEST(Facts, UsesAreCounted) {
  Returned r("collect %n: sum i64 { for %y in %l { yield %n, (%y * %y) } } return (%n + %x), %x");
  std::unordered_map<const Var*, int> uses = count_uses(*r.module().body);
  const Collect& collect = *as<Collect>(r.module().body->body[0]);
  EXPECT_EQ(uses[r.module().params[3]], 2);
  EXPECT_EQ(uses[collect.sinks[0].var], 1);
  EXPECT_EQ(uses[as<For>(collect.body->body[0])->vars[0]], 2);
  EXPECT_EQ(uses[r.module().params[0]], 0);
  std::vector<const Var*> vars;
  free_vars(*r[0], vars);
  EXPECT_EQ(vars.size(), 2U);
}

TEST(Facts, BitSetsHavePositionsOfTheListOfTheirRows) {
  Returned r(R"(
    collect %n: sum i64, %m: sum i64 {
      for %v in vertices(%G) {
        let %some = span(neighbors(%G, %v), 0, 2048)
        let %rows = bit_rows(%G, %some)
        for %w at %p in %some {
          let %few = size(bit_row(%rows, %p))
          yield %n, (%few * %few)
          let %all = size(%some)
          yield %m, (%all * %all)
          for %q in bit_row(%rows, %p) {
            yield %n, convert<i64>((at<0>(%some, %q) < %w))
            yield %m, convert<i64>((at<0>(neighbors(%G, %w), %q) < %w))
          }
        }
      }
    }
    return %n, %m)");
  std::vector<bool> traps;
  for_each_stmt(*r.module().body, [&](const Stmt& stmt) {
    if (const Yield* yield = as<Yield>(&stmt)) traps.push_back(r.facts().may_trap(yield->values[0]));
  });
  EXPECT_EQ(traps, (std::vector<bool>{false, true, false, true})) << "the items of one list are not those of another";
}

TEST(Facts, GraphsBuiltOfArcsHaveNoMoreNeighbors) {
  Returned r(R"(
    collect %some: list list<vid, vid> {
      for %v in vertices(%G) {
        let %near = neighbors(%G, %v)
        for %w in above(%near, %v) {
          if (size(%near) < size(neighbors(%G, %w))) { yield %some, %v, %w }
        }
      }
    }
    collect %back: list list<vid, vid> { for %a, %b in edges(%G) { yield %back, %b, %a } }
    collect %twice: list list<vid, vid> {
      for %p in vertices(%G) {
        for %q in neighbors(%G, %p) {
          for %r in neighbors(%G, %q) { yield %twice, %p, %q }
        }
      }
    }
    build_graph %A = csr(%some)
    collect %fewer: list list<vid, vid> { for %s, %t in edges(%A) { if (%s < %t) { yield %fewer, %s, %t } } }
    build_graph %B = csr(%fewer)
    build_graph %C = csr(%back)
    build_graph %D = csr(%twice)
    return size(neighbors(%G, %u)), size(neighbors(%A, %u)), size(neighbors(%B, %u)), size(neighbors(%C, %u)), size(neighbors(%D, %u)))");
  std::vector<std::string> found;
  for (std::size_t i = 0; i < r.size(); ++i) {
    const Var* within = r.facts().supergraph(r[i]->operands[0]->operands[0]);
    found.emplace_back(within == nullptr ? "none" : print(*within));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"%G", "%G", "%G", "none", "none"}));
}

}  // namespace
}  // namespace matcha::ir
