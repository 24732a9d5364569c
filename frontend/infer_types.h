#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "frontend/types.h"
#include "ir/support/diagnostics.h"

/// Private to type inference: types with variables, unification, and constraints that wait for a variable.
namespace matcha::frontend::infer {

struct Ty {
  enum class Kind : std::uint8_t { Var, Int, Float, Bool, Tuple, List, Table, Graph, Func, NoInfo, Error };

  Kind kind;
  std::uint32_t depth = 1;     ///< Height when it was made.
  Ty* elem = nullptr;          ///< List: item. Table: value. Graph: edge information. Func: result.
  std::vector<Ty*> args = {};  ///< Func: parameters. Tuple: positions. Table: keys.
  Ty* link = nullptr;          ///< Var: its bound type.
  int level = 0;               ///< Var: nesting depth of the function that owns it; `kGeneric` after generalization.
  std::vector<std::uint32_t> watchers = {};  ///< Var: constraints to try again once it is bound.
};

inline constexpr int kGeneric = 1 << 30;

/// A rule that is checked once its types are known.
struct Constraint {
  enum class Kind : std::uint8_t {
    Arith,     ///< a op b gives r.
    Compare,   ///< a op b are comparable; `order` for < and its kin.
    Join,      ///< a and b have one type, which is r: two branches, two items.
    Number,    ///< a is int or float.
    Scalar,    ///< a is int, float or bool.
    Item,      ///< a may be the item of a list.
    Sum,       ///< The sum of items of type a has type r.
    Row,       ///< a is a scalar or a tuple.
    State,     ///< a is kept from round to round.
    Key,       ///< a is int or bool.
    Fold,      ///< Rows of type a make the table r, with `position` keys; `order`: the rest is added.
    Count,     ///< Items of type a are the keys of the table r, whose values are ints.
    Keys,      ///< The keys of table a have type r.
    Values,    ///< The values of table a have type r.
    Size,      ///< a is a list, a table or a tuple.
    Get,       ///< r is at the positions b, a tuple, of a; `position` if it is one constant. `order`: with a default.
    EdgeInfo,  ///< r is the edge information a of a graph.
  };

