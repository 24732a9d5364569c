#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/id_names.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

/// Ids that are text, while files are read.
namespace matcha::runtime::detail {

/// The distinct ids of a piece of a file, numbered in order of occurrence.
class NameTable {
 public:
  /// The number of an id; adds it if it is new.
  std::uint32_t intern(std::string_view id);
  std::uint64_t size() const { return ends_.size(); }
  std::string_view name(std::uint64_t number) const;
  std::uint64_t bytes() const;

 private:
  void grow();

  std::string text_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> slots_;  ///< 1 + the number of an id, or 0; the size is a power of two.
};

/// Columns of numbers in one table, which are replaced by places among all ids.
struct NamedCells {
  const NameTable* table = nullptr;
  std::vector<std::vector<std::int64_t>*> columns;
};

/// Sorts the ids of all tables and writes their places into the columns. Errors: Resource.
Result<std::shared_ptr<const IdNames>> resolve_names(const std::vector<NamedCells>& cells, const IoOptions& options);

/// Flips the highest bit of a uint64 id, so that the order as int64 is the order of the ids.
inline std::int64_t flip_id(std::uint64_t id) { return static_cast<std::int64_t>(id ^ (std::uint64_t{1} << 63)); }
/// As `resolve_names`, for columns of flipped uint64 ids. Errors: Resource.
Result<std::shared_ptr<const IdNames>> resolve_unsigned(const std::vector<std::vector<std::int64_t>*>& columns,
                                                        const IoOptions& options);

}  // namespace matcha::runtime::detail
