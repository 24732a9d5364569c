#include "server/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <new>
#include <variant>
#include <vector>

#include "server/lists.h"
#include "session/compile.h"
#include "session/matches.h"
#include "session/values.h"

namespace matcha::server {

namespace {

/// Whether a program has errors, and its signature.
std::string check_answer(const ServeRequest& request, const JsonLog& log) {
  if (!request.program.pattern.text.empty()) {
    PatternSource pattern(request.program.pattern, log);
    const Status status = pattern.read();
    if (status != Status::Ok) return error_line(request.id, status, log);
    AnswerLine line(request.id, Status::Ok);
    line.add("meaning", pattern.semantics(request.program.matches));
    return line.take();
  }
  CompileOptions options = request.program.compile;
  if (options.file.empty()) options.file = "<program>";
  Compilation compilation(options, log);
  const Status status = compilation.lower_text(request.program.text);
  if (status != Status::Ok) return error_line(request.id, status, log);
  AnswerLine line(request.id, Status::Ok);
  line.add("signature", to_string(compilation.signature()));
  line.add("warnings", log.messages());
  return line.take();
}

/// A query that asks whether there is a match.
bool asks_whether(const ServeRequest& request) {
  return request.query && request.query->answer == query::Answer::Exists;
}

/// The number of rows that are enough, by the option and the query; nothing: all are wanted.
std::optional<std::uint64_t> limit_of(const ServeRequest& request) {
  if (asks_whether(request)) return 1;
  if (!request.query || !request.query->limit) return request.limit;
  return std::min(request.limit.value_or(*request.query->limit), *request.query->limit);
}

}  // namespace

std::string Answers::of(Job& job) {
  JsonLog log;
  try {
    return guarded(job);
  } catch (const std::bad_alloc&) {
    log.error(Status::Resource, "out of memory");
    return error_line(job.request.id, Status::Resource, log);
  } catch (const std::exception& thrown) {
    log.error(Status::Run, fmt::format("internal error: {}", thrown.what()),
              "this is a bug in matcha; please report it with the request");
    return error_line(job.request.id, Status::Run, log);
  }
}

std::string Answers::guarded(Job& job) {
  ServeRequest& request = job.request;
  const auto log = std::make_shared<JsonLog>();
  if (!request.file.empty()) {
    request.program.compile.file = request.file;
    const Status status = read_program(request.file, nullptr, *log, request.program.text);
    if (status != Status::Ok) return error_line(request.id, status, *log);
  }
  if (request.program.pattern.query) request.query = session::take_query(request.program);
  if (request.kind == ServeRequest::Kind::Check) return check_answer(request, *log);
  const Stopwatch watch;
  const std::string key = request.key();
  std::shared_ptr<session::Prepared> prepared = kept_.find(key);
  const bool was_kept = prepared != nullptr;
  if (!was_kept) {
    std::unique_ptr<session::Prepared> made;
    session::ResidentGraph::Shared graph = graph_;
    Status status = give_lists(request.lists, *log, graph);
    if (status != Status::Ok) return error_line(request.id, status, *log);
    status = session::Prepared::make(
        request.program, graph, [](const std::function<void()>& reading) { reading(); }, log, made);
    if (status != Status::Ok) return error_line(request.id, status, *log);
    status = check_lists(request.lists, made->signature(), *log);
    if (status != Status::Ok) return error_line(request.id, status, *log);
    prepared = std::move(made);
    kept_.add(key, prepared);
  }
  return run(job, *prepared, was_kept ? 0 : watch.ms());
}

std::string Answers::run(Job& job, session::Prepared& prepared, double compile_ms) const {
  const ServeRequest& request = job.request;
  const frontend::Type& type = *prepared.signature().result;
  codegen::RunOptions how;
  how.threads = request.threads;
  how.tier = request.simd_tier ? request.simd_tier : tier_;
  how.stop_request = &job.stop;
  how.deadline = job.deadline;
  const std::optional<std::uint64_t> limit = limit_of(request);
  const bool writes_rows = limit || (request.query && type.is_list());
  how.most = limit;
  const std::vector<std::string> names = column_names(type, prepared.row_names());
  MatchWriter rows(nullptr, RowFormat{}, type, names, limit, prepared.universe());
  if (request.query) rows.name_labels(graph_->graph().dictionary(), session::label_columns(*request.query));
  if (limit && !type.is_list()) {
    JsonLog log;
    log.error(Status::Usage,
              fmt::format("`limit` is for lists; `{}` returns `{}`", prepared.signature().entry, to_string(type)));
    return error_line(request.id, Status::Usage, log);
  }
  if (writes_rows) how.on_rows = [&rows](const codegen::Rows& block) { return rows.take(block); };
  job.runs = true;
  const Stopwatch watch;
  const codegen::RunOutcome outcome = prepared.run(how);
  const double run_ms = watch.ms();
  if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
    JsonLog log;
    const Status status = session::status_of(failed->error.kind);
    if (failed->loc.valid()) {
      log.error_at(status, prepared.sources(), failed->loc, failed->error.message, failed->error.hint);
    } else {
      log.error(failed->error);
    }
    return error_line(request.id, status, log);
  }
  const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
  const Status status = result.ending == codegen::Ending::Deadline  ? Status::Timeout
                        : result.ending == codegen::Ending::Stopped ? Status::Interrupted
                                                                    : Status::Ok;
  AnswerLine line(request.id, status);
  if (asks_whether(request)) {
    line.add("result", rows.count() != 0);
  } else {
    line.add_raw("result", writes_rows ? rows.json() : json_result(result.values, type, prepared.universe()));
  }
  line.add("complete", result.ending == codegen::Ending::Complete);
  line.add("signature", to_string(prepared.signature()));
  if (!prepared.semantics().empty()) line.add("meaning", prepared.semantics());
  if (type.is_list() && !asks_whether(request)) line.add("columns", names);
  if (type.is_tuple() && prepared.row_names().size() == result.values.size()) {
    line.add("columns", prepared.row_names());
  }
  line.add("ms", Json{{"compile", rounded(compile_ms)}, {"run", rounded(run_ms)}});
  return line.take();
}

}  // namespace matcha::server
