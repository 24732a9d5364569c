#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "session/query/pipeline.h"
#include "session/query/store.h"
#include "session/row_encoder.h"

namespace matcha::session::statement {

/// Rows in columns of one type each, in memory: nodes, ints, floats or bools.
class TypedRows {
 public:
  /// `store` outlives it.
  TypedRows(std::vector<std::string> names, SourceLoc loc, const Store& store)
      : names_(std::move(names)), loc_(loc), store_(store), columns_(names_.size()) {}

  /// Keeps a row `weight` times. False after an error, which is in the progress: the value has another type than those
  /// before it, such a column cannot hold it, or there is no room.
  bool take(const Value* row, std::uint64_t weight, Progress& progress);
  std::uint64_t count() const { return count_; }
  /// Appends the file to `out`. Returns the bytes that replace its beginning; empty: none.
  std::string encode(const RowFormat& format, std::string& out) const;

 private:
  struct Column {
    Value::Kind kind = Value::Kind::Null;  ///< The kind of its values; Null: there are none.
    std::vector<std::uint32_t> nodes;
    std::vector<std::int64_t> ints;
    std::vector<double> floats;
    std::vector<std::uint8_t> bools;
  };

  bool fits(Column& column, const std::string& name, const Value& value, Progress& progress) const;
  static void put(Column& column, const Value& value, const Store& store);

  std::vector<std::string> names_;
  SourceLoc loc_;
  const Store& store_;
  std::vector<Column> columns_;
  std::uint64_t count_ = 0;
};

}  // namespace matcha::session::statement
