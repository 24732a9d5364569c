#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "engines/search/device_keeper.h"

namespace matcha::runtime::cliques {
class DeviceCliques;
class DeviceSums;
}  // namespace matcha::runtime::cliques

namespace matcha::codegen {

using CliqueDevice = DeviceKeeper<runtime::cliques::DeviceCliques>;
using CliqueSumDevice = DeviceKeeper<runtime::cliques::DeviceSums>;

/// Counts of cliques.
struct CliqueTask {
  enum class Per { Graph, Vertex, Edge };

  std::uint32_t size = 0;  ///< The number of vertices of the counted cliques, at least 1; 0: every size.
  bool maximal = false;    ///< Count only maximal cliques, of every size. Requires `size` 0 and `Per::Graph`.
  /// Vertex, Edge: the result is a list with a row for each vertex or edge, and a size of at least 2. With `size` 0 the
  /// list has a row for each vertex or edge and each size that it has cliques of.
  Per per = Per::Graph;

  /// Walks the trees of whole runs, for counts of the graph; null: a CPU does.
  std::shared_ptr<CliqueDevice> maybe_device = nullptr;
  /// The same for rows of vertices.
  std::shared_ptr<CliqueSumDevice> maybe_sum_device = nullptr;

  /// Names of the columns of rows: the vertex, or the ends of the edge, then of all sizes the size, then the cliques.
  std::vector<std::string> columns() const;
};

/// The cliques of one vertex that a task has.
std::uint64_t vertices_of_size_one(const CliqueTask& task, const runtime::Graph& graph);

/// The values of a whole run by the merged parts of its shares; `size`: as of the task; `vertices`: of size one.
std::vector<ResultValue> clique_values(const std::vector<PartialValue>& merged, std::uint32_t size,
                                       std::uint64_t vertices);

/// Counts cliques by pivot trees (engines/cliques), on a CPU or a device, or maximal ones on a CPU. If the device's
/// memory is too small, or roots are too wide for it, a CPU counts and a note says so. Its one argument is an
/// undirected simple graph without a hash index. It has one value, or of all sizes one a size from 1 on, the last of
/// which is not 0; or it has a list of rows, by size and ascending, whose counts have at most 63 bits, more are an
/// error. Numbers that fit are ints of 128 bits, others WideInt; counts that may have more than 256 bits are an error
/// before they are counted. A run that is stopped has no values. Where a run takes long, `on_note` gets the time that
/// is expected. Shares deal the trees and have, of each number, the sums of its words of 64 bits; shares of rows are an
/// error. Of a whole result, `times` has the parts of the count, and `tier` is the walk of the CPU or the label of the
/// device.
std::unique_ptr<Executable> make_clique_counter(const CliqueTask& task);

}  // namespace matcha::codegen
