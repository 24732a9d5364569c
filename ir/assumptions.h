#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace matcha::ir {

struct Module;
struct Var;

/// What a module may take for granted of a graph that it gets:
///
/// - Symmetric, `symmetric(%G)`: each arc has its reverse.
/// - Simple, `simple(%G)`: there are no loops and no repeated arcs.
enum class AssumptionKind : std::uint8_t { Symmetric, Simple };
inline constexpr std::array kAssumptionKinds = {AssumptionKind::Symmetric, AssumptionKind::Simple};

/// An assumption on a parameter. Passes add them; whoever runs the module checks them when arguments are bound.
struct Assumption {
  AssumptionKind kind;
  const Var* var;
  bool operator==(const Assumption&) const = default;
};

/// A set of kinds.
class AssumptionKinds {
 public:
  bool contains(AssumptionKind kind) const { return (bits_ & bit(kind)) != 0; }
  bool empty() const { return bits_ == 0; }
  void insert(AssumptionKind kind) { bits_ |= bit(kind); }

 private:
  static std::uint32_t bit(AssumptionKind kind) { return std::uint32_t{1} << static_cast<unsigned>(kind); }

  std::uint32_t bits_ = 0;
};

/// The word in the text of a module: `symmetric`.
std::string_view keyword(AssumptionKind kind);
/// What it says of a graph, for messages: `each arc has its reverse`.
std::string_view meaning(AssumptionKind kind);

/// True if the module assumes it of the parameter.
bool assumes(const Module& module, AssumptionKind kind, const Var* param);
/// True if the module assumes it of any parameter.
bool assumes(const Module& module, AssumptionKind kind);

}  // namespace matcha::ir
