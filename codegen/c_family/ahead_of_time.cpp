#include "codegen/c_family/ahead_of_time.h"

#include <map>

#include "ir/bind_labels.h"
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
  for (const std::string_view word : ir::label_words(module)) found.emplace(word, nullptr);
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
