#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "incremental/present.h"
#include "runtime/graph/labels.h"

namespace matcha::session::stream {

/// The labels that programs ask for, as patterns write them (`3` or `'a'`), with numbers 1, 2, ….
class LabelNumbers {
 public:
  /// Numbers are others then.
  void add(const std::vector<std::string>& labels);
  /// The same, where each of them is to be a layer of a graph. False, and nothing is added: these would be too many, or
  /// have too many rows for its edges.
  bool add_layers(const std::vector<std::string>& labels, const Present& graph);
  std::size_t size() const { return labels_.size(); }
  /// Requires: it was added.
  std::uint32_t number(const std::string& label) const;
  /// By number, the code of each; none of a word that the dictionary does not have yet.
  std::vector<std::optional<std::int64_t>> codes(const runtime::LabelDictionary& dictionary) const;

 private:
  std::vector<std::string> labels_;  ///< Ascending.
};

}  // namespace matcha::session::stream
