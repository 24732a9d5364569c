#include "question/label_model.h"

#include <algorithm>

namespace matcha::pattern {

bool LabelModel::fits(const Pattern& pattern) {
  if (!pattern.directed || !pattern.edge_labelled()) return false;
  const auto several = [](const std::string& label) { return alternatives(label).size() > 1; };
  if (pattern.counts_edges() || std::ranges::any_of(pattern.labels, several)) return false;
  for (int u = 0; u < pattern.size(); ++u) {
    bool all = true;
    for_each(pattern.out[at(u)], [&](int v) { all = all && !pattern.labels_of(u, v).empty(); });
    if (!all) return false;
  }
  return true;
}

double LabelModel::matches(Mask part, double vertices) const {
  const auto [found, fresh] = matches_.try_emplace(part, 0);
  if (fresh) found->second = matches(part, 0, -1, vertices);
  return found->second;
}

double LabelModel::matches(Mask part, Mask wanted, int extra, double vertices) const {
  std::map<int, std::vector<LabelledEnd>> ends;
  for_each(part, [&](int v) { ends[v]; });
  if (extra >= 0) ends[extra];
  double product = 1;
  for (const auto& [arc, labels] : pattern_.edge_labels) {
    const auto is_there = [&](int v, int other) { return has(part, v) || (v == extra && has(wanted, other)); };
    if (!is_there(arc.first, arc.second) || !is_there(arc.second, arc.first)) continue;
    for (const std::string& label : labels) {
      ends[arc.first].push_back({label, false});
      ends[arc.second].push_back({label, true});
      product /= std::max(facts_.arcs(label), 1e-3);
    }
  }
  for (auto& [v, list] : ends) {
    if (list.empty()) {
      product *= vertices;
      continue;
    }
    std::sort(list.begin(), list.end());
    const auto [found, fresh] = products_.try_emplace({pattern_.label(v), list}, 0);
    if (fresh) found->second = facts_.products(list, pattern_.label(v));
    product *= std::max(found->second, 1e-3);
  }
  return product;
}

double LabelModel::candidates(Mask bound, Mask wanted, int v, double vertices) const {
  return matches(bound, wanted, v, vertices) / std::max(matches(bound, vertices), 1e-9);
}

}  // namespace matcha::pattern
