#include "server/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <system_error>
#include <variant>
#include <vector>

#include "ir/support/stop_scope.h"
#include "server/lists.h"
#include "session/compile.h"
#include "session/explanation.h"
#include "session/matches.h"
#include "session/pictures/draw_pattern.h"
#include "session/pictures/match_pictures.h"
#include "session/query/answer.h"
#include "session/values.h"

namespace matcha::server {

namespace {

/// Whether a program has errors, and its signature.
Answer check_answer(const ServeRequest& request, const JsonLog& log) {
  if (request.query && request.query->maybe_statement != nullptr) {
    AnswerLine line(request.id, Status::Ok);
    line.add("meaning", statement::kMeaningInMemory);
    return line.take();
  }
  if (!request.program.pattern.text.empty()) {
    PatternSource pattern(request.program.pattern, log);
    const Status status = pattern.read();
    if (status != Status::Ok) return error_answer(request.id, status, log);
    AnswerLine line(request.id, Status::Ok);
    line.add("meaning", pattern.semantics(request.program.matches));
    return line.take();
  }
  CompileOptions options = request.program.compile;
  if (options.file.empty()) options.file = "<program>";
  Compilation compilation(options, log);
  const Status status = compilation.lower_text(request.program.text);
  if (status != Status::Ok) return error_answer(request.id, status, log);
  AnswerLine line(request.id, Status::Ok);
  line.add("signature", to_string(compilation.signature()));
  line.add("warnings", log.messages());
  return line.take();
}

/// A query that asks whether there is a match.
bool asks_whether(const ServeRequest& request) {
  return request.query && request.query->answer == query::Answer::Exists;
}

/// The number of rows that are enough, by the option, the query and the server; nothing: all are wanted.
std::optional<std::uint64_t> limit_of(const ServeRequest& request) {
  if (asks_whether(request)) return 1;
  std::optional<std::uint64_t> least = request.limit;
  const auto also = [&least](const std::optional<std::uint64_t>& most) {
    if (most) least = std::min(least.value_or(*most), *most);
  };
  if (request.query) also(request.query->limit);
  also(request.most_rows);
  return least;
}

/// Reads a program below a folder: a relative path that leads out of it, also by a link, is an error.
Status read_below(const std::string& folder, const std::string& file, const JsonLog& log, std::string& text) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path top = fs::canonical(folder, problem);
  const fs::path path = problem ? fs::path() : fs::weakly_canonical(top / file, problem);
  const auto [end, rest] = std::mismatch(top.begin(), top.end(), path.begin(), path.end());
  if (problem || end != top.end() || !fs::is_regular_file(path, problem)) {
    return log.error(Status::Usage, "the folder of this server has no such program");
  }
  return read_program(path.string(), nullptr, log, text);
}

Answer failure_answer(const Json& id, const session::Prepared& prepared, const codegen::RunError& failed) {
  JsonLog log;
  const Status status = prepared.report(failed, log);
  return error_answer(id, status, log);
}

/// Adds the interval that was asked for, and the meaning of a pattern.
void add_meaning(AnswerLine& line, const ServeRequest& request, const codegen::RunResult& result,
                 const session::Prepared& prepared) {
  if (request.program.interval.within) {
    const frontend::Type& type = *prepared.signature().result;
    line.add_raw("estimate", json_estimate(result.estimate, json_result(result.values, type, prepared.universe())));
  }
  if (!prepared.semantics().empty()) line.add("meaning", prepared.semantics());
}

/// The first matches of a pattern, as rows come.
class FirstMatches {
 public:
  /// Requires: the request is a pattern without errors, and lists its matches.
  FirstMatches(const PatternOptions& options, const runtime::Universe& ids) : pattern_(options, log_) {
    if (pattern_.read() == Status::Ok) pictures_.emplace(pattern_.set().patterns.front(), ids, nullptr);
  }
  void take(const codegen::Rows& rows) {
    if (pictures_) pictures_->take(rows, kPicturedMatches);
  }
  std::string svg() const { return pictures_ ? pictures_->svg("The first matches") : ""; }

 private:
  JsonLog log_;
  PatternSource pattern_;
  std::optional<MatchPictures> pictures_;
};

}  // namespace

Answer Answers::of(Job& job) {
  JsonLog log;
  try {
    return guarded(job);
  } catch (const Stopped&) {
    return stopped_answer(job.request.id, job.stop.load() != 0 ? Status::Interrupted : Status::Timeout);
  } catch (const std::bad_alloc&) {
    log.error(Status::Resource, "out of memory");
    return error_answer(job.request.id, Status::Resource, log);
  } catch (const std::exception& thrown) {
    log.error(Status::Run, fmt::format("internal error: {}", thrown.what()),
              "this is a bug in matcha; please report it with the request");
    return error_answer(job.request.id, Status::Run, log);
  }
}

