#include <fmt/format.h>

#include <chrono>
#include <new>
#include <utility>

#include "api/handles.h"
#include "ir/support/stop_scope.h"
#include "session/durations.h"
#include "session/message_log.h"

/// Runs of programs.
namespace matcha::api {

void Code::make(const session::ProgramRequest& request) {
  std::unique_ptr<session::Prepared> made;
  const StopScope::IsOver is_left = [this] { return is_left_.load(); };
  Found found = guarded([&] {
    const StopScope scope(&is_left);
    Found out;
    out.status = status_of(session::Prepared::make(request, graph_, on_reading_thread, out.errors, made));
    return out;
  });
  const std::lock_guard<std::mutex> lock(mutex_);
  prepared_ = std::move(made);
  status_ = found.status;
  errors_ = std::move(found.errors);
  done_ = true;
  ended_.notify_all();
}

bool Code::join() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_left_.load() || (done_ && status_ != MATCHA_OK)) return false;
  ++users_;
  return true;
}

void Code::leave() {
  --users_;
  if (users_ == 0 && !done_) is_left_.store(true);
}

matcha_status Code::wait(const std::atomic<std::uint32_t>* maybe_stop, std::optional<Clock::time_point> deadline,
                         std::string& errors) {
  constexpr std::chrono::milliseconds kLook{5};
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const bool is_cancelled = maybe_stop != nullptr && maybe_stop->load() != 0;
    if (done_ && !is_cancelled) break;
    if (is_cancelled || (deadline && Clock::now() >= *deadline)) {
      leave();
      return is_cancelled ? MATCHA_CANCELLED : MATCHA_TIMEOUT;
    }
    if (maybe_stop == nullptr && !deadline) {
      ended_.wait(lock);
    } else {
      ended_.wait_for(lock, kLook);
    }
  }
  errors = errors_;
  return status_;
}

std::shared_ptr<Code> SharedProgram::code(const std::shared_ptr<session::ResidentGraph>& graph, bool shares) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Key key{graph.get(), shares};
  std::shared_ptr<Code>& found = codes_[key];
  if (found != nullptr && found->join()) return found;
  found = std::make_shared<Code>(graph);
  std::erase(order_, key);
  order_.push_back(key);
  if (order_.size() > kMostCodes) {
    codes_.erase(order_.front());
    order_.erase(order_.begin());
  }
  session::ProgramRequest request = request_;
  request.shares = shares;
  try {
    in_background([code = found, request = std::move(request)] { code->make(request); });
  } catch (...) {
    codes_.erase(key);
    std::erase(order_, key);
    throw;
  }
  return found;
}

matcha_status status_of(session::Status status) {
  switch (status) {
    case session::Status::Ok: return MATCHA_OK;
    case session::Status::Query: return MATCHA_ERROR_PROGRAM;
    case session::Status::Usage: return MATCHA_ERROR_USAGE;
    case session::Status::Input: return MATCHA_ERROR_INPUT;
    case session::Status::Run: return MATCHA_ERROR_RUN;
    case session::Status::Resource: return MATCHA_ERROR_RESOURCE;
    case session::Status::Timeout: return MATCHA_TIMEOUT;
    case session::Status::Interrupted:
    case session::Status::Terminated: return MATCHA_CANCELLED;
  }
  return MATCHA_ERROR_RUN;
}

namespace {

matcha_status status_of(codegen::Ending ending, const RunWatch& watch) {
  switch (ending) {
    case codegen::Ending::Complete: return MATCHA_OK;
    case codegen::Ending::Deadline: return MATCHA_TIMEOUT;
    case codegen::Ending::RowsRefused:
      // Rows are also refused if the run was stopped while it waited for room.
      if (watch.maybe_rows->limit_reached()) return MATCHA_OK;
      if (watch.maybe_stop != nullptr && watch.maybe_stop->load() != 0) return MATCHA_CANCELLED;
      return watch.deadline && Clock::now() >= *watch.deadline ? MATCHA_TIMEOUT : MATCHA_OK;
    case codegen::Ending::Stopped:
    case codegen::Ending::Sampled: break;
  }
  return MATCHA_CANCELLED;
}

}  // namespace

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

