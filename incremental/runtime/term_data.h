#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "incremental/runtime/device/delta_data.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/shared_search.h"

namespace matcha::runtime::stream {

/// Terms as plain words for groups of threads on a device (incremental/runtime/device/delta_walk.h).
class TermData {
 public:
  /// Empty, with the reason, if a term has too many sets or vertices. The data is valid for the graph as long as its
  /// classes have the same places.
  static std::optional<TermData> make(const SharedTerms& terms, const DynamicGraph& graph, std::string& why);

  const std::vector<std::byte>& bytes() const { return bytes_; }
  /// The terms, for bytes stored at `base`, aligned to 16.
  matcha_program::DeltaTerms at(const std::byte* base) const;
  std::uint32_t terms() const { return terms_; }
  /// The number of arrays of a group.
  std::uint32_t rooms() const { return rooms_; }
  /// Vertices of the largest listed pattern; 0: all are counted.
  std::uint32_t listed() const { return listed_; }

 private:
  enum Table { Terms, Levels, Steps, Values, Products, Groups, Numbers, kTables };

  std::vector<std::byte> bytes_;
  std::size_t begins_[kTables] = {};
  std::uint32_t terms_ = 0, rooms_ = 0, listed_ = 0;
};

}  // namespace matcha::runtime::stream
