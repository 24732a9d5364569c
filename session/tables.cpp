#include "session/tables.h"

#include <sys/stat.h>

#include <algorithm>

namespace matcha::session {

namespace {

bool file_exists(const std::string& path) {
  struct stat facts {};
  return path == "-" || ::stat(path.c_str(), &facts) == 0;
}

}  // namespace

runtime::TableOptions TableBinding::options() const {
  runtime::TableOptions options;
  if (header != "auto") options.heading = header == "yes" ? runtime::Heading::Yes : runtime::Heading::No;
  options.text_ids = ids == "text";
  options.drop_literals = no_literals;
  options.format = runtime::format_of_option(format).value_or(runtime::Format::Auto);
  return options;
}

Status TableBinding::check(const Reporter& reporter) const {
  if (src.empty() != dst.empty()) {
    return reporter.error(Status::Usage, "`--src` and `--dst` belong together",
                          "name the columns of both ends of edges");
  }
  if (vertices.empty() && !id.empty()) {
    return reporter.error(Status::Usage, "`--id` is a column of the file that `--vertices` names",
                          "add `--vertices FILE`");
  }
  if (!label.empty() && !labels.empty()) {
    return reporter.error(Status::Usage, "`--label` and `--labels` both give vertices labels", "leave one out");
  }
  return Status::Ok;
}

void TableBinding::put_into(runtime::GraphSpec& spec) const {
  spec.table = options();
  spec.labels_path = labels;
  spec.sql = spec.path.empty() ? sql : std::string();
  spec.vertices_path = vertices;
  if (!id.empty()) spec.id_column = runtime::ColumnRef(id);
  if (!label.empty()) spec.label_column = runtime::ColumnRef(label);
  const bool informed = spec.edge_info || spec.temporal;
  if (spec.columns.size() == 2 && informed && !edge_label.empty()) spec.columns.emplace_back(edge_label);
  if (!spec.columns.empty() || (src.empty() && (edge_label.empty() || !informed))) return;
  spec.columns = src.empty() ? std::vector<runtime::ColumnRef>(2)
                             : std::vector<runtime::ColumnRef>{runtime::ColumnRef(src), runtime::ColumnRef(dst)};
  if (!informed) return;
  // Beside ends with names the heading may name the labels too.
  const bool has_names = !runtime::ColumnRef(src).name.empty() && !runtime::ColumnRef(dst).name.empty();
  if (!edge_label.empty()) {
    spec.columns.emplace_back(edge_label);
  } else if (spec.may_lack_info && has_names) {
    spec.columns.emplace_back();
  }
}

std::vector<runtime::ColumnRef> take_columns(std::string& path) {
  const std::size_t colon = path.rfind(':');
  if (colon == std::string::npos || colon + 1 == path.size() || file_exists(path)) return {};
  std::vector<runtime::ColumnRef> columns;
  std::size_t at = colon + 1;
  while (true) {
    const std::size_t comma = std::min(path.find(',', at), path.size());
    if (comma == at) return {};
    columns.emplace_back(path.substr(at, comma - at));
    if (comma == path.size()) break;
    at = comma + 1;
  }
  const bool by_name = std::any_of(columns.begin(), columns.end(), [](const auto& c) { return !c.name.empty(); });
  if (by_name && !file_exists(path.substr(0, colon))) return {};
  path.resize(colon);
  return columns;
}

}  // namespace matcha::session
