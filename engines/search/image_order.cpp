#include "engines/search/image_order.h"

namespace matcha::runtime::match {

namespace {

/// True if exchanging `u` and `w` leaves the query unchanged, ignoring restrictions.
bool are_twins(const Query& query, int u, int w) {
  const Mask both = bit(u) | bit(w);
  if (query.labels[at(u)] != query.labels[at(w)]) return false;
  if (((query.near[at(u)] ^ query.near[at(w)]) & ~both) != 0) return false;
  if (((query.anti[at(u)] ^ query.anti[at(w)]) & ~both) != 0) return false;
  if (!query.has_sides()) return true;
  if (query.tie(u, w) != query.tie(w, u)) return false;
  bool same = true;
  for_each((query.near[at(u)] | query.anti[at(u)]) & ~both,
           [&](int x) { same = same && query.tie(u, x) == query.tie(w, x); });
  return same;
}

}  // namespace

std::vector<std::pair<int, int>> restrictions_of_twins(const Query& query) {
  std::vector<std::pair<int, int>> restrictions;
  for (int u = 0; u < query.size; ++u) {
    for (int w = u + 1; w < query.size; ++w) {
      if (are_twins(query, u, w)) restrictions.emplace_back(w, u);
    }
  }
  return restrictions;
}

ImageOrder::ImageOrder(const Query& query) : any_(!query.restrictions.empty()) {
  for (const auto& [larger, smaller] : query.restrictions) {
    above_[at(smaller)] |= bit(larger);
    below_[at(larger)] |= bit(smaller);
  }
  for (int u = 0; u < query.size; ++u) chains_[at(u)] = bit(u);
  Mask left = any_ ? query.all() : 0;
  while (left != 0) {
    const int u = lowest(left);
    Mask twins = bit(u);
    for_each(left & ~bit(u), [&](int w) {
      if (are_twins(query, u, w)) twins |= bit(w);
    });
    left &= ~twins;
    while (twins != 0) {
      const Mask chain = ordered(query, twins);
      for_each(chain, [&](int w) { chains_[at(w)] = chain; });
      twins &= ~chain;
    }
  }
}

/// Among twins, the first one and those ordered with it and with one another, and equally ordered with all others.
Mask ImageOrder::ordered(const Query& query, Mask twins) const {
  const int u = lowest(twins);
  const Mask others = query.all() & ~twins;
  Mask chain = bit(u);
  for_each(twins & ~bit(u), [&](int w) {
    const bool is_alike =
        ((above_[at(u)] ^ above_[at(w)]) & others) == 0 && ((below_[at(u)] ^ below_[at(w)]) & others) == 0;
    if (is_alike && (chain & ~partners(w)) == 0) chain |= bit(w);
  });
  // Twins outside the chain may be ordered with some of it.
  const Mask rest = twins & ~chain;
  bool same = true;
  for_each(chain, [&](int w) {
    same = same && ((above_[at(u)] ^ above_[at(w)]) & rest) == 0 && ((below_[at(u)] ^ below_[at(w)]) & rest) == 0;
  });
  return same ? chain : bit(u);
}

}  // namespace matcha::runtime::match