Answer Answers::guarded(Job& job) {
  ServeRequest& request = job.request;
  const StopScope::IsOver is_over = [&job] {
    return job.stop.load() != 0 || (job.deadline && Clock::now() >= *job.deadline);
  };
  std::optional<StopScope> until_it_runs(&is_over);
  const auto log = std::make_shared<JsonLog>();
  if (!request.file.empty()) {
    request.program.compile.file = request.file;
    const bool is_below = !request.folder.empty() && !is_library(request.file);
    const Status status = is_below ? read_below(request.folder, request.file, *log, request.program.text)
                                   : read_program(request.file, nullptr, *log, request.program.text);
    if (status != Status::Ok) return error_answer(request.id, status, *log);
  }
  if (request.program.pattern.query) request.query = session::take_query(request.program);
  const bool is_statement = request.query && request.query->maybe_statement != nullptr;
  if (request.kind == ServeRequest::Kind::Check) return check_answer(request, *log);
  session::ResidentGraph::Shared graph = graph_;
  if (!request.graph.empty()) {
    session::ResidentGraph* const named = graph_->find(request.graph);
    if (named == nullptr) return usage_answer(request.id, fmt::format("no graph is called `{}`", request.graph));
    graph = named->shared_from_this();
  }
  if (is_statement) return run_statement(job, *graph);
  if (request.kind == ServeRequest::Kind::Explain) {
    const Status status = give_lists(request.lists, *log, graph);
    return status == Status::Ok ? explain(job, graph) : error_answer(request.id, status, *log);
  }
  const Stopwatch watch;
  const std::string key = request.key();
  std::shared_ptr<session::Prepared> prepared = kept_.find(key);
  const bool was_kept = prepared != nullptr;
  if (!was_kept) {
    std::unique_ptr<session::Prepared> made;
    Status status = give_lists(request.lists, *log, graph);
    if (status != Status::Ok) return error_answer(request.id, status, *log);
    status = session::Prepared::make(request.program, graph, {}, log, made);
    if (status != Status::Ok) return error_answer(request.id, status, *log);
    status = check_lists(request.lists, made->signature(), *log);
    if (status != Status::Ok) return error_answer(request.id, status, *log);
    prepared = std::move(made);
    kept_.add(key, prepared);
  }
  until_it_runs.reset();
  return run(job, *prepared, *graph, was_kept ? 0 : watch.ms());
}

Answer Answers::explain(const Job& job, const session::ResidentGraph::Shared& graph) const {
  const auto log = std::make_shared<JsonLog>();
  ExplainRun how;
  how.runs = false;
  how.threads = job.request.threads;
  how.maybe_stop = &job.stop;
  how.deadline = job.deadline;
  Explanation found;
  const Status status = Prepared::explain(job.request.program, graph, {}, how, log, found);
  if (status != Status::Ok) return error_answer(job.request.id, status, *log);
  AnswerLine line(job.request.id, Status::Ok);
  if (!found.meaning.empty()) line.add("meaning", found.semantics);
  line.add("plan", plan_json(found));
  if (!found.plans.empty()) {
    line.add("picture", svg_element(draw_patterns(found.plans), "plan", "Pattern and matching order",
                                    pattern_words(found.plans), true));
  }
  return line.take();
}

Answer Answers::run_statement(Job& job, session::ResidentGraph& graph) const {
  const ServeRequest& request = job.request;
  const query::Statement& asked = *request.query->maybe_statement;
  if (request.kind == ServeRequest::Kind::Explain) {
    return usage_answer(request.id, "a query that is more than one pattern has no plan to explain");
  }
  if (statement::is_count(asked) && (request.limit || job.on_lines)) {
    return usage_answer(request.id, "`limit` and rows are for queries that list rows; this is a number");
  }
  const JsonLog log;
  statement::InMemory memory(request.program, asked);
  Status status = memory.check(log);
  if (status == Status::Ok) status = memory.take(graph, log);
  if (status != Status::Ok) return error_answer(request.id, status, log);
  const std::optional<std::uint64_t> limit = limit_of(request);
  const std::vector<std::string> names = statement::names_of(asked);
  statement::Progress progress;
  bool is_late = false, is_closed = false, is_cut = false;
  progress.is_to_stop = [&] {
    is_late = job.deadline && Clock::now() >= *job.deadline;
    return is_late || job.stop.load(std::memory_order_relaxed) != 0;
  };
  if (request.builds_no_list) progress.most_bytes = kMostText;
  if (job.on_lines) {
    AnswerLine head(request.id, Status::Ok);
    head.add("columns", names);
    head.add("meaning", statement::kMeaningInMemory);
    is_closed = !job.on_lines(head.take().line);
  }
  statement::JsonRows rows(asked, memory.store(), statement::JsonRows::Form::Plain);
  std::string lines;
  std::uint64_t sent = 0;
  const auto send = [&] {
    if (!lines.empty() && !job.on_lines(std::exchange(lines, {}))) is_closed = true;
  };
  job.runs = true;
  const Stopwatch watch;
  const auto on_row = [&](const statement::Value* row, std::uint64_t weight) {
    const std::uint64_t left = limit.value_or(~std::uint64_t{0}) - (job.on_lines ? sent : rows.count());
    is_cut = is_cut || weight > left;
    weight = std::min(weight, left);
    if (!job.on_lines) return rows.take(row, weight, progress) && !is_cut;
    const std::string line = rows.line(row) + '\n';
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    for (; weight != 0 && !is_closed && !progress.is_over(); --weight, ++sent) {
      lines += line;
      if (lines.size() > kBlock) send();
    }
    return !is_cut && !is_closed;
  };
  status = memory.run(progress, on_row, log);
  if (status != Status::Ok && status != Status::Interrupted) return error_answer(request.id, status, log);
  if (job.on_lines && !is_closed) send();
  if (is_late) status = Status::Timeout;
  if (is_closed) status = Status::Interrupted;
  AnswerLine line(request.id, status);
  if (job.on_lines) {
    line.add("rows", sent);
  } else if (status != Status::Ok && statement::is_count(asked)) {
    line.add("result", nullptr);
  } else {
    line.add_raw("result", rows.text());
  }
  line.add("complete", status == Status::Ok && !is_cut);
  line.add("signature", "query(G: Graph)");
  line.add("meaning", statement::kMeaningInMemory);
  if (!statement::is_count(asked)) line.add("columns", names);
  line.add("ms", Json{{"compile", 0}, {"run", rounded(watch.ms())}});
  return line.take();
}

