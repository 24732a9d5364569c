#include "ir/analysis/products.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

/// The sum of products as numbers of maps of items to different vertices.
class Cases {
 public:
  Cases(int item_count, int& left) : names_(static_cast<std::size_t>(item_count)), left_(left) {
    std::iota(names_.begin(), names_.end(), 0);
  }

  /// False: it is more than a number of maps, or too large.
  bool add(const Product& product) {
    if (!product.factors.empty() || product.items.size() > kMostItems) return false;
    split(product, 0, {});
    return left_ > 0;
  }

  bool are_multiples_of(std::int64_t divisor) const {
    return std::ranges::all_of(found_, [&](const auto& one) {
      const Case& found = one.second;
      return found.weight * found.symmetries % (__int128{divisor} * Nest::kOne) == 0;
    });
  }

 private:
  static constexpr std::size_t kMostItems = 6;

  struct Case {
    __int128 weight = 0;
    int symmetries = 1;  ///< The permutations of the items that keep the conditions.
  };

  /// Enumerates the items that are the same vertex: `kept` are different ones.
  void split(const Product& product, std::size_t at, const std::vector<int>& kept) {
    if (left_ <= 0) return;
    if (at == product.items.size()) return add(product, kept);
    const int item = product.items[at];
    for (const int other : kept) {
      if (must_differ(product.conditions, item, other)) continue;
      Product merged = product;
      for (Term& condition : merged.conditions) condition = renamed(std::move(condition), item, other);
      split(merged, at + 1, kept);
    }
    std::vector<int> more = kept;
    more.push_back(item);
    split(product, at + 1, more);
  }

  /// `settle` takes all items for different vertices, but an item from outside may be any of them.
  static void keep_open(Term& term, const std::vector<int>& own) {
    const auto is_own = [&](const Term& item) { return std::ranges::find(own, item.item) != own.end(); };
    if (term.is(TermKind::Same) && term.parts[0].item != term.parts[1].item &&
        !(is_own(term.parts[0]) && is_own(term.parts[1]))) {
      term.kind = TermKind::Operation;
      term.word = "==";
      return;
    }
    for (Term& part : term.parts) keep_open(part, own);
  }

  void add(const Product& product, const std::vector<int>& own) {
    std::vector<Term> conditions;
    for (Term condition : product.conditions) {
      keep_open(condition, own);
      settle(condition, conditions);
    }
    if (std::ranges::any_of(conditions, [](const Term& condition) { return condition.is(TermKind::No); })) return;
    std::vector<int> order(own.size());
    std::iota(order.begin(), order.end(), static_cast<int>(names_.size()));
    std::string least;
    int times = 0;
    do {
      if (--left_ <= 0) return;
      std::string text = text_in(conditions, own, order);
      if (times == 0 || text < least) {
        least = std::move(text);
        times = 1;
      } else if (text == least) {
        ++times;
      }
    } while (std::next_permutation(order.begin(), order.end()));
    Case& found = found_[least];
    found.weight += product.weight;
    found.symmetries = times;
  }

  std::string text_in(const std::vector<Term>& conditions, const std::vector<int>& own, const std::vector<int>& order) {
    for (std::size_t i = 0; i < own.size(); ++i) names_[static_cast<std::size_t>(own[i])] = order[i];
    std::vector<std::string> texts;
    for (const Term& condition : conditions) texts.push_back(text_of(condition, names_));
    for (const int item : own) names_[static_cast<std::size_t>(item)] = item;
    std::ranges::sort(texts);
    texts.erase(std::ranges::unique(texts).begin(), texts.end());
    std::string all = std::to_string(own.size());
    for (const std::string& text : texts) all += ";" + text;
    return all;
  }

  std::vector<int> names_;
  std::map<std::string, Case> found_;
  int& left_;
};

}  // namespace

bool multiply(const Product& a, const Product& b, std::vector<Product>& out) {
  Product product = a;
  if (__builtin_mul_overflow(a.weight, b.weight, &product.weight) || product.weight % Nest::kOne != 0) return false;
  product.weight /= Nest::kOne;
  product.items.insert(product.items.end(), b.items.begin(), b.items.end());
  product.conditions.insert(product.conditions.end(), b.conditions.begin(), b.conditions.end());
  product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
  product.vanishing.insert(product.vanishing.end(), b.vanishing.begin(), b.vanishing.end());
  out.push_back(std::move(product));
  return true;
}

bool is_divisible(std::span<const Product> products, std::int64_t divisor, int item_count, int& texts) {
  Cases cases(item_count, texts);
  return std::ranges::all_of(products, [&](const Product& product) { return cases.add(product); }) &&
         cases.are_multiples_of(divisor);
}

}  // namespace matcha::ir
