#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "runtime/machine.h"
#include "server/lines.h"
#include "server/service.h"
#include "session/graph_info.h"
#include "session/options.h"
#include "session/text_file.h"
#include "tools/numbers.h"
#include "tools/options.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct ServeOptions {
  ConsoleOptions console;
  GraphInput graph;
  std::string simd;
  server::ServeRequest usual;  ///< Options of all requests.
  server::HttpOptions http;    ///< Without an address requests are lines.
  std::optional<std::string> token_file;
};

/// The first line of a file, of at least 16 characters.
Status read_token(const std::string& path, const Console& console, std::string& token) {
  constexpr std::size_t kFewest = 16, kMost = 4096;
  std::string text;
  const std::string why = read_text_file(path, text);
  if (!why.empty()) return console.error(Status::Input, fmt::format("cannot read `{}`: {}", path, why));
  token = text.substr(0, text.find_first_of("\r\n"));
  const bool is_visible = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 127; });
  if (token.size() < kFewest || token.size() > kMost || !is_visible) {
    return console.error(Status::Usage,
                         fmt::format("the token in `{}` is no line of 16 or more visible characters", path),
                         "such as that of `openssl rand -hex 16`");
  }
  return Status::Ok;
}

/// An empty value is that of a variable that is not set: it does not mean the default.
CLI::Validator not_blank() {
  return {[](const std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); }, ""};
}

Status serve_steps(const ServeOptions& options, const Console& console, Session& session) {
  std::optional<runtime::ThreadLimit> threads;
  if (options.usual.threads != 0) threads.emplace(options.usual.threads);
  std::optional<runtime::Tier> tier;
  if (const Status status = choose_tier(options.simd, console, tier); status != Status::Ok) return status;
  if (options.graph.path.ends_with(".mt")) {
    return console.error(Status::Usage, fmt::format("`{}` is a program, not a graph", options.graph.path),
                         "programs come in requests: {\"id\": 1, \"file\": \"query.mt\"}");
  }
  if (options.graph.empty()) {
    return console.error(Status::Usage, "there is no graph", "give a file, `--in NAME=FILE` or `--graph-sql`");
  }
  server::HttpOptions http = options.http;
  if (options.token_file) {
    if (const Status read = read_token(*options.token_file, console, http.token); read != Status::Ok) return read;
  }
  if (const Status tables = options.graph.check(console); tables != Status::Ok) return tables;
  const runtime::Result<session::ResidentGraph::Shared> graph = options.graph.read(session.cancel());
  if (!graph) return session.stopped() ? session.stop_early() : console.error(graph.error());
  note_reports(**graph, console);
  if (!options.http.address.empty()) {
    session.watch(Session::Stops::None);  // It drains.
    return server::serve_http(*graph, tier, options.usual, http, *session.stop_request(), console);
  }
  return server::serve_lines(*graph, tier, options.usual, console);
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
  verb->add_option("--folder", o.usual.folder, "As `--no-files`, but requests may name programs below this folder")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->each([&o](const std::string&) { o.usual.program.compile.no_files = o.usual.program.pattern.no_files = true; });
  verb->add_option("--max-rows", o.usual.most_rows, "Most rows of an answer, whatever its request says")
      ->type_name("N")
      ->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  verb->add_option("--max-seconds", o.usual.most_seconds, "Most seconds of a run, whatever its request says")
      ->type_name("SECONDS")
      ->check(seconds() & CLI::PositiveNumber);
  const auto http = [verb](const char* name, auto& value, const char* kind, const char* text) {
    verb->add_option(name, value, text)->type_name(kind)->group("HTTP");
  };
  http("--http", o.http.address, "ADDRESS", "Answer by HTTP: PORT of this machine, HOST:PORT or unix:PATH");
  http("--token-file", o.token_file, "FILE", "Requests must have the first line of the file as their token");
  verb->get_option("--http")->check(not_blank());
  verb->get_option("--token-file")->check(not_blank());
  http("--drain", o.http.drain_seconds, "SECONDS", "After SIGTERM, time for requests that have come; default: 30");
  verb->get_option("--drain")->check(seconds());
  verb->add_flag("--access-log", o.http.logs, "A line of JSON on standard error for each response")->group("HTTP");
  OptionTargets to = server::targets_of(o.usual);
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
By HTTP, with a page for browsers at http://127.0.0.1:8080/:
  matcha serve graph.txt.gz --http 8080
Each gets one line of answer with its id. docs/serve.md has the schema.)");
  verb->callback([options, &action] { action = [options] { return serve(*options); }; });
}

}  // namespace matcha::tools
