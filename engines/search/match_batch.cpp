#include "engines/search/match_batch.h"

#include <utility>

#include "engines/search/device_batch.h"
#include "engines/search/device_matcher.h"

namespace matcha::codegen {

using runtime::match::DeviceBatch;

std::size_t MatchBatch::add(const runtime::match::Query& query, std::optional<std::uint64_t> most) {
  const std::lock_guard<std::mutex> lock(mutex_);
  patterns_.push_back(std::make_unique<Pattern>(Pattern{query, most, false, {}}));
  return patterns_.size() - 1;
}

runtime::Result<MatchBatch::Outcome> MatchBatch::take(std::size_t number, std::optional<std::uint64_t> most,
                                                      runtime::match::MatchIndex& index,
                                                      const runtime::match::Stops& stops) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (matcher_ == nullptr) {
    matcher_ = MATCHA_TRY(open_());
    label_ = matcher_->device().label();
  }
  Pattern& wanted = *patterns_[number];
  if (wanted.most != most) wanted.maybe_outcome.reset();
  wanted.most = most;
  if (!wanted.maybe_outcome) {
    std::vector<Pattern*> together;
    std::vector<DeviceBatch::Pattern> patterns;
    for (const std::unique_ptr<Pattern>& pattern : patterns_) {
      if (pattern.get() != &wanted && pattern->was_asked) continue;
      together.push_back(pattern.get());
      patterns.push_back({&pattern->query, pattern->most});
    }
    std::vector<Outcome> outcomes = MATCHA_TRY(matcher_->run(index, patterns, stops));
    for (std::size_t i = 0; i < together.size(); ++i) {
      together[i]->was_asked = true;
      together[i]->maybe_outcome = outcomes[i];
    }
  }
  // The next run matches again.
  return *std::exchange(wanted.maybe_outcome, std::nullopt);
}

}  // namespace matcha::codegen
