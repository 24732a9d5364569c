// What one update after the other does to the number of embeddings of a pattern: counts and CPU time, on one thread.
//
//     bench_streams FOLDER QUERY…
//
// FOLDER has data.graph (`v id label`, `e u v label`; ids 0, 1, …), stream.graph (`e u v label`, `-e u v label`,
// without updates that change nothing) and the queries, whose labels are forgotten where their names begin with `p_`. A
// line each: query, embeddings that came and that went, ms for all updates, ms to plan, terms, bytes of the graph.

#include <cstdint>
#include <cstdio>
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

namespace {

using namespace matcha;
using driver::stream::DeltaQuery;
using driver::stream::EdgeDelta;
using runtime::stream::DeltaSearch;
using runtime::stream::DynamicGraph;

struct Update {
  bool comes = false;
  std::uint32_t u = 0, v = 0;
};

struct Stream {
  std::vector<std::string> labels;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<Update> updates;
};

double cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

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

bool run(const Stream& stream, const std::string& name, const frontend::pattern::Pattern& pattern) {
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
  DeltaSearch search(graph, runtime::set_kernels(runtime::best_tier()));
  EdgeDelta came, went;
  for (const Update& update : stream.updates) {
    const std::uint32_t p = graph.place(update.u), q = graph.place(update.v);
    if (!update.comes) graph.erase(p, q);
    if (query->count(search, p, q, graph.class_of(update.u), graph.class_of(update.v), update.comes ? came : went) !=
        DeltaSearch::Ending::Complete) {
      std::fprintf(stderr, "%s: a count is too large\n", name.c_str());
      return false;
    }
    if (update.comes) graph.insert(p, q);
  }
  const double end = cpu_ms();
  const auto maps = [&](__int128 subgraphs) {
    return static_cast<unsigned long long>(subgraphs * static_cast<__int128>(query->automorphisms()));
  };
  std::printf("%s,%llu,%llu,%.4f,%.3f,%zu,%llu\n", name.c_str(), maps(came.more), maps(went.more), end - planned,
              planned - begin, query->term_count(), static_cast<unsigned long long>(graph.bytes()));
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_streams FOLDER QUERY...\n");
    return 2;
  }
  const std::string folder = argv[1];
  const Stream stream = read_stream(folder);
  bool all = true;
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    const std::optional<frontend::pattern::Pattern> pattern =
        read_query(folder + "/" + name, name.substr(0, 2) != "p_");
    all = pattern && run(stream, name, *pattern) && all;
  }
  return all ? 0 : 1;
}
