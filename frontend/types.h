#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/support/arena.h"

namespace matcha::frontend {

/// Most positions of a tuple.
inline constexpr std::int64_t kMaxTupleSize = 128;

/// A type of a value, fully known. Types are interned by `TypeTable`: equal types are equal pointers.
struct Type {
  enum class Kind : std::uint8_t { Int, Float, Bool, Tuple, List, Table, Graph };

  Kind kind;
  std::span<const Type* const> positions = {};  ///< Tuple: their types. Table: the types of its keys.
  /// List: type of an item. Table: type of a value. Graph: type of the edge information, null if it has none.
  const Type* elem = nullptr;

  bool is_number() const { return kind == Kind::Int || kind == Kind::Float; }
  bool is_scalar() const { return is_number() || kind == Kind::Bool; }
  bool is_tuple() const { return kind == Kind::Tuple; }
  bool is_list() const { return kind == Kind::List; }
  bool is_table() const { return kind == Kind::Table; }
  bool is_graph() const { return kind == Kind::Graph; }
  /// A tuple whose positions have one type.
  bool is_uniform_tuple() const;
  /// A list whose items are lists; such a list is walked or flattened, never stored.
  bool is_nested_list() const { return is_list() && elem->is_list(); }
};

/// `int`, `Tuple<int, 2>`, `List<Tuple<int, float>>`, `Graph`, in the notation of programs.
std::string to_string(const Type& type);

/// Makes types and keeps them alive.
class TypeTable {
 public:
  const Type* int_type() { return scalar(Type::Kind::Int); }
  const Type* float_type() { return scalar(Type::Kind::Float); }
  const Type* bool_type() { return scalar(Type::Kind::Bool); }
  const Type* tuple(std::span<const Type* const> positions) { return intern(Type::Kind::Tuple, positions, nullptr); }
  /// Two ints, such as the ends of an edge.
  const Type* int_pair();
  const Type* list(const Type* elem) { return intern(Type::Kind::List, {}, elem); }
  const Type* table(std::span<const Type* const> keys, const Type* value) {
    return intern(Type::Kind::Table, keys, value);
  }
  /// The type of the key of a table: a scalar, or a tuple of several.
  const Type* key_of(const Type& table) {
    return table.positions.size() == 1 ? table.positions[0] : tuple(table.positions);
  }
  const Type* graph(const Type* maybe_info) { return intern(Type::Kind::Graph, {}, maybe_info); }

 private:
  const Type* scalar(Type::Kind kind) { return intern(kind, {}, nullptr); }
  const Type* intern(Type::Kind kind, std::span<const Type* const> positions, const Type* elem);

  Arena arena_;
  std::vector<const Type*> types_;
};

}  // namespace matcha::frontend
