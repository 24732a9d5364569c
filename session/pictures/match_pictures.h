#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/backend.h"
#include "question/pattern.h"
#include "runtime/graph/graph.h"
#include "session/pictures/draw_pattern.h"

namespace matcha::session {

/// How many matches are drawn where `--limit` does not say it.
inline constexpr std::uint64_t kPicturedMatches = 12;

/// Whether rows for this file are drawn: its name ends in `.svg`.
bool is_picture(std::string_view path);

/// Takes the rows of a pattern's matches and draws them, with the ids and labels of the graph.
class MatchPictures {
 public:
  /// Its arguments must outlive it. A row has a column for each vertex of the pattern, in order. `ids` are of the
  /// ranks that rows have; `maybe_graph` has the labels of its vertices, if they have any.
  MatchPictures(const pattern::Pattern& pattern, const runtime::Universe& ids, const runtime::Graph* maybe_graph);

  /// Keeps the first `most` of all rows. Not from two threads at once.
  void take(const codegen::Rows& rows, std::uint64_t most);

  /// A whole SVG file.
  std::string svg(std::string_view title) const;

 private:
  const pattern::Pattern& pattern_;
  const runtime::Universe& ids_;
  const runtime::Graph* graph_;
  std::vector<DrawnMatch> matches_;
};

}  // namespace matcha::session
