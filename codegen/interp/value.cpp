#include "codegen/interp/value.h"

#include <algorithm>
#include <cmath>

#include "ir/check.h"

namespace matcha::codegen::interp {

namespace {

bool is_nan(const Value& value) {
  const double* real = std::get_if<double>(&value);
  return real != nullptr && std::isnan(*real);
}

}  // namespace

void List::append_row(const List& from, std::size_t row) {
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(from.columns[c][row]);
  ++rows;
}

bool less(const Value& a, const Value& b) {
  if (const bool* x = std::get_if<bool>(&a)) return !*x && std::get<bool>(b);
  if (const Vid* x = std::get_if<Vid>(&a)) return x->rank < std::get<Vid>(b).rank;
  if (const std::int64_t* x = std::get_if<std::int64_t>(&a)) return *x < std::get<std::int64_t>(b);
  if (const __int128* x = std::get_if<__int128>(&a)) return *x < std::get<__int128>(b);
  if (const double* x = std::get_if<double>(&a)) {
    double y = std::get<double>(b);
    return std::isnan(y) ? !std::isnan(*x) : *x < y;
  }
  MATCHA_UNREACHABLE("an order of lists or graphs");
}

const Value& extreme(const Value& a, const Value& b, bool smaller) {
  const double* x = std::get_if<double>(&a);
  const double* y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return less(b, a) == smaller ? b : a;
  if (std::isnan(*x)) return a;
  if (std::isnan(*y)) return b;
  if (*x == *y) return std::signbit(*y) == smaller ? b : a;
  return (*y < *x) == smaller ? b : a;
}

int compare_rows(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (less(a[i], b[i])) return -1;
    if (less(b[i], a[i])) return 1;
    const double* x = std::get_if<double>(&a[i]);
    if (x == nullptr || std::isnan(*x)) continue;
    const bool negative = std::signbit(*x);
    if (negative != std::signbit(std::get<double>(b[i]))) return negative ? -1 : 1;
  }
  return 0;
}

std::vector<Value> ascending(const std::vector<Value>& items) {
  std::vector<Value> result = items;
  std::stable_sort(result.begin(), result.end(), less);
  return result;
}

bool holds(const std::vector<Value>& items, const Value& item) {
  return !is_nan(item) && std::binary_search(items.begin(), items.end(), item, less);
}

}  // namespace matcha::codegen::interp
