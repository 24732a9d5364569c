#include <chrono>
#include <deque>
#include <future>
#include <utility>

#include "api/handles.h"

/// Runs of programs, and their results.
namespace matcha::api {

namespace {

using Clock = std::chrono::steady_clock;

matcha_result::Column column_of(const runtime::Column& column, std::uint64_t rows, const runtime::Universe& universe) {
  matcha_result::Column out;
  out.is_float = column.kind() == runtime::ElementKind::Float;
  if (out.is_float) {
    const double* items = static_cast<const double*>(column.data());
    out.floats.assign(items, items + rows);
    return out;
  }
  out.ints.resize(rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    switch (column.kind()) {
      case runtime::ElementKind::Vid:
        out.ints[i] = universe.id(static_cast<const std::uint32_t*>(column.data())[i]);
        break;
      case runtime::ElementKind::Bool: out.ints[i] = static_cast<const std::uint8_t*>(column.data())[i]; break;
      default: out.ints[i] = static_cast<const std::int64_t*>(column.data())[i]; break;
    }
  }
  return out;
}

matcha_result::Value value_of(const codegen::ResultValue& value, const runtime::Universe& universe) {
  matcha_result::Value out;
  if (const __int128* integer = std::get_if<__int128>(&value)) {
    out.integer = *integer;
    out.real = static_cast<double>(*integer);
  } else if (const double* real = std::get_if<double>(&value)) {
    out.kind = MATCHA_FLOAT;
    out.real = *real;
  } else if (const bool* flag = std::get_if<bool>(&value)) {
    out.kind = MATCHA_BOOL;
    out.integer = *flag ? 1 : 0;
  } else if (const codegen::VertexValue* vertex = std::get_if<codegen::VertexValue>(&value)) {
    out.kind = MATCHA_VERTEX;
    out.integer = universe.id(vertex->rank);
  } else if (const codegen::ListValue* list = std::get_if<codegen::ListValue>(&value)) {
    out.kind = MATCHA_LIST;
    out.rows = list->size;
    for (const runtime::Column& column : list->columns) out.columns.push_back(column_of(column, list->size, universe));
  }
  return out;
}

}  // namespace

void compile(const std::function<void()>& work) {
  struct Compiler {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::packaged_task<void()>> tasks;
  };
  // It lives as long as the process.
  static Compiler* const compiler = [] {
    Compiler* const made = new Compiler;
    std::thread([made] {
      for (;;) {
        std::unique_lock<std::mutex> lock(made->mutex);
        made->wake.wait(lock, [made] { return !made->tasks.empty(); });
        std::packaged_task<void()> task = std::move(made->tasks.front());
        made->tasks.pop_front();
        lock.unlock();
        task();
      }
    }).detach();
    return made;
  }();
  std::packaged_task<void()> task(work);
  std::future<void> done = task.get_future();
  {
    const std::lock_guard<std::mutex> lock(compiler->mutex);
    compiler->tasks.push_back(std::move(task));
  }
  compiler->wake.notify_one();
  done.get();
}

std::mutex& working() {
  static std::mutex mutex;
  return mutex;
}

matcha_status status_of(driver::Status status) {
  switch (status) {
    case driver::Status::Ok: return MATCHA_OK;
    case driver::Status::Query: return MATCHA_ERROR_PROGRAM;
    case driver::Status::Usage: return MATCHA_ERROR_USAGE;
    case driver::Status::Input: return MATCHA_ERROR_INPUT;
    case driver::Status::Run: return MATCHA_ERROR_RUN;
    case driver::Status::Resource: return MATCHA_ERROR_RESOURCE;
    case driver::Status::Timeout: return MATCHA_TIMEOUT;
    case driver::Status::Interrupted:
    case driver::Status::Terminated: return MATCHA_CANCELLED;
  }
  return MATCHA_ERROR_RUN;
}

matcha_status run(matcha_program& program, const std::shared_ptr<driver::ResidentGraph>& graph,
                  const matcha_options* maybe_options, const std::atomic<std::uint32_t>* stop,
                  std::unique_ptr<matcha_result>& result, std::string& errors) {
  codegen::RunOptions options;
  options.stop_request = stop;
  if (maybe_options != nullptr) {
    options.threads = maybe_options->threads;
    if (maybe_options->timeout) {
      const std::chrono::duration<double> length(*maybe_options->timeout);
      options.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
    }
  }
  const std::shared_ptr<matcha_program::Slot> slot = program.slot(graph.get());
  const std::lock_guard<std::mutex> turn(working());
  if (stop != nullptr && stop->load() != 0) return MATCHA_CANCELLED;
  if (slot->prepared == nullptr) {
    driver::Status status = driver::Status::Ok;
    compile([&] { status = driver::Prepared::make(program.request, graph, errors, slot->prepared); });
    if (status != driver::Status::Ok) return status_of(status);
  }
  codegen::RunOutcome outcome = slot->prepared->run(options);
  if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
    driver::MessageLog log;
    const driver::Status status = failed->loc.valid()
                                      ? log.error_at(driver::status_of(failed->error.kind), slot->prepared->sources(),
                                                     failed->loc, failed->error.message, failed->error.hint)
                                      : log.error(failed->error);
    errors = log.text();
    return status_of(status);
  }
  const codegen::RunResult& found = std::get<codegen::RunResult>(outcome);
  result = std::make_unique<matcha_result>();
  result->complete = found.ending == codegen::Ending::Complete;
  for (const codegen::ResultValue& value : found.values) {
    result->values.push_back(value_of(value, slot->prepared->universe()));
  }
  if (found.ending == codegen::Ending::Deadline) return MATCHA_TIMEOUT;
  return result->complete ? MATCHA_OK : MATCHA_CANCELLED;
}

}  // namespace matcha::api

std::shared_ptr<matcha_program::Slot> matcha_program::slot(const matcha::driver::ResidentGraph* graph) {
  const std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Slot>& found = slots[graph];
  if (found == nullptr) found = std::make_shared<Slot>();
  return found;
}

matcha_run::~matcha_run() {
  stop = 1;
  if (thread.joinable()) thread.join();
}
