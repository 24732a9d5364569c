#include "incremental/answer.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace matcha::session::stream {

std::vector<Number> numbers_of(const codegen::RunResult& result, const runtime::Universe& universe) {
  std::vector<Number> numbers;
  for (const codegen::ResultValue& value : result.values) {
    if (const auto* const integer = std::get_if<__int128>(&value)) numbers.emplace_back(*integer);
    if (const auto* const wide = std::get_if<runtime::WideInt>(&value)) numbers.push_back(number_of(*wide));
    if (const auto* const number = std::get_if<double>(&value)) numbers.emplace_back(*number);
    if (const auto* const flag = std::get_if<bool>(&value)) numbers.emplace_back(*flag);
    if (const auto* const list = std::get_if<codegen::ListValue>(&value)) {
      numbers.emplace_back(static_cast<__int128>(list->size));
    }
    const auto* const vertex = std::get_if<codegen::VertexValue>(&value);
    if (vertex == nullptr) continue;
    if (universe.kind() == runtime::IdKind::Int) {
      numbers.emplace_back(VertexNumber{universe.id(vertex->rank)});
    } else {
      numbers.emplace_back(universe.id_text(vertex->rank));
    }
  }
  return numbers;
}

Number number_of(const runtime::WideInt& magnitude, bool is_negative) {
  if (!magnitude.fits_int128()) return WideNumber{magnitude, is_negative};
  return is_negative ? -magnitude.int128() : magnitude.int128();
}

namespace {

/// Of ints, one of which is beyond 128 bits; these are not negative.
Number wide_difference(const Number& now, const Number& before) {
  const auto wide_of = [](const Number& number) {
    const auto* const wide = std::get_if<WideNumber>(&number);
    return wide != nullptr ? wide->magnitude
                           : runtime::WideInt(static_cast<unsigned __int128>(std::get<__int128>(number)));
  };
  runtime::WideInt larger = wide_of(now), smaller = wide_of(before);
  const bool is_negative = larger < smaller;
  if (is_negative) std::swap(larger, smaller);
  larger -= smaller;
  return number_of(larger, is_negative);
}

bool is_int(const Number& number) {
  return std::holds_alternative<__int128>(number) || std::holds_alternative<WideNumber>(number);
}

}  // namespace

std::vector<Number> difference(const std::vector<Number>& now, const std::vector<Number>& before) {
  const Number zero = static_cast<__int128>(0);
  std::vector<Number> differences;
  for (std::size_t i = 0; i < std::max(now.size(), before.size()); ++i) {
    const Number &is = i < now.size() ? now[i] : zero, &was = i < before.size() ? before[i] : zero;
    const auto *const a = std::get_if<__int128>(&is), *const b = std::get_if<__int128>(&was);
    const auto *const x = std::get_if<double>(&is), *const y = std::get_if<double>(&was);
    if (a != nullptr && b != nullptr) {
      differences.emplace_back(*a - *b);
    } else if (is_int(is) && is_int(was)) {
      differences.push_back(wide_difference(is, was));
    } else if (x != nullptr && y != nullptr) {
      differences.emplace_back(*x - *y);
    } else {
      return {};
    }
  }
  return differences;
}

void Answer::set_changes(const std::vector<Number>& now, const std::vector<Number>& before,
                         const std::vector<Number>& rest) {
  const std::vector<Number> more = difference({now.front()}, {rest.front()});
  const std::vector<Number> less = difference({before.front()}, {rest.front()});
  const auto *const up = std::get_if<__int128>(&more.front()), *const down = std::get_if<__int128>(&less.front());
  if (up == nullptr || down == nullptr) return;
  plus = *up;
  minus = *down;
}

const char* method_name(MaintenanceMethod how) {
  switch (how) {
    case MaintenanceMethod::Delta: return "delta";
    case MaintenanceMethod::Trees: return "trees";
    case MaintenanceMethod::Roots: return "roots";
    case MaintenanceMethod::Recompute: break;
  }
  return "recompute";
}

