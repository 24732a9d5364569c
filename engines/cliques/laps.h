#pragma once

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/search/stops.h"

namespace matcha::runtime::cliques {

/// Milliseconds of the parts of a run, in the order in which they begin first.
class Laps {
 public:
  using Times = std::vector<std::pair<std::string_view, double>>;

  /// Keeps `times`.
  explicit Laps(Times& times) : times_(times) {}

  /// Adds the time since the end of the part before.
  void end(std::string_view part) {
    auto at = std::ranges::find(times_, part, &Times::value_type::first);
    if (at == times_.end()) at = times_.emplace(at, part, 0);
    at->second += match::ms_since(begin_);
    begin_ = std::chrono::steady_clock::now();
  }

 private:
  Times& times_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace matcha::runtime::cliques
