#include "session/graph_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "runtime/graph/stats.h"

namespace matcha::session {

namespace {

using Json = nlohmann::ordered_json;

/// More labels than these are counted, not listed.
constexpr std::size_t kShownLabels = 10;
constexpr double kDegreeBar = 40;

std::string degree_bars(const runtime::GraphStats& stats) {
  std::string out = "degrees\n";
  std::uint64_t most = 1;
  for (std::uint64_t count : stats.degree_histogram) most = std::max(most, count);
  for (std::size_t i = 0; i < stats.degree_histogram.size(); ++i) {
    const std::uint64_t low = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
    const std::uint64_t high = i == 0 ? 0 : (std::uint64_t{1} << i) - 1;
    const std::uint64_t count = stats.degree_histogram[i];
    const std::string range = low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
    const double part = static_cast<double>(count) / static_cast<double>(most);
    std::string bar(static_cast<std::size_t>(part * kDegreeBar), '#');
    if (bar.empty() && count != 0) bar = ".";
    out += fmt::format("  {:>15} {:>12}{}{}\n", range, count, bar.empty() ? "" : "  ", bar);
  }
  return out;
}

/// A label of edges, and how its edges are spread.
struct EdgeLabel {
  std::string name;
  std::uint64_t edges = 0;
  runtime::LabelPartFacts out;
  runtime::LabelPartFacts in;  ///< As `out` in an undirected graph.
};

/// The labels of edges, most frequent first: words, or numbers that a `.mtg` has as labels. Others may be times.
std::vector<EdgeLabel> edge_labels(const runtime::Graph& graph) {
  std::vector<EdgeLabel> found;
  const bool known = graph.facts().word_info || graph.label_slices().is_made();
  if (!known || graph.facts().info != runtime::InfoKind::Int) return found;
  const runtime::Result<runtime::LabelTable> table = graph.label_slices().table(graph);
  if (!table) return found;
  const bool directed = graph.facts().directed;
  for (const runtime::LabelEntry& entry : table->labels) {
    const auto facts = [&](runtime::ArcSide side) {
      return runtime::facts_of(runtime::part_of(*table, directed, side, entry.label));
    };
    found.push_back({graph.dictionary().name(entry.label), directed ? entry.arcs : entry.arcs / 2,
                     facts(runtime::ArcSide::Targets), facts(runtime::ArcSide::Sources)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const EdgeLabel& a, const EdgeLabel& b) { return a.edges > b.edges; });
  return found;
}

std::string edge_labels_text(const runtime::Graph& graph) {
  const std::vector<EdgeLabel> labels = edge_labels(graph);
  if (labels.empty()) return "";
  std::string out = fmt::format("{:<14} {}\n", "edge labels", labels.size());
  for (std::size_t i = 0; i < std::min(kShownLabels, labels.size()); ++i) {
    const EdgeLabel& one = labels[i];
    out += fmt::format("  {:>15} {:>12}", one.name, one.edges);
    out += graph.facts().directed ? fmt::format("  {} sources with up to {}, {} targets with up to {}\n", one.out.rows,
                                                one.out.longest, one.in.rows, one.in.longest)
                                  : fmt::format("  {} vertices with up to {}\n", one.out.rows, one.out.longest);
  }
  return labels.size() > kShownLabels ? out + fmt::format("  {:>15}\n", "…") : out;
}

std::string info_text(const runtime::LoadedGraph& loaded, const runtime::GraphStats& stats) {
  const runtime::LoadReport& report = loaded.report;
  std::string out;
  const auto line = [&out](std::string_view name, const auto& value) {
    out += fmt::format("{:<14} {}\n", name, value);
  };
  line("file", report.path);
  line("format",
       fmt::format("{}{}", report.table.empty() ? std::string(runtime::format_name(report.format)) : report.table,
                   report.compression == runtime::Compression::None
                       ? std::string()
                       : fmt::format(" ({})", runtime::compression_name(report.compression))));
  line("direction", report.temporal   ? "directed, repeats kept"
                    : report.directed ? "directed"
                    : report.parallel ? "undirected, with parallel edges"
                                      : "undirected");
  const runtime::StoredOrder& stored = loaded.graph.stored_order();
  if (stored.offsets != nullptr) {
    line("order", fmt::format("by id, and by degree with the {} first", stored.largest_first ? "largest" : "smallest"));
  }
  if (report.edge_info) line("edges have", loaded.graph.facts().word_info ? "labels" : "numbers");
  line("vertices", stats.vertices);
  line(report.directed || report.temporal ? "arcs" : "edges", stats.edges);
  line("ids", stats.vertices == 0 ? std::string("none")
              : report.ids == runtime::IdKind::Int
                  ? fmt::format("{} to {}", report.min_id, report.max_id)
                  : fmt::format("{}{} to {}", report.ids == runtime::IdKind::Text ? "text, " : "", report.first_id,
                                report.last_id));
  line("isolated", stats.isolated);
  line("degree", fmt::format("min {}, median {}, mean {:.2f}, max {}", stats.min_degree, stats.median_degree,
                             stats.mean_degree, stats.max_degree));
  line("dropped", fmt::format("{} loops, {} repeated edges", report.loops, report.duplicates));
  line("memory", fmt::format("{:.1f} MiB", static_cast<double>(report.graph_bytes) / (1 << 20)));
  if (!stats.labels.empty()) {
    line("labels", stats.labels.size());
    for (std::size_t i = 0; i < std::min(kShownLabels, stats.labels.size()); ++i) {
      const std::string name = loaded.graph.dictionary().name(stats.labels[i].first);
      out += fmt::format("  {:>15} {:>12}\n", name.empty() ? "(none)" : name, stats.labels[i].second);
    }
    if (stats.labels.size() > kShownLabels) out += fmt::format("  {:>15}\n", "…");
  }
  return out + edge_labels_text(loaded.graph) + degree_bars(stats);
}

Json info_json(const runtime::LoadedGraph& loaded, const runtime::GraphStats& stats) {
  Json all = {{"schema", "matcha.graph/1"}};
  all.update(graph_facts(loaded.report));
  all["isolated"] = stats.isolated;
  all["degree"] = {{"min", stats.min_degree},
                   {"median", stats.median_degree},
                   {"mean", stats.mean_degree},
                   {"max", stats.max_degree},
                   {"histogram", stats.degree_histogram}};
  Json labels = Json::array();
  for (const auto& [code, count] : stats.labels) {
    labels.push_back({{"label", loaded.graph.dictionary().name(code)}, {"vertices", count}});
  }
  all["labels"] = labels;
  Json of_edges = Json::array();
  for (const EdgeLabel& one : edge_labels(loaded.graph)) {
    of_edges.push_back({{"label", one.name},
                        {"edges", one.edges},
                        {"sources", one.out.rows},
                        {"most_targets", one.out.longest},
                        {"targets", one.in.rows},
                        {"most_sources", one.in.longest}});
  }
  if (!of_edges.empty()) all["edge_labels"] = of_edges;
  return all;
}

}  // namespace

nlohmann::ordered_json graph_facts(const runtime::LoadReport& report) {
  return Json{{"path", report.path},
              {"format", runtime::format_name(report.format)},
              {"table", report.table},
              {"compression", runtime::compression_name(report.compression)},
              {"directed", report.directed || report.temporal},
              {"parallel_edges", report.parallel},
              {"edge_info", report.edge_info},
              {"vertices", report.vertices},
              {"edges", report.edges},
              {"max_degree", report.max_degree},
              {"ids", report.ids == runtime::IdKind::Text  ? "text"
                      : report.ids == runtime::IdKind::Int ? "int"
                                                           : "unsigned"},
              {"min_id", report.ids == runtime::IdKind::Int ? Json(report.min_id) : Json(report.first_id)},
              {"max_id", report.ids == runtime::IdKind::Int ? Json(report.max_id) : Json(report.last_id)},
              {"lines", report.lines},
              {"dropped_loops", report.loops},
              {"dropped_duplicates", report.duplicates},
              {"file_bytes", report.file_bytes},
              {"graph_bytes", report.graph_bytes}};
}

std::string graph_info(const runtime::LoadedGraph& loaded, bool json) {
  const runtime::GraphStats stats = runtime::graph_stats(loaded.graph);
  return json ? info_json(loaded, stats).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
              : info_text(loaded, stats);
}

void add_graphs(const ResidentGraph& graph, nlohmann::ordered_json& object) {
  object["graph"] = graph_facts(*graph.report());
  if (!graph.is_joined()) return;
  Json& graphs = object["graphs"] = Json::object();
  if (!graph.name().empty()) graphs[graph.name()] = object["graph"];
  for (const auto& other : graph.others()) graphs[other.name] = graph_facts(*other.graph->report());
}

void note_reports(const ResidentGraph& graph, const Reporter& reporter) {
  reporter.note(graph.report()->render());
  for (const auto& other : graph.others()) reporter.note(other.graph->report()->render());
}

}  // namespace matcha::session
