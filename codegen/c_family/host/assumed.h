// Assumptions of a program that was compiled ahead of time about its graph.
#pragma once

#include "runtime/common/worker.h"

namespace matcha_program {

/// An assumption and its wording for messages.
struct Assumed {
  enum Kind { Arcs, Symmetric, LoopFree, Simple, Labelled, Degree, LowerDegree, UpperDegree } kind;
  u64 limit;  ///< The largest degree.
  const char* property;
  const char* meaning;
};

/// True for a graph that is as assumed; `flags` are those of its file.
inline bool is_as_assumed(const Graph& g, u64 flags, const Assumed& assumed) {
  if (assumed.kind == Assumed::Arcs) return (flags & 1) != 0;
  if (assumed.kind == Assumed::Symmetric) return (flags & 1) == 0;
  if (assumed.kind == Assumed::Simple) return (flags & 2) != 0;
  bool loop_free = true;
  bool labelled = g.labels != nullptr;
  u64 degree = 0;
  for (u64 v = 0; v < g.universe; ++v) {
    u64 begin = g.halves[2 * v], split = g.halves[2 * v + 1], end = g.halves[2 * v + 2];
    loop_free = loop_free && (split == end || g.arcs[split] != v);
    labelled = labelled && g.labels[v] != kNoLabel;
    u64 own = assumed.kind == Assumed::LowerDegree   ? split - begin
              : assumed.kind == Assumed::UpperDegree ? end - split
                                                     : end - begin;
    degree = own > degree ? own : degree;
  }
  if (assumed.kind == Assumed::LoopFree) return loop_free;
  if (assumed.kind == Assumed::Labelled) return labelled;
  return degree <= assumed.limit;
}

}  // namespace matcha_program
