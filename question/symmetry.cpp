#include "question/symmetry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "ir/support/stop_scope.h"

// Last: nauty.h has macros with short names.
#include <nauty/naugroup.h>
#include <nauty/nauty.h>

namespace matcha::pattern {

namespace {

struct NautyResult {
  std::vector<int> orbits;
  std::string canonical;
  std::vector<int> labelling;  ///< Of the canonical form.
  std::vector<std::vector<int>> automorphisms;
};

/// The results wanted from nauty beside orbits.
enum class NautyTask { Orbits, CanonicalForm, Automorphisms };

/// The colour of a pair of vertices: 0 for no edge, 1 for an edge of any label, then one for anti-edges, and one for
/// each set of labels in the pattern.
class Colours {
 public:
  explicit Colours(const Pattern& pattern) : pattern_(pattern), anti_(pattern.has_anti_edges() ? 1 : 0) {
    for (const auto& [arc, labels] : pattern.edge_labels) sets_.emplace(labels, 0);
    int next = 2 + anti_;
    for (auto& [labels, colour] : sets_) colour = next++;
  }

  int of(int u, int v) const {
    if (has(pattern_.anti[static_cast<std::size_t>(u)], v)) return 2;
    if (!has(pattern_.out[static_cast<std::size_t>(u)], v)) return 0;
    const std::vector<std::string>& labels = pattern_.labels_of(u, v);
    return labels.empty() ? 1 : sets_.at(labels);
  }
  /// Binary digits of the largest colour.
  int layers() const { return std::bit_width(static_cast<unsigned>(1 + anti_) + static_cast<unsigned>(sets_.size())); }
  /// The sets of labels, for canonical forms.
  std::string text() const {
    std::string text = anti_ != 0 ? "!" : "";
    for (const auto& [labels, colour] : sets_) text += fmt::format("{};", fmt::join(labels, ","));
    return text;
  }

