#include "session/matches.h"

#include <algorithm>

namespace matcha::session {

std::vector<std::string> column_names(const frontend::Type& result, const std::vector<std::string>& given) {
  const frontend::Type& row = result.is_list() ? *result.elem : result;
  const std::size_t columns = row.is_tuple() ? row.positions.size() : 1;
  if (given.size() == columns) return given;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) names.push_back("c" + std::to_string(i));
  return names;
}

std::vector<runtime::ElementKind> column_kinds(const frontend::Type& result) {
  const frontend::Type& row = result.is_list() ? *result.elem : result;
  const auto kind = [](const frontend::Type& type) {
    return type.kind == frontend::Type::Kind::Float  ? runtime::ElementKind::Float
           : type.kind == frontend::Type::Kind::Bool ? runtime::ElementKind::Bool
                                                     : runtime::ElementKind::Vid;
  };
  if (!row.is_tuple()) return {kind(row)};
  std::vector<runtime::ElementKind> kinds;
  for (const frontend::Type* const position : row.positions) kinds.push_back(kind(*position));
  return kinds;
}

MatchWriter::MatchWriter(OutputFile* maybe_file, const RowFormat& format, const frontend::Type& result,
                         const std::vector<std::string>& columns, std::optional<std::uint64_t> limit,
                         const runtime::Universe& universe)
    : file_(maybe_file), limit_(limit), universe_(universe) {
  if (file_ == nullptr) return;
  encoder_ = RowEncoder::make(format, column_names(result, columns), column_kinds(result), universe);
  encoder_->begin(text_);
  put();
}

void MatchWriter::put() {
  file_->write(text_);
  text_.clear();
}

bool MatchWriter::put_lines() {
  const bool wanted = text_.empty() || sink_(text_);
  text_.clear();
  return wanted;
}

bool MatchWriter::take(const codegen::Rows& rows) {
  if (only_counts_) {
    count_ += limit_ ? std::min(rows.count, *limit_ - count_) : rows.count;
    return !limit_reached();
  }
  RowColumns columns;
  columns.kinds.assign(rows.kinds.begin(), rows.kinds.end());
  columns.data.assign(rows.columns, rows.columns + rows.kinds.size());
  columns.are_labels = are_labels_;
  columns.maybe_dictionary = maybe_dictionary_;
  constexpr std::uint64_t kRowsAtATime = 1024;
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  for (std::uint64_t row = 0; row < rows.count && !limit_reached();) {
    std::uint64_t some = file_ == nullptr ? 1 : std::min(kRowsAtATime, rows.count - row);
    if (limit_) some = std::min(some, *limit_ - count_);
    if (file_ == nullptr) {
      if (count_ != 0 && !sink_) text_ += ',';
      append_row(text_, columns, row, universe_, Style::Json);
      if (sink_) text_ += '\n';
      if (sink_ ? text_.size() > kBlock && !put_lines() : is_too_long()) return false;
    } else {
      encoder_->take(columns, row, some, text_);
      put();
      if (file_->failed()) return false;
    }
    row += some;
    count_ += some;
  }
  if (sink_ && !put_lines()) return false;
  // A reader of a pipe gets each match when it is found.
  if (file_ != nullptr && file_->is_standard_output()) file_->flush();
  return !limit_reached() && (file_ == nullptr || !file_->failed());
}

runtime::Status MatchWriter::finish() {
  if (file_ == nullptr) return runtime::Done{};
  const std::string head = encoder_->finish(count_, text_);
  put();
  return file_->commit(head);
}

}  // namespace matcha::session
