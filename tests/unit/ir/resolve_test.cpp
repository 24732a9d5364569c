#include "ir/analysis/resolve.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/match.h"
#include "ir/printer.h"
#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

/// A module of stage loop, and the values that it returns.
class ReturnedValues {
 public:
  explicit ReturnedValues(const std::string& body)
      : parsed_("module loop \"m\" (%G: graph, %H: graph, %l: list<vid>, %s: list<vid>, %u: vid, %c: bool) {\n" + body +
                "\n}") {
    EXPECT_TRUE(parsed_.module) << render_text(parsed_.diagnostics, false);
    facts_.emplace(*parsed_.module);
  }

  const Expr* operator[](std::size_t i) const { return as<Return>(parsed_.module->body->body.back())->values[i]; }
  std::string resolved(std::size_t i) const { return print(*resolve(*facts_, (*this)[i])); }
  std::string whole(std::size_t i) const { return print(*whole_list(*facts_, (*this)[i])); }
  const Facts& facts() const { return *facts_; }
  const Module& module() const { return *parsed_.module; }

 private:
  Parsed parsed_;
  std::optional<Facts> facts_;
};

TEST(Resolve, ANameOfANameIsItsValue) {
  ReturnedValues r("let %a = neighbors(%G, %u) let %b = %a let %c2 = size(%b) return %b, %c2, %l, size(%b)");
  EXPECT_EQ(r.resolved(0), "neighbors(%G, %u)");
  EXPECT_EQ(r.resolved(1), "size(%b)");
  EXPECT_EQ(r.resolved(2), "%l");
  EXPECT_EQ(r.resolved(3), "size(%b)");
}

TEST(Resolve, ASinkStandsForItself) {
  ReturnedValues r("collect %n: sum i64 { for %v in vertices(%G) { yield %n, 1 } } let %m = %n return %m");
  EXPECT_EQ(r.resolved(0), "%n");
  EXPECT_EQ(let_value(r.facts(), resolve(r.facts(), r[0])), nullptr);
}

TEST(Resolve, ASliceIsOfAWholeList) {
  ReturnedValues r(
      "let %a = neighbors(%G, %u) let %b = below(%a, %u) let %d = span(%b, 1, 3)\n"
      "return %d, above(%a, %u), %l, sorted(%b)");
  EXPECT_EQ(r.whole(0), "neighbors(%G, %u)");
  EXPECT_EQ(r.whole(1), "neighbors(%G, %u)");
  EXPECT_EQ(r.whole(2), "%l");
  EXPECT_EQ(r.whole(3), "sorted(%b)");
}

/// For each `return`ed list whether all its items are known to be below `%u`.
std::string below_u(const std::string& body) {
  ReturnedValues r(body);
  std::string found;
  for (std::size_t i = 0; i < as<Return>(r.module().body->body.back())->values.size(); ++i)
    found += all_below(r.facts(), r[i], r.module().params[4]) ? 'y' : 'n';
  return found;
}

TEST(AllBelow, FollowsFromTheForm) {
  EXPECT_EQ(below_u("let %a = below(neighbors(%G, %u), %u)\n"
                    "return %a, lower_neighbors(%G, %u), upper_neighbors(%G, %u), neighbors(%G, %u)"),
            "yynn");
  EXPECT_EQ(below_u("let %a = below(neighbors(%G, %u), %u) let %n = neighbors(%H, %u)\n"
                    "return intersect(%n, %a), intersect(%a, %n), diff(%a, %n), diff(%n, %a), span(%a, 0, 2), "
                    "below(above(%a, %u), %u), sorted(%n)"),
            "yyynyyn");
}

TEST(AllBelow, TheItemsBeforeTheOneThatALoopIsAt) {
  Parsed parsed(
      "module loop \"m\" (%G: graph, %u: vid) assumes simple(%G) {\n"
      "  let %n = neighbors(%G, %u)\n"
      "  collect %s: sum i64 {\n"
      "    for %v at %i in %n {\n"
      "      for %w in span(%n, 0, %i) { yield %s, 1 }\n"
      "      for %w2 in span(%n, %i, 9) { yield %s, 1 }\n"
      "      for %w3 in span(neighbors(%G, %v), 0, %i) { yield %s, 1 }\n"
      "    }\n"
      "  }\n"
      "  return %s\n"
      "}");
  ASSERT_TRUE(parsed.module) << render_text(parsed.diagnostics, false);
  const Facts facts(*parsed.module);
  const For* outer = as<For>(as<Collect>(parsed.module->body->body[1])->body->body[0]);
  std::string found;
  for (const Stmt* stmt : outer->body->body)
    found += all_below(facts, as<For>(stmt)->lists[0], outer->vars[0]) ? 'y' : 'n';
  EXPECT_EQ(found, "ynn");
}

/// Each value is reached in two ways: an exponential walk would not end.
TEST(AllBelow, SharedValuesAreLookedAtOnce) {
  std::string body = "let %a0 = neighbors(%G, %u)\n";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "%a" + std::to_string(i - 1);
    body += "let %a" + std::to_string(i) + " = intersect(" + last + ", " + last + ")\n";
  }
  EXPECT_EQ(below_u(body + "return %a59"), "n");
}

}  // namespace
}  // namespace matcha::ir
