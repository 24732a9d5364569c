#include "session/loop_estimates.h"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "ir/match.h"

namespace matcha::session {

namespace {

using Path = std::vector<std::string>;

/// Names to expected matches; those that are expected to be several are not there.
using Expectations = std::map<Path, double>;

void expect(const Path& path, double matches, Expectations& all, std::set<Path>& unclear) {
  constexpr double kSame = 1e-9;
  const auto [found, fresh] = all.try_emplace(path, matches);
  if (!fresh && std::abs(found->second - matches) > kSame * std::abs(matches)) unclear.insert(path);
}

class Estimates {
 public:
  explicit Estimates(const std::vector<pattern::MatchingPlan>& plans) {
    std::set<Path> unclear, unclear_counts;
    for (const pattern::MatchingPlan& plan : plans) {
      semi_joins_ = semi_joins_ || plan.algorithm == pattern::Algorithm::Join;
      for (const pattern::ExpectedLoop& loop : plan.loops) {
        expect(loop.vertices, loop.matches, loops_, unclear);
        if (!loop.complete) continue;
        const Path around(loop.vertices.begin(), loop.vertices.end() - 1);
        expect(around, loop.matches, counts_, unclear_counts);
      }
    }
    for (const Path& path : unclear) loops_.erase(path);
    for (const Path& path : unclear_counts) counts_.erase(path);
  }

  void walk(std::vector<Step>& steps) {
    for (Step& step : steps) {
      const ir::For* loop = step.kind == StepKind::Loop ? ir::as<ir::For>(step.stmt) : nullptr;
      if (loop != nullptr) path_.push_back(loop->vars.size() == 1 ? std::string(loop->vars[0]->hint) : std::string{});
      if (loop != nullptr) enter(loops_, step);
      if (step.kind == StepKind::Give && !path_.empty()) enter(counts_, step);
      walk(step.steps);
      if (loop != nullptr) path_.pop_back();
    }
  }

 private:
  void enter(const Expectations& all, Step& step) {
    const auto found = all.find(path_);
    if (found == all.end()) return;
    step.expected = found->second;
    const Path around(path_.begin(), path_.end() - (step.kind == StepKind::Loop ? 1 : 0));
    const auto times = loops_.find(around);
    if (around.empty()) step.expected_times = 1;
    if (times != loops_.end()) step.expected_times = times->second;
    if (!semi_joins_) return;
    // Semi-joins have loops over the same vertices as the matching after them.
    Step*& last = last_[{step.kind, path_}];
    if (last != nullptr) last->expected.reset();
    last = &step;
  }

  Expectations loops_, counts_;
  bool semi_joins_ = false;
  std::map<std::pair<StepKind, Path>, Step*> last_;
  Path path_;
};

}  // namespace

void add_estimates(const std::vector<pattern::MatchingPlan>& plans, std::vector<Step>& steps) {
  Estimates(plans).walk(steps);
}

}  // namespace matcha::session
