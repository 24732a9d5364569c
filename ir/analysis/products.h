#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/analysis/term.h"

namespace matcha::ir {

/// A product of sizes, sums and other values: the sum of `factors` over all items that meet the conditions.
struct Product {
  std::int64_t weight = Nest::kOne;
  std::vector<int> items;
  std::vector<Term> conditions;
  std::vector<Term> factors;
  std::vector<int> vanishing;  ///< As of a nest.
};

/// Adds the product of both to `out`. False: its weight is no whole number of 64 bits.
bool multiply(const Product& a, const Product& b, std::vector<Product>& out);

/// True if the sum of the products is surely a multiple of `divisor`, whatever the items that are not their own. Items
/// are below `item_count`.
///
/// Each product is split by which of its items are the same vertex. A case counts maps of items to different vertices
/// that meet its conditions. The permutations of its items that keep the conditions are a group, which moves each such
/// map to another one, so their number divides the number of maps. Cases that differ in the names of their items count
/// the same, so their weights are added up first. `texts` is the number of orders of items that this and later calls
/// may try; it is reduced, and the result is false once it is used up.
bool is_divisible(std::span<const Product> products, std::int64_t divisor, int item_count, int& texts);

}  // namespace matcha::ir
