#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/graph/mapped_pages.h"
#include "runtime/result.h"

/// Counts matches in a graph that is larger than memory (Suri and Vassilvitskii, WWW 2011; Park and Chung, CIKM 2013,
/// for triangles). Its vertices are distributed over parts. A match of n vertices lies in at most n parts, so it is
/// found in the subgraph that the vertices of n parts induce. A match in fewer parts is found in several of these
/// subgraphs; subgraphs of fewer parts subtract the surplus.
namespace matcha::runtime {

/// The most parts of a graph, and subgraphs of a plan.
inline constexpr std::uint64_t kMostParts = 60;
inline constexpr std::uint64_t kMostSubgraphs = 100'000;

/// The weight of a subgraph's count by its number of parts, 1 … `match` (item 0 is 0), so that each match of at most
/// `match` vertices counts once. Requires: 1 <= match < parts <= kMostParts.
std::vector<__int128> part_weights(std::uint64_t parts, std::uint64_t match);

/// All sets of 1 … `match` parts, larger sets first, sets of one size in lexical order.
std::vector<std::vector<std::uint32_t>> part_sets(std::uint64_t parts, std::uint64_t match);

/// A plan to count a graph within a given memory.
struct PartsPlan {
  std::uint64_t parts = 0;
  std::uint64_t match = 0;          ///< Vertices of a match.
  std::uint64_t subgraphs = 0;      ///< The number of subgraphs to build and count.
  std::uint64_t largest_bytes = 0;  ///< The size of the largest subgraph.
  std::vector<std::uint64_t> arcs;  ///< The number of arcs from part p to part q, at p * parts + q.
};

/// A graph in a `.mtg` from which subgraphs are extracted if it is undirected and simple.
class PartedGraph {
 public:
  /// Opens and checks the file as `read_mtg` does. At most some megabytes of the file are resident at a time, unless
  /// its pages are kept while there is memory. Errors: those of `read_mtg`, and Input when the file is packed.
  static Result<std::shared_ptr<const PartedGraph>> open(const std::string& path, const IoOptions& options = {},
                                                         bool keeps_pages = false);

  /// The whole graph, mapped.
  const Graph& whole() const { return graph_; }
  /// True if it can be split into parts: undirected, simple, and without edge labels or numbers.
  bool has_parts() const;
  /// Bytes of memory for the whole graph. `ranked` adds the ranks by degree, if the graph can have them.
  std::uint64_t whole_bytes(bool ranked) const;

  /// Finds the fewest parts such that every subgraph of `match` parts fits `memory` bytes. Takes some passes over the
  /// file. Requires: has_parts. Errors: Resource when there is no such plan.
  Result<PartsPlan> plan(std::uint64_t memory, std::uint64_t match, const IoOptions& options = {}) const;

  /// The subgraph that the vertices of these parts induce, ascending, with labels and ids 0 … n-1. If the file stores
  /// an order by degree, the vertices are in that order. Errors: Resource when out of memory, Runtime when interrupted.
  Result<Graph> induced(const PartsPlan& plan, std::span<const std::uint32_t> parts,
                        const IoOptions& options = {}) const;

 private:
  std::uint64_t bytes_of(std::uint64_t vertices, std::uint64_t arcs) const;
  Status count_arcs(PartsPlan& plan, const IoOptions& options) const;
  /// Drops the resident pages of the rows [first, last).
  void drop_rows(std::uint64_t first, std::uint64_t last) const;

  Graph graph_;
  MappedPages pages_;
  bool keeps_pages_ = false;
  // The rows to read: those by degree if the file stores them.
  const std::uint64_t* offsets_ = nullptr;
  const std::uint32_t* neighbors_ = nullptr;
  const std::uint32_t* maybe_from_ = nullptr;
};

}  // namespace matcha::runtime
