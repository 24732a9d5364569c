#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "question/pattern.h"

/// Files of known counts.
namespace matcha::bench {

/// A row `graph,pattern,edges,induced,count,…`.
struct TruthCell {
  std::string graph, name;
  std::string edges;    ///< `0-1;1-2`.
  std::string induced;  ///< `edge` or `vertex`.
  double count = 0;

  pattern::Induced induction() const { return induced == "vertex" ? pattern::Induced::Vertex : pattern::Induced::Edge; }
  pattern::Pattern pattern() const {
    int vertices = 0;
    std::vector<std::pair<int, int>> pairs;
    std::istringstream in(edges);
    for (std::string edge; std::getline(in, edge, ';');) {
      const std::size_t dash = edge.find('-');
      pairs.emplace_back(std::atoi(edge.c_str()), std::atoi(edge.c_str() + dash + 1));
      vertices = std::max({vertices, pairs.back().first + 1, pairs.back().second + 1});
    }
    pattern::Pattern made = pattern::Pattern::empty(vertices);
    for (const auto& [u, v] : pairs) made.add_edge(u, v);
    return made;
  }
};

/// The rows of a file whose graph is named as the file `graph`, without its endings. None: the file cannot be read.
inline std::vector<TruthCell> truth_cells(const std::string& file, const std::string& graph) {
  const std::string name = graph.substr(graph.rfind('/') + 1);
  std::vector<TruthCell> cells;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string count;
    TruthCell cell;
    for (std::string* field : {&cell.graph, &cell.name, &cell.edges, &cell.induced, &count}) {
      std::getline(fields, *field, ',');
    }
    cell.count = std::atof(count.c_str());
    if (cell.graph == name.substr(0, name.find('.'))) cells.push_back(cell);
  }
  return cells;
}

}  // namespace matcha::bench
