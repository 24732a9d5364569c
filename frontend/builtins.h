#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"

namespace matcha::frontend {

enum class BuiltinId : std::uint8_t {
#define MATCHA_BUILTIN(Name, word, parameters, signature, doc) Name,
#include "frontend/builtins.def"
};

struct BuiltinParam {
  std::string_view name;
  std::string_view other_name;  ///< A second keyword for the same parameter, or empty.
  bool optional = false;
};

/// An operator of the language. The parameters of `apply` end in one or more lists, which `params` leaves out.
struct Builtin {
  BuiltinId id;
  std::string_view name;
  std::vector<BuiltinParam> params;
  std::string_view signature;  ///< `neighbor(g: Graph, v: int) -> List<int>`, for display.
  std::string_view doc;        ///< One line about the result.

  std::size_t required() const;
};

/// In the order of builtins.def.
const std::vector<Builtin>& builtins();
/// Index of the operator called `name`, or -1.
int find_builtin(std::string_view name);

/// Index of the parameter that keyword `name` stands for, or -1.
int find_param(const Builtin& builtin, std::string_view name);

/// The arguments of a call by parameter. A null entry is an absent argument. `lists` are the lists of `apply`.
struct BoundArgs {
  std::vector<const ast::Arg*> by_param;
  std::vector<const ast::Arg*> rest;
};

/// Assigns positional arguments, in order, to the parameters without a keyword argument; the remaining ones go to
/// `rest`, unknown keywords to `unknown`, repeated ones to `repeated`. `find` maps a keyword to a parameter or -1.
template <typename Find>
BoundArgs bind_args(const ast::CallExpr& call, std::size_t params, Find find, std::vector<const ast::Arg*>& unknown,
                    std::vector<const ast::Arg*>& repeated) {
  BoundArgs out;
  out.by_param.assign(params, nullptr);
  for (const ast::Arg& arg : call.args) {
    if (arg.name.empty()) continue;
    int param = find(arg.name);
    if (param < 0) {
      unknown.push_back(&arg);
    } else if (out.by_param[static_cast<std::size_t>(param)] != nullptr) {
      repeated.push_back(&arg);
    } else {
      out.by_param[static_cast<std::size_t>(param)] = &arg;
    }
  }
  std::size_t next = 0;
  for (const ast::Arg& arg : call.args) {
    if (!arg.name.empty()) continue;
    while (next < params && out.by_param[next] != nullptr) ++next;
    if (next < params) {
      out.by_param[next] = &arg;
    } else {
      out.rest.push_back(&arg);
    }
  }
  return out;
}

/// True if an argument looks like a function or `None`, so that it can be the condition of `apply`.
bool is_function_or_none(const ast::Expr& expr);

/// The arguments of a call of `get`: several keys may follow the first argument.
struct GetArgs {
  const ast::Arg* from = nullptr;  ///< Null: absent.
  std::vector<const ast::Arg*> keys;
  const ast::Arg* maybe_default = nullptr;
};
GetArgs bind_get_args(const ast::CallExpr& call, std::vector<const ast::Arg*>& unknown,
                      std::vector<const ast::Arg*>& repeated);

/// The same for `apply`, whose parameters are the function and the condition. A positional argument after the function
/// is the condition if it is a function or `None`, so `apply(f, g, l)` has one and `apply(f, l)` has none.
BoundArgs bind_apply_args(const ast::CallExpr& call, std::vector<const ast::Arg*>& unknown,
                          std::vector<const ast::Arg*>& repeated);

}  // namespace matcha::frontend
