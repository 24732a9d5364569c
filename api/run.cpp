#include <fmt/format.h>

#include <chrono>
#include <new>
#include <utility>

#include "api/handles.h"

/// Runs of programs, and their results.
namespace matcha::api {

namespace {

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

void Code::make(const driver::ProgramRequest& request) {
  std::unique_ptr<driver::Prepared> made;
  Found found = guarded([&] {
    Found out;
    out.status = status_of(driver::Prepared::make(request, graph_, on_reading_thread, out.errors, made));
    return out;
  });
  const std::lock_guard<std::mutex> lock(mutex_);
  prepared_ = std::move(made);
  status_ = found.status;
  errors_ = std::move(found.errors);
  done_ = true;
  ended_.notify_all();
}

bool Code::failed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return done_ && status_ != MATCHA_OK;
}

matcha_status Code::wait(const std::atomic<std::uint32_t>* maybe_stop, std::optional<Clock::time_point> deadline,
                         std::string& errors) {
  constexpr std::chrono::milliseconds kLook{5};
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (maybe_stop != nullptr && maybe_stop->load() != 0) return MATCHA_CANCELLED;
    if (done_) break;
    if (deadline && Clock::now() >= *deadline) return MATCHA_TIMEOUT;
    if (maybe_stop == nullptr && !deadline) {
      ended_.wait(lock);
    } else {
      ended_.wait_for(lock, kLook);
    }
  }
  errors = errors_;
  return status_;
}

std::shared_ptr<Code> SharedProgram::code(const std::shared_ptr<driver::ResidentGraph>& graph) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Code>& found = codes_[graph.get()];
  if (found != nullptr && !found->failed()) return found;
  found = std::make_shared<Code>(graph);
  try {
    in_background([code = found, request = request_] { code->make(request); });
  } catch (...) {
    codes_.erase(graph.get());
    throw;
  }
  return found;
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

Found guarded(const std::function<Found()>& work) {
  Found failed;
  try {
    return work();
  } catch (const std::bad_alloc&) {
    failed.status = MATCHA_ERROR_RESOURCE;
    failed.errors = "error: out of memory\n";
  } catch (const std::exception& thrown) {
    failed.status = MATCHA_ERROR_RUN;
    failed.errors = fmt::format("error: internal error: {}\n", thrown.what());
  }
  return failed;
}

Found run(SharedProgram& program, const std::shared_ptr<driver::ResidentGraph>& graph, const matcha_options& options,
          const std::atomic<std::uint32_t>* maybe_stop, std::optional<Clock::time_point> deadline) {
  Found found;
  if (after_fork()) {
    found.status = MATCHA_ERROR_RUN;
    found.errors = "error: after a fork only the parent process may run programs\n";
    return found;
  }
  const std::shared_ptr<Code> code = program.code(graph);
  found.status = code->wait(maybe_stop, deadline, found.errors);
  if (found.status != MATCHA_OK) return found;
  codegen::RunOptions how;
  how.stop_request = maybe_stop;
  how.threads = options.threads;
  how.deadline = deadline;
  codegen::RunOutcome outcome = code->prepared().run(how);
  if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
    driver::MessageLog log;
    found.status =
        status_of(failed->loc.valid() ? log.error_at(driver::status_of(failed->error.kind), code->prepared().sources(),
                                                     failed->loc, failed->error.message, failed->error.hint)
                                      : log.error(failed->error));
    found.errors = log.text();
    return found;
  }
  const codegen::RunResult& ran = std::get<codegen::RunResult>(outcome);
  found.result = std::make_unique<matcha_result>();
  found.result->complete = ran.ending == codegen::Ending::Complete;
  for (const codegen::ResultValue& value : ran.values) {
    found.result->values.push_back(value_of(value, code->prepared().universe()));
  }
  if (ran.ending == codegen::Ending::Deadline) {
    found.status = MATCHA_TIMEOUT;
  } else if (!found.result->complete) {
    found.status = MATCHA_CANCELLED;
  }
  return found;
}

matcha_run start(const matcha_program& program, const matcha_graph& graph, const matcha_options& options) {
  matcha_run made;
  made.task = std::make_shared<Task>(options.deadline(), options.maybe_canceller);
  made.found = std::make_shared<Found>();
  // The work holds no reference to its own task, which lives as long as the work does.
  Task::start(made.task,
              [task = made.task.get(), found = made.found, shared = program.shared, graph = graph.graph, options] {
                *found = guarded([&] { return run(*shared, graph, options, &task->stop(), task->deadline()); });
              });
  return made;
}

Found finish(matcha_run& run) {
  run.task->wait();
  switch (run.task->end()) {
    case Task::End::Done: break;
    case Task::End::Cancelled: return {MATCHA_CANCELLED, nullptr, {}};
    case Task::End::TimedOut: return {MATCHA_TIMEOUT, nullptr, {}};
  }
  const matcha_status status = run.found->status;
  Found found = std::move(*run.found);
  run.found->status = status;
  run.found->errors.clear();
  return found;
}

}  // namespace matcha::api

std::optional<matcha::api::Clock::time_point> matcha_options::deadline() const {
  using matcha::api::Clock;
  if (!timeout) return std::nullopt;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*timeout));
}
