#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cpu/region.h"
#include "tests/differential/tree.h"
#include "tests/differential/world.h"

/// The meaning of a tree by direct evaluation on sets of arcs. Shares no code with the compiler.
namespace matcha::differential {

struct NaiveValue;
using Items = std::shared_ptr<const std::vector<NaiveValue>>;

struct NaiveGraph {
  std::vector<std::int64_t> vertices;
  /// Neighbours by id, then by order of the edges, each with the index of its edge.
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::size_t>>> arcs;
  std::map<std::int64_t, std::int64_t> labels;
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;  ///< By source, then as `arcs`.
  Items info;                                                ///< By number of the edge; null: none.
};

/// A value, or the trap of its evaluation. An unused item of a list has no effect.
struct NaiveValue {
  enum class Kind { Trap, Int, Float, Bool, Tuple, List, Graph };

  Kind kind = Kind::Int;
  __int128 integer = 0;  ///< Int; Bool: 0 or 1.
  double real = 0;
  runtime::TrapCode code = runtime::TrapCode::None;
  Items items;  ///< Tuple, List.
  std::shared_ptr<const NaiveGraph> graph;
};

/// The possible outcomes of a run.
struct Expectation {
  NaiveValue value;  ///< The demanded value, or the trap of its first part that traps.
  std::set<runtime::TrapCode>
      all_traps;          ///< All traps of the evaluation, demanded or not; a run that computes more may end with them.
  bool too_long = false;  ///< Gave up.
};

Expectation evaluate(const Program& program, const World& world);

/// `5`, `1.5`, `True`, `[1, 2]`, `[(1, 2)]`, `(1, 2)`; a tuple of one is written as that one.
std::string to_text(const NaiveValue& value);
std::string int_text(__int128 value);
std::string real_text(double value);

}  // namespace matcha::differential
