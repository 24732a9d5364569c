// Counts how each update of a stream changes the number of embeddings of a pattern; prints counts and CPU time.
//
//     bench_streams [--threads N] [--batch B] FOLDER QUERY…
//     bench_streams --ways B --batches N FOLDER QUERY…
//
// FOLDER has data.graph (`v id label`, `e u v label`; ids 0, 1, …), stream.graph (`e u v label`, `-e u v label`,
// without updates that change nothing) and the queries; the labels of a query named `p_…` are ignored. Prints a line
// for each query, with these columns:
// - the query;
// - embeddings that insertions added, and those that deletions removed;
// - CPU time of all updates and of planning, in ms, and the number of terms;
// - bytes of the graph at the end, and wall time of all updates, in ms;
// - bytes of the graph at the start, and of its CSR (offsets of 8 bytes, neighbours of 4) at the start and at the end.
//
// With --threads, the threads share batches (default 64) of updates that are all insertions or all deletions.
// With --ways, an engine applies N batches of B updates by each strategy. Prints a line for each: the query, B, the
// strategy, CPU time of a batch in ms, batches that were recounted, and the last count.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "incremental/delta_query.h"
#include "incremental/engine.h"
#include "incremental/netting.h"
#include "incremental/runtime/shared_search.h"
#include "question/read.h"
#include "runtime/cpu/set_kernels.h"
#include "session/message_log.h"

