#pragma once

namespace matcha {

/// A size or number of cases: `plain`, or `sanitized` under sanitizers, where each case takes ten times as long.
template <typename T>
constexpr T unless_sanitized([[maybe_unused]] T plain, [[maybe_unused]] T sanitized) {
#ifdef MATCHA_TEST_SANITIZED
  return sanitized;
#else
  return plain;
#endif
}

}  // namespace matcha
