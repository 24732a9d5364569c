#include "ir/bind_labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "ir/unknown_label.h"

namespace matcha::ir {

namespace {

constexpr std::size_t kShownWords = 8;

std::string hint_for(std::string_view word, const LabelWords& labels) {
  if (labels.words.empty())
    return "no label of this run is a word; vertices get theirs with `--labels FILE`, or `--vertices FILE --label "
           "COLUMN`";
  std::string near = nearest_word(word, labels.words);
  if (!near.empty()) return fmt::format("did you mean `{}`?", near);
  std::vector<std::string> shown(labels.words.begin(), labels.words.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                                  kShownWords, labels.words.size())));
  return fmt::format("the labels are `{}`{}", fmt::join(shown, "`, `"), labels.words.size() > kShownWords ? ", …" : "");
}

class Binder final : public Rewriter {
 public:
  Binder(Context& context, const LabelWords& labels, Diagnostics& diagnostics)
      : Rewriter(context), labels_(labels), diagnostics_(diagnostics) {}

 protected:
  const Expr* on_expr(const Expr* expr) override {
    const LabelName* name = as<LabelName>(expr);
    if (name == nullptr) return expr;
    if (std::optional<std::int64_t> code = labels_.code(name->word)) return builder().integer(*code);
    report_unknown_label(name->word, name->loc, labels_, diagnostics_);
    return expr;
  }

 private:
  const LabelWords& labels_;
  Diagnostics& diagnostics_;
};

}  // namespace

void report_unknown_label(std::string_view word, SourceLoc loc, const LabelWords& labels, Diagnostics& diagnostics) {
  diagnostics.error(DiagId::UnknownLabel, loc, fmt::format("no vertex or edge has the label `{}`", word),
                    hint_for(word, labels));
}

std::set<std::string_view> label_words(const Module& module) {
  std::set<std::string_view> words;
  for_each_stmt(*module.body, [&](const Stmt& stmt) {
    for_each_expr(stmt, [&](const Expr& expr) {
      for_each_node(expr, [&](const Expr& node) {
        if (const LabelName* name = as<LabelName>(&node)) words.insert(name->word);
      });
    });
  });
  return words;
}

std::optional<Module> bind_labels(Context& context, const Module& module, const LabelWords& labels,
                                  Diagnostics& diagnostics) {
  std::size_t errors_before = diagnostics.error_count();
  Module bound = Binder(context, labels, diagnostics).run(module);
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return bound;
}

}  // namespace matcha::ir
