#pragma once

#include <span>

namespace matcha::runtime {

/// A function that generated code may call by name.
struct RuntimeSymbol {
  const char* name;
  void* address;
};

/// All `rt_…` functions of region.h and general_sets.h, sorted by name; for a JIT's symbol table.
std::span<const RuntimeSymbol> runtime_symbols();

}  // namespace matcha::runtime
