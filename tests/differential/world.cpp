#include "tests/differential/world.h"

#include <algorithm>
#include <random>

namespace matcha::differential {

namespace {

std::string joined(const std::vector<std::int64_t>& items) {
  std::string text;
  for (std::int64_t item : items) text += (text.empty() ? "" : " ") + std::to_string(item);
  return text;
}

}  // namespace

World random_world(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  World w;
  std::int64_t count = pick(12) == 0 ? pick(2) : 2 + pick(7);
  // Now and then lists are longer than a vector, or one is longer than all others.
  bool large = pick(16) == 0;
  bool hub = large && pick(3) == 0;
  if (large) count = hub ? 150 : 24 + pick(20);
  std::int64_t style = pick(4);
  std::set<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i) {
    if (style <= 1) ids.insert(i);
    if (style == 2) ids.insert(pick(60 + 4 * static_cast<std::uint64_t>(count)) - 20);
    if (style == 3) ids.insert((pick(2) == 0 ? 1 : -1) * (std::int64_t{1} << pick(45)) + pick(5));
  }
  w.vertices.assign(ids.begin(), ids.end());
  if (pick(3) == 0) {
    for (std::int64_t i = pick(3); i >= 0; --i) ids.insert(pick(40));
  }
  // A list that a program uses as vertices adds to the universe, so the values of `T` are in it from the start.
  std::int64_t pairs = pick(7);
  if (ids.empty()) pairs = 0;
  std::vector<std::int64_t> known(ids.begin(), ids.end());
  bool own_times = pick(3) == 0;
  for (std::int64_t i = 0; i < pairs; ++i) {
    w.times.push_back(own_times ? pick(20) - 5 : known[static_cast<std::size_t>(pick(known.size()))]);
  }
  ids.insert(w.times.begin(), w.times.end());
  w.universe.assign(ids.begin(), ids.end());
  std::int64_t density = 1 + pick(9);
  w.directed = pick(4) == 0;
  for (std::int64_t u : w.vertices) {
    for (std::int64_t v : w.vertices) {
      bool wanted =
          hub ? u == w.vertices[w.vertices.size() / 2] || v == w.vertices[w.vertices.size() / 2] || pick(200) == 0
              : pick(10) < density;
      if (!wanted || (w.directed ? u == v : u >= v)) continue;
      w.arcs.insert({u, v});
      if (!w.directed) w.arcs.insert({v, u});
    }
  }
  if (pick(2) == 0) {
    bool words = pick(2) == 0;
    if (words) w.words = {"a", "b", "c d"};
    for (std::int64_t v : w.vertices) w.labels[v] = words ? -1 - pick(3) : pick(3);
  }
  if (!w.universe.empty()) {
    const auto id = [&] { return w.universe[static_cast<std::size_t>(pick(w.universe.size()))]; };
    for (std::int64_t i = 0; i < pairs; ++i) {
      std::int64_t source = id();
      w.pairs.push_back({source, id()});
    }
    for (std::int64_t i = pick(6); i > 0; --i) w.items.push_back(id());
  }
  for (std::int64_t i = pick(5); i > 0; --i) w.reals.push_back(static_cast<double>(pick(64) - 32) / 4);
  w.k = pick(9) - 2;
  w.r = static_cast<double>(pick(32) - 8) / 4;
  w.c = pick(2) == 0;
  return w;
}

std::string World::to_text() const {
  std::string text =
      "vertices: " + joined(vertices) + "\nuniverse: " + joined(universe) + (directed ? "\narcs:" : "\nedges:");
  for (const auto& [u, v] : arcs) {
    if (directed || u < v) text += " " + std::to_string(u) + "-" + std::to_string(v);
  }
  text += "\nlabels:";
  for (const auto& [v, label] : labels) text += " " + std::to_string(v) + "=" + std::to_string(label);
  text += "\nE:";
  for (const auto& [u, v] : pairs) text += " (" + std::to_string(u) + "," + std::to_string(v) + ")";
  text += "\nT: " + joined(times) + "\nL: " + joined(items) + "\nF:";
  for (double real : reals) text += " " + std::to_string(real);
  return text + "\nk=" + std::to_string(k) + " r=" + std::to_string(r) + " c=" + (c ? "True" : "False") + "\n";
}

RuntimeWorld::RuntimeWorld(const World& world) {
  runtime::Result<runtime::Universe> made =
      runtime::Universe::from_ids({runtime::IdSpan{world.universe.data(), world.universe.size()}}, {});
  universe = std::make_shared<const runtime::Universe>(std::move(*made));
  std::uint64_t n = universe->size();
  runtime::GraphArrays arrays;
  arrays.offsets = runtime::Buffer<std::uint64_t>(n + 1);
  std::size_t count = world.edge_labels.empty() ? world.arcs.size() : 0;
  for (const auto& [arc, labels_of_arc] : world.edge_labels) count += labels_of_arc.size();
  arrays.neighbors = runtime::Buffer<std::uint32_t>(count);
  if (!world.edge_labels.empty()) arrays.edge_info = runtime::Buffer<std::uint64_t>(count);
  std::uint64_t next = 0;
  for (std::uint64_t rank = 0; rank < n; ++rank) {
    arrays.offsets[rank] = next;
    for (const auto& [u, v] : world.arcs) {
      if (u != universe->id(rank)) continue;
      if (world.edge_labels.empty()) arrays.neighbors[next++] = *universe->rank(v);
      if (world.edge_labels.empty()) continue;
      for (std::int64_t label : world.edge_labels.at({u, v})) {
        arrays.edge_info[next] = static_cast<std::uint64_t>(label);
        arrays.neighbors[next++] = *universe->rank(v);
      }
    }
  }
  arrays.offsets[n] = next;
  if (!world.labels.empty()) {
    arrays.labels = runtime::Buffer<std::int64_t>(n);
    labels.assign(n, runtime::kNoLabel);
    for (const auto& [v, label] : world.labels) labels[*universe->rank(v)] = label;
    std::copy(labels.begin(), labels.end(), arrays.labels.begin());
  }
  if (world.vertices.size() != n) {
    arrays.vertices = runtime::Buffer<std::uint32_t>(world.vertices.size());
    for (std::size_t i = 0; i < world.vertices.size(); ++i) arrays.vertices[i] = *universe->rank(world.vertices[i]);
  }
  runtime::GraphFacts facts;
  facts.directed = world.directed;
  facts.simple = count == world.arcs.size();
  facts.info = world.edge_labels.empty() ? runtime::InfoKind::None : runtime::InfoKind::Int;
  graph = runtime::Graph::from_arrays(universe, std::move(arrays), facts);
}

}  // namespace matcha::differential
