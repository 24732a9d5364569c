#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "planner/samples.h"
#include "runtime/sample/sampler.h"

namespace matcha::session {

/// Draws matches of patterns for the planner (runtime/sample/sampler.h). Same answers each time.
class MatchSampler final : public pattern::GraphSampler {
 public:
  /// `codes` has the labels by their literals. `by_degree`: the program will have ids by degree, the largest first.
  MatchSampler(std::shared_ptr<const runtime::sample::Sampler> sampler, std::map<std::string, std::int64_t> codes,
               bool by_degree)
      : sampler_(std::move(sampler)), codes_(std::move(codes)), by_degree_(by_degree) {}

  pattern::MatchSample draw(const pattern::Pattern& pattern) const override;
  pattern::Members members(const std::vector<std::uint32_t>& in, const std::vector<std::uint32_t>& off) const override;
  std::uint64_t rank(std::uint32_t v) const override;

 private:
  const std::shared_ptr<const runtime::sample::Sampler> sampler_;
  const std::map<std::string, std::int64_t> codes_;
  const bool by_degree_;
};

}  // namespace matcha::session
