#include "frontend/types.h"

namespace matcha::frontend {

std::string to_string(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Int: return "int";
    case Type::Kind::Float: return "float";
    case Type::Kind::Bool: return "bool";
    case Type::Kind::Graph: return "Graph";
    case Type::Kind::Tuple: return "Tuple<" + to_string(*type.elem) + ", " + std::to_string(type.count) + ">";
    case Type::Kind::List: return "List<" + to_string(*type.elem) + ">";
  }
  return "";
}

const Type* TypeTable::intern(Type::Kind kind, std::uint32_t count, const Type* elem) {
  for (const Type* type : types_) {
    if (type->kind == kind && type->count == count && type->elem == elem) return type;
  }
  types_.push_back(arena_.make<Type>(Type{kind, count, elem}));
  return types_.back();
}

}  // namespace matcha::frontend
