// What a program that was compiled ahead of time assumes of its graph.
#pragma once

#include "runtime/common/worker.h"

namespace matcha_program {

/// An assumption, and in words for messages.
struct Assumed {
  enum Kind { Symmetric, Simple, Degree, LowerDegree, UpperDegree } kind;
  u64 limit;  ///< Of a degree.
  const char* property;
  const char* meaning;
};

/// True for a graph that is as assumed; `flags` are those of its file.
inline bool is_as_assumed(const Graph& g, u64 flags, const Assumed& assumed) {
  if (assumed.kind == Assumed::Symmetric) return (flags & 1) == 0;
  if (assumed.kind == Assumed::Simple) return (flags & 2) != 0;
  u64 degree = 0;
  for (u64 v = 0; v < g.universe; ++v) {
    u64 begin = g.halves[2 * v], split = g.halves[2 * v + 1], end = g.halves[2 * v + 2];
    u64 own = assumed.kind == Assumed::LowerDegree   ? split - begin
              : assumed.kind == Assumed::UpperDegree ? end - split
                                                     : end - begin;
    degree = own > degree ? own : degree;
  }
  return degree <= assumed.limit;
}

}  // namespace matcha_program