 private:
  const Pattern& pattern_;
  int anti_;
  std::map<std::vector<std::string>, int> sets_;
};

/// The elements of the last group that nauty found, restricted to the first `n` vertices.
std::vector<std::vector<int>> list_group(int n) {
  struct List {
    int n;
    std::vector<std::vector<int>> found;
  } list{n, {}};
  const auto add = [](int* permutation, int, int*, void* to) {
    List& listed = *static_cast<List*>(to);
    listed.found.emplace_back(permutation, permutation + listed.n);
  };
  grouprec* const group = groupptr(FALSE);
  makecosetreps(group);
  allgroup3(group, add, &list);
  return std::move(list.found);
}

/// Vertices of nauty's graph: vertex v of layer i is i * n + v. A layer has the edges whose colour has that binary
/// digit, and each vertex is joined to its copy in the next layer (nauty's manual, section 14). A digit of arcs has
/// three layers, and arcs lead from the first to the last of them. Given arcs directly, nauty would refine in one
/// direction only and be too slow for patterns of twenty vertices.
NautyResult run_nauty(const Pattern& pattern, Mask fixed, NautyTask wanted) {
  look_for_stop();
  const bool canonical = wanted == NautyTask::CanonicalForm;
  const int n = pattern.size();
  const Colours colours(pattern);
  const int layers_of_digit = pattern.directed ? 3 : 1;
  const int layers = layers_of_digit * std::max(colours.layers(), 1);
  const int total = layers * n;
  const int words = SETWORDSNEEDED(total);
  std::vector<graph> edges(static_cast<std::size_t>(words) * static_cast<std::size_t>(total), 0);
  // Element 0 of nauty is the highest bit.
  const auto join = [&](int u, int v) {
    edges[static_cast<std::size_t>(words) * static_cast<std::size_t>(u) + static_cast<std::size_t>(v) / WORDSIZE] |=
        setword{1} << (WORDSIZE - 1 - v % WORDSIZE);
  };
  for (int u = 0; u < n; ++u) {
    for (int layer = 0; layer < layers; ++layer) {
      const int base = layer * n;
      for_each(pattern.near(u) | pattern.anti[static_cast<std::size_t>(u)], [&](int v) {
        if (layer % layers_of_digit != 0 || (colours.of(u, v) >> (layer / layers_of_digit) & 1) == 0) return;
        const int end = base + (layers_of_digit - 1) * n + v;
        join(base + u, end);
        join(end, base + u);
      });
      if (layer == 0) continue;
      join(base - n + u, base + u);
      join(base + u, base - n + u);
    }
  }
  // Cells of the partition, in an order that does not depend on the numbering of vertices.
  using Colour = std::tuple<int, bool, std::string, int>;
  const auto colour = [&](int x) {
    const int v = x % n;
    std::string own = pattern.label(v);
    if (!pattern.kind(v).empty()) own += fmt::format(":{}", pattern.kind(v));
    if (!pattern.constants[at(v)].empty()) own += "@" + pattern.constants[at(v)];
    if (!pattern.loops[at(v)].empty()) own += fmt::format(" {}", fmt::join(pattern.loops[at(v)], "&"));
    return Colour(x / n, has(fixed, v), std::move(own), has(fixed, v) ? v : 0);
  };
  std::vector<int> lab(static_cast<std::size_t>(total)), ptn(lab.size()), orbits(lab.size());
  std::iota(lab.begin(), lab.end(), 0);
  std::stable_sort(lab.begin(), lab.end(), [&](int x, int y) { return colour(x) < colour(y); });
  for (std::size_t i = 0; i + 1 < lab.size(); ++i) ptn[i] = colour(lab[i]) == colour(lab[i + 1]) ? 1 : 0;
  std::string cells;
  for (std::size_t i = 0; canonical && i < lab.size(); ++i) {
    cells += std::get<2>(colour(lab[i])) + (ptn[i] == 1 ? "," : "|");
  }

  DEFAULTOPTIONS_GRAPH(options);
  options.digraph = FALSE;
  options.defaultptn = FALSE;
  options.getcanon = canonical ? TRUE : FALSE;
  if (wanted == NautyTask::Automorphisms) {
    options.userautomproc = groupautomproc;
    options.userlevelproc = grouplevelproc;
  }
  statsblk stats;
  std::vector<graph> form(edges.size(), 0);
  densenauty(edges.data(), lab.data(), ptn.data(), orbits.data(), &options, &stats, words, total, form.data());
  // nauty keeps its memory with the thread, which may end.
  nauty_freedyn();
  nautil_freedyn();
  naugraph_freedyn();
  NautyResult result;
  result.orbits.assign(orbits.begin(), orbits.begin() + n);
  if (wanted == NautyTask::Automorphisms) result.automorphisms = list_group(n);
  if (!canonical) return result;
  result.canonical = fmt::format("{} {} {}{}", n, pattern.directed ? "d" : "u", colours.text(), cells);
  for (graph word : form) result.canonical += fmt::format(" {:x}", static_cast<unsigned long long>(word));
  // Cells of copies are behind those of the vertices.
  result.labelling.assign(lab.begin(), lab.begin() + n);
  return result;
}

}  // namespace

const std::vector<Mask>& Symmetry::orbits(Mask fixed) {
  const auto found = orbits_.find(fixed);
  if (found != orbits_.end()) return found->second;
  // If no vertex moves with some fixed, none moves with more fixed.
  for (Mask rigid : rigid_) {
    if ((rigid & ~fixed) == 0) return orbits_.at(rigid);
  }
  const NautyResult result = run_nauty(pattern_, fixed, NautyTask::Orbits);
  std::vector<Mask> by_representative(result.orbits.size(), 0), by_vertex(result.orbits.size());
  for (std::size_t v = 0; v < result.orbits.size(); ++v) {
    by_representative[static_cast<std::size_t>(result.orbits[v])] |= bit(static_cast<int>(v));
  }
  for (std::size_t v = 0; v < result.orbits.size(); ++v) {
    by_vertex[v] = by_representative[static_cast<std::size_t>(result.orbits[v])];
  }
  if (std::all_of(by_vertex.begin(), by_vertex.end(), [](Mask orbit) { return count(orbit) == 1; })) {
    rigid_.push_back(fixed);
  }
  return orbits_.emplace(fixed, std::move(by_vertex)).first->second;
}

std::optional<std::uint64_t> Symmetry::order(Mask fixed) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  const std::optional<unsigned __int128> product = product_of_orbits(fixed, kMost);
  return product ? std::optional(static_cast<std::uint64_t>(*product)) : std::nullopt;
}

