#include "session/program_nests.h"

#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "ir/bind_labels.h"
#include "question/read.h"
#include "session/assumptions.h"

namespace matcha::session {

namespace {

/// How the nests begin and end a word (ir/analysis/nests.cpp); numbers have no quotes.
constexpr char kQuote = '\'';

}  // namespace

ProgramNests::ProgramNests(CompileOptions options, std::string text, ir::AssumptionKinds allowed)
    : options_(std::move(options)), text_(std::move(text)), allowed_(allowed) {
  if (options_.file.empty()) options_.file = "<program>";
}

ir::AssumptionKinds ProgramNests::of_stream(bool directed) {
  ir::AssumptionKinds allowed = allowed_assumptions(false, nullptr);
  if (directed) allowed.erase(ir::AssumptionKind::Symmetric);
  return allowed;
}

const ir::Module* ProgramNests::maybe_module() {
  if (!std::exchange(is_read_, true)) compile();
  return module_ ? &*module_ : nullptr;
}

void ProgramNests::compile() {
  if (maybe_lowered_ == nullptr) {
    own_.emplace(options_, log_);
    if (own_->lower_text(text_) != Status::Ok) return;
    maybe_lowered_ = &*own_;
  }
  passes::LabelWords labels;
  labels.stay = true;
  module_ = maybe_lowered_->nests(labels, allowed_);
  for (const std::string_view word : ir::label_words(maybe_lowered_->loop())) words_.emplace_back(word);
}

std::optional<std::string> ProgramNests::literal_of(const std::string& constant) const {
  if (constant.starts_with(kQuote))
    return pattern::label_literal(std::string_view(constant).substr(1, constant.size() - 2));
  std::int64_t number = 0;
  const char* const end = constant.data() + constant.size();
  const std::from_chars_result read = std::from_chars(constant.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? pattern::label_literal(constant) : std::nullopt;
}

}  // namespace matcha::session
