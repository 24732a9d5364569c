#pragma once

#include <string>

#include "runtime/graph/detail/rows.h"
#include "runtime/graph/detail/source.h"

/// What the first line of numbers is: an edge, the size of the graph, or the header of a METIS file.
namespace matcha::runtime::detail {

struct FirstLine {
  enum class Kind {
    Edge,   ///< Data as the other lines, or a heading.
    Size,   ///< `n m`, `n`, or `n` and `m` in two lines: vertices and edges of the lines below.
    Metis,  ///< The whole file is METIS.
  };

  Kind kind = Kind::Edge;
  unsigned lines = 0;        ///< That the size takes.
  IdRange vertices = {};     ///< That it declares.
  std::string text;          ///< Its words, for the load report.
  bool may_be_edge = false;  ///< Other lines have both its numbers as ids: it may be an edge as well.
};

/// Decides by the whole file, unless its first lines rule out all but edges. A size line has to fit all other lines:
/// their ids are 0…n-1 or 1…n, half of which occur, and there are m of them, or 2m of which each is there in both
/// directions. A METIS file has n lines of neighbours, 2m of them, each edge in the lines of both ends. `columns`: of
/// the ends of edges. `asked_edges`: the caller said that the file is an edge list. Errors: Input where the file is
/// METIS as well as edges, which would be another graph; Resource where a size is far above what the lines have; those
/// of the source. Consumes nothing.
Result<FirstLine> judge_first_line(LineSource& source, const std::vector<ColumnSpec>& columns, bool asked_edges,
                                   const IoOptions& options);

}  // namespace matcha::runtime::detail