std::optional<unsigned __int128> Symmetry::wide_order() {
  return product_of_orbits(0, static_cast<unsigned __int128>(1) << 126);
}

std::optional<unsigned __int128> Symmetry::product_of_orbits(Mask fixed, unsigned __int128 most) {
  unsigned __int128 product = 1;
  for (int v = 0; v < pattern_.size(); ++v) {
    if (has(fixed, v)) continue;
    const auto length = static_cast<unsigned>(count(orbits(fixed)[static_cast<std::size_t>(v)]));
    if (length > most / product) return std::nullopt;
    product *= length;
    fixed |= bit(v);
  }
  return product;
}

std::optional<std::vector<std::vector<int>>> Symmetry::automorphisms(std::uint64_t most) {
  const std::optional<std::uint64_t> found = order();
  if (!found || *found > most) return std::nullopt;
  return run_nauty(pattern_, 0, NautyTask::Automorphisms).automorphisms;
}

CanonicalForm canonical_form(const Pattern& pattern) {
  NautyResult result = run_nauty(pattern, 0, NautyTask::CanonicalForm);
  return {std::move(result.canonical), std::move(result.labelling)};
}

std::string canonical_key(const Pattern& pattern) { return canonical_form(pattern).key; }

std::vector<Pattern> connected_patterns(int n) {
  // Every connected graph has a vertex whose removal leaves it connected, so each is one of n-1 vertices plus one.
  std::map<std::pair<int, std::string>, Pattern> level;
  level.emplace(std::pair<int, std::string>(), Pattern::empty(1));
  for (int size = 2; size <= n; ++size) {
    std::map<std::pair<int, std::string>, Pattern> next;
    for (const auto& [key, smaller] : level) {
      for (Mask near = 1; near < bit(size - 1); ++near) {
        Pattern pattern = Pattern::empty(size);
        for (int v = 0; v + 1 < size; ++v) {
          for_each(smaller.near(v), [&](int w) { pattern.add_arc(v, w); });
        }
        for_each(near, [&](int v) { pattern.add_edge(v, size - 1); });
        next.try_emplace({pattern.edge_count(), canonical_key(pattern)}, pattern);
      }
    }
    level = std::move(next);
  }
  std::vector<Pattern> patterns;
  for (auto& [key, pattern] : level) patterns.push_back(std::move(pattern));
  return patterns;
}

std::vector<Pattern> connected_digraphs(int n) {
  std::map<std::pair<int, std::string>, Pattern> all;
  for (const Pattern& undirected : connected_patterns(n)) {
    std::vector<std::pair<int, int>> pairs;
    for (int u = 0; u < n; ++u) {
      for_each(undirected.near(u), [&](int v) {
        if (u < v) pairs.emplace_back(u, v);
      });
    }
    // Each pair has one arc, the other or both: digits of a number in base 3.
    std::size_t count = 1;
    for (std::size_t i = 0; i < pairs.size(); ++i) count *= 3;
    for (std::size_t number = 0; number < count; ++number) {
      Pattern pattern = Pattern::empty(n);
      pattern.directed = true;
      std::size_t rest = number;
      for (const auto& [u, v] : pairs) {
        if (rest % 3 != 1) pattern.add_arc(u, v);
        if (rest % 3 != 0) pattern.add_arc(v, u);
        rest /= 3;
      }
      all.try_emplace({pattern.edge_count(), canonical_key(pattern)}, std::move(pattern));
    }
  }
  std::vector<Pattern> patterns;
  for (auto& [key, pattern] : all) patterns.push_back(std::move(pattern));
  return patterns;
}

}  // namespace matcha::pattern
