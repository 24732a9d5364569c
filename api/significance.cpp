#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "api/errors.h"
#include "api/handles.h"
#include "api/matcha_graph.h"
#include "session/message_log.h"
#include "session/significance.h"

/// Counts beside those of random graphs.
namespace matcha::api {

namespace {

using Rows = std::vector<session::SignificanceRow>;

/// A list with a row a count.
matcha_result::Value table_of(const Rows& rows) {
  matcha_result::Value table;
  table.kind = MATCHA_LIST;
  table.rows = rows.size();
  bool are_small = true;
  for (const session::SignificanceRow& row : rows) {
    are_small = are_small && row.count <= std::numeric_limits<std::int64_t>::max();
  }
  Column& counts = table.columns.emplace_back();
  counts.kind = are_small ? MATCHA_INT : MATCHA_FLOAT;
  for (const session::SignificanceRow& row : rows) {
    if (are_small) counts.ints.push_back(static_cast<std::int64_t>(row.count));
    if (!are_small) counts.floats.push_back(static_cast<double>(row.count));
  }
  using Row = session::SignificanceRow;
  for (const auto member : {&Row::mean, &Row::deviation, &Row::z, &Row::more, &Row::less}) {
    Column& column = table.columns.emplace_back();
    column.kind = MATCHA_FLOAT;
    for (const Row& row : rows) column.floats.push_back(row.*member);
  }
  return table;
}

Found compare(session::SignificanceRequest request, const session::ResidentGraph::Shared& graph) {
  const auto log = std::make_shared<const session::MessageLog>();
  auto run = std::make_shared<session::SignificanceRun>(std::move(request), graph, on_reading_thread, log);
  Found found;
  found.status = api::status_of(run->run());
  found.errors = log->text();
  if (found.status == MATCHA_OK) {
    found.result = std::make_unique<matcha_result>();
    found.result->values.push_back(table_of(run->rows()));
  }
  in_background([run = std::move(run)] {});  // Compilers may still work for it.
  return found;
}

}  // namespace

}  // namespace matcha::api

matcha_status matcha_graph_significance(matcha_graph* graph, matcha_program* const* programs, size_t count,
                                        uint64_t samples, uint64_t seed, const matcha_options* options,
                                        matcha_run** run, matcha_error** error) {
  using namespace matcha::api;
  return call(error, [&] {
    *run = nullptr;
    if (graph == nullptr || (programs == nullptr && count != 0)) return usage("the graph or a program is NULL", error);
    if (after_fork()) return fail(MATCHA_ERROR_RUN, kAfterFork, error);
    const matcha_options unset;
    const matcha_options& o = options != nullptr ? *options : unset;
    matcha::session::SignificanceRequest request;
    for (size_t at = 0; at < count; ++at) {
      if (programs[at] == nullptr) return usage("the graph or a program is NULL", error);
      if (programs[at]->shared->facts().maybe_statement != nullptr) return usage(kStatement, error);
      request.asked.push_back(programs[at]->shared->request());
    }
    request.samples = samples;
    request.seed = seed;
    request.threads = o.threads;
    matcha_run made;
    made.task = std::make_shared<Task>(o.deadline(), o.maybe_cancel_token);
    made.found = std::make_shared<Found>();
    made.progress = std::make_shared<Progress>();
    // The work keeps no reference to its own task, which lives as long as the work does.
    Task::start(made.task, [task = made.task.get(), found = made.found, progress = made.progress, graph = graph->graph,
                            request = std::move(request)]() mutable {
      request.maybe_stop = &task->stop();
      request.maybe_cancel = &task->interrupted();
      request.deadline = task->deadline();
      request.on_progress = [progress](std::uint64_t done, std::uint64_t total) { progress->set(done, total); };
      *found = guarded(*task, [&] { return compare(std::move(request), graph); });
    });
    *run = new matcha_run(std::move(made));
    return MATCHA_OK;
  });
}
