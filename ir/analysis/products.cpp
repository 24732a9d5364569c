#include "ir/analysis/products.h"

#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace matcha::ir {

bool multiply(const Product& a, const Product& b, std::vector<Product>& out) {
  Product product = a;
  if (__builtin_mul_overflow(a.weight, b.weight, &product.weight) || product.weight % Nest::kOne != 0) return false;
  product.weight /= Nest::kOne;
  product.items.insert(product.items.end(), b.items.begin(), b.items.end());
  product.conditions.insert(product.conditions.end(), b.conditions.begin(), b.conditions.end());
  product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
  out.push_back(std::move(product));
  return true;
}

bool come_in_pairs(const Product& product, int item_count) {
  if (!product.factors.empty() || product.weight % Nest::kOne != 0) return false;
  std::vector<int> names(static_cast<std::size_t>(item_count));
  std::iota(names.begin(), names.end(), 0);
  const auto texts = [&] {
    std::set<std::string> all;
    for (const Term& condition : product.conditions) all.insert(text_of(condition, names));
    return all;
  };
  const std::set<std::string> before = texts();
  for (std::size_t i = 0; i < product.items.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!must_differ(product.conditions, product.items[i], product.items[j])) continue;
      int& one = names[static_cast<std::size_t>(product.items[i])];
      int& other = names[static_cast<std::size_t>(product.items[j])];
      std::swap(one, other);
      if (texts() == before) return true;
      std::swap(one, other);
    }
  }
  return false;
}

}  // namespace matcha::ir
