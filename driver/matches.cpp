#include "driver/matches.h"

#include <algorithm>
#include <filesystem>

namespace matcha::driver {

std::optional<char> row_separator(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  if (suffix == ".csv") return ',';
  if (suffix.empty() || suffix == ".tsv" || suffix == ".txt") return '\t';
  return std::nullopt;
}

bool MatchWriter::take(const codegen::Rows& rows) {
  RowColumns columns;
  columns.kinds.assign(rows.kinds.begin(), rows.kinds.end());
  columns.data.assign(rows.columns, rows.columns + rows.kinds.size());
  for (std::uint64_t row = 0; row < rows.count && !limit_reached(); ++row) {
    if (file_ == nullptr) {
      if (count_ != 0) text_ += ',';
      append_row(text_, columns, row, universe_, Style::Json);
    } else {
      text_.clear();
      append_row(text_, columns, row, universe_, Style::Text);
      // No cell has a tab or a comma: they are numbers and bools.
      if (separator_ != '\t') std::replace(text_.begin(), text_.end(), '\t', separator_);
      text_ += '\n';
      file_->write(text_);
      if (file_->failed()) return false;
    }
    ++count_;
  }
  // Whoever reads a pipe sees the matches as they are found.
  if (file_ != nullptr && file_->is_standard_output()) file_->flush();
  return !limit_reached() && (file_ == nullptr || !file_->failed());
}

}  // namespace matcha::driver
