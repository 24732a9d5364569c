#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen/backend.h"
#include "runtime/cpu/region.h"
#include "runtime/graph/universe.h"

namespace matcha::session::stream {

/// A vertex of a result, by its id.
struct VertexNumber {
  std::int64_t id = 0;
  bool operator==(const VertexNumber&) const = default;
};

/// A number of a result as people see it: a vertex as its id, which may be text; a list as the number of its items.
using Number = std::variant<__int128, double, bool, std::string, VertexNumber>;

/// Numbers of a result, of lists their sizes.
std::vector<Number> numbers_of(const codegen::RunResult& result, const runtime::Universe& universe);
/// New less old; empty where some number is neither an int nor a float.
std::vector<Number> difference(const std::vector<Number>& now, const std::vector<Number>& before);

/// How an answer was found (matcha.stream/1 `how`).
enum class How : std::uint8_t { Delta, Columns, Roots, Recompute };
const char* how_name(How how);

/// Rows with a word for each column: ids of vertices (of ids that are text, their places), ints, the bits of doubles,
/// 0 or 1.
struct RowSet {
  std::vector<runtime::ElementKind> kinds;
  std::vector<std::uint64_t> words;

  std::uint64_t size() const { return kinds.empty() ? 0 : words.size() / kinds.size(); }
  const std::uint64_t* row(std::uint64_t at) const { return words.data() + at * kinds.size(); }
  /// Appends a block of a run, whose vertices are ranks.
  void append(const codegen::Rows& block, const runtime::Universe& universe);
  /// In ascending order, column by column.
  void sort();
};

/// A number, without a sign, that ascends as the values of a column do; `word` is one of them.
std::uint64_t ordered(std::uint64_t word, runtime::ElementKind kind);
/// Whether a row comes before another one, column by column.
bool is_row_before(const std::uint64_t* a, const std::uint64_t* b, const std::vector<runtime::ElementKind>& kinds);

/// Rows that came or went, in no particular order: each on one side only, as often as it was there more or less often.
struct RowChanges {
  RowSet rows;
  std::vector<std::int8_t> signs;  ///< +1 or -1, one a row.

  std::uint64_t count(std::int8_t sign) const;
};
/// What to do to `before` to get `now`; both are sorted.
RowChanges difference(const RowSet& now, const RowSet& before);

/// Where a GPU has some rows of the graph only: what became of those that a batch was expected to read more than once,
/// and how many rows were read there, and in memory of the host. Batches that were counted together have the same.
struct GpuRows {
  std::uint64_t kept = 0;  ///< Were there.
  std::uint64_t sent = 0;  ///< Were sent.
  std::uint64_t left = 0;  ///< Stayed in memory of the host.
  std::uint64_t gone = 0;  ///< Rows that went, for those that were sent.
  std::uint64_t near_reads = 0, far_reads = 0;
  /// Of the host to choose rows, and of the GPU to move them, and to make those that the batch before changed.
  double choose_ms = 0, move_ms = 0;

  void add(const GpuRows& more) {
    kept += more.kept;
    sent += more.sent;
    left += more.left;
    gone += more.gone;
    near_reads += more.near_reads;
    far_reads += more.far_reads;
    choose_ms += more.choose_ms;
    move_ms += more.move_ms;
  }
  /// Of the reads, the part that was of the GPU's memory; 0 where there were none.
  double hit_share() const {
    const std::uint64_t all = near_reads + far_reads;
    return all == 0 ? 0 : static_cast<double>(near_reads) / static_cast<double>(all);
  }
};

/// What one program says of a batch, or of the graph at the start.
struct Answer {
  std::vector<Number> total;  ///< One a result; empty: totals were not asked for and are not known.
  std::vector<Number> delta;  ///< New less old; empty where some result is neither an int nor a float.
  /// Matches that came and went: of lists, and of edge-induced patterns that are counted; else none.
  std::optional<__int128> plus, minus;
  RowChanges changes;  ///< Where rows are asked for.
  How how = How::Recompute;
  bool on_gpu = false;              ///< A GPU counted what edges did.
  std::optional<GpuRows> gpu_rows;  ///< With a bound on its memory.
  std::string why;                  ///< For people: why not `delta`; may be empty.
  double match_ms = 0;
};

}  // namespace matcha::session::stream