void RowSet::append(const codegen::Rows& block, const runtime::Universe& universe) {
  if (kinds.empty()) kinds.assign(block.kinds.begin(), block.kinds.end());
  const std::size_t width = kinds.size(), begin = words.size();
  words.resize(begin + block.count * width);
  for (std::size_t column = 0; column < width; ++column) {
    std::uint64_t* out = words.data() + begin + column;
    const void* const items = block.columns[column];
    for (std::uint64_t row = 0; row < block.count; ++row, out += width) {
      switch (kinds[column]) {
        case runtime::ElementKind::Vid:
          *out = static_cast<std::uint64_t>(universe.id(static_cast<const std::uint32_t*>(items)[row]));
          break;
        case runtime::ElementKind::Bool: *out = static_cast<const std::uint8_t*>(items)[row]; break;
        case runtime::ElementKind::Int:
        case runtime::ElementKind::Float:
          std::memcpy(out, static_cast<const std::uint64_t*>(items) + row, sizeof(*out));
          break;
      }
    }
  }
}

std::uint64_t ordered(std::uint64_t word, runtime::ElementKind kind) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  switch (kind) {
    case runtime::ElementKind::Vid:
    case runtime::ElementKind::Int: return word ^ kSign;
    // Of floats below 0 the bits descend.
    case runtime::ElementKind::Float: return (word & kSign) != 0 ? ~word : word | kSign;
    case runtime::ElementKind::Bool: break;
  }
  return word;
}

bool is_row_before(const std::uint64_t* a, const std::uint64_t* b, const std::vector<runtime::ElementKind>& kinds) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (a[i] != b[i]) return ordered(a[i], kinds[i]) < ordered(b[i], kinds[i]);
  }
  return false;
}

void RowSet::sort() {
  const std::size_t width = kinds.size();
  if (width == 0) return;
  if (width == 1) {
    std::ranges::sort(words, {}, [&](std::uint64_t word) { return ordered(word, kinds[0]); });
    return;
  }
  std::vector<std::uint64_t> order(size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::sort(order, [&](std::uint64_t a, std::uint64_t b) { return is_row_before(row(a), row(b), kinds); });
  std::vector<std::uint64_t> sorted;
  sorted.reserve(words.size());
  for (const std::uint64_t at : order) sorted.insert(sorted.end(), row(at), row(at) + width);
  words = std::move(sorted);
}

std::uint64_t RowChanges::count(std::int8_t sign) const {
  return static_cast<std::uint64_t>(std::ranges::count(signs, sign));
}

RowChanges difference(const RowSet& now, const RowSet& before) {
  RowChanges changes;
  changes.rows.kinds = now.kinds.empty() ? before.kinds : now.kinds;
  const std::size_t width = changes.rows.kinds.size();
  const auto take = [&](const RowSet& from, std::uint64_t at, std::int8_t sign) {
    changes.rows.words.insert(changes.rows.words.end(), from.row(at), from.row(at) + width);
    changes.signs.push_back(sign);
  };
  std::uint64_t a = 0, b = 0;
  while (a < now.size() || b < before.size()) {
    int order = a == now.size() ? 1 : b == before.size() ? -1 : 0;
    for (std::size_t i = 0; order == 0 && i < width; ++i) {
      const runtime::ElementKind kind = changes.rows.kinds[i];
      const std::uint64_t x = ordered(now.row(a)[i], kind), y = ordered(before.row(b)[i], kind);
      order = x < y ? -1 : x > y ? 1 : (i + 1 == width ? 2 : 0);
    }
    if (order == 2) {
      ++a;
      ++b;
    } else if (order < 0) {
      take(now, a++, 1);
    } else {
      take(before, b++, -1);
    }
  }
  return changes;
}

}  // namespace matcha::session::stream
