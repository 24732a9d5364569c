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
#include "incremental/update_text.h"
#include "session/message_log.h"

namespace matcha::api {

/// What is behind a stream. Work in the background keeps it. All calls but `enter` come between an `enter` that gave
/// true and its `leave`.
class LiveStream {
 public:
  explicit LiveStream(const matcha_options& options)
      : threads_(options.threads), tier_(options.tier), recompute_(options.recompute), strict_(options.strict) {}

  /// Programs on a graph. Errors go to `errors`.
  matcha_status open(std::span<const matcha_program* const> programs,
                     const std::shared_ptr<session::ResidentGraph>& graph, std::string& errors);

  /// Nobody else may call it until `leave`. Not entered: why.
  bool enter(std::string& why);
  /// `usable`: the stream can go on.
  void leave(bool usable) { state_.store(usable ? State::Idle : State::Ended); }

  /// Updates of the next batch.
  void put(const std::vector<session::stream::Update>& updates);
  /// False: none was taken, and `error` says why.
  bool put_lines(std::string_view text, std::string& error);
  /// The batch; its updates are gone then, whatever happens. `usable`: the stream can go on.
  Found apply(const Task& task, bool& usable);

  std::size_t size() const { return engine_->size(); }
  /// Of the last batch; null before the first.
  const session::stream::Answer* maybe_answer(std::size_t program) const {
    return program < answers_.size() ? &answers_[program] : nullptr;
  }
  const session::stream::BatchFacts& facts() const { return facts_; }
  bool gives_rows(std::size_t program) const { return rows_[program]; }

 private:
  enum class State : std::uint8_t { Idle, Busy, Ended };

  matcha_status make(const std::vector<session::ProgramRequest>& requests,
                     const std::shared_ptr<session::ResidentGraph>& graph, bool edge_labels);
  session::Status net(session::stream::NetBatch& batch, session::stream::BatchFacts& facts, bool& usable);
  std::string take_log();

  const unsigned threads_;
  const std::optional<runtime::Tier> tier_;
  const bool recompute_, strict_;
  std::atomic<State> state_ = State::Idle;
  std::shared_ptr<session::MessageLog> log_ = std::make_shared<session::MessageLog>();
  std::size_t told_ = 0;  ///< Bytes of the log that were given to a caller.
  std::vector<bool> rows_;
  std::unique_ptr<session::stream::Engine> engine_;
  std::optional<session::stream::LabelCodes> codes_;
  session::stream::LineRules rules_;
  std::vector<session::stream::Update> updates_;
  std::uint64_t put_ = 0;      ///< Updates so far.
  std::uint64_t batches_ = 0;  ///< So far.
  session::stream::BatchFacts facts_;
  std::vector<session::stream::Answer> answers_;
};

}  // namespace matcha::api
