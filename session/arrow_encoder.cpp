#include <algorithm>
#include <utility>

#include "session/flat_buffer.h"
#include "session/row_encoder.h"

/// Arrow IPC files: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
namespace matcha::session {

namespace {

using runtime::ElementKind;

constexpr std::string_view kMagic = "ARROW1";
constexpr std::uint64_t kBatchRows = std::uint64_t{1} << 16;
/// Offsets of text are int32.
constexpr std::uint64_t kBatchText = std::uint64_t{1} << 30;

// Numbers of the format.
constexpr std::int16_t kVersion5 = 4;
constexpr std::uint8_t kSchemaHeader = 1, kBatchHeader = 3;
constexpr std::uint8_t kInt = 2, kFloatingPoint = 3, kBinary = 4, kUtf8 = 5, kBool = 6;

template <typename T>
void append_bytes(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void pad(std::string& out) { out.append((8 - out.size() % 8) % 8, '\0'); }

/// Whether all of it is UTF-8.
bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const unsigned char byte = static_cast<unsigned char>(text[at]);
    const std::size_t more = byte < 0x80                   ? 0
                             : byte >= 0xC2 && byte < 0xE0 ? 1
                             : byte >= 0xE0 && byte < 0xF0 ? 2
                             : byte >= 0xF0 && byte < 0xF5 ? 3
                                                           : 4;
    if (more == 4 || at + more >= text.size() + (more == 0 ? 1 : 0)) return false;
    for (std::size_t next = 1; next <= more; ++next) {
      if ((static_cast<unsigned char>(text[at + next]) & 0xC0) != 0x80) return false;
    }
    at += more + 1;
  }
  return true;
}

class ArrowEncoder final : public RowEncoder {
 public:
  ArrowEncoder(std::vector<std::string> columns, std::vector<ElementKind> kinds, const runtime::Universe& universe)
      : names_(std::move(columns)), kinds_(std::move(kinds)), universe_(universe) {
    is_text_ = universe.kind() == runtime::IdKind::Text;
    if (!is_text_) return;
    for (std::uint64_t place = 0; place < universe.names()->size() && text_is_utf8_; ++place) {
      text_is_utf8_ = is_utf8(universe.names()->text(place));
    }
  }

  void begin(std::string&) override {}

  void take(const RowColumns& rows, std::uint64_t first, std::uint64_t count, std::string& out) override {
    if (!begun_) kinds_ = rows.kinds;
    start(out);
    for (std::uint64_t row = first; row < first + count; ++row) {
      for (std::size_t c = 0; c < kinds_.size(); ++c) append_item(columns_[c], kinds_[c], rows.data[c], row);
      ++rows_;
      if (rows_ == kBatchRows || text_bytes_ >= kBatchText) write_batch(out);
    }
  }

  std::string finish(std::uint64_t, std::string& out) override {
    start(out);
    if (rows_ != 0) write_batch(out);
    std::string end;
    append_bytes(end, std::uint32_t{0xFFFFFFFF});
    append_bytes(end, std::uint32_t{0});
    FlatBuilder builder;
    const FlatBuilder::Position batches = builder.structs(blocks_, blocks_.size() / kBlockBytes);
    const FlatBuilder::Position dictionaries = builder.structs({}, 0);
    const FlatBuilder::Position schema = put_schema(builder);
    builder.begin_table();
    builder.field_at(3, batches);
    builder.field_at(2, dictionaries);
    builder.field_at(1, schema);
    builder.field(0, kVersion5);
    const std::string footer = builder.finish(builder.end_table());
    end += footer;
    append_bytes(end, static_cast<std::int32_t>(footer.size()));
    end += kMagic;
    emit(out, end);
    return {};
  }

 private:
  static constexpr std::size_t kBlockBytes = 24;

  struct Column {
    std::string values;   ///< Or the text, of text.
    std::string offsets;  ///< Of text.
    std::uint8_t bits = 0;
  };

  bool is_text(ElementKind kind) const { return is_text_ && kind == ElementKind::Vid; }

  void emit(std::string& out, std::string_view bytes) {
    out += bytes;
    written_ += bytes.size();
  }

  void start(std::string& out) {
    if (begun_) return;
    begun_ = true;
    columns_.resize(kinds_.size());
    clear();
    std::string head(kMagic);
    pad(head);
    emit(out, head);
    FlatBuilder builder;
    const FlatBuilder::Position schema = put_schema(builder);
    message(builder, kSchemaHeader, schema, {}, out);
  }

  FlatBuilder::Position put_type(FlatBuilder& builder, ElementKind kind) const {
    builder.begin_table();
    if (kind == ElementKind::Float) {
      builder.field(0, std::int16_t{2});
    } else if (kind != ElementKind::Bool && !is_text(kind)) {
      builder.field(0, std::int32_t{64});
      const bool is_unsigned = kind == ElementKind::Vid && universe_.kind() == runtime::IdKind::Unsigned;
      builder.field(1, static_cast<std::uint8_t>(is_unsigned ? 0 : 1));
    }
    return builder.end_table();
  }

  std::uint8_t type_of(ElementKind kind) const {
    if (is_text(kind)) return text_is_utf8_ ? kUtf8 : kBinary;
    return kind == ElementKind::Float ? kFloatingPoint : kind == ElementKind::Bool ? kBool : kInt;
  }

