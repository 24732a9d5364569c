#include "session/cluster/record.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace matcha::session::cluster {

static_assert(std::endian::native == std::endian::little);

namespace {

using codegen::PartialValue;

/// Bytes of the length and the checksum in front of a record.
constexpr std::size_t kFrameHead = 2 * sizeof(std::uint64_t);

template <typename T>
void put(std::string& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Takes values from bytes until there are none left.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    T value{};
    const std::string_view part = take_bytes(sizeof value);
    if (!failed_) std::memcpy(&value, part.data(), sizeof value);
    return value;
  }
  std::string_view take_bytes(std::uint64_t count) {
    failed_ = failed_ || count > bytes_.size();
    if (failed_) return {};
    const std::string_view part = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return part;
  }
  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

void put_value(std::string& out, const PartialValue& value) {
  put(out, static_cast<std::uint32_t>(value.kind));
  for (const bool flag : {value.wide, value.is_vertex, value.has_value, value.flag}) {
    put(out, static_cast<std::uint8_t>(flag));
  }
  put(out, static_cast<std::uint64_t>(value.integer));
  put(out, static_cast<std::uint64_t>(value.integer >> 64));
  put(out, value.number);
  if (value.kind == runtime::SinkKind::SumFloat) put(out, value.sum);
  put(out, value.list.size);
  put(out, static_cast<std::uint32_t>(value.list.columns.size()));
  for (const runtime::Column& column : value.list.columns) {
    put(out, static_cast<std::uint32_t>(column.kind()));
    out.append(static_cast<const char*>(column.data()), value.list.size * runtime::element_bytes(column.kind()));
  }
}

/// False: the bytes are not a value.
bool take_value(Reader& in, PartialValue& value) {
  const auto kind = in.take<std::uint32_t>();
  if (kind > static_cast<std::uint32_t>(runtime::SinkKind::Map)) return false;
  value.kind = static_cast<runtime::SinkKind>(kind);
  for (bool* flag : {&value.wide, &value.is_vertex, &value.has_value, &value.flag}) {
    *flag = in.take<std::uint8_t>() != 0;
  }
  const auto low = in.take<std::uint64_t>();
  const auto high = in.take<std::uint64_t>();
  value.integer = static_cast<__int128>((static_cast<unsigned __int128>(high) << 64) | low);
  value.number = in.take<double>();
  if (value.kind == runtime::SinkKind::SumFloat) value.sum = in.take<runtime::ExactSum>();
  value.list.size = in.take<std::uint64_t>();
  const auto columns = in.take<std::uint32_t>();
  for (std::uint32_t c = 0; c < columns && !in.failed(); ++c) {
    const auto element = in.take<std::uint32_t>();
    if (element > static_cast<std::uint32_t>(runtime::ElementKind::Bool)) return false;
    runtime::Column& column = value.list.columns.emplace_back(static_cast<runtime::ElementKind>(element));
    const std::uint64_t width = runtime::element_bytes(column.kind());
    if (value.list.size > std::numeric_limits<std::uint64_t>::max() / width) return false;
    const std::string_view items = in.take_bytes(value.list.size * width);
    if (!in.failed() && !column.append(items.data(), value.list.size)) return false;
  }
  return !in.failed();
}

/// The error of a damaged file.
runtime::Error torn(const std::string& file) {
  return {runtime::ErrorKind::Input, "the file ends in the middle of a record, or was changed", file, 0,
          "remove it and run its part again"};
}

}  // namespace

std::string encode(const Record& record) {
  std::string out;
  put(out, record.region);
  put(out, record.unit);
  put(out, static_cast<std::uint32_t>(record.values.size()));
  for (const PartialValue& value : record.values) put_value(out, value);
  return out;
}

runtime::Result<Record> decode(std::string_view bytes, const std::string& file) {
  Reader in(bytes);
  Record record;
  record.region = in.take<std::uint64_t>();
  record.unit = in.take<std::uint64_t>();
  const auto count = in.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    if (!take_value(in, record.values.emplace_back())) return torn(file);
  }
  if (in.failed() || !in.at_end()) return torn(file);
  return record;
}

std::string framed(std::string_view bytes) {
  std::string out;
  put(out, static_cast<std::uint64_t>(bytes.size()));
  put(out, static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
  out.append(bytes);
  return out;
}

runtime::Result<std::string_view> next_frame(std::string_view& rest, const std::string& file) {
  if (rest.size() < kFrameHead) return torn(file);
  Reader in(rest);
  const auto size = in.take<std::uint64_t>();
  const auto sum = in.take<std::uint64_t>();
  const std::string_view bytes = in.take_bytes(size);
  if (in.failed() || XXH3_64bits(bytes.data(), bytes.size()) != sum) return torn(file);
  rest.remove_prefix(kFrameHead + size);
  return bytes;
}

}  // namespace matcha::session::cluster
