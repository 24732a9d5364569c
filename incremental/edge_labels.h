#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace matcha::session::stream {

/// The labels of the edges of a graph that changes, by numbers of vertices. Several edges with different labels may
/// join two vertices. Those labels that are asked for have layers 1, 2, …; the others have none.
class EdgeLabels {
 public:
  /// An edge as one of its ends has it: of an undirected graph the smaller one, else the source.
  struct Edge {
    std::uint32_t to = 0;
    std::uint32_t label = 0;  ///< A number of its own.
    auto operator<=>(const Edge&) const = default;
  };

  explicit EdgeLabels(bool directed) : directed_(directed) {}

  /// Item i is the label of layer i + 1, which may be none.
  void set_layers(const std::vector<std::optional<std::int64_t>>& labels);
  /// Labels get other codes: all of them by a map, and those of the layers.
  template <typename Recode>
  void recode(const Recode& recode, const std::vector<std::optional<std::int64_t>>& layer_labels) {
    for (std::int64_t& label : labels_) label = recode(label);
    set_layers(layer_labels);
  }

  /// Edges one after the other, each once, where there were none; of an undirected graph u < v. `end_load` after the
  /// last one.
  void load(std::uint32_t u, std::uint32_t v, std::int64_t label);
  void end_load();

  /// False: it was there. Throws std::bad_alloc.
  bool insert(std::uint32_t u, std::uint32_t v, std::int64_t label);
  /// False: it was not there.
  bool erase(std::uint32_t u, std::uint32_t v, std::int64_t label);
  bool contains(std::uint32_t u, std::uint32_t v, std::int64_t label) const;

  /// The edges from u to v.
  std::span<const Edge> between(std::uint32_t u, std::uint32_t v) const;
  /// Those that a vertex owns, by the other end.
  std::span<const Edge> owned(std::uint32_t vertex) const;
  std::int64_t code(std::uint32_t label) const { return labels_[label]; }
  /// 0: none.
  std::uint32_t layer(std::uint32_t label) const { return layers_[label]; }
  /// The same of a code.
  std::uint32_t layer_of(std::int64_t code) const;
  std::uint32_t layer_count() const { return layer_count_; }
  std::uint64_t size() const { return size_; }

 private:
  std::uint32_t label_or_new(std::int64_t code);

  bool directed_;
  std::uint32_t layer_count_ = 0;
  std::uint64_t size_ = 0;
  std::vector<std::vector<Edge>> edges_;  ///< By owner, ascending.
  std::vector<std::int64_t> labels_;      ///< By number: the code.
  std::vector<std::uint32_t> layers_;     ///< By number.
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;
  std::unordered_map<std::int64_t, std::uint32_t> layer_of_code_;
};

}  // namespace matcha::session::stream
