#include "runtime/graph/id_names.h"

#include <algorithm>
#include <charconv>

namespace matcha::runtime {

IdNames IdNames::unsigned_ids(Buffer<std::uint64_t> ids) {
  IdNames names;
  names.kind_ = IdKind::Unsigned;
  names.numbers_ = std::move(ids);
  if (names.size() != 0) names.longest_ = std::to_string(names.numbers_[names.size() - 1]).size();
  return names;
}

IdNames IdNames::text_ids(Buffer<std::uint64_t> ends, Buffer<char> text) {
  IdNames names;
  names.numbers_ = std::move(ends);
  names.text_ = std::move(text);
  for (std::uint64_t place = 0; place < names.size(); ++place) {
    names.longest_ = std::max<std::uint64_t>(names.longest_, names.text(place).size());
  }
  return names;
}

std::string_view IdNames::text(std::uint64_t place) const {
  const std::uint64_t begin = place == 0 ? 0 : numbers_[place - 1];
  return {text_.data() + begin, numbers_[place] - begin};
}

void IdNames::append(std::string& out, std::uint64_t place) const {
  if (kind_ == IdKind::Text) {
    out += text(place);
    return;
  }
  char digits[24];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), numbers_[place]);
  out.append(digits, end.ptr);
}

std::string IdNames::name(std::uint64_t place) const {
  std::string out;
  append(out, place);
  return out;
}

std::optional<std::uint64_t> IdNames::find(std::string_view id) const {
  std::uint64_t number = 0;
  if (kind_ == IdKind::Unsigned) {
    const char* const end = id.data() + id.size();
    const std::from_chars_result read = std::from_chars(id.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  }
  std::uint64_t low = 0;
  std::uint64_t high = size();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const bool below = kind_ == IdKind::Unsigned ? numbers_[middle] < number : text(middle) < id;
    (below ? low : high) = below ? middle + 1 : middle;
  }
  const bool found = low < size() && (kind_ == IdKind::Unsigned ? numbers_[low] == number : text(low) == id);
  return found ? std::optional<std::uint64_t>(low) : std::nullopt;
}

std::string_view IdNames::number_bytes() const {
  return {reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(std::uint64_t)};
}

bool IdNames::operator==(const IdNames& other) const {
  return kind_ == other.kind_ && number_bytes() == other.number_bytes() && text_bytes() == other.text_bytes();
}

}  // namespace matcha::runtime
