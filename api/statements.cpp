#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/errors.h"
#include "api/handles.h"
#include "api/matcha_query.h"
#include "session/message_log.h"
#include "session/query/answer.h"

/// Queries that are more than one pattern.

namespace matcha::api {

namespace {

namespace statement = session::statement;

struct Answered {
  std::string json;
  Found found;
};

Found answer_of(const SharedProgram& program, session::ResidentGraph& graph, const Task& task, std::string& json) {
  const query::Statement& asked = *program.facts().maybe_statement;
  const session::MessageLog log;
  statement::InMemory memory(program.request(), asked);
  session::Status status = memory.check(log);
  if (status == session::Status::Ok) status = memory.take(graph, log);
  statement::JsonRows rows(asked, memory.store(), statement::JsonRows::Form::Marked);
  if (status == session::Status::Ok) {
    statement::Progress progress;
    progress.is_to_stop = [&] { return task.interrupted().load(std::memory_order_relaxed); };
    status = memory.run(
        progress, [&](const statement::Value* row, std::uint64_t weight) { return rows.take(row, weight, progress); },
        log);
  }
  Found found;
  found.status = api::status_of(status);
  found.errors = log.text();
  if (status != session::Status::Ok) return found;
  const nlohmann::json names(statement::names_of(asked));
  json = fmt::format("{{\"columns\": {}, \"rows\": {}}}",
                     names.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), rows.text());
  return found;
}

}  // namespace

}  // namespace matcha::api

matcha_status matcha_answer(matcha_program* program, matcha_graph* graph, const matcha_options* options, char** json,
                            matcha_error** error) {
  using namespace matcha::api;
  return call(error, [&] {
    *json = nullptr;
    if (program == nullptr || graph == nullptr) return usage("the program or the graph is NULL", error);
    if (program->shared->facts().maybe_statement == nullptr) {
      return usage("the program is no query that is more than one pattern\n  hint: matcha_run_now runs it", error);
    }
    if (after_fork()) return fail(MATCHA_ERROR_RUN, kAfterFork, error);
    const matcha_options unset;
    const matcha_options& o = options != nullptr ? *options : unset;
    const auto task = std::make_shared<Task>(o.deadline(), o.maybe_cancel_token);
    const auto answered = std::make_shared<Answered>();
    Task::start(task, [task = task.get(), answered, program = program->shared, graph = graph->graph] {
      answered->found = guarded(*task, [&] { return answer_of(*program, *graph, *task, answered->json); });
    });
    task->wait();
    const Task::End why = task->why();
    if (why == Task::End::Cancelled) return MATCHA_CANCELLED;
    if (why == Task::End::TimedOut) return MATCHA_TIMEOUT;
    if (answered->found.status != MATCHA_OK) {
      return fail(answered->found.status, std::move(answered->found.errors), error);
    }
    *json = copy_of(answered->json);
    return MATCHA_OK;
  });
}
