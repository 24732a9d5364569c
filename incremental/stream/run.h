#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "incremental/answer_text.h"
#include "incremental/engine.h"
#include "incremental/feed.h"
#include "incremental/netting.h"
#include "incremental/pair_counts.h"
#include "incremental/state.h"
#include "incremental/stream/input.h"
#include "incremental/stream/output.h"
#include "incremental/stream/request.h"
#include "session/reporter.h"

namespace matcha::session::stream {

/// A file with the columns of its lines.
struct TableFile {
  std::string path;
  ColumnRequest columns;
};

/// The parts of a stream, made from its options.
struct StreamParts {
  std::unique_ptr<Engine> engine;
  FeedRules rules;
  std::string updates;                     ///< The path of the updates, without columns.
  std::function<Status()> check_text_ids;  ///< Whether the programs can run where ids are text.
  codegen::RunOptions run;
  std::optional<StateFolder> state;
  std::unique_ptr<runtime::stream::Partners> partners = nullptr;  ///< Other processes with the same stream; null: none.
  std::optional<TableFile> table = {};  ///< Rows that are there at the start; empty: there are none.
  /// The pairs in rows of a table, for programs that read a graph; empty: none do.
  std::optional<PairCounts> maybe_pairs = {};
  nlohmann::json settings;  ///< The settings that a state stores; a restart must have the same ones.
};

/// Why to stop now: Timeout, Interrupted or Terminated; Ok: nothing asks for it. From any thread.
using Verdict = std::function<Status()>;

/// Processes the batches of a stream: reads lines until a batch ends, finds the net changes, writes them to the log,
/// applies them and writes the answers.
class StreamRun {
 public:
  StreamRun(const StreamRequest& request, const Reporter& reporter, Verdict verdict, StreamParts parts);

  /// Opens the files of answers, which may wait for the reader of a pipe. Ok or Input.
  Status open();
  /// All the rest; a step that fails reports why. A batch ends by itself soon after `verdict` asks for it. Requires:
  /// `open` gave Ok.
  Status all();

 private:
  using Clock = StreamInput::Clock;
  /// Times at which lines arrived, and their numbers.
  using Arrivals = std::vector<std::pair<Clock::time_point, std::uint64_t>>;
  /// A batch whose answers the engine has not returned yet.
  struct PendingBatch {
    BatchFacts facts;
    Arrivals arrivals;
  };

  /// The content of the file of answers.
  struct WrittenAnswers {
    std::optional<std::uint64_t> batch;  ///< The last batch that has all of its answers in the file.
    std::uint64_t bytes = 0;             ///< Bytes until the end of these answers.
  };

  ApplyOptions how(bool quiet) const;
  bool goes_on() const { return parts_.state && parts_.state->is_begun(); }
  Status begin();
  Status take_table();
  Status go_on();
  void restore_rows(const nlohmann::json& facts);
  Status read_written(const nlohmann::json& facts, WrittenAnswers& written) const;
  Status check_log(std::uint64_t last, WrittenAnswers& written) const;
  Status cut_outputs(const nlohmann::json& facts, WrittenAnswers& written);
  Status replay(const LogRecord& record, bool quiet);
  Status open_input();
  Status first_answer();
  /// Reads lines until a batch ends.
  Status gather();
  Status take_line(const StreamInput::Line& line);
  /// Reads a line. Where its ids are the first ones, and text, the programs must be able to run on text.
  Status push(std::string_view line, LineKind& kind, std::string& error);
  std::optional<Clock::time_point> batch_deadline() const;
  Status finish_batch();
  Status settle(bool all);
  Status net(RawBatch& raw, NetBatch& batch, BatchFacts& facts);
  Status log_batch(const RawBatch& raw);
  Status answer(const NetBatch& batch, BatchFacts& facts, bool quiet);
  Status write_answers(const BatchFacts& facts, const std::vector<Answer>& answers);
  void count(const BatchFacts& facts, const Arrivals& arrivals);
  Status write_checkpoint();
  bool wants_checkpoint() const;
  Status summarize(Status status);
  Status line_error(std::uint64_t line, std::string message) const;

  const StreamRequest& request_;
  const Reporter& reporter_;
  const Verdict verdict_;
  StreamParts parts_;
  Engine& engine_;
  Feed feed_;
  std::optional<StreamInput> input_;
  std::optional<StreamOutput> answers_, rows_;
  std::string input_name_;

  std::uint64_t batch_ = 0;     ///< The last batch whose counting began.
  std::uint64_t answered_ = 0;  ///< The last batch whose answers are written.
  std::uint64_t line_ = 0;      ///< The number of lines that were read.
  std::uint64_t offset_ = 0;    ///< Bytes of the input until the end of these lines.
  bool ended_ = false;          ///< The input has ended.
  bool flushed_ = false;
  std::string lines_;  ///< The lines of the current batch, for the log.
  Arrivals arrivals_;
  std::deque<PendingBatch> pending_;  ///< Batches that the engine has not answered yet.
  bool is_cut_ = false;               ///< Reading continues after a line that had no line feed.
  bool may_be_quiet_ = false;         ///< The input may pause, as a pipe does.
  bool blank_ = false;                ///< The last line was empty.
  std::uint64_t since_checkpoint_ = 0, checkpoint_bytes_ = 0;

  Latencies latencies_;
  std::uint64_t updates_ = 0, noops_ = 0, late_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace matcha::session::stream
