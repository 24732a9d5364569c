#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engines/search/matcher.h"
#include "engines/search/query.h"
#include "engines/search/stops.h"
#include "runtime/result.h"

namespace matcha::runtime::match {
class DeviceMatcher;
class MatchIndex;
}  // namespace matcha::runtime::match

namespace matcha::codegen {

/// Patterns on one graph that a device matches together: what none has asked for yet is matched with the first one that
/// is asked for. Threads may share it.
class MatchBatch {
 public:
  using Outcome = runtime::match::MatchOutcome;
  /// Gives the device with the graph.
  using Open = std::function<runtime::Result<std::shared_ptr<runtime::match::DeviceMatcher>>()>;

  explicit MatchBatch(Open open) : open_(std::move(open)) {}

  /// Takes a pattern, which has no `DeviceBatch::problem_of`; its number. `most`: matches that are enough.
  std::size_t add(const runtime::match::Query& query, std::optional<std::uint64_t> most);
  /// What a pattern has. Errors: as DeviceMatcher::run, and where there is no device.
  runtime::Result<Outcome> take(std::size_t number, std::optional<std::uint64_t> most,
                                runtime::match::MatchIndex& index, const runtime::match::Stops& stops);
  /// `GPU 0 (NVIDIA H200)`; empty before the first answer.
  const std::string& label() const { return label_; }

 private:
  struct Pattern {
    runtime::match::Query query;
    std::optional<std::uint64_t> most;
    bool was_asked = false;
    std::optional<Outcome> maybe_outcome;
  };

  std::mutex mutex_;
  Open open_;
  std::shared_ptr<runtime::match::DeviceMatcher> matcher_;
  std::string label_;
  std::vector<std::unique_ptr<Pattern>> patterns_;
};

}  // namespace matcha::codegen
