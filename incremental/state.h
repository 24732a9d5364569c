#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/private_files.h"
#include "runtime/result.h"
#include "session/resident_graph.h"

namespace matcha::session::stream {

/// A batch in the log: its input lines, and where it was cut.
struct LogRecord {
  std::uint64_t batch = 0;
  std::uint64_t taken = 0;   ///< `RawBatch::taken`.
  std::uint64_t offset = 0;  ///< Bytes of the input up to here,
  std::uint64_t line = 0;    ///< and lines.
  bool flushed = false;      ///< The input had ended.
  std::string lines;         ///< Each with its line feed.
};

/// The folder of `--state`: a checkpoint, and a log of the batches since then. A checkpoint consists of `N.mtg`, the
/// graph after batch N, and `N.state`, everything else, which completes it; `N.log` follows it. A batch is in the log
/// before its answer is printed.
class StateFolder {
 public:
  /// Creates the folder if it is missing, and locks it. Errors: Input when that fails, when another process holds the
  /// lock, when other users may write the folder or a file in it, and when one of these is a link.
  static runtime::Result<StateFolder> open(const std::string& path);

  /// A checkpoint was found.
  bool is_begun() const { return checkpoint_.has_value(); }
  /// The facts of the last `write`. Requires: `is_begun`. Errors: Input when the file is torn.
  runtime::Result<nlohmann::json> read_facts() const;
  runtime::Result<ResidentGraph::Shared> read_graph(bool edge_labels) const;
  /// The batches since then, in order; drops a torn last one. Errors: Input when the log is corrupt before its end.
  runtime::Result<std::vector<LogRecord>> read_log();

  /// Writes a checkpoint, begins its log, and removes the previous one. Errors: Input when it cannot be written; then
  /// the previous one stays valid.
  runtime::Status write(std::uint64_t batch, const ResidentGraph& graph, const nlohmann::json& facts);
  /// Appends a batch to the log and flushes it to disk.
  runtime::Status append(const LogRecord& record);
  std::uint64_t log_bytes() const { return log_bytes_; }

 private:
  StateFolder() = default;
  std::string file(std::uint64_t batch, const char* ending) const;
  runtime::Status begin_log(bool is_new);
  runtime::Status sync_folder() const;
  void remove_others() const;

  std::string path_;
  runtime::Descriptor lock_;
  runtime::Descriptor log_;
  std::optional<std::uint64_t> checkpoint_;
  std::uint64_t log_bytes_ = 0;
};

}  // namespace matcha::session::stream
