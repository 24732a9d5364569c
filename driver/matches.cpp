#include "driver/matches.h"

#include <algorithm>
#include <filesystem>

namespace matcha::driver {

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
  } else if (!suffix.empty() && suffix != ".tsv" && suffix != ".txt") {
    return std::nullopt;
  }
  return format;
}

std::vector<std::string> column_names(const frontend::Type& result, const std::vector<std::string>& given) {
  const frontend::Type& row = result.is_list() ? *result.elem : result;
  const std::size_t columns = row.is_tuple() ? row.positions.size() : 1;
  if (given.size() == columns) return given;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) names.push_back("c" + std::to_string(i));
  return names;
}

MatchWriter::MatchWriter(OutputFile* maybe_file, const RowFormat& format, const std::vector<std::string>& columns,
                         std::optional<std::uint64_t> limit, const runtime::Universe& universe)
    : file_(maybe_file), separator_(format.separator), limit_(limit), universe_(universe) {
  if (file_ == nullptr || !format.heading) return;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != 0) file_->write(std::string_view(&separator_, 1));
    file_->write(columns[i]);
  }
  file_->write("\n");
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
