#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/matcha.h"
#include "api/matcha_stream.h"
#include "api/results.h"
#include "api/rows.h"
#include "api/task.h"
#include "session/prepared.h"

/// The types of the handles of matcha.h.

struct matcha_error {
  std::string text;
};

struct matcha_canceller {
  std::shared_ptr<matcha::api::CancelToken> shared = std::make_shared<matcha::api::CancelToken>();
};

struct matcha_options {
  matcha::session::ProgramRequest program;
  matcha::session::TableBinding table;  ///< The columns and types of table files.
  bool edge_labels = false;
  bool keep_loops = false;
  bool directed = false;
  unsigned threads = 0;
  std::optional<std::uint64_t> limit;  ///< Most rows.
  matcha::codegen::Share share;
  std::optional<matcha::runtime::Tier> tier;
  bool recompute = false;         ///< Streams: recompute instead of using deltas.
  bool strict = false;            ///< Streams: an update without effect is an error.
  std::string time, window;       ///< Streams of a table: the column of times, and the length of the window.
  std::optional<double> timeout;  ///< Seconds.
  std::shared_ptr<matcha::api::CancelToken> maybe_cancel_token;

  /// The latest end of a call that begins now.
  std::optional<matcha::api::Clock::time_point> deadline() const;
};

struct matcha_graph {
  std::shared_ptr<matcha::session::ResidentGraph> graph;
};

namespace matcha::api {

/// Code of a program for one graph, made in the background by the first user.
class Code {
 public:
  /// Keeps its graph, so that no other graph gets its address.
  explicit Code(std::shared_ptr<session::ResidentGraph> graph) : graph_(std::move(graph)) {}

  void make(const session::ProgramRequest& request);
  /// One more caller is to wait, beside the first. False: there was an error, or all callers have left and it will not
  /// be made.
  bool join();
  /// Waits until it is made, once for each caller. MATCHA_TIMEOUT or MATCHA_CANCELLED: the wait was ended; else after
  /// an error, with its text.
  matcha_status wait(const std::atomic<std::uint32_t>* maybe_stop, std::optional<Clock::time_point> deadline,
                     std::string& errors);
  /// Requires: `wait` gave MATCHA_OK.
  session::Prepared& prepared() const { return *prepared_; }

 private:
  /// A caller no longer waits. Requires: the lock.
  void leave();

  const std::shared_ptr<session::ResidentGraph> graph_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t users_ = 1;              ///< Callers that wait, or have waited and not left.
  std::atomic<bool> is_left_ = false;  ///< All have left before it was made.
  bool done_ = false;
  matcha_status status_ = MATCHA_OK;
  std::string errors_;
  std::unique_ptr<session::Prepared> prepared_;
};

/// Facts about a program before it is compiled for a graph.
struct ProgramFacts {
  bool gives_list = false;  ///< Its one result is a list.
  std::string signature;    ///< For a pattern: a description of the counted matches.
  std::string doc;
  std::vector<std::string> names;  ///< The names of the columns of a list of matches, or of the counts of motifs.
  std::vector<std::string> edges;  ///< The edges of the pattern, or of each pattern of a motif, as text.
  std::vector<bool> are_labels;    ///< For each column of its matches, true if it has labels of edges; empty: none has.
  std::map<std::string, std::vector<matcha_kind>, std::less<>> lists;  ///< Columns of the lists that it takes.
  std::string vertices;  ///< For a pattern or a query: its names for vertices of the graph, as JSON.
  std::string query;     ///< For a query: its kind of answer, as JSON.
  /// For a query that is more than one pattern: `matcha_answer` answers it. Null: others do.
  std::shared_ptr<const query::Statement> maybe_statement;
};

/// The state of a program, shared with its runs.
class SharedProgram {
 public:
  static constexpr std::size_t kMostCodes = 64;

  SharedProgram(session::ProgramRequest request, ProgramFacts facts)
      : request_(std::move(request)), facts_(std::move(facts)) {}

  const session::ProgramRequest& request() const { return request_; }
  const ProgramFacts& facts() const { return facts_; }

  /// Starts to make the code if it does not exist; after a failure, again. `shares`: code for shares of runs, which for
  /// a pattern may differ from that for whole runs. Forgets the graph that was added longest ago if there are too many:
  /// each graph with a list counts separately.
  std::shared_ptr<Code> code(const std::shared_ptr<session::ResidentGraph>& graph, bool shares);

