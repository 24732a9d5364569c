#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/handles.h"
#include "incremental/answer_text.h"
#include "incremental/engine.h"
#include "incremental/feed.h"
#include "incremental/stream/opening.h"
#include "incremental/update_text.h"
#include "session/message_log.h"

namespace matcha::api {

/// The parts of a stream over the lines of a table, in addition to its engine.
struct TableLines {
  session::stream::StreamRequest request;
  std::optional<session::stream::Opening> opening;  ///< The opening of the request; the parts need it.
  session::stream::StreamParts parts;
  std::optional<session::stream::Feed> feed;
  std::uint64_t lines = 0;  ///< So far.
  bool has_failed = false;  ///< A line had an error.
};

/// The state of a stream, shared with its background work. All calls except `enter` must be between a successful
/// `enter` and its `leave`.
class LiveStream {
 public:
  explicit LiveStream(const matcha_options& options)
      : threads_(options.threads), tier_(options.tier), recompute_(options.recompute), strict_(options.strict) {}

  /// Opens the programs on a graph. Errors are written to `errors`.
  matcha_status open(std::span<const matcha_program* const> programs,
                     const std::shared_ptr<session::ResidentGraph>& graph, std::string& errors);

  /// Opens patterns on the lines of a table. Errors are written to `errors`.
  matcha_status open_table(std::span<const char* const> patterns, const matcha_options& options, std::string& errors);

  /// Claims the stream until `leave`. If it is busy or ended, returns false with the reason in `why`.
  bool enter(std::string& why);
  /// `usable`: the stream can continue.
  void leave(bool usable) {
    const bool has_failed = maybe_table_ != nullptr && maybe_table_->has_failed;
    state_.store(usable && !has_failed ? State::Idle : State::Ended);
  }

  /// Adds updates to the next batch.
  void put(std::vector<session::stream::Update> updates);
  /// False: none was added, and `error` has the reason.
  bool put_lines(std::string_view text, std::string& error);
  /// Applies the batch; its updates are removed even after a failure. `usable`: the stream can continue.
  Found apply(const Task& task, bool& usable);

  std::size_t size() const { return engine_->size(); }
  /// The answer for the last batch; null before the first.
  const session::stream::Answer* maybe_answer(std::size_t program) const {
    return program < answers_.size() ? &answers_[program] : nullptr;
  }
  const session::stream::BatchFacts& facts() const { return facts_; }
  bool gives_rows(std::size_t program) const { return rows_[program]; }
  bool has_edge_labels() const { return rules_.edge_labels; }
  bool is_of_table() const { return maybe_table_ != nullptr; }
  /// The rows of the last batch as an object (answer_text.h). Requires: `maybe_answer`, and `gives_rows`.
  std::string changes_json(std::size_t program) const;

 private:
  enum class State : std::uint8_t { Idle, Busy, Ended };

  matcha_status make(const std::vector<session::ProgramRequest>& requests,
                     const std::shared_ptr<session::ResidentGraph>& graph, bool edge_labels);
  bool put_rows(std::string_view text, std::string& error);
  session::Status net(session::stream::NetBatch& batch, session::stream::BatchFacts& facts, bool& usable);
  std::string take_log();

  const unsigned threads_;
  const std::optional<runtime::Tier> tier_;
  const bool recompute_, strict_;
  std::atomic<State> state_ = State::Idle;
  std::shared_ptr<session::MessageLog> log_ = std::make_shared<session::MessageLog>();
  std::size_t reported_ = 0;  ///< Bytes of the log already returned to the caller.
  std::vector<bool> rows_;
  std::unique_ptr<session::stream::Engine> engine_;
  std::unique_ptr<TableLines> maybe_table_;  ///< Null: updates are of a graph.
  std::optional<session::stream::LabelCodes> codes_;
  session::stream::LineRules rules_;
  std::vector<session::stream::Update> updates_;
  std::uint64_t put_ = 0;      ///< Updates so far.
  std::uint64_t batches_ = 0;  ///< So far.
  session::stream::BatchFacts facts_;
  std::vector<session::stream::Answer> answers_;
};

}  // namespace matcha::api
