#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "codegen/backend.h"
#include "runtime/cpu/region.h"
#include "runtime/graph/universe.h"
#include "runtime/wide_int.h"

namespace matcha::session::stream {

/// A vertex of a result, by its id.
struct VertexNumber {
  std::int64_t id = 0;
  bool operator==(const VertexNumber&) const = default;
};

/// An int beyond 128 bits.
struct WideNumber {
  runtime::WideInt magnitude;
  bool is_negative = false;
  bool operator==(const WideNumber&) const = default;
};

/// A number of a result in the form for users: a vertex as its id, which may be text; a list as the number of its
/// items.
using Number = std::variant<__int128, WideNumber, double, bool, std::string, VertexNumber>;

/// The numbers of a result; for lists their sizes.
std::vector<Number> numbers_of(const codegen::RunResult& result, const runtime::Universe& universe);
/// The number, or its negative.
Number number_of(const runtime::WideInt& magnitude, bool is_negative = false);
/// Counts of cliques by size are at least those of vertices and edges, so that they are always several.
inline void as_series(std::vector<Number>& counts) {
  if (counts.size() < 2) counts.resize(2, static_cast<__int128>(0));
}
/// New minus old; empty if a number is neither an int nor a float. Of lists of different lengths, missing numbers are
/// 0.
std::vector<Number> difference(const std::vector<Number>& now, const std::vector<Number>& before);

/// How an answer was found (matcha.stream/1 `how`).
enum class MaintenanceMethod : std::uint8_t { Delta, Trees, Roots, Recompute };
const char* method_name(MaintenanceMethod how);

/// Rows with a word for each column: ids of vertices (places for text ids), ints, the bits of doubles, 0 or 1.
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

/// Maps a word to an unsigned number that ascends with the values of a column.
std::uint64_t ordered(std::uint64_t word, runtime::ElementKind kind);
/// True if a row precedes another one, column by column.
bool is_row_before(const std::uint64_t* a, const std::uint64_t* b, const std::vector<runtime::ElementKind>& kinds);

/// Inserted and deleted rows, in no particular order: each with one sign, repeated as often as its multiplicity
/// changed.
struct RowChanges {
  RowSet rows;
  std::vector<std::int8_t> signs;  ///< +1 or -1 for each row.
  /// The ids of rows of a table, which are ints here, by number; empty: the ids are the numbers.
  std::unordered_map<std::uint64_t, std::string> edge_ids{};

  std::uint64_t count(std::int8_t sign) const;
};
/// The changes from `before` to `now`; both are sorted.
RowChanges difference(const RowSet& now, const RowSet& before);

/// For a GPU that holds only a part of the rows: the numbers of rows that were resident, fetched or left remote, of the
/// rows that a batch was expected to read more than once, and the numbers of reads of resident and of remote rows.
/// Batches that were counted together have the same values.
struct GpuRows {
  std::uint64_t kept = 0;     ///< Rows that were resident.
  std::uint64_t sent = 0;     ///< Rows that were fetched.
  std::uint64_t left = 0;     ///< Rows that stayed remote, in host memory.
  std::uint64_t evicted = 0;  ///< Rows evicted to make room.
  std::uint64_t resident_reads = 0, remote_reads = 0;
  /// Time of the host to choose rows, and of the GPU to move them and to build those that the previous batch changed.
  double choose_ms = 0, move_ms = 0;

  void add(const GpuRows& more) {
    kept += more.kept;
    sent += more.sent;
    left += more.left;
    evicted += more.evicted;
    resident_reads += more.resident_reads;
    remote_reads += more.remote_reads;
    choose_ms += more.choose_ms;
    move_ms += more.move_ms;
  }
  /// The share of reads that hit resident rows; 0 without reads.
  double hit_share() const {
    const std::uint64_t all = resident_reads + remote_reads;
    return all == 0 ? 0 : static_cast<double>(resident_reads) / static_cast<double>(all);
  }
};

/// The answer of one program for a batch, or for the initial graph.
struct Answer {
  std::vector<Number> total;  ///< One per result; empty: totals were not requested and are unknown.
  std::vector<Number> delta;  ///< New minus old; empty if a result is neither an int nor a float.
  /// Inserted and deleted matches: for lists, and for counts of edge-induced patterns within 128 bits; otherwise empty.
  std::optional<__int128> plus, minus;
  RowChanges changes;  ///< If rows are requested.
  MaintenanceMethod how = MaintenanceMethod::Recompute;
  bool on_gpu = false;              ///< A GPU counted the effect of the edges.
  std::optional<GpuRows> gpu_rows;  ///< If the GPU's memory is bounded.
  std::string why;                  ///< For users: why the method is not `delta`; may be empty.
  double match_ms = 0;

  /// Sets `plus` and `minus` of a program with one result, by its totals after and before a batch and on what both
  /// graphs have in common; both stay empty if one is beyond 128 bits.
  void set_changes(const std::vector<Number>& now, const std::vector<Number>& before, const std::vector<Number>& rest);
};

}  // namespace matcha::session::stream
