#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "codegen/c_family/names.h"
#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::codegen {

/// C precedence, loosest first; a printed operand gets parentheses when it binds looser than its place.
enum class Precedence { Conditional, Or, And, Equality, Relational, Additive, Multiplicative, Unary, Primary };

/// Prints expressions of stage kernel. Operations that can fail are calls of the worker `w`, which records the error
/// and gives a harmless value; where Facts rule the failure out they are plain operators.
class Expressions {
 public:
  Expressions(const ir::Facts& facts, Names& names) : facts_(facts), names_(names) {}

  /// The text, ready to stand where `place` binds.
  std::string text(const ir::Expr* expr, Precedence place = Precedence::Conditional);
  /// The call that counts or stores a set operation, or copies another list; `into` is a buffer, or empty to count.
  std::string set_operation(const ir::Expr* expr, std::string_view into);
  /// The two lists of a set operation. A bound of one list is left out if it makes no difference to the result.
  std::pair<std::string, std::string> lists(const ir::Expr* set);
  /// The call that gives one lane's share of the size of a set operation or a bit set.
  std::string share(const ir::Expr* expr);
  /// `u32`, `i64`, `i128`, `f64`, `bool`, `Graph`, `List<u32, i64>`.
  static std::string type(const ir::Type* type);
  /// Makes top-level values print as members of the frame `f` (inside region functions).
  void set_in_region(bool in_region) { in_region_ = in_region; }
  /// Makes every lane count bits on its own (inside loops whose items the lanes share).
  void set_in_lanes(bool in_lanes) { in_lanes_ = in_lanes; }
  /// Makes an expression print as a name.
  void replace(const ir::Expr* expr, std::string name) { replaced_[expr] = std::move(name); }
  bool replaces(const ir::Expr* expr) const { return replaced_.contains(expr); }
  void replace_none() { replaced_.clear(); }

 private:
  struct Printed {
    std::string text;
    Precedence precedence;
  };
  Printed print(const ir::Expr* expr);
  Printed variable(const ir::Var& var);
  Printed infix(const ir::Expr* expr, std::string_view op, Precedence precedence);
  Printed arithmetic(const ir::Expr* expr, std::string_view op, std::string_view checked, Precedence precedence);
  Printed division(const ir::Expr* expr);
  Printed convert(const ir::Expr* expr);
  Printed size(const ir::Expr* expr);
  Printed bits(const ir::Expr* expr);
  std::string call(std::string_view function, const ir::Expr* expr);
  std::string worker_call(std::string_view function, const ir::Expr* expr);
  /// The call for arithmetic that may fail, on 64 or 128 bits.
  std::string checked_call(std::string_view function, const ir::Expr* expr);
  std::string literal(const ir::Expr* expr);
  std::string set_call(const ir::Expr* expr, std::string_view prefix, std::string_view into);

  const ir::Facts& facts_;
  Names& names_;
  bool in_region_ = false;
  bool in_lanes_ = false;
  std::unordered_map<const ir::Expr*, std::string> replaced_;
};

}  // namespace matcha::codegen
