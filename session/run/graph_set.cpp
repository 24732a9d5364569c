#include "session/run/graph_set.h"

#include <fmt/format.h>

#include <charconv>
#include <mutex>
#include <nlohmann/json.hpp>

#include "runtime/cpu/region.h"
#include "session/output_file.h"
#include "session/prepared.h"

namespace matcha::session {

namespace {

/// The graph of a set in which each vertex is, by its id `graph:vertex`; 0 where there is no set.
std::vector<std::uint64_t> graphs_of(const runtime::Universe& universe, bool is_set) {
  std::vector<std::uint64_t> graphs(universe.size(), 0);
  for (std::uint64_t rank = 0; is_set && rank < universe.size(); ++rank) {
    const std::string_view id = universe.names()->text(rank);
    std::from_chars(id.data(), id.data() + id.size(), graphs[rank]);
  }
  return graphs;
}

Status check(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console) {
  const bool others = !options.matches.empty() || options.most() || options.verify || options.tune ||
                      options.cluster.any() || options.memory != 0 || options.gpu_memory != 0 ||
                      !options.bind.inputs.empty();
  if (pattern.text.empty() || others) {
    return console.error(Status::Usage, "`--per graph` counts one pattern in the graphs of one file",
                         "leave out what lists rows, parts a run or binds inputs");
  }
  return options.bind.table.check(console);
}

Status read(const RunRequest& options, bool edge_labelled, const RunReporter& console, StopControl& session,
            ResidentGraph::Shared& graph) {
  runtime::GraphSpec spec;
  spec.path = options.bind.graph;
  spec.columns = take_columns(spec.path);
  spec.directed = options.bind.directed;
  spec.edge_info = edge_labelled;
  options.bind.table.put_into(spec);
  runtime::Result<ResidentGraph::Shared> found = ResidentGraph::read(spec, session.cancel());
  if (!found) return session.stopped() ? session.stop_early() : console.error(found.error());
  graph = std::move(*found);
  return Status::Ok;
}

std::string answer(const std::vector<std::uint64_t>& counts, const std::string& pattern, bool json) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  if (json) {
    return nlohmann::ordered_json{{"schema", "matcha.set/1"}, {"given", pattern}, {"result", sum}, {"graphs", counts}}
               .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  }
  std::string text;
  for (std::size_t at = 0; at < counts.size(); ++at) text += fmt::format("{}\t{}\n", at, counts[at]);
  return text;
}

}  // namespace

Status run_per_graph(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console,
                     StopControl& session) {
  if (const Status code = check(options, pattern, console); code != Status::Ok) return code;
  ProgramRequest request;
  request.pattern = pattern;
  request.pattern.per.clear();
  request.matches = true;
  request.compile = options.compile;
  request.device = "cpu";
  request.code_folder = options.code_folder;
  PatternSource source(request.pattern, console);
  if (const Status code = source.read(); code != Status::Ok) return code;
  ResidentGraph::Shared graph;
  if (const Status code = read(options, source.edge_labelled(), console, session, graph); code != Status::Ok)
    return code;
  const std::uint64_t count = graph->report()->graphs;
  console.note(graph->report()->render());
  const std::shared_ptr<const Reporter> reporter(std::shared_ptr<void>(), &console);
  std::unique_ptr<Prepared> prepared;
  const Status made = Prepared::make(request, graph, {}, reporter, prepared);
  if (made != Status::Ok) return made;
  console.note(prepared->semantics());
  const std::vector<std::uint64_t> graph_of = graphs_of(prepared->universe(), count > 1);
  std::vector<std::uint64_t> counts(count, 0);
  std::mutex mutex;
  codegen::RunOptions run;
  run.threads = options.threads;
  run.stop_request = session.stop_request();
  run.deadline = session.deadline();
  run.on_rows = [&](const codegen::Rows& rows) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto* const first = static_cast<const std::uint32_t*>(rows.columns[0]);
    for (std::uint64_t row = 0; row < rows.count; ++row) ++counts[graph_of[first[row]]];
    return true;
  };
  session.watch(StopControl::Stops::Late);
  const codegen::RunOutcome outcome = prepared->run(run);
  if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
    return prepared->report(*failed, console);
  }
  if (std::get<codegen::RunResult>(outcome).ending != codegen::Ending::Complete) return session.stop_early();
  session.watch(StopControl::Stops::Signals);
  const runtime::Status written = write_text_file("-", answer(counts, pattern.text, options.json));
  return written ? Status::Ok : console.error(written.error());
}

}  // namespace matcha::session
