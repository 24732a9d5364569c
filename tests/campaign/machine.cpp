#include "tests/campaign/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace matcha::campaign {

std::string Way::text() const {
  return fmt::format("{}{} threads{}", tier ? fmt::format("--simd {} ", runtime::tier_name(*tier)) : "", threads,
                     stream ? ", streamed" : "");
}

bool is_limit(const std::string& errors) {
  static const char* const kLimits[] = {"[unbounded-list]",
                                        "[stored-nest]",
                                        "[too-complex]",
                                        "[pattern-plan]",
                                        "the results may depend on the order of the vertices",
                                        "cannot rank vertices by degree"};
  return std::ranges::any_of(kLimits, [&](const char* limit) { return errors.find(limit) != std::string::npos; });
}

}  // namespace matcha::campaign
