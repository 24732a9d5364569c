#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/graph/inputs.h"

namespace matcha::runtime::fuzz {

/// Bytes as a file of this process, gone with the object.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const;

 private:
  int descriptor_;
};

/// Small chunks, one thread, 64 MiB: the loader refuses a short input that needs more, or this test fails.
IoOptions fuzz_options();

/// Ends the process if the arrays of a graph could lead generated code out of bounds.
void check_graph(const Graph& graph);

/// Loads the bytes in a format, in every direction, and checks the graph. A small undirected graph has its edges at
/// both ends, and engines count in it.
void load_as(std::string_view bytes, Format format);

}  // namespace matcha::runtime::fuzz
