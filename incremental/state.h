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

/// A batch as the log has it: the lines that were read for it, and where it was cut.
struct LogRecord {
  std::uint64_t batch = 0;
  std::uint64_t taken = 0;   ///< `RawBatch::taken`.
  std::uint64_t offset = 0;  ///< Bytes of the input until here,
  std::uint64_t line = 0;    ///< and lines.
  bool flushed = false;      ///< The input had ended.
  std::string lines;         ///< Each with its line feed.
};

/// The folder of `--state`: a checkpoint, and a log of the batches since then. A checkpoint is `N.mtg`, the graph after
/// batch N, and `N.state`, all else, whose appearance makes it one; `N.log` follows it. A batch is in the log before
/// anybody hears its answer.
class StateFolder {
 public:
  /// Makes the folder if there is none, and locks it. Errors: Input when that cannot be done, when another process has
  /// it, and when others than this user may write it or a file of it, or one of these is a link.
  static runtime::Result<StateFolder> open(const std::string& path);

  /// A checkpoint was found.
  bool is_begun() const { return checkpoint_.has_value(); }
  /// What `write` was given. Requires: `is_begun`. Errors: Input when it is torn.
  runtime::Result<nlohmann::json> read_facts() const;
  runtime::Result<ResidentGraph::Shared> read_graph(bool edge_labels) const;
  /// The batches since then, in order; a torn last one is cut off. Errors: Input when the log is corrupt before its
  /// end.
  runtime::Result<std::vector<LogRecord>> read_log();

  /// Writes a checkpoint, begins its log, and removes what was before. Errors: Input when it cannot be written; then
  /// the one before holds.
  runtime::Status write(std::uint64_t batch, const ResidentGraph& graph, const nlohmann::json& facts);
  /// Adds a batch to the log; it is on the disk then.
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
