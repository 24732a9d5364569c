#include "server/service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "page.h"
#include "question/read.h"
#include "server/http.h"
#include "server/metrics.h"
#include "server/worker.h"
#include "session/durations.h"
#include "session/graph_info.h"
#include "session/version.h"

namespace matcha::server {

namespace {

constexpr std::string_view kJson = "application/json", kLines = "application/x-ndjson";
constexpr QueueLimits kQueue{256, 16};

/// The response of an answer; that of a stopped run has a part of the result.
int code_of(Status status) {
  switch (status) {
    case Status::Ok:
    case Status::Timeout:
    case Status::Interrupted:
    case Status::Terminated: return 200;
    case Status::Query:
    case Status::Usage:
    case Status::Input: return 400;
    case Status::Run: return 422;
    case Status::Resource: return 503;
  }
  return 422;
}

/// Takes as long for each wrong text of the same length.
bool is_same(std::string_view given, std::string_view secret) {
  unsigned char differs = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    differs |= static_cast<unsigned char>(given[i] ^ secret[i % secret.size()]);
  }
  return differs == 0;
}

/// Whether a `Content-Type` is that of JSON, with any parameters.
bool is_json(std::string_view type) {
  std::string_view name = type.substr(0, type.find(';'));
  while (name.ends_with(' ') || name.ends_with('\t')) name.remove_suffix(1);
  return http::lower(name) == kJson;
}

/// `host:port` without the port and brackets.
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, std::min(authority.find(']'), authority.size()) - 1);
  return authority.substr(0, authority.rfind(':'));
}

/// Whether no other machine can have the name: a page that was loaded from elsewhere has another.
bool is_own_name(std::string_view name) {
  const std::string host = http::lower(name);
  const bool is_number = host.find_first_not_of("0123456789.") == host.npos;
  return host == "localhost" || host == "::1" || (is_number && host.starts_with("127."));
}

/// An answer that a connection waits for.
struct Awaited {
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<Answer> answer;

  // Of rows, which may take long to send.
  std::mutex of_rows;
  http::Connection* connection = nullptr;  ///< Takes rows; null: no more.
  std::uint64_t rows = 0;

  /// No more rows are sent.
  void end_rows() {
    const std::lock_guard<std::mutex> lock(of_rows);
    connection = nullptr;
  }
};

class Service {
 public:
  Service(const session::ResidentGraph::Shared& graph, std::optional<runtime::Tier> tier, const ServeRequest& usual,
          const HttpOptions& options, const Reporter& reporter)
      : usual_(usual),
        options_(options),
        reporter_(reporter),
        worker_(graph, tier, kQueue),
        listener_([this](const http::Request& request, http::Connection& connection) { take(request, connection); }) {
    usual_.builds_no_list = true;
    usual_.program.compile.no_files = usual_.program.pattern.no_files = true;
    facts_ = {{"schema", "matcha.serve/1"}, {"version", matcha_version()}};
    add_graphs(*graph, facts_);
    graphs_ = facts_.contains("graphs") ? facts_["graphs"] : Json{{"graph", facts_["graph"]}};
    for (const pattern::NamedPattern& named : pattern::pattern_names()) names_.push_back(named.name);
  }

