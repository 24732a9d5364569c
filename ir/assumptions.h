#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace matcha::ir {

struct Module;
struct Var;

/// The assumptions of a module about an input graph:
///
/// - Symmetric, `symmetric(%G)`: each arc has its reverse.
/// - LoopFree, `loop_free(%G)`: no vertex is its own neighbour.
/// - Simple, `simple(%G)`: there are no loops and no repeated arcs.
/// - Labelled, `labelled(%G)`: every vertex that the program may name has a label.
/// - Degree, `degree(%G) <= 2048`: no vertex has more neighbours.
/// - LowerDegree and UpperDegree, `lower_degree(%G) <= 2048`: no vertex has more neighbours below it, or above it.
enum class AssumptionKind : std::uint8_t { Symmetric, LoopFree, Simple, Labelled, Degree, LowerDegree, UpperDegree };
inline constexpr std::array kAssumptionKinds = {
    AssumptionKind::Symmetric, AssumptionKind::LoopFree,    AssumptionKind::Simple,     AssumptionKind::Labelled,
    AssumptionKind::Degree,    AssumptionKind::LowerDegree, AssumptionKind::UpperDegree};

/// An assumption on a parameter, added by the front end and by passes. The caller of a run checks it when arguments are
/// bound.
struct Assumption {
  AssumptionKind kind;
  const Var* var;
  std::int64_t limit = 0;  ///< The largest allowed degree; 0 for kinds without a limit.
  bool operator==(const Assumption&) const = default;
};

/// A set of kinds.
class AssumptionKinds {
 public:
  bool contains(AssumptionKind kind) const { return (bits_ & bit(kind)) != 0; }
  bool empty() const { return bits_ == 0; }
  void insert(AssumptionKind kind) { bits_ |= bit(kind); }
  void erase(AssumptionKind kind) { bits_ &= ~bit(kind); }

 private:
  static std::uint32_t bit(AssumptionKind kind) { return std::uint32_t{1} << static_cast<unsigned>(kind); }

  std::uint32_t bits_ = 0;
};

/// True for the kinds that bound a number of neighbours.
bool has_limit(AssumptionKind kind);
/// The word in the text of a module: `symmetric`.
std::string_view keyword(AssumptionKind kind);
/// Their words, in the form of options: `symmetric,simple`.
std::string keywords(AssumptionKinds kinds);
/// Sets `kind` to the kind of a word; false if there is none.
bool read_keyword(std::string_view word, AssumptionKind& kind);
/// The property alone, for messages: `symmetric`, `degree <= 2048`.
std::string property(AssumptionKind kind, std::int64_t limit);
/// The same in words: `each arc has its reverse`.
std::string meaning(AssumptionKind kind, std::int64_t limit);

/// True if the module makes this assumption or a stronger one: `simple` for `loop_free`, a smaller limit, or a limit of
/// all neighbours for one of one side.
bool assumes(const Module& module, const Assumption& assumption);

}  // namespace matcha::ir
