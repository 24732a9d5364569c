#include "ir/bind_labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/match.h"
#include "ir/rewriter.h"

namespace matcha::ir {

namespace {

constexpr std::size_t kShownWords = 8;

class Binder final : public Rewriter {
 public:
  Binder(Context& context, const LabelWords& labels, Diagnostics& diagnostics)
      : Rewriter(context), labels_(labels), diagnostics_(diagnostics) {}

 protected:
  const Expr* on_expr(const Expr* expr) override {
    const LabelName* name = as<LabelName>(expr);
    if (name == nullptr) return expr;
    if (std::optional<std::int64_t> code = labels_.code(name->word)) return builder().integer(*code);
    diagnostics_.error(DiagId::UnknownLabel, name->loc, fmt::format("no vertex or edge has the label `{}`", name->word),
                       hint(name->word));
    return expr;
  }

 private:
  std::string hint(std::string_view word) const {
    if (labels_.words.empty()) return "no label of this run is a word; vertices get theirs with `--labels FILE`";
    std::string near = nearest_word(word, labels_.words);
    if (!near.empty()) return fmt::format("did you mean `{}`?", near);
    std::vector<std::string> shown(
        labels_.words.begin(),
        labels_.words.begin() + static_cast<std::ptrdiff_t>(std::min(kShownWords, labels_.words.size())));
    return fmt::format("the labels are `{}`{}", fmt::join(shown, "`, `"),
                       labels_.words.size() > kShownWords ? ", …" : "");
  }

  const LabelWords& labels_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Module> bind_labels(Context& context, const Module& module, const LabelWords& labels,
                                  Diagnostics& diagnostics) {
  std::size_t errors_before = diagnostics.error_count();
  Module bound = Binder(context, labels, diagnostics).run(module);
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return bound;
}

}  // namespace matcha::ir
