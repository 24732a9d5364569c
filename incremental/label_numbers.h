#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "incremental/present.h"
#include "runtime/graph/labels.h"

namespace matcha::session::stream {

/// The labels that programs use, in the syntax of patterns (`3` or `'a'`), numbered 1, 2, ….
class LabelNumbers {
 public:
  /// Adds labels; this changes the numbers.
  void add(const std::vector<std::string>& labels);
  /// The same if each label becomes a layer of a graph. False, and nothing is added, if there would be too many, or too
  /// many rows compared to the edges.
  bool add_layers(const std::vector<std::string>& labels, const Present& graph);
  std::size_t size() const { return labels_.size(); }
  /// Requires: it was added.
  std::uint32_t number(const std::string& label) const;
  /// By number, the code of each label; empty for a word that the dictionary does not have so far.
  std::vector<std::optional<std::int64_t>> codes(const runtime::LabelDictionary& dictionary) const;

 private:
  std::vector<std::string> labels_;  ///< Ascending.
};

}  // namespace matcha::session::stream
