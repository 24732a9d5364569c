#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/matcha.h"
#include "driver/prepared.h"

/// What is behind the handles of matcha.h.

struct matcha_error {
  std::string text;
};

struct matcha_options {
  matcha::driver::ProgramRequest program;
  std::string labels;
  bool directed = false;
  unsigned threads = 0;
  std::optional<double> timeout;  ///< Seconds.
};

struct matcha_graph {
  std::shared_ptr<matcha::driver::ResidentGraph> graph;
};

struct matcha_program {
  /// Code for one graph; whoever comes first compiles it.
  struct Slot {
    std::unique_ptr<matcha::driver::Prepared> prepared;
  };

  matcha::driver::ProgramRequest request;
  std::mutex mutex;
  /// A slot keeps its graph once it has code, so that no other graph gets its address.
  std::map<const matcha::driver::ResidentGraph*, std::shared_ptr<Slot>> slots;

  std::shared_ptr<Slot> slot(const matcha::driver::ResidentGraph* graph);
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

struct matcha_run {
  std::thread thread;
  std::atomic<std::uint32_t> stop = 0;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  matcha_status status = MATCHA_OK;
  std::unique_ptr<matcha_result> result;
  std::unique_ptr<matcha_error> error;

  ~matcha_run();
};

namespace matcha::api {

matcha_status status_of(driver::Status status);

/// Does the work on the one thread that compiles, and waits for it: nauty, which finds symmetries of patterns, mixes up
/// the memory of several threads even when they take turns.
void compile(const std::function<void()>& work);

/// Taken while anything is compiled or run: these are for one caller at a time in a process, on many threads.
std::mutex& working();

/// Compiles where that was not done, and runs.
matcha_status run(matcha_program& program, const std::shared_ptr<driver::ResidentGraph>& graph,
                  const matcha_options* maybe_options, const std::atomic<std::uint32_t>* stop,
                  std::unique_ptr<matcha_result>& result, std::string& errors);

}  // namespace matcha::api