  Kind kind;
  Ty* a = nullptr;
  Ty* b = nullptr;
  Ty* r = nullptr;
  SourceLoc loc;
  std::string_view text;                 ///< The sign or operator, for messages.
  std::optional<std::int64_t> position;  ///< Get: the position, if it is a constant.
  bool order = false;
  bool done = false;
  SourceLoc call_site;  ///< The call that made this copy, if any.
};

/// The polymorphic type of a function: `type` with its generic variables, under `constraints`.
struct Scheme {
  Ty* type = nullptr;
  std::vector<Constraint> constraints;
};

class Solver {
 public:
  explicit Solver(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // Types
  Ty* var();
  Ty* int_type() { return &int_; }
  Ty* float_type() { return &float_; }
  Ty* bool_type() { return &bool_; }
  Ty* no_info() { return &no_info_; }
  Ty* error_type() { return &error_; }
  Ty* tuple(std::vector<Ty*> positions);
  Ty* int_pair() { return tuple({int_type(), int_type()}); }
  Ty* list(Ty* elem);
  Ty* table(std::vector<Ty*> keys, Ty* value);
  Ty* graph(Ty* info);
  Ty* func(std::vector<Ty*> args, Ty* result);
  /// The type at the end of the links; never a bound variable.
  static Ty* find(Ty* type);
  static bool is(Ty* type, Ty::Kind kind) { return find(type)->kind == kind; }
  /// In the notation of programs; an unknown type is `?`.
  static std::string show(Ty* type);
  /// The known type, or null if a variable is left in it.
  const Type* ground(Ty* type, TypeTable& table);

  // Equations
  /// Makes two types equal; false if they cannot be. Reports only a type that would contain itself.
  bool unify(Ty* a, Ty* b, SourceLoc loc);
  /// `unify`, but an int is also accepted if the program has written `float`.
  bool fits_written(Ty* actual, Ty* written, SourceLoc loc);
  /// The suggested correction if `a` and `b` differ as int and float; else empty.
  static std::string float_hint(Ty* a, Ty* b);
  void add(Constraint constraint);
  /// Assigns default types to the variables left open by waiting constraints: the smallest tuple, else int.
  void settle_defaults();
  /// Gives open positions of a tuple the type of the first known position.
  void fill_positions(Ty* tuple, SourceLoc loc);

  // Functions
  void enter() {
    ++level_;
    marks_.push_back(pending_.size());
  }
  /// Leaves the function without generalizing.
  void leave() {
    --level_;
    marks_.pop_back();
  }
  /// Leaves the function that `enter` began and generalizes its type.
  Scheme generalize(Ty* type);
  Ty* instantiate(const Scheme& scheme, SourceLoc call_site);

  /// Suppresses reports while true.
  void mute(bool on) { muted_ = on; }
  /// Reports each id once at a place; `call_site` becomes a note.
  void report(DiagId id, SourceLoc loc, std::string message, std::string hint = {}, SourceLoc call_site = {});
  /// The limit of work was exceeded and reported; every further type is an error.
  bool exhausted() const { return exhausted_; }

 private:
  void bind(Ty* var, Ty* to);
  /// True if `var` is in `type`; lowers the levels of the variables in it to that of `var`.
  bool occurs(Ty* var, Ty* type);
  bool unify_now(Ty* a, Ty* b, SourceLoc loc);
  /// Turns the variables in `type` into error types.
  void poison(Ty* type);
  void run();
  void watch(std::uint32_t index);
  /// True if the constraint is settled, with or without an error.
  bool step(Constraint& c);
  bool step_arith(Constraint& c);
  bool step_compare(Constraint& c);
  bool step_join(Constraint& c);
  bool step_get(Constraint& c);
  bool step_sum(Constraint& c);
  bool step_fold(Constraint& c);
  bool step_count(Constraint& c);
  bool step_column(Constraint& c);
  bool step_get_table(Constraint& c);
  void require(const Constraint& c, Constraint::Kind kind, Ty* type, Ty* result = nullptr);
  bool step_kind(Constraint& c);
  bool fail(const Constraint& c, DiagId id, std::string message, std::string hint = {});
  bool give(const Constraint& c, Ty* result);
  /// The order of default types: values that have one type, then tuples, then the rest.
  enum class Round : std::uint8_t { Joins, Tuples, Scalars };
  bool default_one(Round round);
  bool default_tuple(const Constraint& c);
  bool default_scalar(const Constraint& c);
  bool work(std::uint64_t amount);
  Ty* copy(Ty* type, std::unordered_map<Ty*, Ty*>& map);
  void make_generic(Ty* type);
  bool has_inner_var(Ty* type);
  const Type* ground_at(Ty* type, TypeTable& table);

  Diagnostics& diagnostics_;
  std::deque<Ty> types_;
  Ty int_{Ty::Kind::Int};
  Ty float_{Ty::Kind::Float};
  Ty bool_{Ty::Kind::Bool};
  Ty no_info_{Ty::Kind::NoInfo};
  Ty error_{Ty::Kind::Error};
  std::deque<Constraint> constraints_;
  std::vector<std::uint32_t> pending_;  ///< Unsettled constraints, in order of creation; settled ones are removed
                                        ///< lazily.
  std::vector<std::size_t> marks_;
  std::vector<std::uint32_t> queue_;
  int level_ = 0;
  bool running_ = false;
  bool exhausted_ = false;
  bool muted_ = false;
  std::uint64_t work_ = 0;
  std::set<std::tuple<DiagId, std::uint32_t, std::uint32_t, std::uint32_t>> reported_;
};

/// In backticks.
std::string quoted(Ty* type);
std::string quoted(std::string_view word);

}  // namespace matcha::frontend::infer
