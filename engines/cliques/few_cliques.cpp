#include "engines/cliques/few_cliques.h"

#include <bit>
#include <vector>

namespace matcha::runtime::cliques {

const std::uint64_t* cliques_of_few() {
  static const std::vector<std::uint64_t> table = [] {
    constexpr std::uint32_t kPairs = first_pair(kMostOfTable);
    // Without edges, six cliques of one vertex. A graph whose last vertex with edges is j has those without j, and j
    // with each clique of its neighbours.
    std::vector<std::uint64_t> found(std::uint64_t{1} << kPairs, kMostOfTable);
    for (std::uint64_t key = 1; key < found.size(); ++key) {
      std::uint32_t last = kMostOfTable - 1;
      while (key >> first_pair(last) == 0) --last;
      const std::uint64_t near = key >> first_pair(last);
      const std::uint64_t rest = key & ((std::uint64_t{1} << first_pair(last)) - 1);
      const auto others = static_cast<std::uint64_t>(std::popcount(near));
      found[key] = found[rest] + ((found[rest & pairs_within(near)] - (kMostOfTable - others)) << 8);
    }
    return found;
  }();
  return table.data();
}

}  // namespace matcha::runtime::cliques