Found guarded(const Task& task, const std::function<Found()>& work) {
  const StopScope::IsOver is_over = [&task] { return task.due() != Task::End::Done; };
  return guarded([&] {
    const StopScope scope(&is_over);
    try {
      return work();
    } catch (const Stopped&) {
      Found stopped;
      stopped.status = task.due() == Task::End::Cancelled ? MATCHA_CANCELLED : MATCHA_TIMEOUT;
      return stopped;
    }
  });
}

Found run(SharedProgram& program, const std::shared_ptr<session::ResidentGraph>& graph, const matcha_options& options,
          const RunWatch& watch) {
  Found found;
  if (after_fork()) {
    found.status = MATCHA_ERROR_RUN;
    found.errors = kAfterFork;
    return found;
  }
  const std::shared_ptr<Code> code = program.code(graph, !options.share.is_whole());
  found.status = code->wait(watch.maybe_stop, watch.deadline, found.errors);
  if (found.status != MATCHA_OK) return found;
  codegen::RunOptions how;
  how.kernel_times = false;
  how.stop_request = watch.maybe_stop;
  how.threads = options.threads;
  how.deadline = watch.deadline;
  how.share = options.share;
  how.tier = options.tier;
  if (watch.maybe_progress != nullptr) {
    how.on_progress = [&](std::uint64_t done, std::uint64_t total) { watch.maybe_progress->set(done, total); };
  }
  if (watch.maybe_rows != nullptr) {
    how.most = options.limit;
    how.on_rows = [&](const codegen::Rows& rows) { return watch.maybe_rows->put(rows, code->prepared().universe()); };
  }
  codegen::RunOutcome outcome = code->prepared().run(how);
  if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
    session::MessageLog log;
    found.status = status_of(code->prepared().report(*failed, log));
    found.errors = log.text();
    return found;
  }
  codegen::RunResult& ran = std::get<codegen::RunResult>(outcome);
  found.result = std::make_unique<matcha_result>();
  if (!options.share.is_whole()) {
    found.result->share = options.share;
    found.result->partials = std::move(ran.partials);
    found.result->universe = code->prepared().shared_universe();
    found.result->source = code;
    if (const std::optional<codegen::CliqueTask> cliques = code->prepared().cliques()) {
      found.result->size_of_cliques = cliques->size;
      found.result->vertices = vertices_of_size_one(*cliques, graph->graph());
    }
  }
  found.result->complete = ran.ending == codegen::Ending::Complete;
  if (watch.maybe_rows != nullptr) {
    if (watch.maybe_rows->out_of_memory()) throw std::bad_alloc();
    found.result->values.emplace_back().integer = watch.maybe_rows->count();
  } else {
    for (const codegen::ResultValue& value : ran.values) {
      found.result->values.push_back(value_of(value, code->prepared().universe()));
      if (program.facts().gives_list) mark_labels(found.result->values.back().columns, program.facts().are_labels);
    }
  }
  found.result->estimate = ran.estimate;
  found.status = ran.estimate ? MATCHA_OK : status_of(ran.ending, watch);
  return found;
}

matcha_run start(const matcha_program& program, const matcha_graph& graph, const matcha_options& options,
                 bool gives_rows) {
  matcha_run made;
  made.task = std::make_shared<Task>(options.deadline(), options.maybe_cancel_token);
  made.found = std::make_shared<Found>();
  made.progress = std::make_shared<Progress>();
  if (gives_rows) {
    made.maybe_rows = std::make_shared<RowQueue>(options.limit, *made.task, program.shared->facts().are_labels);
  }
  // The work keeps no reference to its own task, which lives as long as the work does.
  Task::start(made.task, [task = made.task.get(), found = made.found, progress = made.progress, rows = made.maybe_rows,
                          shared = program.shared, graph = graph.graph, options] {
    const RunWatch watch{&task->stop(), task->deadline(), progress.get(), rows.get()};
    *found = guarded([&] { return run(*shared, graph, options, watch); });
  });
  return made;
}

RowQueue::Block next_rows(matcha_run& run, std::optional<Clock::time_point> until, bool& more) {
  more = false;
  if (run.maybe_rows == nullptr) return nullptr;
  // The run may put its last rows between the wait and the test.
  more = !run.task->wait(until, [&] { return run.maybe_rows->has_rows(); });
  RowQueue::Block block = run.maybe_rows->take();
  if (block != nullptr) more = true;
  return block;
}

Found finish(matcha_run& run) {
  if (run.maybe_rows != nullptr) run.maybe_rows->close();
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
  if (!timeout) return std::nullopt;
  return matcha::session::time_after(*timeout);
}