Answer Answers::run(Job& job, session::Prepared& prepared, const session::ResidentGraph& graph,
                    double compile_ms) const {
  const ServeRequest& request = job.request;
  const frontend::Type& type = *prepared.signature().result;
  codegen::RunOptions how;
  how.threads = request.threads;
  how.tier = request.simd_tier ? request.simd_tier : tier_;
  how.stop_request = &job.stop;
  how.deadline = job.deadline;
  const std::optional<std::uint64_t> limit = limit_of(request);
  const bool writes_rows = request.limit || (type.is_list() && (limit || request.query || request.builds_no_list));
  if (job.on_lines && !type.is_list()) {
    return usage_answer(request.id, fmt::format("there are rows of lists; this returns `{}`", to_string(type)),
                        "matches of a pattern are asked for by the option `matches`");
  }
  if (type.is_list()) how.most = limit;
  const std::vector<std::string> names = column_names(type, prepared.row_names());
  MatchWriter rows(nullptr, RowFormat{}, type, names, limit, prepared.universe());
  if (request.query) rows.name_labels(graph.graph().dictionary(), session::label_columns(*request.query));
  if (request.limit && !type.is_list()) {
    return usage_answer(request.id, fmt::format("`limit` is for lists; `{}` returns `{}`", prepared.signature().entry,
                                                to_string(type)));
  }
  std::optional<FirstMatches> first;
  if (request.picture && request.program.matches && !request.query) {
    first.emplace(request.program.pattern, prepared.universe());
  }
  bool is_closed = false;
  if (job.on_lines) {
    AnswerLine head(request.id, Status::Ok);
    head.add("columns", names);
    if (!prepared.semantics().empty()) head.add("meaning", prepared.semantics());
    if (!job.on_lines(head.take().line)) is_closed = true;
    rows.write_lines_to([&](std::string_view lines) { return !is_closed && !(is_closed = !job.on_lines(lines)); });
  } else if (request.builds_no_list) {
    rows.set_most_text(kMostText);
  }
  if (writes_rows) {
    how.on_rows = [&](const codegen::Rows& block) {
      if (first) first->take(block);
      return rows.take(block);
    };
  }
  job.runs = true;
  const Stopwatch watch;
  const codegen::RunOutcome outcome = prepared.run(how);
  const double run_ms = watch.ms();
  if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
    return failure_answer(request.id, prepared, *failed);
  }
  const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
  if (rows.is_too_long()) {
    JsonLog log;
    log.error(Status::Resource, "the rows have more than 64 MiB",
              "ask for fewer with `limit`, or for a stream of rows");
    return error_answer(request.id, Status::Resource, log);
  }
  const bool is_stopped = result.ending == codegen::Ending::Stopped || is_closed;
  const Status status = result.ending == codegen::Ending::Deadline ? Status::Timeout
                        : is_stopped                               ? Status::Interrupted
                                                                   : Status::Ok;
  AnswerLine line(request.id, status);
  if (job.on_lines) {
    line.add("rows", rows.count());
  } else if (asks_whether(request)) {
    line.add("result", rows.count() != 0);
  } else {
    line.add_raw("result", writes_rows ? rows.json() : json_result(result.values, type, prepared.universe()));
  }
  line.add("complete", result.ending == codegen::Ending::Complete);
  line.add("signature", to_string(prepared.signature()));
  add_meaning(line, request, result, prepared);
  if (type.is_list() && !asks_whether(request)) line.add("columns", names);
  if (type.is_tuple() && prepared.row_names().size() == result.values.size()) {
    line.add("columns", prepared.row_names());
  }
  if (first) line.add("picture", first->svg());
  line.add("ms", Json{{"compile", rounded(compile_ms)}, {"run", rounded(run_ms)}});
  return line.take();
}

}  // namespace matcha::server