 private:
  const session::ProgramRequest request_;
  const ProgramFacts facts_;
  std::mutex mutex_;
  using Key = std::pair<const session::ResidentGraph*, bool>;  ///< The graph, and whether the code is for shares.
  std::map<Key, std::shared_ptr<Code>> codes_;
  std::vector<Key> order_;  ///< The keys of `codes_`, the oldest first.
};

/// The progress of a run.
class Progress {
 public:
  void set(std::uint64_t done, std::uint64_t total) {
    const std::lock_guard<std::mutex> lock(mutex_);
    now_ = {done, total};
  }
  std::pair<std::uint64_t, std::uint64_t> now() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }

 private:
  mutable std::mutex mutex_;
  std::pair<std::uint64_t, std::uint64_t> now_;
};

/// The stop requests and the progress of a run.
struct RunWatch {
  const std::atomic<std::uint32_t>* maybe_stop = nullptr;
  std::optional<Clock::time_point> deadline;
  Progress* maybe_progress = nullptr;
  RowQueue* maybe_rows = nullptr;  ///< Null: a list is a value of the result.
};

/// The outcome of a run.
struct Found {
  matcha_status status = MATCHA_OK;
  std::unique_ptr<matcha_result> result;
  std::string errors;
};

}  // namespace matcha::api

struct matcha_program {
  std::shared_ptr<matcha::api::SharedProgram> shared;
};

namespace matcha::api {
class LiveStream;
}

struct matcha_stream {
  std::shared_ptr<matcha::api::LiveStream> shared;
};

struct matcha_run {
  std::shared_ptr<matcha::api::Task> task;
  std::shared_ptr<matcha::api::Found> found;  ///< Written by the task until it has ended.
  std::shared_ptr<matcha::api::Progress> progress;
  std::shared_ptr<matcha::api::RowQueue> maybe_rows;  ///< Null: the result is given at the end.
};

namespace matcha::api {

/// The error of functions that a query of more than one pattern is given to.
inline constexpr const char* kStatement =
    "the query is more than one pattern, and has an answer alone\n  hint: matcha_answer gives it";

matcha_status status_of(session::Status status);

/// Reports an error of the runtime library with its place and hint; gives its status.
matcha_status report(const runtime::Error& found, matcha_error** error);

/// The ids of a graph, from text. Null: a text is NULL or empty, or they do not ascend strictly by bytes.
std::shared_ptr<const runtime::IdNames> names_of(const char* const* names, size_t count);

/// Returns the graph in `graph`, or the reason why there is none.
matcha_status take_graph(runtime::Result<session::ResidentGraph::Shared> made, matcha_graph** graph,
                         matcha_error** error);

/// Compiles the program if necessary, and runs it.
Found run(SharedProgram& program, const std::shared_ptr<session::ResidentGraph>& graph, const matcha_options& options,
          const RunWatch& watch);

/// The same as a task. `gives_rows`: the caller pulls the rows of its list.
matcha_run start(const matcha_program& program, const matcha_graph& graph, const matcha_options& options,
                 bool gives_rows);
/// Waits for rows. Null: there are none yet, or, if `more` is false, no more will come.
RowQueue::Block next_rows(matcha_run& run, std::optional<Clock::time_point> until, bool& more);
/// Waits for the end of the run; its outcome is returned once.
Found finish(matcha_run& run);

/// Adds the query's kind of matches to the request, and sets its fact. A wrong query is left unchanged; `check` reports
/// it.
void take_query(session::ProgramRequest& request, ProgramFacts& facts);

/// Checks everything that needs no graph, and sets the facts.
session::Status check(const session::ProgramRequest& request, std::string& errors, ProgramFacts& facts);

/// A copy of a text for the caller, to be freed with matcha_text_free.
char* copy_of(const std::string& text);

/// Runs the work and turns exceptions into errors.
Found guarded(const std::function<Found()>& work);
/// The same for work of a task that has no partial result: it ends soon after the task is due, with MATCHA_TIMEOUT or
/// MATCHA_CANCELLED.
Found guarded(const Task& task, const std::function<Found()>& work);

}  // namespace matcha::api
