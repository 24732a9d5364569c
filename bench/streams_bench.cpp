// What one update after the other does to the number of embeddings of a pattern: counts and CPU time, on one thread.
//
//     bench_streams [--threads N] [--batch B] FOLDER QUERY…
//
// FOLDER has data.graph (`v id label`, `e u v label`; ids 0, 1, …), stream.graph (`e u v label`, `-e u v label`,
// without updates that change nothing) and the queries, whose labels are forgotten where their names begin with `p_`. A
// line each: query, embeddings that came and that went, ms of CPU time for all updates, ms to plan, terms, bytes of the
// graph, ms by the clock for all updates. With --threads, updates of a batch (default 64) that all come or all go are
// shared by so many threads.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "driver/stream/delta_query.h"
#include "frontend/pattern/read.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/stream/shared_search.h"

namespace {

using namespace matcha;
using driver::stream::DeltaQuery;
using driver::stream::EdgeDelta;
using runtime::stream::DeltaSearch;
using runtime::stream::DynamicGraph;
using runtime::stream::EdgeUpdate;
using runtime::stream::SharedSearch;
using runtime::stream::SharedTerms;

struct Update {
  bool comes = false;
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
  std::string what, label;
  std::uint32_t u = 0, v = 0;
  std::ifstream graph(folder + "/data.graph");
  while (graph >> what >> u) {
    if (what == "v") {
      graph >> stream.labels.emplace_back();
    } else if (graph >> v >> label) {
      stream.edges.emplace_back(u, v);
    }
  }
  std::ifstream updates(folder + "/stream.graph");
  while (updates >> what >> u >> v >> label) stream.updates.push_back({what == "e", u, v});
  return stream;
}

std::optional<frontend::pattern::Pattern> read_query(const std::string& path, bool with_labels) {
  std::ifstream file(path);
  std::stringstream text;
  text << "t # 0\n" << file.rdbuf();
  SourceManager sources;
  Diagnostics diagnostics(sources);
  std::optional<frontend::pattern::PatternSet> set =
      frontend::pattern::read_pattern(sources, sources.add(path, text.str()), diagnostics);
  if (!set) {
    std::fprintf(stderr, "%s", render_text(diagnostics, false).c_str());
    return std::nullopt;
  }
  frontend::pattern::Pattern pattern = set->patterns.front();
  for (std::string& label : pattern.labels) {
    if (!with_labels) label.clear();
  }
  return pattern;
}

/// How updates are taken.
struct Way {
  unsigned threads = 0;  ///< 0: one after the other.
  std::size_t batch = 64;
};

/// Takes all updates, one after the other.
bool take_alone(const Stream& stream, DynamicGraph& graph, const DeltaQuery& query, EdgeDelta& came, EdgeDelta& went) {
  DeltaSearch search(graph, runtime::set_kernels(runtime::best_tier()));
  for (const Update& update : stream.updates) {
    const std::uint32_t p = graph.place(update.u), q = graph.place(update.v);
    if (!update.comes) graph.erase(p, q);
    if (query.count(search, p, q, graph.class_of(update.u), graph.class_of(update.v), update.comes ? came : went) !=
        DeltaSearch::Ending::Complete) {
      return false;
    }
    if (update.comes) graph.insert(p, q);
  }
  return true;
}

/// Takes them in batches that end, too, where what goes follows what comes, or the other way round.
bool take_shared(const Stream& stream, const Way& way, DynamicGraph& graph, const DeltaQuery& query, EdgeDelta& came,
                 EdgeDelta& went) {
  SharedSearch search(graph, runtime::set_kernels(runtime::best_tier()), way.threads);
  SharedTerms terms;
  query.add_terms(terms, false);
  std::vector<EdgeUpdate> batch;
  for (std::size_t first = 0; first < stream.updates.size();) {
    const bool comes = stream.updates[first].comes;
    batch.clear();
    for (std::size_t i = first; i < stream.updates.size() && batch.size() < way.batch; ++i) {
      const Update& update = stream.updates[i];
      if (update.comes != comes) break;
      batch.push_back({graph.place(update.u), graph.place(update.v)});
    }
    const SharedSearch::Result found = search.run({terms, batch, comes, {}, nullptr});
    if (!found.fits || found.ending != DeltaSearch::Ending::Complete) return false;
    if (!query.add_counts(found.maps.data(), comes ? came : went)) return false;
    first += found.updates;
  }
  return true;
}

bool run(const Stream& stream, const std::string& name, const frontend::pattern::Pattern& pattern, const Way& way) {
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
  const double begin = cpu_ms();
  std::string why;
  const std::optional<DeltaQuery> query = DeltaQuery::make(
      pattern, frontend::pattern::Induced::Edge, frontend::pattern::DeltaAnswer::Count, graph,
      [&](const std::string& label) { return classes.at(label); }, why);
  if (!query) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), why.c_str());
    return false;
  }
  const double planned = cpu_ms();
  const double began = ms_of(CLOCK_MONOTONIC);
  EdgeDelta came, went;
  const bool done = way.threads == 0 ? take_alone(stream, graph, *query, came, went)
                                     : take_shared(stream, way, graph, *query, came, went);
  if (!done) {
    std::fprintf(stderr, "%s: the updates do not fit, or a count is too large\n", name.c_str());
    return false;
  }
  const double end = cpu_ms();
  const auto maps = [&](__int128 subgraphs) {
    return static_cast<unsigned long long>(subgraphs * static_cast<__int128>(query->automorphisms()));
  };
  const double wall = ms_of(CLOCK_MONOTONIC) - began;
  std::printf("%s,%llu,%llu,%.4f,%.3f,%zu,%llu,%.4f\n", name.c_str(), maps(came.more), maps(went.more), end - planned,
              planned - begin, query->term_count(), static_cast<unsigned long long>(graph.bytes()), wall);
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Way way;
  int at = 1;
  for (; at + 1 < argc && std::string(argv[at]).starts_with("--"); at += 2) {
    const std::string option = argv[at];
    const int number = std::atoi(argv[at + 1]);
    if (option == "--threads" && number > 0) {
      way.threads = static_cast<unsigned>(number);
    } else if (option == "--batch" && number > 0) {
      way.batch = static_cast<std::size_t>(number);
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
    const std::optional<frontend::pattern::Pattern> pattern =
        read_query(folder + "/" + name, name.substr(0, 2) != "p_");
    all = pattern && run(stream, name, *pattern, way) && all;
  }
  return all ? 0 : 1;
}
