#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace matcha::session::stream {

/// The labels of the edges of a changing graph, by numbers of vertices. Two vertices may be joined by several edges
/// with different labels. Requested labels have layers 1, 2, …; the others have none.
class EdgeLabels {
 public:
  /// An edge as stored at its owner: the smaller end of an undirected edge, else the source.
  struct Edge {
    std::uint32_t to = 0;
    std::uint32_t label = 0;  ///< An internal label number.
    auto operator<=>(const Edge&) const = default;
  };

  explicit EdgeLabels(bool directed) : directed_(directed) {}

  /// Item i is the label of layer i + 1; it may be empty.
  void set_layers(const std::vector<std::optional<std::int64_t>>& labels);
  /// Replaces codes of labels: all of them by a map, and those of the layers.
  template <typename Recode>
  void recode(const Recode& recode, const std::vector<std::optional<std::int64_t>>& layer_labels) {
    for (std::int64_t& label : labels_) label = recode(label);
    set_layers(layer_labels);
  }

  /// Adds an edge to the initially empty graph, each once; u < v if undirected. Call `end_load` after the last one.
  void load(std::uint32_t u, std::uint32_t v, std::int64_t label);
  void end_load();

  /// Returns false if it exists. Throws std::bad_alloc.
  bool insert(std::uint32_t u, std::uint32_t v, std::int64_t label);
  /// Returns false if it does not exist.
  bool erase(std::uint32_t u, std::uint32_t v, std::int64_t label);
  bool contains(std::uint32_t u, std::uint32_t v, std::int64_t label) const;

  /// The edges from u to v.
  std::span<const Edge> between(std::uint32_t u, std::uint32_t v) const;
  /// The edges that a vertex owns, by the other end.
  std::span<const Edge> owned(std::uint32_t vertex) const;
  std::int64_t code(std::uint32_t label) const { return labels_[label]; }
  /// The layer of a label number; 0: none.
  std::uint32_t layer(std::uint32_t label) const { return layers_[label]; }
  /// The layer of a label code; 0: none.
  std::uint32_t layer_of(std::int64_t code) const;
  std::uint64_t size() const { return size_; }

 private:
  std::uint32_t label_or_new(std::int64_t code);

  bool directed_;
  std::uint64_t size_ = 0;
  std::vector<std::vector<Edge>> edges_;  ///< By owner, ascending.
  std::vector<std::int64_t> labels_;      ///< By number: the code.
  std::vector<std::uint32_t> layers_;     ///< By number.
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;
  std::unordered_map<std::int64_t, std::uint32_t> layer_of_code_;
};

}  // namespace matcha::session::stream
