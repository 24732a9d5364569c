// Checks that each edge of an undirected graph is stored at both of its ends.
#pragma once

#include <algorithm>
#include <random>

#include "codegen/c_family/host/kernels.h"

namespace matcha_program {

/// Sums of a hash over the edges of an undirected graph: one from their lower ends, one from their upper ends. They are
/// equal if each edge is stored at both ends. The key is random, so a file cannot be crafted to have equal sums.
class EndSums {
 public:
  EndSums() {
    std::random_device device;
    for (u64& part : key_) part = u64(device()) << 32 | device();
  }
  void add(u32 vertex, u32 neighbor, u64 info) {
    using Wide = unsigned __int128;
    Wide once = Wide((u64(std::min(vertex, neighbor)) << 32 | std::max(vertex, neighbor)) ^ key_[0]) * (info ^ key_[1]);
    Wide twice = Wide(u64(once) ^ key_[2]) * (u64(once >> 64) ^ key_[3]);
    u64 term = vertex == neighbor ? 0 : u64(twice) ^ u64(twice >> 64);
    difference_ += vertex < neighbor ? term : 0 - term;
  }
  bool are_equal() const { return difference_ == 0; }

 private:
  u64 key_[4];
  u64 difference_ = 0;
};

}  // namespace matcha_program
