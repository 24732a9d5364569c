#include "passes/bind_labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

constexpr std::size_t kMaxListed = 10;

class Binder final : public Rewriter {
 public:
  Binder(PassContext& context, std::map<std::string, std::int64_t, std::less<>> codes)
      : Rewriter(context.context), codes_(std::move(codes)) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    const LabelName* name = as<LabelName>(e);
    return name == nullptr ? e : builder().integer(codes_.find(name->word)->second);
  }

 private:
  std::map<std::string, std::int64_t, std::less<>> codes_;
};

void report(const std::string& word, SourceLoc loc, PassContext& context) {
  const std::vector<std::string>& words = context.labels.words;
  std::string near = nearest_word(word, words);
  std::string hint = fmt::format("did you mean `{}`?", near);
  if (near.empty() && words.empty()) {
    hint = "its labels are numbers";
  } else if (near.empty()) {
    std::vector<std::string> first(words.begin(),
                                   words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), kMaxListed)));
    hint = fmt::format("it has {}{}", fmt::join(first, ", "), words.size() > kMaxListed ? ", …" : "");
  }
  context.diagnostics.error(DiagId::UnknownLabel, loc, fmt::format("the graph has no label `{}`", word), hint);
}

}  // namespace

Module bind_labels(const Module& module, PassContext& context) {
  std::map<std::string, SourceLoc, std::less<>> words;
  for_each_stmt(*module.body, [&](const Stmt& stmt) {
    for_each_expr(stmt, [&](const Expr& expr) {
      for_each_node(expr, [&](const Expr& node) {
        if (const LabelName* name = as<LabelName>(&node)) words.emplace(name->word, name->loc);
      });
    });
  });
  if (words.empty()) return module;
  std::map<std::string, std::int64_t, std::less<>> codes;
  bool complete = true;
  for (const auto& [word, loc] : words) {
    std::int64_t next = -1 - static_cast<std::int64_t>(codes.size());
    std::optional<std::int64_t> code = context.labels.code ? context.labels.code(word) : std::optional(next);
    if (!code) report(word, loc, context);
    complete = complete && code.has_value();
    codes[word] = code.value_or(0);
  }
  context.count("words", static_cast<std::int64_t>(words.size()));
  return complete ? Binder(context, std::move(codes)).run(module) : module;
}

}  // namespace matcha::passes