namespace {

using namespace matcha;
using runtime::stream::DeltaSearch;
using runtime::stream::DynamicGraph;
using runtime::stream::EdgeUpdate;
using runtime::stream::SharedSearch;
using runtime::stream::SharedTerms;
using session::stream::DeltaQuery;
using session::stream::EdgeDelta;

struct Update {
  bool inserts = false;  ///< Else it deletes.
  std::uint32_t u = 0, v = 0;
};

struct Stream {
  std::vector<std::string> labels;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<Update> updates;
};

double ms_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double cpu_ms() { return ms_of(CLOCK_PROCESS_CPUTIME_ID); }

Stream read_stream(const std::string& folder) {
  Stream stream;
  std::string kind, label;
  std::uint32_t u = 0, v = 0;
  std::ifstream graph(folder + "/data.graph");
  while (graph >> kind >> u) {
    if (kind == "v") {
      graph >> stream.labels.emplace_back();
    } else if (graph >> v >> label) {
      stream.edges.emplace_back(u, v);
    }
  }
  std::ifstream updates(folder + "/stream.graph");
  while (updates >> kind >> u >> v >> label) stream.updates.push_back({kind == "e", u, v});
  return stream;
}

std::optional<pattern::Pattern> read_query(const std::string& path, bool with_labels) {
  std::ifstream file(path);
  std::stringstream text;
  text << "t # 0\n" << file.rdbuf();
  SourceManager sources;
  Diagnostics diagnostics(sources);
  std::optional<pattern::PatternSet> set = pattern::read_pattern(sources, sources.add(path, text.str()), diagnostics);
  if (!set) {
    std::fprintf(stderr, "%s", render_text(diagnostics, false).c_str());
    return std::nullopt;
  }
  pattern::Pattern pattern = set->patterns.front();
  for (std::string& label : pattern.labels) {
    if (!with_labels) label.clear();
  }
  return pattern;
}

/// How updates are applied.
struct Options {
  unsigned threads = 0;  ///< 0: one after the other.
  std::size_t batch = 64;
  std::size_t batches = 0;  ///< Batches that an engine applies; 0: queries count updates without an engine.
};

/// Applies all updates, one after the other.
bool take_alone(const Stream& stream, DynamicGraph& graph, const DeltaQuery& query, EdgeDelta& of_insertions,
                EdgeDelta& of_deletions) {
  DeltaSearch search(graph, runtime::set_kernels(runtime::best_tier()));
  for (const Update& update : stream.updates) {
    const std::uint32_t p = graph.place(update.u), q = graph.place(update.v);
    if (!graph.asks(p, q)) {
      update.inserts ? graph.insert(p, q) : graph.erase(p, q);
      continue;
    }
    if (!update.inserts) graph.erase(p, q);
    if (query.count(search, {p, q}, graph.class_at(p), graph.class_at(q),
                    update.inserts ? of_insertions : of_deletions) != DeltaSearch::Ending::Complete) {
      return false;
    }
    if (update.inserts) graph.insert(p, q);
  }
  return true;
}

/// Applies them in batches; a batch also ends where a deletion follows an insertion, or the other way round.
bool take_shared(const Stream& stream, const Options& options, DynamicGraph& graph, const DeltaQuery& query,
                 EdgeDelta& of_insertions, EdgeDelta& of_deletions) {
  SharedSearch search(graph, runtime::set_kernels(runtime::best_tier()), options.threads);
  SharedTerms terms;
  query.add_terms(terms, false);
  std::vector<EdgeUpdate> batch;
  for (std::size_t first = 0; first < stream.updates.size();) {
    const bool inserts = stream.updates[first].inserts;
    batch.clear();
    for (std::size_t i = first; i < stream.updates.size() && batch.size() < options.batch; ++i) {
      const Update& update = stream.updates[i];
      if (update.inserts != inserts) break;
      batch.push_back({graph.place(update.u), graph.place(update.v)});
    }
    const SharedSearch::Result found = search.run({terms, batch, inserts, {}, nullptr});
    if (!found.fits || found.ending != DeltaSearch::Ending::Complete) return false;
    if (!query.add_counts(found.maps.data(), inserts ? of_insertions : of_deletions)) return false;
    first += found.updates;
  }
  return true;
}

bool run(const Stream& stream, const std::string& name, const pattern::Pattern& pattern, const Options& options) {
  std::map<std::string, std::uint32_t> classes;
  for (const std::string& label : pattern.labels) {
    if (!label.empty()) classes.emplace(label, static_cast<std::uint32_t>(classes.size()));
  }
  const std::uint32_t others = static_cast<std::uint32_t>(classes.size());
  std::vector<std::uint32_t> of_vertex;
  for (const std::string& label : stream.labels) {
    const auto found = classes.find(label);
    of_vertex.push_back(found == classes.end() ? others : found->second);
  }
  DynamicGraph graph(false, others + 1, std::move(of_vertex));
  graph.load(stream.edges);
  const std::uint64_t bytes = graph.bytes();
  const double begin = cpu_ms();
  std::string why;
  const std::optional<DeltaQuery> query = DeltaQuery::make(
      pattern, pattern::Induced::Edge, pattern::DeltaAnswer::Count, graph,
      [&](const std::string& label) { return classes.at(label); }, nullptr, why);
  if (!query) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), why.c_str());
    return false;
  }
  std::vector<bool> asked(std::size_t{graph.class_count()} * graph.class_count());
  query->add_asked(asked);
  if (options.threads == 0) graph.set_asked(std::move(asked));
  const double planned = cpu_ms();
  const double began = ms_of(CLOCK_MONOTONIC);
  EdgeDelta of_insertions, of_deletions;
  const bool done = options.threads == 0 ? take_alone(stream, graph, *query, of_insertions, of_deletions)
                                         : take_shared(stream, options, graph, *query, of_insertions, of_deletions);
  if (!done) {
    std::fprintf(stderr, "%s: the updates do not fit, or a count is too large\n", name.c_str());
    return false;
  }
  const double end = cpu_ms();
  const auto maps = [&](__int128 subgraphs) {
    return static_cast<unsigned long long>(subgraphs * static_cast<__int128>(query->automorphisms()));
  };
  const double wall = ms_of(CLOCK_MONOTONIC) - began;
  const auto csr_bytes = [&](std::uint64_t edges) {
    return static_cast<unsigned long long>((stream.labels.size() + 1) * sizeof(std::uint64_t) +
                                           2 * edges * sizeof(std::uint32_t));
  };
  std::printf("%s,%llu,%llu,%.4f,%.3f,%zu,%llu,%.4f,%llu,%llu,%llu\n", name.c_str(), maps(of_insertions.more),
              maps(of_deletions.more), end - planned, planned - begin, query->term_count(),
              static_cast<unsigned long long>(graph.bytes()), wall, static_cast<unsigned long long>(bytes),
              csr_bytes(stream.edges.size()), csr_bytes(graph.edge_count()));
  std::fflush(stdout);
  return true;
}

