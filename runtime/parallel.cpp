#include "runtime/parallel.h"

#include <tbb/parallel_for.h>

namespace matcha::runtime {

void for_blocks(const Block& all, const Visitor<const Block&>& visit) {
  tbb::parallel_for(all, [&visit](const Block& block) { visit(block); });
}

void for_indices(std::uint64_t begin, std::uint64_t end, const Visitor<std::uint64_t>& visit) {
  tbb::parallel_for(begin, end, [&visit](std::uint64_t index) { visit(index); });
}

}  // namespace matcha::runtime
