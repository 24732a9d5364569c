#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cluster/mpi_team.h"
#include "session/prepared.h"
#include "session/row_encoder.h"
#include "session/tables.h"

namespace matcha::session::stream {

/// The programs, inputs and options of a stream.
struct StreamRequest {
  std::vector<ProgramRequest> programs;  ///< At least one; with the same parameters.
  std::vector<std::string> names;        ///< The names of the programs in answers.
  std::string graph;                     ///< The file of the graph at the start; empty: there is none, or a query.
  TableBinding table;
  bool directed = false;

  std::string updates;  ///< A file, or `-`; may end in `:source,target,time`.
  std::string time;     ///< Its column of times; empty: as the heading says.
  bool temporal = false;
  std::string window, slide, lateness;  ///< Times; empty: none.
  std::optional<std::uint64_t> batch;   ///< Lines of a batch.
  std::string every;                    ///< The longest that an update waits; empty: any.
  bool blank = false, each = false;     ///< An empty line ends a batch; so does each update.
  bool strict = false;                  ///< An update that changes nothing is an error.
  bool of_rows = false;                 ///< Lines are rows of a table, as a pattern has conditions (ledger_engine.h).

  bool json = false, no_total = false;
  std::string out = "-";
  std::string matches;                  ///< The file of rows; empty: none are wanted.
  std::optional<RowFormat> row_format;  ///< The format of the file `matches`.
  std::string state;                    ///< The folder for restarts; empty: none.
  std::optional<std::uint64_t> checkpoint;

  std::string device = "auto";
  std::optional<std::uint32_t> gpus;           ///< 0: all.
  std::uint64_t gpu_memory = 0;                ///< 0: all of it.
  std::uint64_t gpu_rows = ~std::uint64_t{0};  ///< Bytes for rows; all ones: the rest.
  int gpu_turn = 0;  ///< Index of this process among those of the host; see CudaOptions::turn.
  std::shared_ptr<runtime::cluster::MpiTeam> team = nullptr;  ///< Ranks of an MPI job with the same stream.
  bool recompute = false;
  std::string engine = {};  ///< The method that keeps the answers; empty: the cheapest of each program.
  std::string code_folder;

  /// The stream begins without a vertex; with `of_rows` the graph is a table, whose lines come first.
  bool is_empty() const { return of_rows || (graph.empty() && table.sql.empty()); }
  /// The programs run again after each batch, all of them.
  bool only_recomputes() const { return recompute || engine == "recompute"; }
  /// GPUs that are asked for by number are wanted.
  std::string device_wanted() const { return gpus ? "cuda" : device; }
};

}  // namespace matcha::session::stream
