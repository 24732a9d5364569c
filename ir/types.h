#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace matcha::ir {

/// The kind of a scalar. `Vid` is the rank of a vertex: 32 bits in lists, and its order is the order of the original
/// ids. `I128` only occurs in top-level steps, where a sum of ints is carried without loss.
enum class ScalarKind { Bool, Vid, I64, I128, F64 };

/// A type. Types are interned by `Context`, so equal types are equal pointers.
struct Type {
  enum class Kind { Scalar, List, Graph };

  Kind kind;
  ScalarKind scalar = ScalarKind::I64;   ///< For Scalar.
  std::span<const Type* const> columns;  ///< For List: one type for each column; a tuple of n is n columns.
  /// For a list of i64: a set of positions in a short list, stored as bits.
  bool bits = false;
  /// For a list: a table, one row for each key, ascending by the first `keys` columns; 0: a plain list.
  std::uint32_t keys = 0;

  bool is_scalar() const { return kind == Kind::Scalar; }
  bool is_scalar(ScalarKind k) const { return kind == Kind::Scalar && scalar == k; }
  bool is_list() const { return kind == Kind::List; }
  bool is_table() const { return keys != 0; }
  bool is_graph() const { return kind == Kind::Graph; }
  /// A list of bit sets: the neighbours of each item of a short list among its items.
  bool is_bit_rows() const { return is_list() && columns.size() == 1 && columns[0]->bits; }
  /// A list of one column of scalars, the operand type of set operations.
  bool is_set() const { return is_list() && columns.size() == 1 && columns[0]->is_scalar(); }
  /// A list in which every column is a scalar, so that it can be stored.
  bool is_flat_list() const {
    if (!is_list() || bits) return false;
    for (const Type* column : columns) {
      if (!column->is_scalar()) return false;
    }
    return true;
  }
  /// i64, i128, f64 or vid: the operand types of arithmetic and `<`.
  bool is_number() const { return is_scalar() && scalar != ScalarKind::Bool; }
};

/// `i64`, `list<vid, vid>`, `table<vid; i64>`, `bits`, `graph`, …
std::string to_string(const Type& type);
std::string to_string(ScalarKind kind);

}  // namespace matcha::ir
