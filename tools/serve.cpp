#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/machine.h"
#include "session/compile.h"
#include "session/matches.h"
#include "session/options.h"
#include "session/prepared.h"
#include "session/values.h"
#include "session/version.h"
#include "tools/graph_info.h"
#include "tools/options.h"
#include "tools/serve_lists.h"
#include "tools/serve_protocol.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

using Clock = std::chrono::steady_clock;

struct ServeOptions {
  ConsoleOptions console;
  GraphInput graph;
  std::string simd;
  ServeRequest usual;  ///< What holds for all requests.
};

/// Compiled programs that are kept; those that were not used for longest go first.
class Kept {
 public:
  std::shared_ptr<session::Prepared> find(const std::string& key) {
    const auto found = std::ranges::find(entries_, key, &Entry::first);
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return found->second;
  }
  void add(std::string key, std::shared_ptr<session::Prepared> made) {
    constexpr std::size_t kMost = 64;
    entries_.emplace_front(std::move(key), std::move(made));
    if (entries_.size() > kMost) entries_.pop_back();
  }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<session::Prepared>>;
  std::list<Entry> entries_;
};

/// A request that waits or is being worked on.
struct Job {
  ServeRequest request;
  std::atomic<std::uint32_t> stop = 0;
  std::atomic<bool> answered = false;
  std::atomic<bool> runs = false;             ///< It is compiled, and looks at stops by itself.
  std::optional<Clock::time_point> deadline;  ///< Set when work on it begins.
  std::optional<Clock::time_point> asked;     ///< When it was asked to stop, or should have.
  Status why = Status::Interrupted;           ///< It was asked to stop for.
};