/// Lets a new engine apply the first `batches` batches; prints its time.
bool run_strategy(const Stream& stream, const std::string& name, const pattern::Pattern& pattern,
                  const Options& options, session::stream::BatchStrategy strategy, const char* strategy_name,
                  std::size_t batches) {
  namespace st = session::stream;
  std::vector<std::int64_t> sources, targets;
  for (const auto& [u, v] : stream.edges) {
    sources.push_back(u);
    targets.push_back(v);
  }
  runtime::ColumnInput columns;
  columns.sources = runtime::IntColumn::of(sources.data(), sources.size());
  columns.targets = runtime::IntColumn::of(targets.data(), targets.size());
  const runtime::Result<session::ResidentGraph::Shared> graph = session::ResidentGraph::from_columns(columns);
  const auto log = std::make_shared<session::MessageLog>();
  const std::unique_ptr<st::Engine> engine = graph ? st::make_delta(*graph, log) : nullptr;
  session::ProgramRequest request;
  request.device = "cpu";
  request.pattern.text = pattern::to_text(pattern);
  st::ApplyOptions apply;
  apply.run.threads = 1;
  apply.strategy = strategy;
  std::vector<st::Answer> answers;
  bool works = engine != nullptr && engine->add(request, {}, log) == session::Status::Ok &&
               engine->start(apply, answers) == session::Status::Ok;
  // Background compilation must not run during a batch.
  while (codegen::compiles_in_background()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  double ms = 0;
  std::size_t done = 0, recounts = 0;
  for (std::size_t at = 0; works && done < batches && at < stream.updates.size(); ++done) {
    st::Netting netting(engine->present(), st::VertexRules{0, false});
    for (std::size_t end = std::min(stream.updates.size(), at + options.batch); at < end; ++at) {
      const Update& one = stream.updates[at];
      st::Update update;
      update.kind = one.inserts ? st::UpdateKind::InsertEdge : st::UpdateKind::DeleteEdge;
      update.u = one.u;
      update.v = one.v;
      netting.add(update);
    }
    const st::NetBatch batch = netting.take();
    const double begin = cpu_ms();
    works = engine->apply(batch, apply, answers) == session::Status::Ok;
    ms += cpu_ms() - begin;
    if (works && answers.front().how == st::MaintenanceMethod::Recompute) ++recounts;
  }
  if (!works) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), log->text().c_str());
    return false;
  }
  std::printf("%s,%zu,%s,%.5f,%zu,%lld\n", name.c_str(), options.batch, strategy_name, ms / static_cast<double>(done),
              recounts, static_cast<long long>(std::get<__int128>(answers.front().total.front())));
  std::fflush(stdout);
  return true;
}

bool run_strategies(const Stream& stream, const std::string& name, const pattern::Pattern& pattern,
                    const Options& options) {
  using session::stream::BatchStrategy;
  constexpr std::size_t kMostRecounts = 10;
  return run_strategy(stream, name, pattern, options, BatchStrategy::EdgeByEdge, "edges", options.batches) &&
         run_strategy(stream, name, pattern, options, BatchStrategy::Recount, "recount",
                      std::min(kMostRecounts, options.batches)) &&
         run_strategy(stream, name, pattern, options, BatchStrategy::ByCost, "by cost", options.batches);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at + 1 < argc && std::string(argv[at]).starts_with("--"); at += 2) {
    const std::string option = argv[at];
    const int number = std::atoi(argv[at + 1]);
    if (option == "--threads" && number > 0) {
      options.threads = static_cast<unsigned>(number);
    } else if ((option == "--batch" || option == "--ways") && number > 0) {
      options.batch = static_cast<std::size_t>(number);
      if (option == "--ways" && options.batches == 0) options.batches = 100;
    } else if (option == "--batches" && number > 0) {
      options.batches = static_cast<std::size_t>(number);
    } else {
      at = argc;
    }
  }
  if (argc - at < 2) {
    std::fprintf(stderr, "usage: bench_streams [--threads N] [--batch B] FOLDER QUERY...\n");
    return 2;
  }
  const std::string folder = argv[at];
  const Stream stream = read_stream(folder);
  bool all = true;
  for (int i = at + 1; i < argc; ++i) {
    const std::string name = argv[i];
    const std::optional<pattern::Pattern> pattern = read_query(folder + "/" + name, name.substr(0, 2) != "p_");
    const auto& strategy = options.batches == 0 ? run : run_strategies;
    all = pattern && strategy(stream, name, *pattern, options) && all;
  }
  return all ? 0 : 1;
}
