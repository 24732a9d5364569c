// Merges the sinks of a program's regions into values, and prints the answer.
#pragma once

#include "codegen/c_family/host/host.h"

namespace matcha_program {

// Values of sinks

inline i128 sum_of(const RegionValues& values, u64 sink) {
  return i128(static_cast<unsigned __int128>(values.slots[sink].high) << 64 | values.slots[sink].low);
}
inline f64 float_of(const RegionValues& values, u64 sink) { return __builtin_bit_cast(f64, values.slots[sink].low); }
/// `Best`: Least<T> or Greatest<T>.
template <typename Best>
Best best_of(const RegionValues& values, u64 sink) {
  using T = decltype(Best::value);
  T value{};
  if constexpr (sizeof(T) == 8 && T(0.5) != T(0)) {
    value = float_of(values, sink);
  } else {
    value = T(values.slots[sink].low);
  }
  return {value, values.slots[sink].high != 0};
}
template <typename T>
const T* column_of(Host& host, const RegionValues& values, u64 sink, u64 column) {
  const std::vector<u64>& words = values.rows[sink][column];
  T* items = host.array<T>(words.size());
  for (u64 i = 0; i < words.size(); ++i) {
    if constexpr (T(0.5) != T(0) && sizeof(T) == 8) {
      items[i] = __builtin_bit_cast(T, words[i]);
    } else {
      items[i] = T(words[i]);
    }
  }
  return items;
}

// Text

inline void print(std::string& out, i128 value, bool) {
  constexpr u64 kDigits = 40;
  char digits[kDigits];
  char* at = digits + kDigits;
  unsigned __int128 rest = value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  do {
    *--at = char('0' + int(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) out += '-';
  out.append(at, digits + kDigits);
}
inline void print(std::string& out, i64 value, bool json) { print(out, i128(value), json); }
inline void print(std::string& out, bool value, bool) { out += value ? "true" : "false"; }
/// Prints the shortest text that reads back as the same value; JSON has no infinities.
inline void print(std::string& out, f64 value, bool json) {
  if (!std::isfinite(value)) {
    out += json ? "null" : std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return;
  }
  char digits[32];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  out += text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// The answer, printed as it is added: one value, the elements of a tuple, or the items of a list.
class Result {
 public:
  explicit Result(bool json) : json_(json) {}

  /// The values that follow are the elements of a tuple.
  void tuple() { brackets_ = true; }
  template <typename T>
  void value(const Worker& w, T item) {
    between(json_ ? "," : "\t");
    print_item(w, item);
  }
  template <typename... T>
  void list(const Worker& w, const List<T...>& list) {
    brackets_ = is_list_ = true;
    bool rows = json_ && sizeof...(T) > 1;
    for (u64 i = 0; i < list.size; ++i) {
      between(json_ ? "," : "\n");
      if (rows) text_ += '[';
      print_row(w, list, i);
      if (rows) text_ += ']';
    }
  }
  std::string text() const {
    if (json_) return brackets_ ? "[" + text_ + "]" : text_;
    return is_list_ && !any_ ? "" : text_ + "\n";
  }

 private:
  void between(const char* sign) {
    if (any_) text_ += sign;
    any_ = true;
  }
  template <typename T>
  void print_item(const Worker& w, T item) {
    if constexpr (sizeof(T) == 4) {
      print(text_, w.original_id(item), json_);
    } else {
      print(text_, item, json_);
    }
  }
  template <typename... T>
  void print_row(const Worker& w, const List<T...>& list, u64 i) {
    print_item(w, list.at(i));
    if constexpr (sizeof...(T) > 1) {
      text_ += json_ ? ',' : '\t';
      print_row(w, list.rest, i);
    }
  }

  bool json_;
  bool brackets_ = false;
  bool is_list_ = false;
  bool any_ = false;
  std::string text_;
};

/// `text` in quotes for JSON.
inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += u8(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

}  // namespace matcha_program