  Status run(const std::atomic<std::uint32_t>& stop) {
    listener_.watch([this](const http::Request& head) { return wants_body(head); },
                    [this](const std::string& client, int code) {
                      log(code, {{"client", client}, {"code", code}});
                    });
    const runtime::Status listens = listener_.listen(options_.address);
    if (!listens) return reporter_.error(listens.error());
    if (!listener_.is_local() && options_.token.empty()) {
      return reporter_.error(Status::Usage,
                             fmt::format("`{}` is open to others, and there is no token", listener_.url()),
                             "give `--token-file FILE`, or listen on 127.0.0.1");
    }
    Json ready = facts_;
    ready["url"] = listener_.url();
    const std::string line = dump_line(ready) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) return reporter_.error(Status::Input, "standard output");
    while (stop == 0) {
      const bool busy = worker_.look();
      listener_.accept(busy ? kLook : kIdle);
    }
    drain();
    return Status::Ok;
  }

 private:
  static constexpr std::chrono::milliseconds kLook{10}, kIdle{100};

  void drain() {
    draining_ = true;
    listener_.drain();
    const Clock::time_point until = session::time_after(options_.drain_seconds);
    bool is_late = false;
    // Answers are sent by the threads of connections, which end after them.
    while ((worker_.look() || listener_.connections() != 0) && Clock::now() < until) std::this_thread::sleep_for(kLook);
    if (worker_.load().second || worker_.load().first != 0) {
      is_late = true;
      worker_.cancel_all();
      constexpr std::chrono::seconds kPatience{6};
      const auto end = Clock::now() + kPatience;
      while ((worker_.look() || listener_.connections() != 0) && Clock::now() < end) std::this_thread::sleep_for(kLook);
    }
    if (is_late) reporter_.note("requests were cancelled, as the time to drain was over");
    listener_.close();
  }

  /// One request of HTTP.
  void take(const http::Request& request, http::Connection& connection) {
    const Clock::time_point start = Clock::now();
    try {
      respond(request, connection);
    } catch (const std::exception& thrown) {
      connection.close_after();
      if (connection.code() == 0) refuse(connection, 503, thrown.what());
    }
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    log(connection.code(), {{"client", request.client},
                            {"method", request.method},
                            {"path", request.path},
                            {"code", connection.code()},
                            {"ms", static_cast<std::int64_t>(ms)}});
  }

  /// Counts a response, and writes its line of the log.
  void log(int code, const Json& line) {
    metrics_.add_response(code);
    if (!options_.logs) return;
    const std::string text = dump_line(line) + "\n";
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
  }

  bool has_token(const http::Request& request) const {
    return options_.token.empty() || is_same(request.header("authorization"), "Bearer " + options_.token);
  }

  /// Of others nothing but the head is read.
  bool wants_body(const http::Request& request) const {
    const bool is_asked = request.path == "/v1/ask" || request.path == "/v1/rows";
    return is_asked && request.method == "POST" && is_from_own_page(request) && has_token(request);
  }

  static void refuse(http::Connection& connection, int code, std::string_view why, const http::Headers& more = {},
                     const Json& id = {}) {
    connection.send(code, kJson, usage_answer(id, why).line, more);
  }

  void respond(const http::Request& request, http::Connection& connection) {
    const std::string& path = request.path;
    const bool is_post = path == "/v1/ask" || path == "/v1/rows";
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (is_post ? request.method != "POST" : !reads) {
      return refuse(connection, 405, is_post ? "use POST" : "use GET", {{"Allow", is_post ? "POST" : "GET"}});
    }
    if (path == "/healthz") {
      const bool well = !draining_;
      connection.send(well ? 200 : 503, kJson, well ? "{\"status\":\"ok\"}\n" : "{\"status\":\"draining\"}\n");
      return;
    }
    if (!is_from_own_page(request)) return refuse(connection, 403, "the request names another host or origin");
    if (give_page(path, connection)) return;
    if (!has_token(request)) {
      return refuse(connection, 401, "the request has no valid token", {{"WWW-Authenticate", "Bearer"}});
    }
    if (path == "/metrics") {
      const auto [waiting, runs] = worker_.load();
      const Metrics::Now now{waiting, listener_.connections(), runs, draining_};
      connection.send(200, "text/plain; version=0.0.4", metrics_.text(now, graphs_));
    } else if (path == "/v1/graphs") {
      Json all = facts_;
      all["patterns"] = names_;
      connection.send(200, kJson, dump_line(all) + "\n");
    } else if (is_post) {
      ask(request, connection, path == "/v1/rows");
    } else {
      refuse(connection, 404,
             "there is no such path; there are /v1/ask, /v1/rows, /v1/graphs, /metrics, /healthz and /");
    }
  }

  /// Pages of other sites must not use the browser of a user to ask, nor read answers under a name of their own.
  bool is_from_own_page(const http::Request& request) const {
    const std::string_view host = request.header("host"), origin = request.header("origin");
    if (options_.token.empty() && request.client != "unix" && !is_own_name(host_of(host))) return false;
    return origin.empty() || origin == fmt::format("http://{}", host) || origin == fmt::format("https://{}", host);
  }

  static bool give_page(const std::string& path, http::Connection& connection) {
    constexpr std::string_view kPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'";
    const bool is_page = path == "/", is_style = path == "/page.css", is_script = path == "/page.js";
    if (!is_page && !is_style && !is_script) return false;
    const std::string name = is_page ? "index.html" : path.substr(1);
    const std::string_view type = is_page ? "text/html; charset=utf-8" : is_style ? "text/css" : "text/javascript";
    connection.send(200, type, page::embedded_text("server/page/" + name),
                    {{"Content-Security-Policy", std::string(kPolicy)}});
    return true;
  }

  void ask(const http::Request& request, http::Connection& connection, bool streams) {
    if (!is_json(request.header("content-type"))) {
      return refuse(connection, 415, "the body is JSON: `Content-Type: application/json`");
    }
    const JsonLog log;
    const auto job = std::make_shared<Job>();
    if (!read_request(request.body, usual_, job->request, log)) {
      connection.send(400, kJson, error_answer(job->request.id, Status::Usage, log).line);
      return;
    }
    if (job->request.kind == ServeRequest::Kind::Cancel) {
      AnswerLine answer(job->request.id, Status::Ok);
      answer.add("cancelled", worker_.cancel(request.client, job->request.target));
      connection.send(200, kJson, answer.take().line);
      return;
    }
    const Json& id = job->request.id;
    if (draining_) return refuse(connection, 503, "the server is stopping", {{"Retry-After", "5"}}, id);
    job->client = request.client;
    const auto awaited = std::make_shared<Awaited>();
    awaited->connection = &connection;
    const auto leave = [](Awaited* left) { left->end_rows(); };
    const std::unique_ptr<Awaited, decltype(leave)> left(awaited.get(),
                                                         leave);  // The connection ends before the job may.
    job->send = [awaited, of = job.get()](const Answer& answer) {
      const std::lock_guard<std::mutex> lock(awaited->mutex);
      try {
        awaited->answer = answer;
      } catch (const std::bad_alloc&) {
        awaited->answer = std::move(of->spare);
      }
      awaited->answered.notify_all();
    };
    if (streams) set_rows(*job, awaited);
    const Clock::time_point start = Clock::now();
    const Worker::Added added = worker_.add(job);
    if (added == Worker::Added::SameId) {
      return refuse(connection, 400, "a request with this `id` has no answer yet", {}, id);
    }
    if (added == Worker::Added::Full) {
      return refuse(connection, 429, "too many requests wait", {{"Retry-After", "1"}}, id);
    }
    const bool is_answered = wait(*job, *awaited, connection);
    // Counted before the response, so that a client that has it finds it in the figures.
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    metrics_.add_answer(is_answered ? awaited->answer->status : Status::Interrupted, seconds, awaited->rows);
    if (!is_answered) return;
    if (connection.code() == 0) {
      connection.send(code_of(awaited->answer->status), kJson, awaited->answer->line);
    } else if (!connection.put(awaited->answer->line) || !connection.end()) {
      connection.close_after();
    }
  }

  /// Rows go to the client as they are found; a client that takes none for long ends the run.
  static void set_rows(Job& job, const std::shared_ptr<Awaited>& awaited) {
    if (!job.request.program.pattern.text.empty() && !job.request.program.pattern.query) {
      job.request.program.matches = true;
    }
    job.on_lines = [awaited](std::string_view lines) {
      const std::lock_guard<std::mutex> lock(awaited->of_rows);
      http::Connection* const to = awaited->connection;
      if (to == nullptr || (to->code() == 0 && !to->begin(200, kLines))) return false;
      awaited->rows += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
      return to->put(lines);
    };
  }

  /// Until there is an answer, and no more rows are sent; false: the client is gone.
  bool wait(Job& job, Awaited& awaited, http::Connection& connection) {
    std::unique_lock<std::mutex> lock(awaited.mutex);
    while (!awaited.answered.wait_for(lock, kIdle, [&] { return awaited.answer.has_value(); })) {
      if (!connection.is_closed()) continue;
      lock.unlock();
      worker_.cancel(job);
      awaited.end_rows();
      connection.close_after();
      return false;
    }
    lock.unlock();
    awaited.end_rows();
    return true;
  }

  ServeRequest usual_;
  const HttpOptions options_;
  const Reporter& reporter_;
  Json facts_, graphs_;
  std::vector<std::string_view> names_;
  Metrics metrics_;
  std::atomic<bool> draining_ = false;
  Worker worker_;
  http::Listener listener_;  ///< Its threads use all of the above.
};

}  // namespace

Status serve_http(const session::ResidentGraph::Shared& graph, std::optional<runtime::Tier> tier,
                  const ServeRequest& usual, const HttpOptions& options, const std::atomic<std::uint32_t>& stop,
                  const Reporter& reporter) {
  return Service(graph, tier, usual, options, reporter).run(stop);
}

}  // namespace matcha::server
