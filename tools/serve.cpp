#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "runtime/machine.h"
#include "server/lines.h"
#include "session/graph_info.h"
#include "session/options.h"
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
};

Status serve_steps(const ServeOptions& options, const Console& console, Session& session) {
  std::optional<runtime::ThreadLimit> threads;
  if (options.usual.threads != 0) threads.emplace(options.usual.threads);
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
Each gets one line of answer with its id. docs/serve.md has the schema.)");
  verb->callback([options, &action] { action = [options] { return serve(*options); }; });
}

}  // namespace matcha::tools
