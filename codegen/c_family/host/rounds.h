// Texts of traps, and the comparison of the values of two rounds.
#pragma once

#include <cstring>

#include "runtime/common/lists.h"

namespace matcha_program {

inline const char* trap_text(u32 code) {
  static const char* const texts[] = {"",
                                      "division by zero",
                                      "integer overflow",
                                      "no such item or key",
                                      "`apply` over lists of different lengths",
                                      "`min` or `max` of an empty list",
                                      "a list outgrew its planned capacity",
                                      "no such vertex",
                                      "out of memory",
                                      "vertex has no label",
                                      "no fixed point: the last round still changes the value"};
  return code < sizeof texts / sizeof *texts ? texts[code] : "unknown error";
}

template <typename T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <typename T>
bool same_bits(const List<T>& a, const List<T>& b) {
  return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size * sizeof(T)) == 0);
}
template <typename T, typename Next, typename... Rest>
bool same_bits(const List<T, Next, Rest...>& a, const List<T, Next, Rest...>& b) {
  const bool first = a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size * sizeof(T)) == 0);
  return first && same_bits(a.rest, b.rest);
}

}  // namespace matcha_program
