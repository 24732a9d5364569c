#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace matcha::campaign {

/// An int (of up to 128 bits), a bool as 0 or 1, a vertex as its id, or a float.
struct Cell {
  bool is_float = false;
  __int128 integer = 0;
  double real = 0;

  static Cell of(__int128 value) { return {false, value, 0}; }
  static Cell of_float(double value) { return {true, 0, value}; }
  /// Floats are equal when they have the same bits or both are no number.
  friend bool operator==(const Cell& a, const Cell& b);
  friend bool operator<(const Cell& a, const Cell& b);
};
using Row = std::vector<Cell>;

struct Value {
  bool is_list = false;
  Cell cell;
  std::vector<Row> rows;

  friend bool operator==(const Value& a, const Value& b) = default;
};

/// The outcome of a run, in a form shared by all ways to run and all brute forces.
struct Answer {
  std::vector<Value> values;
  std::string trap;     ///< The message of the failure that ended the run; empty: it has values.
  std::string problem;  ///< The reason why there is neither; empty: there is one.

  bool failed() const { return !trap.empty() || !problem.empty(); }
  std::string text() const;
};

}  // namespace matcha::campaign
