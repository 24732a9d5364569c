#include "session/row_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

namespace matcha::session {

namespace {

using runtime::ElementKind;

/// A cell of text, in quotes where RFC 4180 wants them.
bool all_vertices(const RowColumns& rows) {
  return !rows.kinds.empty() &&
         std::ranges::all_of(rows.kinds, [](ElementKind kind) { return kind == ElementKind::Vid; });
}

/// The digits of all ids, so that a cell is a copy of 16 bytes. Made when as many cells were written as there are ids.
class IdTexts {
 public:
  explicit IdTexts(const runtime::Universe& universe) : universe_(universe) {}

  /// Whether there are texts, before `cells` more cells.
  bool ready(std::uint64_t cells) {
    if (!texts_.empty()) return true;
    cells_ += cells;
    if (unfit_ || universe_.kind() != runtime::IdKind::Int || universe_.size() > kMostIds ||
        cells_ < universe_.size()) {
      return false;
    }
    std::vector<Text> texts(universe_.size());
    for (std::uint64_t rank = 0; rank < texts.size(); ++rank) {
      Text& text = texts[rank];
      const std::to_chars_result end = std::to_chars(text.digits, text.digits + sizeof text.digits, universe_.id(rank));
      unfit_ = unfit_ || end.ec != std::errc();
      text.length = static_cast<std::uint8_t>(end.ptr - text.digits);
    }
    if (!unfit_) texts_ = std::move(texts);
    return !unfit_;
  }
  /// Appends rows of vertices with a separator between the cells. Requires: `ready`.
  void append(const RowColumns& rows, std::uint64_t first, std::uint64_t count, char separator, std::string& out) {
    block_.resize(count * rows.data.size() * sizeof(Text) + sizeof(Text));
    char* at = block_.data();
    for (std::uint64_t row = first; row < first + count; ++row) {
      for (const void* column : rows.data) {
        const Text& text = texts_[static_cast<const std::uint32_t*>(column)[row]];
        std::memcpy(at, &text, sizeof(Text));
        at += text.length;
        *at++ = separator;
      }
      at[-1] = '\n';
    }
    out.append(block_.data(), at);
  }

 private:
  struct Text {
    char digits[15];
    std::uint8_t length;
  };
  static_assert(sizeof(Text) == 16);
  static constexpr std::uint64_t kMostIds = std::uint64_t{1} << 22;

  const runtime::Universe& universe_;
  std::uint64_t cells_ = 0;
  bool unfit_ = false;  ///< An id is longer.
  std::vector<Text> texts_;
  std::vector<char> block_;
};

class TextEncoder final : public RowEncoder {
 public:
  TextEncoder(const RowFormat& format, std::vector<std::string> columns, const runtime::Universe& universe)
      : format_(format), columns_(std::move(columns)), universe_(universe), ids_(universe) {}

  void begin(std::string& out) override {
    if (!format_.heading) return;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c != 0) out += format_.separator;
      append_name(out, columns_[c], Style::Text, format_.separator);
    }
    out += '\n';
  }

  void take(const RowColumns& rows, std::uint64_t first, std::uint64_t count, std::string& out) override {
    if (all_vertices(rows) && ids_.ready(count * rows.data.size())) {
      ids_.append(rows, first, count, format_.separator, out);
      return;
    }
    for (std::uint64_t row = first; row < first + count; ++row) {
      append_row(out, rows, row, universe_, Style::Text, format_.separator);
      out += '\n';
    }
  }

  std::string finish(std::uint64_t, std::string&) override { return {}; }

 private:
  RowFormat format_;
  std::vector<std::string> columns_;
  const runtime::Universe& universe_;
  IdTexts ids_;
};

class NdjsonEncoder final : public RowEncoder {
 public:
  NdjsonEncoder(const std::vector<std::string>& columns, const runtime::Universe& universe) : universe_(universe) {
    for (const std::string& column : columns) {
      keys_.push_back((keys_.empty() ? "{" : ",") +
                      nlohmann::json(column).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ":");
    }
  }

  void begin(std::string&) override {}

  void take(const RowColumns& rows, std::uint64_t first, std::uint64_t count, std::string& out) override {
    for (std::uint64_t row = first; row < first + count; ++row) {
      for (std::size_t c = 0; c < keys_.size(); ++c) {
        out += keys_[c];
        append_element(out, rows, c, row, universe_, Style::Json, ',');
      }
      out += "}\n";
    }
  }

  std::string finish(std::uint64_t, std::string&) override { return {}; }

 private:
  std::vector<std::string> keys_;
  const runtime::Universe& universe_;
};

/// Records of cells, one after the other. The header has the number of rows, so it is written twice.
class NpyEncoder final : public RowEncoder {
 public:
  NpyEncoder(std::vector<std::string> columns, std::vector<ElementKind> kinds, const runtime::Universe& universe)
      : columns_(std::move(columns)), kinds_(std::move(kinds)), universe_(universe) {}

  void begin(std::string& out) override {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    header_bytes_ = (header(kMost).size() + kAlign - 1) / kAlign * kAlign;
    out.append(header_bytes_, ' ');
  }

  void take(const RowColumns& rows, std::uint64_t first, std::uint64_t count, std::string& out) override {
    kinds_ = rows.kinds;
    if (all_vertices(rows) && universe_.kind() == runtime::IdKind::Int) return take_ids(rows, first, count, out);
    for (std::uint64_t row = first; row < first + count; ++row) {
      for (std::size_t c = 0; c < kinds_.size(); ++c) append_item(rows.data[c], kinds_[c], row, out);
    }
  }

