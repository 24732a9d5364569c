#include "frontend/builtins.h"

#include <algorithm>

namespace matcha::frontend {
namespace {

std::vector<BuiltinParam> parse_params(std::string_view text) {
  std::vector<BuiltinParam> out;
  while (!text.empty()) {
    std::size_t space = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    BuiltinParam param;
    if (word.back() == '?') {
      param.optional = true;
      word.remove_suffix(1);
    }
    std::size_t bar = word.find('|');
    param.name = word.substr(0, bar);
    if (bar != std::string_view::npos) param.other_name = word.substr(bar + 1);
    out.push_back(param);
  }
  return out;
}

}  // namespace

std::size_t Builtin::required() const {
  return static_cast<std::size_t>(
      std::count_if(params.begin(), params.end(), [](const BuiltinParam& param) { return !param.optional; }));
}

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> table{
#define MATCHA_BUILTIN(Name, word, parameters, signature, doc) \
  {BuiltinId::Name, word, parse_params(parameters), signature, doc},
#include "frontend/builtins.def"
  };
  return table;
}

int find_builtin(std::string_view name) {
  const std::vector<Builtin>& table = builtins();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int find_param(const Builtin& builtin, std::string_view name) {
  for (std::size_t i = 0; i < builtin.params.size(); ++i) {
    const BuiltinParam& param = builtin.params[i];
    if (param.name == name || (!param.other_name.empty() && param.other_name == name)) return static_cast<int>(i);
  }
  return -1;
}

bool is_function_or_none(const ast::Expr& expr) {
  if (expr.kind == ast::Expr::Kind::None || expr.kind == ast::Expr::Kind::Lambda) return true;
  if (expr.kind != ast::Expr::Kind::Name) return false;
  const ast::Decl* decl = static_cast<const ast::NameExpr&>(expr).decl;
  if (decl == nullptr) return false;
  return decl->def != nullptr || (decl->value != nullptr && decl->value->kind == ast::Expr::Kind::Lambda);
}

GetArgs bind_get_args(const ast::CallExpr& call, std::vector<const ast::Arg*>& unknown,
                      std::vector<const ast::Arg*>& repeated) {
  GetArgs out;
  const ast::Arg* position = nullptr;
  for (const ast::Arg& arg : call.args) {
    if (arg.name.empty()) continue;
    const ast::Arg** place = arg.name == "t"         ? &out.from
                             : arg.name == "pos"     ? &position
                             : arg.name == "default" ? &out.maybe_default
                                                     : nullptr;
    if (place == nullptr) {
      unknown.push_back(&arg);
    } else if (*place != nullptr) {
      repeated.push_back(&arg);
    } else {
      *place = &arg;
    }
  }
  if (position != nullptr) out.keys.push_back(position);
  for (const ast::Arg& arg : call.args) {
    if (!arg.name.empty()) continue;
    if (out.from == nullptr) {
      out.from = &arg;
    } else {
      out.keys.push_back(&arg);
    }
  }
  return out;
}

BoundArgs bind_apply_args(const ast::CallExpr& call, std::vector<const ast::Arg*>& unknown,
                          std::vector<const ast::Arg*>& repeated) {
  BoundArgs out;
  out.by_param.assign(2, nullptr);
  for (const ast::Arg& arg : call.args) {
    if (arg.name.empty()) continue;
    std::size_t param = arg.name == "func" ? 0 : arg.name == "cond" ? 1 : 2;
    if (param == 2) {
      unknown.push_back(&arg);
    } else if (out.by_param[param] != nullptr) {
      repeated.push_back(&arg);
    } else {
      out.by_param[param] = &arg;
    }
  }
  for (const ast::Arg& arg : call.args) {
    if (!arg.name.empty()) continue;
    if (out.by_param[0] == nullptr) {
      out.by_param[0] = &arg;
    } else if (out.by_param[1] == nullptr && out.rest.empty() && is_function_or_none(*arg.value)) {
      out.by_param[1] = &arg;
    } else {
      out.rest.push_back(&arg);
    }
  }
  return out;
}

}  // namespace matcha::frontend
