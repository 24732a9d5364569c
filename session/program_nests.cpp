#include "session/program_nests.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "question/read.h"
#include "session/assumptions.h"

namespace matcha::session {

namespace {

/// The code of the first word; codes that no label has distinguish words from numbers.
constexpr std::int64_t kFirstWord = -(std::int64_t{1} << 60);

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
  if (!compilation_) compile();
  return module_ ? &*module_ : nullptr;
}

void ProgramNests::compile() {
  compilation_.emplace(options_, log_);
  if (compilation_->lower_text(text_) != Status::Ok) return;
  passes::LabelWords labels;
  labels.code = [this](std::string_view word) -> std::optional<std::int64_t> {
    const auto known = std::ranges::find(words_, word);
    const std::int64_t number = known - words_.begin();
    if (known == words_.end()) words_.emplace_back(word);
    return kFirstWord - number;
  };
  compilation_->allow(allowed_);
  module_ = compilation_->nests(labels);
}

std::optional<std::string> ProgramNests::literal_of(const std::string& constant) const {
  std::int64_t number = 0;
  const char* const end = constant.data() + constant.size();
  if (const auto read = std::from_chars(constant.data(), end, number); read.ec != std::errc() || read.ptr != end) {
    return std::nullopt;
  }
  if (number > kFirstWord) return constant;
  return pattern::label_literal(words_[static_cast<std::size_t>(kFirstWord - number)]);
}

}  // namespace matcha::session
