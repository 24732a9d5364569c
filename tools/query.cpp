#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "question/query/query.h"
#include "runtime/graph/mtg.h"
#include "session/options.h"
#include "session/run/statement_run.h"
#include "session/text_file.h"
#include "tools/run_options.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

/// No query is longer; a graph given by mistake is.
constexpr std::size_t kLongestQuery = std::size_t{1} << 20;

bool is_text(const std::string& given) { return given.find_first_of(" \t\n{(") != std::string::npos; }

/// The query as a run of its pattern.
Status run_query(RunVerbOptions& options, const std::string& given) {
  const Console console(options.console);
  PatternOptions& pattern = options.pattern;
  pattern.query = true;
  pattern.name = "<query>";
  std::string text = given;
  if (!is_text(given)) {
    pattern.name = given;
    if (const std::string why = session::read_pattern_file(given, text); !why.empty()) {
      return console.error(
          Status::Input, fmt::format("cannot read the query `{}`: {}", given, why),
          "a query is like `SELECT ?a WHERE { ?a :knows ?b }` or `MATCH (a)-[:knows]->(b) RETURN a`, or "
          "a file");
    }
    if (text.size() > kLongestQuery) {
      return console.error(Status::Input, fmt::format("`{}` is too large for a query", given), "");
    }
  }
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::uint32_t file = sources.add(pattern.name, text);
  const bool has_tables = !options.bind.table.vertices.empty() || !runtime::is_mtg_file(options.bind.graph);
  const std::optional<query::Query> query = query::read_query(sources, file, has_tables, diagnostics);
  if (!query) {
    console.report(diagnostics, 0);
    return Status::Query;
  }
  options.bind.directed = true;
  if (query->maybe_statement != nullptr) {
    Session session(console, options.timeout);
    return session.leave(answer_statement(*query->maybe_statement, sources, options, console, session));
  }
  options.patterns = {text};
  pattern.match = to_string(query->match);
  options.bind.keep_loops = query->set.asks_columns() || query->set.patterns.front().edge_labelled();
  options.compile.may_loop = options.bind.keep_loops;
  options.bind.keep_repeats = query->match == pattern::Match::Edge;
  options.bind.may_lack_info = true;
  // SPARQL sees a triple once, by its label.
  options.bind.may_skip_info = options.bind.keep_repeats && query->variables.empty() &&
                               std::ranges::none_of(query->set.labels, &pattern::LabelUse::of_edge);
  options.exists = query->answer == query::Answer::Exists;
  options.limit = query->limit;
  if (query->answer == query::Answer::Rows) {
    if (options.matches.empty() && !options.json) options.matches = "-";
    if (!query->variables.empty() && (options.matches.ends_with(".npy") || options.matches.ends_with(".arrow"))) {
      return console.error(Status::Usage, "labels of edges are not written to `.npy` and `.arrow`",
                           "`.csv`, `.tsv` and `.ndjson` have them as words");
    }
    if (options.json && options.matches.empty() && !options.limit) options.limit = INT64_MAX;
  } else if (!options.matches.empty()) {
    return console.error(Status::Usage, "`--matches` is for queries that list names", "`SELECT ?a`, or `RETURN a`");
  }
  return run(options);
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("query", "Answer a query of SPARQL or Cypher");
  auto options = std::make_shared<RunVerbOptions>();
  auto text = std::make_shared<std::string>();
  RunVerbOptions& o = *options;
  verb->add_option("QUERY", *text, "The query, or a file with it")->required()->type_name("");
  verb->add_option("GRAPH", o.bind.graph, "The graph: arcs, with a label each or with none")->required()->type_name("");
  add_options(*verb, kQuery, targets_of(o));
  add_console_options(*verb, o.console);
  verb->footer(R"(docs/queries.md lists what is supported of each language, and its matches.

Examples:
  matcha query 'MATCH (a)-[:owns]->(b)-[:owns]->(a) RETURN count(*)' g.txt
  matcha query 'PREFIX : <> SELECT ?a { ?a :owns ?b } LIMIT 10' g.txt
  matcha query triangle.rq g.csv --src head --dst tail --edge-label relation
)");
  verb->callback([options, text, &action] {
    options->compile.file = kPatternFile;
    options->gpu.code_folder = options->code_folder;
    action = [options, text] { return run_query(*options, *text); };
  });
}

}  // namespace matcha::tools
