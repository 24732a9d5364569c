#include "frontend/types.h"

#include <algorithm>
#include <array>

namespace matcha::frontend {

bool Type::is_uniform_tuple() const {
  return is_tuple() && std::ranges::all_of(positions, [&](const Type* type) { return type == positions[0]; });
}

std::string to_string(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Int: return "int";
    case Type::Kind::Float: return "float";
    case Type::Kind::Bool: return "bool";
    case Type::Kind::Graph: return "Graph";
    case Type::Kind::Tuple: break;
    case Type::Kind::List: return "List<" + to_string(*type.elem) + ">";
    case Type::Kind::Table: {
      const bool one = type.positions.size() == 1;
      const Type key{Type::Kind::Tuple, type.positions};
      return "Table<" + to_string(one ? *type.positions[0] : key) + ", " + to_string(*type.elem) + ">";
    }
  }
  std::string out = "Tuple<" + to_string(*type.positions[0]);
  if (type.is_uniform_tuple()) return out + ", " + std::to_string(type.positions.size()) + ">";
  for (const Type* position : type.positions.subspan(1)) out += ", " + to_string(*position);
  return out + ">";
}

const Type* TypeTable::int_pair() { return tuple(std::array{int_type(), int_type()}); }

const Type* TypeTable::intern(Type::Kind kind, std::span<const Type* const> positions, const Type* elem) {
  for (const Type* type : types_) {
    if (type->kind == kind && type->elem == elem && std::ranges::equal(type->positions, positions)) return type;
  }
  types_.push_back(arena_.make<Type>(Type{kind, arena_.copy(positions), elem}));
  return types_.back();
}

}  // namespace matcha::frontend
