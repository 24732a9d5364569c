#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cluster/mpi_team.h"
#include "session/durations.h"
#include "session/row_encoder.h"
#include "session/tables.h"
#include "tools/options.h"

namespace matcha::tools {

/// The options of `matcha stream`.
struct StreamOptions {
  ConsoleOptions console;
  std::vector<std::string> files;  ///< Programs, and the graph.
  std::string entry;
  std::vector<std::string> patterns;
  std::string pattern_list;
  PatternOptions pattern;  ///< What holds for all patterns; its text is empty.
  std::vector<std::string> params;
  TableBinding table;
  bool directed = false;

  std::string updates;
  std::string time;  ///< Its column of times; empty: as the heading says.
  bool temporal = false;
  std::string window, slide, lateness;
  std::optional<std::uint64_t> batch;
  std::string every;
  bool blank = false, automatic = false, each = false;
  bool strict = false;

  bool json = false, no_total = false, total = false;
  std::string out = "-";
  std::string matches;
  std::string state;
  std::optional<std::uint64_t> checkpoint;
  std::optional<double> timeout;
  std::string device = "auto";
  std::optional<std::uint32_t> gpus;                          ///< 0: all.
  std::uint64_t gpu_memory = 0;                               ///< 0: all of it.
  std::uint64_t gpu_rows = ~std::uint64_t{0};                 ///< What is left of it.
  bool mpi = false;                                           ///< The process is a rank of an MPI job.
  std::shared_ptr<runtime::cluster::MpiTeam> team = nullptr;  ///< Of `mpi`, once it is joined.
  int gpu_turn = 0;                                           ///< Of the ranks of a host.
  bool recompute = false;
  unsigned threads = 0;
  std::string simd;
  std::string order = "auto";
  std::string tier = "auto";
  std::string code_folder = tools::code_folder();
};

/// Adds all of them to the verb, with its help. What the verb is called with stands in `options`, which must outlive
/// it.
void add_stream_options(CLI::App& verb, StreamOptions& options);

}  // namespace matcha::tools
