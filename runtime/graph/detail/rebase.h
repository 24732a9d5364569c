#pragma once

#include <cstdint>
#include <string>

#include "runtime/graph/graph.h"

/// Moves graphs into the universe and the dictionary of a run.
namespace matcha::runtime::detail {

/// The new rank of a rank that is not a vertex.
inline constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

/// The arrays of a graph over a universe of `universe` ids: rank r becomes `moved[r]`, or kNowhere if no arc has it.
/// Lists are sorted again if the order of ranks changes. The result has the arrays that the graph has, and its
/// vertices.
GraphArrays rebased(const GraphView& view, const Buffer<std::uint32_t>& moved, std::uint64_t universe);

/// The error of a label that could be mistaken for the code of a word.
Error negative_label(const std::string& path, std::uint64_t line, std::int64_t label);

/// Replaces `count` labels, with the words of `own`, by their codes in `dictionary`, which has these words.
template <typename Word>
Status recode(const std::string& path, const LabelDictionary& own, const LabelDictionary& dictionary, Word* labels,
              std::uint64_t count) {
  if (dictionary.empty()) return Done{};
  for (std::uint64_t at = 0; at < count; ++at) {
    const std::int64_t label = static_cast<std::int64_t>(labels[at]);
    if (label >= 0 || label == kNoLabel) continue;
    const std::uint64_t word = static_cast<std::uint64_t>(-1 - label);
    if (word >= own.words().size()) return negative_label(path, 0, label);
    labels[at] = static_cast<Word>(*dictionary.code(own.words()[word]));
  }
  return Done{};
}

}  // namespace matcha::runtime::detail
