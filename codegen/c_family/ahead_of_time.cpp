#include "codegen/c_family/ahead_of_time.h"

#include <map>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"

namespace matcha::codegen {

namespace {

using Words = std::map<std::string, const ir::Var*, std::less<>>;

class Lifter final : public ir::Rewriter {
 public:
  Lifter(ir::Context& context, Words& words) : Rewriter(context), words_(words) {
    for (auto& [word, var] : words) var = builder().var(context.i64(), "label");
  }

 protected:
  const ir::Expr* on_expr(const ir::Expr* expr) override {
    const ir::LabelName* name = ir::as<ir::LabelName>(expr);
    return name == nullptr ? expr : words_.find(name->word)->second;
  }

 private:
  const Words& words_;
};

}  // namespace

ir::Module lift_label_words(ir::Context& context, const ir::Module& module, std::vector<std::string>& words) {
  Words found;
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      ir::for_each_node(expr, [&](const ir::Expr& node) {
        if (const ir::LabelName* name = ir::as<ir::LabelName>(&node)) found.emplace(name->word, nullptr);
      });
    });
  });
  ir::Module lifted = Lifter(context, found).run(module);
  std::vector<const ir::Var*> params(module.params.begin(), module.params.end());
  for (const auto& [word, var] : found) {
    words.push_back(word);
    params.push_back(var);
  }
  lifted.params = context.arena().copy(std::span<const ir::Var* const>(params));
  return lifted;
}

}  // namespace matcha::codegen