  void take_ids(const RowColumns& rows, std::uint64_t first, std::uint64_t count, std::string& out) {
    const std::size_t columns = rows.data.size();
    cells_.resize(count * columns);
    for (std::size_t c = 0; c < columns; ++c) {
      const auto* const ranks = static_cast<const std::uint32_t*>(rows.data[c]) + first;
      for (std::uint64_t row = 0; row < count; ++row) cells_[row * columns + c] = universe_.id(ranks[row]);
    }
    out.append(reinterpret_cast<const char*>(cells_.data()), cells_.size() * sizeof(std::int64_t));
  }

  std::string finish(std::uint64_t rows, std::string&) override {
    constexpr std::size_t kPrelude = 10;
    std::string text = header(rows);
    text.resize(header_bytes_ - 1, ' ');
    text += '\n';
    const std::size_t length = header_bytes_ - kPrelude;
    text[8] = static_cast<char>(length & 0xFF);
    text[9] = static_cast<char>(length >> 8);
    return text;
  }

 private:
  static constexpr std::size_t kAlign = 64;

  bool is_text(ElementKind kind) const { return kind == ElementKind::Vid && universe_.kind() == runtime::IdKind::Text; }

  std::string type(ElementKind kind) const {
    switch (kind) {
      case ElementKind::Float: return "<f8";
      case ElementKind::Bool: return "|b1";
      case ElementKind::Int: return "<i8";
      case ElementKind::Vid: break;
    }
    if (is_text(kind)) return fmt::format("|S{}", std::max<std::uint64_t>(universe_.names()->longest(), 1));
    return universe_.kind() == runtime::IdKind::Unsigned ? "<u8" : "<i8";
  }

  std::string header(std::uint64_t rows) const {
    bool alike = true;
    for (const ElementKind kind : kinds_) alike = alike && type(kind) == type(kinds_[0]);
    std::string type_text, shape = fmt::format("({},)", rows);
    if (alike) {
      type_text = fmt::format("'{}'", type(kinds_[0]));
      if (kinds_.size() != 1) shape = fmt::format("({}, {})", rows, kinds_.size());
    } else {
      for (std::size_t c = 0; c < kinds_.size(); ++c) {
        std::string name;
        for (const char each : columns_[c])
          name += each == '\'' || each == '\\' ? std::string("\\") + each : std::string(1, each);
        type_text += fmt::format("{}('{}', '{}')", c == 0 ? "[" : ", ", name, type(kinds_[c]));
      }
      type_text += "]";
    }
    return std::string("\x93NUMPY\x01\0\0\0", 10) +
           fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}\n", type_text, shape);
  }

  template <typename T>
  static void append_bytes(const T& value, std::string& out) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  void append_item(const void* data, ElementKind kind, std::uint64_t row, std::string& out) const {
    switch (kind) {
      case ElementKind::Float: return append_bytes(static_cast<const double*>(data)[row], out);
      case ElementKind::Bool: return append_bytes(static_cast<const std::uint8_t*>(data)[row], out);
      case ElementKind::Int: return append_bytes(static_cast<const std::int64_t*>(data)[row], out);
      case ElementKind::Vid: break;
    }
    const std::uint64_t rank = static_cast<const std::uint32_t*>(data)[row];
    const std::int64_t id = universe_.id(rank);
    if (universe_.kind() == runtime::IdKind::Int) return append_bytes(id, out);
    if (universe_.kind() == runtime::IdKind::Unsigned) {
      return append_bytes(universe_.names()->number(static_cast<std::uint64_t>(id)), out);
    }
    const std::string_view text = universe_.names()->text(static_cast<std::uint64_t>(id));
    out += text;
    out.append(std::max<std::uint64_t>(universe_.names()->longest(), 1) - text.size(), '\0');
  }

  std::vector<std::string> columns_;
  std::vector<ElementKind> kinds_;
  const runtime::Universe& universe_;
  std::size_t header_bytes_ = 0;
  std::vector<std::int64_t> cells_;  ///< Of rows of ids.
};

}  // namespace

std::optional<RowFormat> row_format(const std::string& path) {
  std::filesystem::path name = path;
  RowFormat format;
  const std::string packed = name.extension().string();
  if (packed == ".gz") format.compression = runtime::Compression::Gzip;
  if (packed == ".zst") format.compression = runtime::Compression::Zstd;
  if (format.compression != runtime::Compression::None) name = name.stem();
  const std::string suffix = name.extension().string();
  if (suffix == ".csv") {
    format.separator = ',';
    format.heading = true;
  } else if (suffix == ".ndjson" || suffix == ".jsonl") {
    format.kind = RowFormat::Kind::Ndjson;
  } else if (suffix == ".npy" || suffix == ".arrow") {
    format.kind = suffix == ".npy" ? RowFormat::Kind::Npy : RowFormat::Kind::Arrow;
    if (format.compression != runtime::Compression::None) return std::nullopt;
  } else if (!suffix.empty() && suffix != ".tsv" && suffix != ".txt") {
    return std::nullopt;
  }
  return format;
}

std::unique_ptr<RowEncoder> RowEncoder::make(const RowFormat& format, std::vector<std::string> columns,
                                             std::vector<ElementKind> kinds, const runtime::Universe& universe) {
  switch (format.kind) {
    case RowFormat::Kind::Ndjson: return std::make_unique<NdjsonEncoder>(columns, universe);
    case RowFormat::Kind::Npy: return std::make_unique<NpyEncoder>(std::move(columns), std::move(kinds), universe);
    case RowFormat::Kind::Arrow: return make_arrow_encoder(std::move(columns), std::move(kinds), universe);
    case RowFormat::Kind::Text: break;
  }
  return std::make_unique<TextEncoder>(format, std::move(columns), universe);
}

}  // namespace matcha::session
