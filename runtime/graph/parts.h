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

/// Counts of matches in a graph that is larger than memory (Suri and Vassilvitskii, WWW 2011; Park and Chung, CIKM
/// 2013, for triangles). Its vertices are dealt to parts. A match of n vertices lies in at most n parts, so it is found
/// in the subgraph that the vertices of n parts induce. One that lies in fewer is found in several of these subgraphs,
/// and what was found too often is taken off again by those of fewer parts.
namespace matcha::runtime {

/// The most parts of a graph, and subgraphs of a plan.
inline constexpr std::uint64_t kMostParts = 60;
inline constexpr std::uint64_t kMostSubgraphs = 100'000;

/// For each size of 1 … `match` (item 0 is 0): how often what is found in a subgraph of so many of `parts` parts
/// counts, so that each match of at most `match` vertices counts once. Requires: 1 <= match < parts <= kMostParts.
std::vector<__int128> part_weights(std::uint64_t parts, std::uint64_t match);

/// All sets of 1 … `match` parts, those of as many parts in lexical order, larger ones first.
std::vector<std::vector<std::uint32_t>> part_sets(std::uint64_t parts, std::uint64_t match);

/// How a graph is counted within some memory.
struct PartsPlan {
  std::uint64_t parts = 0;
  std::uint64_t match = 0;          ///< Vertices of a match.
  std::uint64_t subgraphs = 0;      ///< How many are made and counted.
  std::uint64_t largest_bytes = 0;  ///< Of the largest of them.
  std::vector<std::uint64_t> arcs;  ///< From part p to part q: item p * parts + q.
};

/// A graph in a `.mtg`, of which subgraphs are taken if it is undirected and simple.
class PartedGraph {
 public:
  /// Checks the file as `read_mtg` does. Of the file no more is in memory at a time than some megabytes, unless its
  /// pages are kept as long as there is memory. Errors: those of it, and Input when the file is packed.
  static Result<std::shared_ptr<const PartedGraph>> open(const std::string& path, const IoOptions& options = {},
                                                         bool keeps_pages = false);

  /// All of it, mapped.
  const Graph& whole() const { return graph_; }
  /// Whether it has parts: it is undirected and simple, and its edges have no labels or numbers.
  bool has_parts() const;
  /// Memory that it takes as a whole, with ranks of its own by degree too if `ranked` and it can have them.
  std::uint64_t whole_bytes(bool ranked) const;

  /// The fewest parts so that every subgraph of `match` of them fits. Takes some passes over the file. Requires:
  /// has_parts. Errors: Resource when there is no such plan.
  Result<PartsPlan> plan(std::uint64_t memory, std::uint64_t match, const IoOptions& options = {}) const;

  /// The subgraph of the vertices of these parts, ascending; with labels, and ids 0 … n-1. Of a file with a stored
  /// order by degree the vertices are in that order. Errors: Resource when out of memory, Runtime when interrupted.
  Result<Graph> induced(const PartsPlan& plan, std::span<const std::uint32_t> parts,
                        const IoOptions& options = {}) const;

 private:
  std::uint64_t bytes_of(std::uint64_t vertices, std::uint64_t arcs) const;
  Status count_arcs(PartsPlan& plan, const IoOptions& options) const;
  /// Lets go of the rows [first, last) in memory.
  void drop_rows(std::uint64_t first, std::uint64_t last) const;

  Graph graph_;
  MappedPages pages_;
  bool keeps_pages_ = false;
  // The rows that are read: those by degree where they are stored.
  const std::uint64_t* offsets_ = nullptr;
  const std::uint32_t* neighbors_ = nullptr;
  const std::uint32_t* maybe_from_ = nullptr;
};

}  // namespace matcha::runtime
