#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "runtime/cpu/region.h"

/// A function as a sequence of operations over registers, each with a pointer to its C++ function.
namespace matcha::codegen::plan {

/// A register: bool (0 or 1), vid, i64, the bits of an f64 or an address. An i128 has two, the low one first; a list
/// its size, then the address of each column.
using Word = std::uint64_t;
using Reg = std::uint32_t;

struct Op;
/// Executes an operation; returns the next one, or null at the end of the function.
using Action = const Op* (*)(const Op* op, Word* r);

/// A place in the program, for traps.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  const char* file = nullptr;
};

struct Op {
  Action action = nullptr;
  const Op* target = nullptr;  ///< Destination of a jump.
  Reg to = 0, a = 0, b = 0, c = 0, d = 0;
  std::uint32_t n = 0;
  Word value = 0;  ///< A constant, or the address of a table of the function.
  const Place* place = nullptr;
};

/// Registers that every function has.
enum FixedReg : Reg {
  kContext,  ///< `RegionContext*`
  kWorker,   ///< `Worker*`; null in a step function.
  kBegin,    ///< Outer positions [begin, end),
  kEnd,
  kFirst,  ///< Items [first, last) of the second level, as in RegionWalk of the LLVM back end.
  kLast,
  kFrame,
  kSets,  ///< `const SetKernels*`
  kArea,  ///< Memory of the function, not set at the start.
  kFirstReg,
};

constexpr Word kAllItems = ~Word{0};

/// The memory layout of an element. Edge information has words of 8 bytes for every type. Items of `Self` are their own
/// positions and need no memory.
enum class Cell : std::uint8_t { Vid, Int, Float, Bool, WordVid, WordBool, Self };

/// Any number of operand registers of an operation, with the cells of their values.
struct Table {
  std::vector<Reg> regs;
  std::vector<Cell> cells;
};

/// A bit set: positions that are in all `words`, at least `above` + 1, below all of `below`, and not in `minus`.
struct BitTable {
  std::vector<Reg> words;   ///< Addresses,
  std::vector<Reg> limits;  ///< Number of words at each address.
  std::vector<Reg> below;
  std::vector<Reg> above;
  std::vector<BitTable> minus;
};

/// An operation on two lists that has no kernel: the items of the first that are, or are not, in the second.
struct FilterForm {
  Cell a, b, out;
  bool common, ascending;
};

/// A loop over a bit set that sums the numbers of positions that each of their rows shares with another set.
struct CommonForm {
  BitTable set;
  Reg words = 0, limit = 0;  ///< The other set.
  Reg rows = 0, stride = 0;
  bool lower = false;  ///< A row only has words of positions below its own.
  int slot = -1;       ///< Slot of the worker; -1: the sum is in the register `to`.
};

/// A function ready to run. Operations point into the tables.
struct Function {
  std::vector<Op> ops;
  std::vector<Word> registers;  ///< Their initial values.
  std::uint64_t area_bytes = 0;
  std::deque<Place> places;
  std::deque<Table> tables;
  std::deque<FilterForm> forms;
  std::deque<CommonForm> common_forms;
  std::deque<BitTable> bit_tables;

  std::uint64_t bytes() const { return registers.size() * sizeof(Word) + area_bytes + 64; }
  /// Runs it with memory of `bytes()` bytes, aligned to 64.
  void run(runtime::RegionContext& context, runtime::Worker* maybe_worker, const Word (&range)[4], void* memory) const;
};

}  // namespace matcha::codegen::plan
