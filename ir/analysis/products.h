#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/term.h"

namespace matcha::ir {

/// A product of sizes, sums and other values: the sum of `factors` over all items that meet the conditions.
struct Product {
  std::int64_t weight = Nest::kOne;
  std::vector<int> items;
  std::vector<Term> conditions;
  std::vector<Term> factors;
};

/// Adds the product of both to `out`. False: its weight is no whole number of 64 bits.
bool multiply(const Product& a, const Product& b, std::vector<Product>& out);

/// True if the product is surely even: two of its items always differ and may be exchanged, and its weight is whole.
/// Items are below `item_count`.
bool come_in_pairs(const Product& product, int item_count);

}  // namespace matcha::ir