  FlatBuilder::Position put_schema(FlatBuilder& builder) const {
    std::vector<FlatBuilder::Position> fields;
    for (std::size_t c = 0; c < kinds_.size(); ++c) {
      const FlatBuilder::Position name = builder.string(names_[c]);
      const FlatBuilder::Position type = put_type(builder, kinds_[c]);
      const FlatBuilder::Position children = builder.offsets({});
      builder.begin_table();
      builder.field_at(5, children);
      builder.field_at(3, type);
      builder.field_at(0, name);
      builder.field(2, type_of(kinds_[c]));
      builder.field(1, std::uint8_t{0});
      fields.push_back(builder.end_table());
    }
    const FlatBuilder::Position list = builder.offsets(fields);
    builder.begin_table();
    builder.field_at(1, list);
    builder.field(0, std::int16_t{0});
    return builder.end_table();
  }

  /// An encapsulated message; gives the bytes of its metadata with their prefix.
  std::int32_t message(FlatBuilder& builder, std::uint8_t kind, FlatBuilder::Position header, std::string_view body,
                       std::string& out) {
    builder.begin_table();
    builder.field(3, static_cast<std::int64_t>(body.size()));
    builder.field_at(2, header);
    builder.field(0, kVersion5);
    builder.field(1, kind);
    std::string metadata = builder.finish(builder.end_table());
    pad(metadata);
    std::string prefix;
    append_bytes(prefix, std::uint32_t{0xFFFFFFFF});
    append_bytes(prefix, static_cast<std::int32_t>(metadata.size()));
    emit(out, prefix);
    emit(out, metadata);
    emit(out, body);
    return static_cast<std::int32_t>(prefix.size() + metadata.size());
  }

  void append_item(Column& column, ElementKind kind, const void* data, std::uint64_t row) {
    switch (kind) {
      case ElementKind::Float: return append_bytes(column.values, static_cast<const double*>(data)[row]);
      case ElementKind::Int: return append_bytes(column.values, static_cast<const std::int64_t*>(data)[row]);
      case ElementKind::Bool:
        column.bits |=
            static_cast<std::uint8_t>((static_cast<const std::uint8_t*>(data)[row] != 0 ? 1 : 0) << (rows_ % 8));
        if (rows_ % 8 == 7) column.values.push_back(static_cast<char>(std::exchange(column.bits, 0)));
        return;
      case ElementKind::Vid: break;
    }
    const std::int64_t id = universe_.id(static_cast<const std::uint32_t*>(data)[row]);
    if (universe_.kind() == runtime::IdKind::Int) return append_bytes(column.values, id);
    const std::uint64_t place = static_cast<std::uint64_t>(id);
    if (!is_text_) return append_bytes(column.values, universe_.names()->number(place));
    const std::string_view text = universe_.names()->text(place);
    column.values += text;
    text_bytes_ = std::max<std::uint64_t>(text_bytes_, column.values.size());
    append_bytes(column.offsets, static_cast<std::int32_t>(column.values.size()));
  }

  void clear() {
    for (std::size_t c = 0; c < kinds_.size(); ++c) {
      columns_[c] = Column();
      if (is_text(kinds_[c])) append_bytes(columns_[c].offsets, std::int32_t{0});
    }
    rows_ = 0;
    text_bytes_ = 0;
  }

  void write_batch(std::string& out) {
    std::string body, nodes, buffers;
    const auto add = [&](const std::string& bytes) {
      append_bytes(buffers, static_cast<std::int64_t>(body.size()));
      append_bytes(buffers, static_cast<std::int64_t>(bytes.size()));
      body += bytes;
      pad(body);
    };
    for (std::size_t c = 0; c < kinds_.size(); ++c) {
      Column& column = columns_[c];
      if (kinds_[c] == ElementKind::Bool && rows_ % 8 != 0) column.values.push_back(static_cast<char>(column.bits));
      append_bytes(nodes, static_cast<std::int64_t>(rows_));
      append_bytes(nodes, std::int64_t{0});
      add({});  // All items are there.
      if (is_text(kinds_[c])) add(column.offsets);
      add(column.values);
    }
    FlatBuilder builder;
    const FlatBuilder::Position buffer_list = builder.structs(buffers, buffers.size() / 16);
    const FlatBuilder::Position node_list = builder.structs(nodes, kinds_.size());
    builder.begin_table();
    builder.field(0, static_cast<std::int64_t>(rows_));
    builder.field_at(2, buffer_list);
    builder.field_at(1, node_list);
    const FlatBuilder::Position batch = builder.end_table();
    const std::int64_t at = static_cast<std::int64_t>(written_);
    const std::int32_t metadata = message(builder, kBatchHeader, batch, body, out);
    append_bytes(blocks_, at);
    append_bytes(blocks_, metadata);
    append_bytes(blocks_, std::int32_t{0});
    append_bytes(blocks_, static_cast<std::int64_t>(body.size()));
    clear();
  }

  std::vector<std::string> names_;
  std::vector<ElementKind> kinds_;
  const runtime::Universe& universe_;
  bool is_text_ = false;
  bool text_is_utf8_ = true;
  bool begun_ = false;
  std::vector<Column> columns_;  ///< The columns of the current batch.
  std::uint64_t rows_ = 0;       ///< In it.
  std::uint64_t text_bytes_ = 0;
  std::string blocks_;  ///< Where the batches lie, for the footer.
  std::uint64_t written_ = 0;
};

}  // namespace

std::unique_ptr<RowEncoder> make_arrow_encoder(std::vector<std::string> columns, std::vector<ElementKind> kinds,
                                               const runtime::Universe& universe) {
  return std::make_unique<ArrowEncoder>(std::move(columns), std::move(kinds), universe);
}

}  // namespace matcha::session
