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

/// What is behind the handles of matcha.h.

struct matcha_error {
  std::string text;
};

struct matcha_canceller {
  std::shared_ptr<matcha::api::Canceller> shared = std::make_shared<matcha::api::Canceller>();
};

struct matcha_options {
  matcha::session::ProgramRequest program;
  matcha::session::TableBinding table;  ///< How files are read.
  bool edge_labels = false;
  bool keep_loops = false;
  bool directed = false;
  unsigned threads = 0;
  std::optional<std::uint64_t> limit;  ///< Of rows.
  matcha::codegen::Share share;
  std::optional<matcha::runtime::Tier> tier;
  bool recompute = false;         ///< Of streams: no deltas.
  bool strict = false;            ///< Of streams: an update that changes nothing is an error.
  std::optional<double> timeout;  ///< Seconds.
  std::shared_ptr<matcha::api::Canceller> maybe_canceller;

  /// When a call that begins now must end.
  std::optional<matcha::api::Clock::time_point> deadline() const;
};

struct matcha_graph {
  std::shared_ptr<matcha::session::ResidentGraph> graph;
};

namespace matcha::api {

/// Code of a program for one graph, made in the background by whoever comes first.
class Code {
 public:
  /// Its graph is kept, so that no other graph gets its address.
  explicit Code(std::shared_ptr<session::ResidentGraph> graph) : graph_(std::move(graph)) {}

  void make(const session::ProgramRequest& request);
  bool failed() const;
  /// Waits until it is made. MATCHA_TIMEOUT or MATCHA_CANCELLED: that came first; else after an error, with its text.
  matcha_status wait(const std::atomic<std::uint32_t>* maybe_stop, std::optional<Clock::time_point> deadline,
                     std::string& errors);
  /// After `wait` gave MATCHA_OK.
  session::Prepared& prepared() const { return *prepared_; }

 private:
  const std::shared_ptr<session::ResidentGraph> graph_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  matcha_status status_ = MATCHA_OK;
  std::string errors_;
  std::unique_ptr<session::Prepared> prepared_;
};

/// What is known of a program before it is compiled for a graph.
struct ProgramFacts {
  bool gives_list = false;  ///< Its one result is a list.
  std::string signature;    ///< Of a pattern: what is counted.
  std::string doc;
  std::vector<std::string> names;  ///< Of the columns of a list of matches, or of the counts of motifs.
  std::vector<std::string> edges;  ///< Of the pattern, or of each of a motif, as text.
  std::vector<bool> are_labels;  ///< Of the columns of its matches, whether they have labels of edges; empty: none has.
  std::map<std::string, std::vector<matcha_kind>, std::less<>> lists;  ///< Of lists that it takes: columns.
  std::string vertices;  ///< Of a pattern or a query: its names for vertices of the graph, as JSON.
  std::string query;     ///< Of a query: the answer that it asks for, as JSON.
};

/// What is behind a program: runs keep it.
class SharedProgram {
 public:
  static constexpr std::size_t kMostCodes = 64;

  SharedProgram(session::ProgramRequest request, ProgramFacts facts)
      : request_(std::move(request)), facts_(std::move(facts)) {}

  const session::ProgramRequest& request() const { return request_; }
  const ProgramFacts& facts() const { return facts_; }

  /// Begins to make the code unless that was done; after a failure, again. `shares`: for shares of runs, not for whole
  /// ones, for which a pattern may need other code. The graphs that were first longest ago are forgotten: a graph with
  /// a list is one of its own.
  std::shared_ptr<Code> code(const std::shared_ptr<session::ResidentGraph>& graph, bool shares);

 private:
  const session::ProgramRequest request_;
  const ProgramFacts facts_;
  std::mutex mutex_;
  using Key = std::pair<const session::ResidentGraph*, bool>;  ///< The graph, and whether for shares.
  std::map<Key, std::shared_ptr<Code>> codes_;
  std::vector<Key> order_;  ///< Of `codes_`, the oldest first.
};

/// How far a run is.
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

/// What ends a run, and what it tells while it goes on.
struct RunWatch {
  const std::atomic<std::uint32_t>* maybe_stop = nullptr;
  std::optional<Clock::time_point> deadline;
  Progress* maybe_progress = nullptr;
  RowQueue* maybe_rows = nullptr;  ///< Null: a list is a value of the result.
};

/// What a run gives.
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
  std::shared_ptr<matcha::api::Found> found;  ///< The task's until it has ended.
  std::shared_ptr<matcha::api::Progress> progress;
  std::shared_ptr<matcha::api::RowQueue> maybe_rows;  ///< Null: it gives its result at the end.
};

namespace matcha::api {

matcha_status status_of(session::Status status);

/// Gives the graph that was made, or says why there is none.
matcha_status take_graph(runtime::Result<session::ResidentGraph::Shared> made, matcha_graph** graph,
                         matcha_error** error);

/// Compiles where that was not done, and runs.
Found run(SharedProgram& program, const std::shared_ptr<session::ResidentGraph>& graph, const matcha_options& options,
          const RunWatch& watch);

/// The same as a task. `gives_rows`: the rows of its list are pulled.
matcha_run start(const matcha_program& program, const matcha_graph& graph, const matcha_options& options,
                 bool gives_rows);
/// Waits for rows. Null: there are none yet, or, unless `more`, there will be none.
RowQueue::Block next_rows(matcha_run& run, std::optional<Clock::time_point> until, bool& more);
/// Waits for it; what it found is given once.
Found finish(matcha_run& run);

/// Puts what the query of a request says of matches into the request, and fills its fact. Of one that is wrong, which
/// `check` tells, nothing.
void take_query(session::ProgramRequest& request, ProgramFacts& facts);

/// Checks what can be checked without a graph, and fills the facts.
session::Status check(const session::ProgramRequest& request, std::string& errors, ProgramFacts& facts);

/// A text for the caller, who frees it with matcha_text_free.
char* copy_of(const std::string& text);

/// The work, with what it throws as an error.
Found guarded(const std::function<Found()>& work);

}  // namespace matcha::api
