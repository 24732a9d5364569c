#pragma once

#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <vector>

#include "codegen/cpu/code_maker.h"
#include "codegen/cpu/layout.h"
#include "ir/nodes.h"
#include "runtime/cpu/region.h"

/// Descriptions of lists, sinks and regions used while a function is emitted.
namespace matcha::codegen::jit {

/// The memory layout of an element. Edge information has words of 8 bytes for every type.
enum class Cell { Vid, Int, Float, Bool, WordVid, WordBool };

/// True for operators of one or two instructions.
bool is_cheap_operator(ir::Kind kind);
using cpu::holds_for;
using cpu::RegionShape;

/// One column of a list. In registers a vid is an i64, a bool an i1.
struct Column {
  llvm::Value* data = nullptr;
  Cell cell = Cell::Vid;
  bool constant = false;            ///< Constant while the function runs.
  llvm::Value* identity = nullptr;  ///< i1, may be null: if true, item i is i and `data` is not read.
};

/// Offsets of the arcs of a vertex.
struct Arcs {
  llvm::Value* begin;
  llvm::Value* end;
};

/// A list in memory: slices are other pointers into it.
struct List {
  llvm::Value* size = nullptr;
  std::vector<Column> columns;
  llvm::Value* capacity = nullptr;  ///< For a buffer: its capacity in items.
};

/// A sink while its collect is open.
struct OpenSink {
  const ir::Sink* sink = nullptr;
  int region_index = -1;                ///< Its index if it is a sink of the region itself, else -1.
  bool map = false;                     ///< One row for each outer position.
  int counts = -1;                      ///< Rows of a graph: the sink with the number of neighbours at each position,
                                        ///< else -1.
  llvm::AllocaInst* value = nullptr;    ///< The accumulator, or the number of items of a list.
  llvm::AllocaInst* whole = nullptr;    ///< A sum of ints of the region: its full accumulator, beside the parts carried
                                        ///< by loops.
  llvm::AllocaInst* flag = nullptr;     ///< Min and max: there is a value.
  llvm::BasicBlock* decided = nullptr;  ///< Any and all: the block to jump to once the result is known; null: the loops
                                        ///< go on.
  llvm::Value* exact = nullptr;         ///< Sums of floats: the ExactSum.
  List items;                           ///< Lists in a buffer: the columns.
};

/// Walks the outer positions [begin, end), and of the second-level loop the items [first, last). If `last` is kAllItems
/// it works as RegionBody, else as RegionInner.
using RegionWalk = void (*)(runtime::RegionContext*, runtime::Worker*, std::uint64_t begin, std::uint64_t end,
                            std::uint64_t first, std::uint64_t last);
constexpr std::uint64_t kAllItems = ~std::uint64_t{0};

}  // namespace matcha::codegen::jit
