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
#include "api/task.h"
#include "driver/prepared.h"

/// What is behind the handles of matcha.h.

struct matcha_error {
  std::string text;
};

struct matcha_canceller {
  std::shared_ptr<matcha::api::Canceller> shared = std::make_shared<matcha::api::Canceller>();
};

struct matcha_options {
  matcha::driver::ProgramRequest program;
  std::string labels;
  bool directed = false;
  unsigned threads = 0;
  std::optional<double> timeout;  ///< Seconds.
  std::shared_ptr<matcha::api::Canceller> maybe_canceller;

  /// When a call that begins now must end.
  std::optional<matcha::api::Clock::time_point> deadline() const;
};

struct matcha_graph {
  std::shared_ptr<matcha::driver::ResidentGraph> graph;
};

struct matcha_result {
  struct Column {
    bool is_float = false;
    std::vector<std::int64_t> ints;
    std::vector<double> floats;
  };
  struct Value {
    matcha_kind kind = MATCHA_INT;
    __int128 integer = 0;
    double real = 0;
    std::uint64_t rows = 0;
    std::vector<Column> columns;
  };

  bool complete = true;
  std::vector<Value> values;
};

namespace matcha::api {

/// Code of a program for one graph, made in the background by whoever comes first.
class Code {
 public:
  /// Its graph is kept, so that no other graph gets its address.
  explicit Code(std::shared_ptr<driver::ResidentGraph> graph) : graph_(std::move(graph)) {}

  void make(const driver::ProgramRequest& request);
  bool failed() const;
  /// Waits until it is made. MATCHA_TIMEOUT or MATCHA_CANCELLED: that came first; else after an error, with its text.
  matcha_status wait(const std::atomic<std::uint32_t>* maybe_stop, std::optional<Clock::time_point> deadline,
                     std::string& errors);
  /// After `wait` gave MATCHA_OK.
  driver::Prepared& prepared() const { return *prepared_; }

 private:
  const std::shared_ptr<driver::ResidentGraph> graph_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  matcha_status status_ = MATCHA_OK;
  std::string errors_;
  std::unique_ptr<driver::Prepared> prepared_;
};

/// What is behind a program: runs keep it.
class SharedProgram {
 public:
  explicit SharedProgram(driver::ProgramRequest request) : request_(std::move(request)) {}

  /// Begins to make the code unless that was done; after a failure, again.
  std::shared_ptr<Code> code(const std::shared_ptr<driver::ResidentGraph>& graph);

 private:
  const driver::ProgramRequest request_;
  std::mutex mutex_;
  std::map<const driver::ResidentGraph*, std::shared_ptr<Code>> codes_;
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

struct matcha_run {
  std::shared_ptr<matcha::api::Task> task;
  std::shared_ptr<matcha::api::Found> found;  ///< The task's until it has ended.
};

namespace matcha::api {

matcha_status status_of(driver::Status status);

/// Compiles where that was not done, and runs.
Found run(SharedProgram& program, const std::shared_ptr<driver::ResidentGraph>& graph, const matcha_options& options,
          const std::atomic<std::uint32_t>* maybe_stop, std::optional<Clock::time_point> deadline);

/// The same as a task.
matcha_run start(const matcha_program& program, const matcha_graph& graph, const matcha_options& options);
/// Waits for it; what it found is given once.
Found finish(matcha_run& run);

/// The work, with what it throws as an error.
Found guarded(const std::function<Found()>& work);

}  // namespace matcha::api
