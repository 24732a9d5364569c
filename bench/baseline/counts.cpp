#include "bench/baseline/counts.h"

#include <algorithm>

namespace matcha::bench {
namespace {

/// The branchy merge of std::set_intersection, counting.
std::uint64_t common_count(const std::uint32_t* a, const std::uint32_t* a_end, const std::uint32_t* b,
                           const std::uint32_t* b_end) {
  std::uint64_t found = 0;
  while (a != a_end && b != b_end) {
    if (*a < *b) {
      ++a;
    } else if (*b < *a) {
      ++b;
    } else {
      ++found;
      ++a;
      ++b;
    }
  }
  return found;
}

/// The same, storing.
std::uint64_t common(const std::uint32_t* a, const std::uint32_t* a_end, const std::uint32_t* b,
                     const std::uint32_t* b_end, std::uint32_t* out) {
  std::uint64_t found = 0;
  while (a != a_end && b != b_end) {
    if (*a < *b) {
      ++a;
    } else if (*b < *a) {
      ++b;
    } else {
      out[found++] = *a;
      ++a;
      ++b;
    }
  }
  return found;
}

}  // namespace

Csr::Csr(const runtime::GraphView& view)
    : vertices(view.universe),
      offsets(view.offsets),
      neighbors(view.neighbors),
      max_degree(view.max_degree),
      below(view.universe) {
  for (std::uint64_t v = 0; v < vertices; ++v) {
    below[v] = static_cast<std::uint64_t>(std::lower_bound(list(v), list(v) + degree(v), v) - list(v));
  }
}

std::uint64_t triangles(const Csr& graph) {
  std::uint64_t total = 0;
  for (std::uint64_t u = 0; u < graph.vertices; ++u) {
    const std::uint32_t* a = graph.list(u);
    for (std::uint64_t i = 0; i < graph.below[u]; ++i) {
      std::uint32_t v = a[i];
      const std::uint32_t* b = graph.list(v);
      total += common_count(a, a + i, b, b + graph.below[v]);
    }
  }
  return total;
}

std::uint64_t four_cliques(const Csr& graph) {
  std::uint64_t total = 0;
  std::vector<std::uint32_t> both(graph.max_degree);
  for (std::uint64_t u = 0; u < graph.vertices; ++u) {
    const std::uint32_t* a = graph.list(u);
    for (std::uint64_t i = 0; i < graph.below[u]; ++i) {
      std::uint32_t v = a[i];
      const std::uint32_t* b = graph.list(v);
      std::uint64_t count = common(a, a + i, b, b + graph.below[v], both.data());
      for (std::uint64_t k = 0; k < count; ++k) {
        std::uint32_t w = both[k];
        const std::uint32_t* c = graph.list(w);
        total += common_count(both.data(), both.data() + k, c, c + graph.below[w]);
      }
    }
  }
  return total;
}

std::uint64_t oriented_four_cliques(const Csr& graph) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> later;
  offsets.reserve(graph.vertices + 1);
  std::uint64_t longest = 0;
  for (std::uint64_t u = 0; u < graph.vertices; ++u) {
    for (std::uint64_t i = 0; i < graph.degree(u); ++i) {
      std::uint32_t v = graph.list(u)[i];
      if (graph.degree(u) < graph.degree(v) || (graph.degree(u) == graph.degree(v) && u < v)) later.push_back(v);
    }
    longest = std::max(longest, later.size() - offsets.back());
    offsets.push_back(later.size());
  }
  std::uint64_t total = 0;
  std::vector<std::uint32_t> third(longest);
  const auto begin = [&](std::uint64_t v) { return later.data() + offsets[v]; };
  for (std::uint64_t u = 0; u < graph.vertices; ++u) {
    for (const std::uint32_t* v = begin(u); v != begin(u + 1); ++v) {
      std::uint64_t count = common(begin(u), begin(u + 1), begin(*v), begin(*v + 1), third.data());
      for (std::uint64_t k = 0; k < count; ++k) {
        total += common_count(third.data(), third.data() + count, begin(third[k]), begin(third[k] + 1));
      }
    }
  }
  return total;
}

std::uint64_t diamonds(const Csr& graph) {
  std::uint64_t total = 0;
  for (std::uint64_t u = 0; u < graph.vertices; ++u) {
    const std::uint32_t* a = graph.list(u);
    for (std::uint64_t i = 0; i < graph.below[u]; ++i) {
      std::uint32_t v = a[i];
      const std::uint32_t* b = graph.list(v);
      std::uint64_t count = common_count(a, a + graph.degree(u), b, b + graph.degree(v));
      total += count * (count - 1) / 2;
    }
  }
  return total;
}

}  // namespace matcha::bench
