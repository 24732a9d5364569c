#include "passes/bind_labels.h"

#include <set>

#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::passes {

namespace {

/// Codes for the words of the program itself: word i of them, sorted, has code -1 - i.
LabelWords own_words(const ir::Module& module, const LabelWords& known) {
  std::set<std::string, std::less<>> words;
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      ir::for_each_node(expr, [&](const ir::Expr& node) {
        if (const ir::LabelName* name = ir::as<ir::LabelName>(&node)) words.emplace(name->word);
      });
    });
  });
  LabelWords labels;
  labels.everywhere = known.everywhere;
  labels.words.assign(words.begin(), words.end());
  labels.code = [words](std::string_view word) -> std::optional<std::int64_t> {
    const auto found = words.find(word);
    return found == words.end() ? std::nullopt : std::optional(-1 - std::distance(words.begin(), found));
  };
  return labels;
}

}  // namespace

ir::Module bind_labels(const ir::Module& module, PassContext& context) {
  std::optional<ir::Module> bound =
      ir::bind_labels(context.context, module, context.labels.code ? context.labels : own_words(module, context.labels),
                      context.diagnostics);
  return bound.value_or(module);
}

}  // namespace matcha::passes
