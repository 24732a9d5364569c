#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Usual names of the columns of tables of edges.
namespace matcha::runtime {

/// The role of a column, by which its name in the heading is recognized.
enum class ColumnRole : std::uint8_t {
  Any,     ///< The column is given by number or name.
  Source,  ///< One end of an edge.
  Target,  ///< The other end.
  Label,   ///< The label of an edge.
  Time,    ///< The time of an edge.
  Info,    ///< A number of an edge: a time, a weight.
  Id,      ///< The id of a vertex.
  Next,    ///< The next column that no other role takes.
};

/// The columns of the two ends of edges.
struct EndColumns {
  unsigned source = 0;
  unsigned target = 0;
  bool is_numbered = false;  ///< The two names differ in one number or letter, such as `node1` and `node2`; columns of
                             ///< ids may do so too.
};

/// The columns that a heading names as the ends of edges: `source` and `target`, `src_id` and `dst_id`, `FromNodeId`
/// and `ToNodeId`, `node1` and `node2`, and others. Empty if no pair of names is usual, or if several are and neither
/// the plain names nor those of ids single out one pair.
std::optional<EndColumns> usual_ends(const std::vector<std::string>& heading);

/// True if a heading names at least one pair of columns that could be the ends of edges.
bool has_usual_ends(const std::vector<std::string>& heading);

/// True if `name` is a usual name for a column of this role: Label, Time, Info (weights) or Id.
bool is_usual_name(std::string_view name, ColumnRole role);

/// How likely a column of this name has the ids of vertices: 0 for unlikely, 3 for `id`.
int id_likeness(std::string_view name);

/// The separator of a line whose cells may be names: the first of tab, comma, `;` and `|` that stands outside of
/// quotes; 0: blanks. A comma behind `;` or `|` is in a cell: `1;2;0,5`.
char separator_of(std::string_view line);

/// True for a column without a name, such as the index of a data frame.
bool is_unnamed(std::string_view name);

}  // namespace matcha::runtime
