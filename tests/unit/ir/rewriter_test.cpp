#include "ir/rewriter.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

constexpr const char* kText = R"(module loop "m" (%G: graph, %k: i64) {
  build_graph %H = csr(edges(%G))
  collect %n: sum i64, %l: list list<vid> {
    for %u at %i in vertices(%H) {
      let %a = (convert<i64>(%u) + 7)
      if (%a < %k) {
        yield %n, (%a * %k)
      } else {
        collect %m: max i64 {
          for %v in neighbors(%H, %u) {
            yield %m, (%i - 7)
          }
        }
        yield %n, %m
      }
      yield %l, %u
    }
  }
  return %n, size(%l)
}
)";

class Same final : public Rewriter {
 public:
  using Rewriter::Rewriter;
};

TEST(Rewriter, UnchangedPartsKeepTheirPointers) {
  Parsed parsed(kText);
  ASSERT_TRUE(parsed.module);
  EXPECT_EQ(Same(parsed.context).run(*parsed.module).body, parsed.module->body);
}

/// Turns 7 into 8, and counts the nodes that it sees.
class Sevens final : public Rewriter {
 public:
  using Rewriter::Rewriter;
  int seen = 0;

 protected:
  const Expr* on_expr(const Expr* expr) override {
    ++seen;
    const ConstInt* constant = as<ConstInt>(expr);
    return constant != nullptr && constant->value == 7 ? builder().integer(8) : expr;
  }
};

TEST(Rewriter, ReplacesExpressionsEverywhere) {
  Parsed parsed(kText);
  ASSERT_TRUE(parsed.module);
  Sevens sevens(parsed.context);
  Module result = sevens.run(*parsed.module);
  std::string wanted = kText;
  for (std::size_t at = 0; (at = wanted.find('7', at)) != std::string::npos;) wanted[at] = '8';
  EXPECT_EQ(print(result), wanted);
  EXPECT_TRUE(verify(result, parsed.diagnostics));
  // Statements without a 7 are shared with the module that was given.
  EXPECT_EQ(result.body->body[0], parsed.module->body->body[0]);
  EXPECT_EQ(result.body->body[2], parsed.module->body->body[2]);
  EXPECT_NE(result.body->body[1], parsed.module->body->body[1]);
}

TEST(Rewriter, ASharedNodeIsRewrittenOnce) {
  Context context;
  Builder builder(context);
  const Expr* e = builder.var(context.i64(), "x");
  for (int i = 0; i < 64; ++i) e = builder.make(Kind::Add, {e, e});
  Sevens sevens(context);
  EXPECT_EQ(sevens.expr(e), e);
  EXPECT_LT(sevens.seen, 200);
}

/// Drops lets and substitutes their values.
class Inliner final : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    if (const Let* let = as<Let>(stmt)) {
      substitute(let->var, expr(let->value));
    } else {
      out.push_back(rebuild(stmt));
    }
  }
};

TEST(Rewriter, Substitutes) {
  Parsed parsed(kText);
  ASSERT_TRUE(parsed.module);
  const Module inlined = Inliner(parsed.context).run(*parsed.module);
  int lets = 0;
  for_each_stmt(*inlined.body, [&](const Stmt& stmt) { lets += stmt.kind == Kind::Let; });
  EXPECT_EQ(lets, 0);
  std::string text = print(inlined);
  EXPECT_NE(text.find("if ((convert<i64>(%u) + 7) < %k) {"), std::string::npos) << text;
  EXPECT_NE(text.find("yield %n, ((convert<i64>(%u) + 7) * %k)"), std::string::npos) << text;
}

/// Says each yield twice.
class Doubler final : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    out.push_back(rebuild(stmt));
    if (stmt->kind == Kind::Yield) out.push_back(out.back());
  }
};

TEST(Rewriter, AStatementMayBecomeSeveral) {
  Parsed parsed("module loop \"m\" () { collect %n: sum i64 { yield %n, 1 } return %n }");
  ASSERT_TRUE(parsed.module);
  EXPECT_EQ(print(Doubler(parsed.context).run(*parsed.module)),
            "module loop \"m\" () {\n  collect %n: sum i64 {\n    yield %n, 1\n    yield %n, 1\n  }\n  return %n\n}\n");
}

TEST(CopyWithNewVars, BothCopiesLiveTogether) {
  Parsed parsed(kText);
  ASSERT_TRUE(parsed.module);
  const Collect& collect = *as<Collect>(parsed.module->body->body[1]);
  Builder builder(parsed.context);
  const Var* from[] = {parsed.module->params[1]};
  const Expr* to[] = {builder.integer(42)};
  const Block* copy = copy_with_new_vars(parsed.context, *collect.body, from, to);
  Stmts both(collect.body->body.begin(), collect.body->body.end());
  both.insert(both.end(), copy->body.begin(), copy->body.end());
  Stmts body(parsed.module->body->body.begin(), parsed.module->body->body.end());
  body[1] = builder.collect(collect.sinks, builder.block(both));
  Module result = builder.module(Stage::Loop, "m", parsed.module->params, builder.block(body));
  EXPECT_TRUE(verify(result, parsed.diagnostics)) << render_text(parsed.diagnostics, false);
  std::string text = print(result);
  EXPECT_NE(text.find("for %u.2 at %i.2 in vertices(%H)"), std::string::npos) << text;
  EXPECT_NE(text.find("yield %n, (%a.2 * 42)"), std::string::npos) << text;
  EXPECT_NE(text.find("yield %m.2, (%i.2 - 7)"), std::string::npos) << text;
  EXPECT_NE(text.find("yield %l, %u.2"), std::string::npos) << text;
}

}  // namespace
}  // namespace matcha::ir
