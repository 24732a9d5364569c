#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/types.h"
#include "ir/support/arena.h"
#include "ir/support/source.h"

/// The abstract syntax tree: the user's program without redundant parentheses. Plain structs in an arena. `parse` makes
/// the tree; `resolve` fills `decl`, `builtin` and the lists of captures; `infer` fills the types.
namespace matcha::frontend::ast {

struct Expr;
struct Def;
struct Lambda;

/// A type as written. `name` is one of the type words; `args` stand between the angle brackets.
struct TypeExpr {
  SourceLoc loc;
  std::string_view name;
  std::span<const TypeExpr* const> args;
  std::int64_t count = -1;  ///< The `n` of `Tuple<T, n>`; -1 if every position has its type in `args`.
};

/// The declaration that a name refers to: a parameter, a bound name, a function or an import.
struct Decl {
  enum class Kind : std::uint8_t { Param, Local, Def, Import };

  Kind kind;
  SourceLoc loc;  ///< The place of the name.
  std::string_view name;
  std::uint32_t id = 0;  ///< Unique in a program.
  bool used = false;
  Def* def = nullptr;          ///< Def; Import: the imported function, null if there is none.
  Expr* value = nullptr;       ///< Local.
  const Type* type = nullptr;  ///< Param, Local: the type; null if it depends on the call.
  std::string_view shown;      ///< Param, Local: the type for messages, with `?` in place of parts that depend on the
                               ///< call.
};

struct Param {
  Decl* decl = nullptr;
  const TypeExpr* maybe_type = nullptr;
  Expr* maybe_default = nullptr;
};

struct Stmt {
  enum class Kind : std::uint8_t {
    Assign,
    Return,
    Def,
    Doc,
    Broken  ///< A line with a syntax error that does not begin like a statement.
  };

  Kind kind;
  SourceLoc loc;
  Decl* decl = nullptr;   ///< Assign.
  Expr* value = nullptr;  ///< Assign, Return.
  Def* def = nullptr;     ///< Def.
};

/// Syntax errors of a function. Calls of such a function have no type, and no other errors are reported in it.
enum class Trouble : std::uint8_t {
  None,
  Body,
  Header  ///< Errors in the header, perhaps also in the body; its parameters are not known for certain.
};

struct Def {
  SourceLoc loc;  ///< The place of the name.
  Decl* decl = nullptr;
  std::span<Param> params;
  const TypeExpr* maybe_result = nullptr;
  std::span<Stmt> body;
  std::string_view doc;               ///< Text of the docstring, empty if there is none.
  const Type* result_type = nullptr;  ///< Null if it depends on the call.
  std::string_view shown_result;      ///< For people, as `Decl::shown`.
  std::uint32_t first_line = 0;       ///< The line of the word `def`; lines count from 1.
  std::uint32_t last_line = 0;        ///< The last line before the code behind the function.
  Trouble trouble = Trouble::None;
  bool recursive = false;  ///< Reported by `resolve`; calls of it have no type.
};

enum class UnaryOp : std::uint8_t { Neg, Not };
enum class BinaryOp : std::uint8_t { Add, Sub, Mul, Div, Mod, Eq, Ne, Lt, Le, Gt, Ge, And, Or };
/// As written: `+`, `<=`, `and`.
std::string_view spelling(BinaryOp op);

struct Expr {
  enum class Kind : std::uint8_t {
    Int,
    Float,
    Bool,
    None,
    Label,
    Name,
    List,
    Unary,
    Binary,
    Compare,
    If,
    Lambda,
    Call,
    TypeName,
    Broken  ///< In place of an expression on a line with a syntax error.
  };

  Kind kind;
  SourceLoc loc;            ///< The whole expression if it is on one line, else its start.
  std::uint32_t depth = 1;  ///< Height of the tree.
};

struct IntExpr : Expr {
  std::int64_t value = 0;
};
struct FloatExpr : Expr {
  double value = 0;
};
struct BoolExpr : Expr {
  bool value = false;
};
/// A quoted word: the name of a label.
struct LabelExpr : Expr {
  std::string_view word;
};
struct NameExpr : Expr {
  std::string_view name;
  Decl* decl = nullptr;  ///< Null if it names a built-in operator or is unknown.
  int builtin = -1;      ///< Index into `builtins()`.
};
struct ListExpr : Expr {
  std::span<Expr*> items;
  const Type* maybe_item = nullptr;  ///< The type of the items of a list without items, if the program gives it.
};
struct UnaryExpr : Expr {
  UnaryOp op{};
  Expr* operand = nullptr;
};
struct BinaryExpr : Expr {
  BinaryOp op{};
  SourceLoc op_loc;
  Expr* left = nullptr;
  Expr* right = nullptr;
};
/// `a < b <= c`: `operands` has one more entry than `ops`.
struct CompareExpr : Expr {
  std::span<BinaryOp> ops;
  std::span<SourceLoc> op_locs;
  std::span<Expr*> operands;
};
struct IfExpr : Expr {
  Expr* then_value = nullptr;
  Expr* cond = nullptr;
  Expr* else_value = nullptr;
};
struct Lambda : Expr {
  std::span<Param> params;
  Expr* body = nullptr;
};
struct Arg {
  SourceLoc loc;
  std::string_view name;  ///< Empty for a positional argument.
  Expr* value = nullptr;
};
struct CallExpr : Expr {
  Expr* callee = nullptr;
  std::span<Arg> args;
};
/// A type in the place of a value: the `type` of `mk_list`, the `dtype` of `mk_tuple`.
struct TypeNameExpr : Expr {
  const TypeExpr* type = nullptr;
};

struct ImportName {
  Decl* decl = nullptr;
};
struct Import {
  SourceLoc loc;
  SourceLoc module_loc;
  std::string_view module;  ///< Dotted.
  std::span<ImportName> names;
};

/// One file.
struct File {
  std::uint32_t file = 0;
  std::string_view doc;
  std::span<Import> imports;
  std::span<Def*> defs;
  bool broken = false;  ///< It has syntax errors: the tree has the readable parts.
  /// Names on lines with syntax errors outside of functions, sorted: they may be imports or functions.
  std::span<std::string_view> uncertain_names;
};

}  // namespace matcha::frontend::ast
