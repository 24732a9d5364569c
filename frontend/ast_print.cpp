#include <charconv>

#include "frontend/ast.h"
#include "frontend/frontend.h"

namespace matcha::frontend {

std::string_view ast::spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::Div: return "/";
    case BinaryOp::Mod: return "%";
    case BinaryOp::Eq: return "==";
    case BinaryOp::Ne: return "!=";
    case BinaryOp::Lt: return "<";
    case BinaryOp::Le: return "<=";
    case BinaryOp::Gt: return ">";
    case BinaryOp::Ge: return ">=";
    case BinaryOp::And: return "and";
    case BinaryOp::Or: return "or";
  }
  return "";
}

namespace {

std::string type_text(const ast::TypeExpr& type) {
  std::string out(type.name);
  if (type.args.empty()) return out;
  out += '<';
  for (std::size_t i = 0; i < type.args.size(); ++i) out += (i > 0 ? ", " : "") + type_text(*type.args[i]);
  if (type.count >= 0) out += ", " + std::to_string(type.count);
  return out + ">";
}

class Printer {
 public:
  void file(const ast::File& file) {
    line("file");
    ++indent_;
    for (const ast::Import& import : file.imports) {
      std::string names;
      for (const ast::ImportName& name : import.names) names += " " + std::string(name.decl->name);
      line("import " + std::string(import.module) + names);
    }
    for (const ast::Def* def : file.defs) this->def(*def);
    --indent_;
  }

  std::string take() { return std::move(out_); }

 private:
  void line(const std::string& text) { out_ += std::string(2 * indent_, ' ') + text + "\n"; }

  /// The inferred type; empty if it depends on the call.
  static std::string typed(const Type* maybe_type) {
    return maybe_type == nullptr ? "" : " : " + to_string(*maybe_type);
  }

  void params(std::span<const ast::Param> params) {
    for (const ast::Param& param : params) {
      std::string text = "param " + std::string(param.decl->name);
      if (param.maybe_type != nullptr) text += ": " + type_text(*param.maybe_type);
      line(text + (param.maybe_type == nullptr ? typed(param.decl->type) : ""));
      if (param.maybe_default == nullptr) continue;
      ++indent_;
      expr(param.maybe_default);
      --indent_;
    }
  }

  void def(const ast::Def& def) {
    std::string result = def.maybe_result == nullptr ? "" : " -> " + type_text(*def.maybe_result);
    line("def " + std::string(def.decl->name) + result);
    ++indent_;
    params(def.params);
    for (const ast::Stmt& stmt : def.body) this->stmt(stmt);
    --indent_;
  }

  void stmt(const ast::Stmt& stmt) {
    switch (stmt.kind) {
      case ast::Stmt::Kind::Def: return def(*stmt.def);
      case ast::Stmt::Kind::Doc: return line("doc");
      case ast::Stmt::Kind::Broken: return line("broken");
      case ast::Stmt::Kind::Assign: line("assign " + std::string(stmt.decl->name) + typed(stmt.decl->type)); break;
      case ast::Stmt::Kind::Return: line("return"); break;
    }
    ++indent_;
    expr(stmt.value);
    --indent_;
  }

  void children(std::initializer_list<const ast::Expr*> exprs) {
    ++indent_;
    for (const ast::Expr* child : exprs) expr(child);
    --indent_;
  }

  void expr(const ast::Expr* expr) {
    switch (expr->kind) {
      case ast::Expr::Kind::Int: return line("int " + std::to_string(static_cast<const ast::IntExpr*>(expr)->value));
      case ast::Expr::Kind::Float: {
        char buffer[64];
        std::to_chars_result end =
            std::to_chars(buffer, buffer + sizeof buffer, static_cast<const ast::FloatExpr*>(expr)->value);
        return line("float " + std::string(buffer, end.ptr));
      }
      case ast::Expr::Kind::Bool: return line(static_cast<const ast::BoolExpr*>(expr)->value ? "True" : "False");
      case ast::Expr::Kind::None: return line("None");
      case ast::Expr::Kind::Broken: return line("broken");
      case ast::Expr::Kind::Label:
        return line("label '" + std::string(static_cast<const ast::LabelExpr*>(expr)->word) + "'");
      case ast::Expr::Kind::Name: return line("name " + std::string(static_cast<const ast::NameExpr*>(expr)->name));
      case ast::Expr::Kind::TypeName:
        return line("type " + type_text(*static_cast<const ast::TypeNameExpr*>(expr)->type));
      case ast::Expr::Kind::List:
        line("list");
        ++indent_;
        for (const ast::Expr* item : static_cast<const ast::ListExpr*>(expr)->items) this->expr(item);
        --indent_;
        return;
      case ast::Expr::Kind::Unary: {
        const ast::UnaryExpr& unary = *static_cast<const ast::UnaryExpr*>(expr);
        line(unary.op == ast::UnaryOp::Neg ? "unary -" : "unary not");
        return children({unary.operand});
      }
      case ast::Expr::Kind::Binary: {
        const ast::BinaryExpr& binary = *static_cast<const ast::BinaryExpr*>(expr);
        line("binary " + std::string(ast::spelling(binary.op)));
        return children({binary.left, binary.right});
      }
      case ast::Expr::Kind::Compare: {
        const ast::CompareExpr& compare = *static_cast<const ast::CompareExpr*>(expr);
        std::string signs;
        for (ast::BinaryOp op : compare.ops) signs += " " + std::string(ast::spelling(op));
        line("compare" + signs);
        ++indent_;
        for (const ast::Expr* operand : compare.operands) this->expr(operand);
        --indent_;
        return;
      }
      case ast::Expr::Kind::If: {
        const ast::IfExpr& choice = *static_cast<const ast::IfExpr*>(expr);
        line("if");
        return children({choice.cond, choice.then_value, choice.else_value});
      }
      case ast::Expr::Kind::Lambda: {
        const ast::Lambda& lambda = *static_cast<const ast::Lambda*>(expr);
        line("lambda");
        ++indent_;
        params(lambda.params);
        this->expr(lambda.body);
        --indent_;
        return;
      }
      case ast::Expr::Kind::Call: return call(*static_cast<const ast::CallExpr*>(expr));
    }
  }

  void call(const ast::CallExpr& call) {
    line("call");
    ++indent_;
    expr(call.callee);
    for (const ast::Arg& arg : call.args) {
      if (arg.name.empty()) {
        expr(arg.value);
        continue;
      }
      line("keyword " + std::string(arg.name));
      children({arg.value});
    }
    --indent_;
  }

  std::string out_;
  std::size_t indent_ = 0;
};

}  // namespace

std::string print_ast(const Program& program) {
  Printer printer;
  if (program.main != nullptr) printer.file(*program.main);
  return printer.take();
}

}  // namespace matcha::frontend