/// Lines go out whole, one at a time.
class Output {
 public:
  /// False once nobody reads any more.
  bool write(std::string_view line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    while (!line.empty() && !broken_) {
      const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
      if (written > 0) {
        line.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        problem_ = std::strerror(errno);
        broken_ = true;
      }
    }
    return !broken_;
  }
  bool broken() const { return broken_; }
  /// After `broken`.
  const std::string& problem() const { return problem_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> broken_ = false;
  std::string problem_;
};

/// The thread that compiles and runs, one request after the other.
class Worker {
 public:
  Worker(session::ResidentGraph::Shared graph, std::optional<runtime::Tier> tier, Output& output)
      : graph_(std::move(graph)), tier_(tier), output_(output), thread_([this, ended = ended_] { live(*ended); }) {}
  ~Worker() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    more_.notify_all();
    ended_->get_future().wait();
    thread_.detach();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// False: a request with this id has no answer yet.
  bool add(std::shared_ptr<Job> job) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!job->request.id.is_null() && find(job->request.id) != nullptr) return false;
      waiting_.push_back(std::move(job));
    }
    more_.notify_all();
    return true;
  }

  /// Asks a request to end; false if there is none with this id that has no answer.
  bool cancel(const Json& id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Job* const job = find(id);
    if (job == nullptr) return false;
    stop(*job, Status::Interrupted);
    if (job != current_.get()) leave(*job);
    return true;
  }

  /// Ends all that go on, without answers.
  void abandon() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const std::shared_ptr<Job>& job : waiting_) job->answered = true;
    if (current_ != nullptr) {
      current_->answered = true;
      stop(*current_, Status::Interrupted);
    }
  }

  /// Whether anything is left to do. Answers requests whose time is over and that do not end by themselves: compiling
  /// goes on, and later requests wait for it.
  bool look() {
    constexpr std::chrono::milliseconds kPatience{60}, kLatePatience{5000};
    const std::lock_guard<std::mutex> lock(mutex_);
    if (current_ == nullptr) return !waiting_.empty();
    Job& job = *current_;
    if (!job.asked && job.deadline && Clock::now() >= *job.deadline) {
      job.asked = job.deadline;
      job.why = Status::Timeout;
    }
    if (job.asked && Clock::now() >= *job.asked + (job.runs ? kLatePatience : kPatience)) leave(job);
    return true;
  }

 private:
  Job* find(const Json& id) {
    const auto is = [&](const std::shared_ptr<Job>& job) { return !job->answered && job->request.id == id; };
    if (current_ != nullptr && is(current_)) return current_.get();
    const auto found = std::ranges::find_if(waiting_, is);
    return found == waiting_.end() ? nullptr : found->get();
  }

  static void stop(Job& job, Status why) {
    if (!job.asked) {
      job.asked = Clock::now();
      job.why = why;
    }
    job.stop = 1;
  }

  /// Answers without a result.
  void leave(Job& job) {
    AnswerLine line(job.request.id, job.why);
    line.add("result", Json());
    line.add("complete", false);
    answer(job, line.take());
  }

  /// The first answer counts.
  void answer(Job& job, std::string_view line) {
    if (!job.answered.exchange(true)) output_.write(line);
  }

  /// Works, and then stays until the process ends: nauty keeps memory for each thread that only the thread can reach.
  /// `ended` is not of the object, which is gone after it.
  void live(std::promise<void>& ended) {
    work();
    ended.set_value();
    for (;;) ::pause();
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      more_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      current_ = std::move(waiting_.front());
      waiting_.pop_front();
      Job& job = *current_;
      if (job.request.timeout) {
        job.deadline = Clock::now() +
                       std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*job.request.timeout));
      }
      lock.unlock();
      if (!job.answered) answer(job, guarded_answer(job));
      lock.lock();
      current_ = nullptr;
    }
  }

  std::string guarded_answer(Job& job) {
    JsonLog log;
    try {
      return answer_of(job);
    } catch (const std::bad_alloc&) {
      log.error(Status::Resource, "out of memory");
      return error_line(job.request.id, Status::Resource, log);
    } catch (const std::exception& thrown) {
      log.error(Status::Run, fmt::format("internal error: {}", thrown.what()),
                "this is a bug in matcha; please report it with the request");
      return error_line(job.request.id, Status::Run, log);
    }
  }

  std::string answer_of(Job& job) {
    ServeRequest& request = job.request;
    const auto log = std::make_shared<JsonLog>();
    if (!request.file.empty()) {
      request.program.compile.file = request.file;
      const Status status = read_program(request.file, nullptr, *log, request.program.text);
      if (status != Status::Ok) return error_line(request.id, status, *log);
    }
    if (request.program.pattern.query) request.query = session::take_query(request.program);
    if (request.kind == ServeRequest::Kind::Check) return check(request, *log);
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

  /// Whether a program has errors, and its signature.
  static std::string check(const ServeRequest& request, const JsonLog& log) {
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
  static bool asks_whether(const ServeRequest& request) {
    return request.query && request.query->answer == query::Answer::Exists;
  }

  /// The number of rows that are enough, by the option and the query; nothing: all are wanted.
  static std::optional<std::uint64_t> limit_of(const ServeRequest& request) {
    if (asks_whether(request)) return 1;
    if (!request.query || !request.query->limit) return request.limit;
    return std::min(request.limit.value_or(*request.query->limit), *request.query->limit);
  }

  std::string run(Job& job, session::Prepared& prepared, double compile_ms) {
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

  const session::ResidentGraph::Shared graph_;
  const std::optional<runtime::Tier> tier_;
  Output& output_;
  Kept kept_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::shared_ptr<Job> current_;
  bool ending_ = false;
  const std::shared_ptr<std::promise<void>> ended_ = std::make_shared<std::promise<void>>();
  std::thread thread_;
};

/// Lines of standard input.
class Input {
 public:
  enum class Found : std::uint8_t { Line, TooLong, Nothing, End };

  /// The next line without its newline, waiting for it at most so long. A last line needs no newline.
  Found next(int wait_ms, std::string& line) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    for (;;) {
      if (const std::size_t end = buffer_.find('\n', looked_); end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        looked_ = 0;
        return std::exchange(too_long_, false) ? Found::TooLong : Found::Line;
      }
      looked_ = buffer_.size();
      if (buffer_.size() > kLongestLine) {
        buffer_.clear();
        looked_ = 0;
        too_long_ = true;
      }
      if (ended_) {
        if (buffer_.empty() && !too_long_) return Found::End;
        line = std::exchange(buffer_, {});
        looked_ = 0;
        return std::exchange(too_long_, false) ? Found::TooLong : Found::Line;
      }
      struct pollfd ready = {STDIN_FILENO, POLLIN, 0};
      if (::poll(&ready, 1, wait_ms) <= 0) return Found::Nothing;
      const std::size_t size = buffer_.size();
      buffer_.resize(size + kBlock);
      const ssize_t got = ::read(STDIN_FILENO, buffer_.data() + size, kBlock);
      buffer_.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) ended_ = true;
    }
  }

 private:
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  std::string buffer_;
  std::size_t looked_ = 0;  ///< So much of it has no newline.
  bool too_long_ = false;   ///< The line began before the buffer does.
  bool ended_ = false;
};

