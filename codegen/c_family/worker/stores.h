#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "codegen/c_family/worker/place.h"
#include "codegen/c_family/worker/text.h"

namespace matcha::codegen::worker {

/// Stored sets in a worker's memory, and the space of lists there.
class Stores {
 public:
  Stores(Text& text, const ir::Region& region, const Place& place, const Lanes& lanes);

  /// Stores the value of `s` under its name.
  void store(const ir::Store& s);
  /// The worker's space for a list of the type of `list`.
  std::string room(const ir::Var* list, const ir::Var* buffer) const;

 private:
  /// A bit set of one lane: stored if it is read several times and fits a few words.
  void keep(const ir::Store& s);
  /// A count by means of counters.
  void common(const ir::Store& s);
  std::size_t buffer_index(const ir::Var* buffer) const;
  /// The argument by which tasks of one outermost position share rows.
  std::string shared_rows(const ir::Store& s);
  /// The number of the next state that tasks of one outermost position share.
  std::string next_rows();

  const ir::Facts& facts_;
  Names& names_;
  Expressions& expressions_;
  TextWriter& out_;
  const ir::Region& region_;
  const Place& place_;
  const Lanes& lanes_;
  std::unordered_map<const ir::Var*, int> uses_;
  std::uint32_t next_rows_ = 0;
};

}  // namespace matcha::codegen::worker
