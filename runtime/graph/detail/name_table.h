#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/id_names.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

/// Ids that are text, while they are read.
namespace matcha::runtime::detail {

/// The different ids of a piece of a file, numbered as they come.
class NameTable {
 public:
  /// The number of an id; a new one if it is new.
  std::uint32_t intern(std::string_view id);
  std::uint64_t size() const { return ends_.size(); }
  std::string_view name(std::uint64_t number) const;
  std::uint64_t bytes() const;

 private:
  void grow();

  std::string text_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> slots_;  ///< 1 + the number of an id, or 0; a power of two of them.
};

/// Columns of numbers of a table, which become places among all ids.
struct NamedCells {
  const NameTable* table = nullptr;
  std::vector<std::vector<std::int64_t>*> columns;
};

/// Sorts the ids of all tables and puts their places into the columns. Errors: Resource.
Result<std::shared_ptr<const IdNames>> resolve_names(const std::vector<NamedCells>& cells, const IoOptions& options);

/// Columns of uint64 ids, in which they stand with the highest bit flipped, so that they are in order as int64.
inline std::int64_t flip_id(std::uint64_t id) { return static_cast<std::int64_t>(id ^ (std::uint64_t{1} << 63)); }
/// The same for uint64 ids. Errors: Resource.
Result<std::shared_ptr<const IdNames>> resolve_unsigned(const std::vector<std::vector<std::int64_t>*>& columns,
                                                        const IoOptions& options);

}  // namespace matcha::runtime::detail