/// Takes a line; answers at once what is no run.
void take_line(std::string_view line, const ServeOptions& options, Worker& worker, Output& output) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const JsonLog log;
  auto job = std::make_shared<Job>();
  if (!read_request(line, options.usual, job->request, log)) {
    output.write(error_line(job->request.id, Status::Usage, log));
  } else if (job->request.kind == ServeRequest::Kind::Cancel) {
    const bool found = worker.cancel(job->request.target);
    AnswerLine answer(job->request.id, Status::Ok);
    answer.add("cancelled", found);
    output.write(answer.take());
  } else if (const Json id = job->request.id; !worker.add(std::move(job))) {
    log.error(Status::Usage, fmt::format("request {} has no answer yet", dump_line(id)), "give each an id of its own");
    output.write(error_line(id, Status::Usage, log));
  }
}

void take_too_long(Output& output) {
  const JsonLog log;
  log.error(Status::Usage, "the line is longer than 16 MiB", "a program of that size goes into a file: `file`");
  output.write(error_line(Json(), Status::Usage, log));
}

/// Answers lines until standard input ends, then what is left.
Status answer_lines(const ServeOptions& options, Worker& worker, Output& output, const Console& console) {
  constexpr int kLookMs = 10, kIdleMs = 1000;
  Input input;
  bool ended = false;
  std::string line;
  for (;;) {
    const bool busy = worker.look();
    if (output.broken()) {
      worker.abandon();
      return console.error(Status::Input, fmt::format("standard output: {}", output.problem()));
    }
    if (ended && !busy) return Status::Ok;
    if (ended) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
      continue;
    }
    switch (input.next(busy ? kLookMs : kIdleMs, line)) {
      case Input::Found::Line: take_line(line, options, worker, output); break;
      case Input::Found::TooLong: take_too_long(output); break;
      case Input::Found::Nothing: break;
      case Input::Found::End: ended = true; break;
    }
  }
}

Status serve_steps(const ServeOptions& options, const Console& console, Session& session) {
  std::optional<runtime::ThreadLimit> threads;
  if (options.usual.threads != 0) {
    threads.emplace(options.usual.threads);
  }
  std::optional<runtime::Tier> tier;
  const Status status = choose_tier(options.simd, console, tier);
  if (status != Status::Ok) return status;
  if (options.graph.path.ends_with(".mt")) {
    return console.error(Status::Usage, fmt::format("`{}` is a program, not a graph", options.graph.path),
                         "programs come in requests: {\"id\": 1, \"file\": \"query.mt\"}");
  }
  if (options.graph.empty()) {
    return console.error(Status::Usage, "there is no graph", "give a file, `--in NAME=FILE` or `--graph-sql`");
  }
  const Status tables = options.graph.check(console);
  if (tables != Status::Ok) return tables;
  const runtime::Result<session::ResidentGraph::Shared> graph = options.graph.read(session.cancel());
  if (!graph) return session.stopped() ? session.stop_early() : console.error(graph.error());
  note_reports(**graph, console);
  Output output;
  Json ready = {{"schema", "matcha.serve/1"}, {"version", matcha_version()}};
  add_graphs(**graph, ready);
  output.write(dump_line(ready) + "\n");
  Worker worker(*graph, tier, output);
  return answer_lines(options, worker, output, console);
}

Status serve(const ServeOptions& options) {
  const Console console(options.console);
  Session session(console);
  return session.leave(serve_steps(options, console, session));
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("serve", "Answer requests, a line of JSON each, on graphs in memory");
  auto options = std::make_shared<ServeOptions>();
  ServeOptions& o = *options;
  o.usual.program.code_folder = code_folder();
  verb->add_option("GRAPH", o.graph.path, "The graph, which stays in memory; `FILE:src,dst` takes these columns")
      ->type_name("");
  verb->add_flag_callback(
      "--no-files", [&o] { o.usual.program.compile.no_files = o.usual.program.pattern.no_files = true; },
      "Requests name no files of programs and patterns, for requests of others");
  OptionTargets to = targets_of(o.usual);
  put_targets(to, o.graph);
  to.simd_name = &o.simd;
  add_options(*verb, kServe, to);
  verb->get_option("--timeout")->description("Seconds for each request that names none; then the partial result");
  add_console_options(*verb, o.console);
  verb->footer(R"(
Examples:
  echo '{"id": 1, "pattern": "triangle"}' | matcha serve graph.txt.gz
  matcha serve --in old=march.csv:src,dst --in new=may.csv:src,dst < asked

A request is a line such as
  {"id": 2, "program": "def main(G: Graph) -> int:\n    return 7\n"}
  {"id": 3, "file": "std.clique", "options": {"entry": "triangles"}}
  {"id": 4, "pattern": "house", "options": {"induced": "edge", "timeout": 5}}
  {"id": 5, "cancel": 4}
Each gets one line of answer with its id. docs/cli.md has the schema.)");
  verb->callback([options, &action] { action = [options] { return serve(*options); }; });
}

}  // namespace matcha::tools
