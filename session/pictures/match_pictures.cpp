#include "session/pictures/match_pictures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "session/values.h"

namespace matcha::session {

bool is_picture(std::string_view path) { return path.ends_with(".svg"); }

MatchPictures::MatchPictures(const pattern::Pattern& pattern, const runtime::Universe& ids,
                             const runtime::Graph* maybe_graph)
    : pattern_(pattern), ids_(ids), graph_(maybe_graph) {}

void MatchPictures::take(const codegen::Rows& rows, std::uint64_t most) {
  const std::int64_t* const labels = graph_ != nullptr ? graph_->view().labels : nullptr;
  for (std::uint64_t row = 0; row < rows.count && matches_.size() < most; ++row) {
    DrawnMatch match;
    for (std::size_t column = 0; column < rows.kinds.size(); ++column) {
      std::string id;
      const RowColumns one{{rows.kinds[column]}, {rows.columns[column]}};
      append_row(id, one, row, ids_, Style::Text);
      match.ids.push_back(std::move(id));
      if (labels == nullptr || rows.kinds[column] != runtime::ElementKind::Vid) continue;
      const std::int64_t label = labels[static_cast<const std::uint32_t*>(rows.columns[column])[row]];
      match.labels.push_back(label == runtime::kNoLabel ? "" : graph_->dictionary().name(label));
    }
    matches_.push_back(std::move(match));
  }
}

std::string MatchPictures::svg(std::string_view title) const {
  std::string words;
  for (const DrawnMatch& match : matches_) {
    words += fmt::format("{}{}", words.empty() ? "" : "; ", fmt::join(match.ids, ", "));
  }
  return svg_element(draw_matches(pattern_, matches_), "matches", title,
                     words.empty() ? "no matches" : fmt::format("Matches: {}.", words), true);
}

}  // namespace matcha::session
