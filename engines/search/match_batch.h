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

/// Patterns on one graph that a device matches together: the first request matches all patterns that were not requested
/// before. Thread-safe.
class MatchBatch {
 public:
  using Outcome = runtime::match::MatchOutcome;
  /// Opens the device with the graph.
  using Open = std::function<runtime::Result<std::shared_ptr<runtime::match::DeviceMatcher>>()>;

  explicit MatchBatch(Open open) : open_(std::move(open)) {}

  /// Adds a pattern, for which `DeviceBatch::problem_of` is empty; returns its number. `most`: matches wanted.
  std::size_t add(const runtime::match::Query& query, std::optional<std::uint64_t> most);
  /// The outcome of a pattern. Errors: as DeviceMatcher::run, and if there is no device.
  runtime::Result<Outcome> take(std::size_t number, std::optional<std::uint64_t> most,
                                runtime::match::MatchIndex& index, const runtime::match::Stops& stops);
  /// `GPU 0 (NVIDIA H200)`; empty before the first result.
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
