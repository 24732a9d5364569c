#pragma once

#include <string>

#include "runtime/graph/detail/rows.h"
#include "runtime/graph/detail/source.h"

/// The meaning of the first line of numbers: an edge, the size of the graph, or the header of a METIS file.
namespace matcha::runtime::detail {

struct FirstLine {
  enum class Kind {
    Edge,   ///< Data as the other lines, or a heading.
    Size,   ///< `n m`, `n`, or `n` and `m` in two lines: vertices and edges of the lines below.
    Metis,  ///< The whole file is METIS.
  };

  Kind kind = Kind::Edge;
  unsigned lines = 0;        ///< The number of lines that the size takes.
  IdRange vertices = {};     ///< The vertices that it declares.
  std::string text;          ///< Its words, for the load report.
  bool may_be_edge = false;  ///< Both its numbers occur as ids in other lines, so it may be an edge as well.
  bool may_be_arc = false;   ///< It has as many columns as the lines, which are each edge in both directions.
};

/// Decides by the whole file, unless its first lines rule out everything but edges.
/// - A size line must fit all other lines: their ids are 0…n-1 or 1…n, half of which occur, and there are m of them, or
/// 2m with each edge in both directions.
/// - A METIS file has n lines of neighbours, 2m of them, with each edge in the lines of both ends.
///
/// `columns`: the ends of edges. `asked_edges`: the caller declared an edge list. Errors: Input where the file is valid
/// both as METIS and as edges, which are different graphs; Resource where a size is far above the lines of the file;
/// those of the source. Consumes nothing.
Result<FirstLine> judge_first_line(LineSource& source, const std::vector<ColumnSpec>& columns, bool asked_edges,
                                   const IoOptions& options);

}  // namespace matcha::runtime::detail
