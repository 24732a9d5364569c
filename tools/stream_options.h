#pragma once

#include <optional>
#include <string>
#include <vector>

#include "incremental/stream/request.h"
#include "tools/options.h"

namespace matcha::tools {

/// The options of `matcha stream`: the request, and the words that it is made of.
struct StreamOptions : session::stream::StreamRequest {
  StreamOptions() { code_folder = tools::code_folder(); }

  ConsoleOptions console;
  std::vector<std::string> files;  ///< Programs, and the graph.
  std::string entry;
  std::vector<std::string> patterns;
  std::string pattern_list;
  std::vector<std::string> params;
  PatternOptions pattern;  ///< Options of all patterns; its text is empty.
  bool automatic = false, total = false;
  std::optional<double> timeout;
  bool mpi = false;  ///< The process is a rank of an MPI job.
  unsigned threads = 0;
  std::string simd;
  std::string order = "auto";
  std::string tier = "auto";
};

/// Adds all of them to the verb, with its help. The values of a call are in `options`, which must outlive it.
void add_stream_options(CLI::App& verb, StreamOptions& options);

}  // namespace matcha::tools
