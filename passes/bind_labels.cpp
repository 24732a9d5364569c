#include <set>

#include "ir/analysis/walk.h"
#include "ir/builder.h"
#include "ir/match.h"
#include "passes/pass.h"

/// bind-labels: replaces label words by their codes in the bound graph. If `labelled` may be assumed of a graph,
/// reading its labels cannot fail.
///
/// Why. Programs name labels by words; graphs store codes. Without a graph, the words of the program get the codes -1,
/// -2, … in sorted order, so that the module can still be printed.
///
/// Before:  if (label(%G, %v) == label_name("protein")) { … }
/// After:   if (label(%G, %v) == -3) { … }
///
/// Requires: stage loop. Ensures: no `label_name` is left, unless words are to stay. Gives up on: words that the graph
/// does not have
/// (`unknown-label`), with an error that names similar ones.
namespace matcha::passes {

namespace {

/// Codes for the label words of the program itself: word i, in sorted order, has code -1 - i.
LabelWords own_words(const ir::Module& module) {
  const std::set<std::string_view> words = ir::label_words(module);
  LabelWords labels;
  labels.words.assign(words.begin(), words.end());
  labels.code = [words](std::string_view word) -> std::optional<std::int64_t> {
    const auto found = words.find(word);
    return found == words.end() ? std::nullopt : std::optional(-1 - std::distance(words.begin(), found));
  };
  return labels;
}

bool reads_labels(const ir::Module& module, const ir::Var* graph) {
  bool found = false;
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    ir::for_each_expr(stmt, [&](const ir::Expr& expr) {
      ir::for_each_node(expr, [&](const ir::Expr& node) {
        found = found || (node.kind == ir::Kind::Label && node.operands[0] == graph);
      });
    });
  });
  return found;
}

}  // namespace

ir::Module bind_labels(const ir::Module& module, PassContext& context) {
  std::optional<ir::Module> bound = module;
  if (!context.labels.stay) {
    bound = ir::bind_labels(context.context, module, context.labels.code ? context.labels : own_words(module),
                            context.diagnostics);
  }
  if (!bound) return module;
  ir::Module result = *bound;
  ir::Builder builder(context.context);
  for (const ir::Var* param : module.params) {
    const bool assumed = context.allows(ir::AssumptionKind::Labelled) && reads_labels(*bound, param);
    if (assumed) result = builder.assume(result, {ir::AssumptionKind::Labelled, param});
  }
  return result;
}

}  // namespace matcha::passes
