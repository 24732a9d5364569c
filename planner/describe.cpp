#include <fmt/format.h>

#include "planner/program.h"

namespace matcha::pattern {

namespace {

/// `1.2 s`, for the comment at the top.
std::string short_time(double nanoseconds) {
  if (nanoseconds < 1e6) return fmt::format("{:.2g} us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return fmt::format("{:.2g} ms", nanoseconds / 1e6);
  return fmt::format("{:.3g} s", nanoseconds / 1e9);
}

/// The device of an estimate, and its graph.
std::string graph_comment(const GraphSketch& sketch) {
  const std::string whose = sketch.device == Device::Gpu ? "on a GPU, for " : "of one core, for ";
  return whose + (sketch.of_graph ? fmt::format("a graph of {} vertices and {} edges", sketch.vertices, sketch.edges)
                                  : "a typical social network, since no graph was given");
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::Auto: return "auto";
    case Algorithm::Extend: return "extend";
    case Algorithm::Join: return "join";
    case Algorithm::Decompose: return "decompose";
  }
  return "";
}

std::optional<Algorithm> algorithm_of(std::string_view name) {
  for (Algorithm algorithm : {Algorithm::Auto, Algorithm::Extend, Algorithm::Join, Algorithm::Decompose}) {
    if (name == to_string(algorithm)) return algorithm;
  }
  return std::nullopt;
}

std::string describe(const Pattern& pattern, const Request& request, std::optional<std::uint64_t> automorphisms) {
  std::string text = fmt::format("Pattern {}{}\n", pattern.name.empty() ? "" : pattern.name + ": ", to_text(pattern));
  text += request.rows ? "Lists " : "Counts ";
  if (request.match != Match::Iso) {
    text += request.match == Match::Homo
                ? "homomorphisms: every map of the pattern that keeps its edges; vertices may share their image.\n"
                : "maps of the pattern in which no two edges share their image; vertices may.\n";
    if (pattern.edge_labelled()) text += "Edges have the labels, and may be parallel to others.\n";
    return text;
  }
  text += request.embeddings ? "embeddings (every map of the pattern into the graph), " : "subgraphs (each once), ";
  text += request.induced == Induced::Vertex ? "vertex-induced: a match has no edges but the pattern's."
                                             : "edge-induced: a match may have further edges between its vertices.";
  if (pattern.edge_labelled()) {
    text += "\nEdges have the labels; parallel edges join their vertices once, and may have further labels.";
    if (pattern.counts_edges()) text += "\nOf edges with one of several labels, each counts.";
  }
  if (!automorphisms || *automorphisms > 1) {
    text += fmt::format("\nThe pattern has {} automorphisms",
                        automorphisms ? fmt::format("{}", *automorphisms) : "very many");
    text +=
        request.embeddings ? ": each subgraph is as many embeddings." : "; restrictions on ids keep one match of each.";
  }
  return text + "\n";
}

std::string estimate_text(double nanoseconds, const GraphSketch& sketch) {
  return fmt::format("estimated {} {}", short_time(nanoseconds), graph_comment(sketch));
}

}  // namespace matcha::pattern
