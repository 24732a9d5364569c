#include "frontend/syntax/build_ast.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "frontend/builtins.h"

namespace matcha::frontend::syntax {

using grammar::MatchaParser;

namespace {

constexpr std::uint64_t kIntMin = std::uint64_t{1} << 63;  // Magnitude of the smallest int.

/// True if the parser read all of `tree` according to the grammar.
bool intact(antlr4::tree::ParseTree* tree) {
  antlr4::ParserRuleContext* context = dynamic_cast<antlr4::ParserRuleContext*>(tree);
  if (context == nullptr) return dynamic_cast<antlr4::tree::ErrorNode*>(tree) == nullptr;
  if (context->exception != nullptr || context->getStart() == nullptr || context->getStop() == nullptr) return false;
  return std::all_of(tree->children.begin(), tree->children.end(), intact);
}

class Builder {
 public:
  Builder(antlr4::CommonTokenStream& tokens, bool broken, SourceText& source, Arena& arena, std::uint32_t& next_decl_id)
      : tokens_(tokens), broken_(broken), source_(source), arena_(arena), next_decl_id_(next_decl_id) {}

  /// Null if the tree is too deep.
  ast::File* file(MatchaParser::ProgramContext* tree) {
    ast::File* file = arena_.make<ast::File>();
    file->file = source_.file;
    file->broken = broken_;
    bool has_doc = tree->docstring() != nullptr && is_whole(tree->docstring());
    if (has_doc) file->doc = word(tree->docstring()->string());
    std::vector<ast::Import> imports;
    for (MatchaParser::ImportStmtContext* stmt : tree->importStmt()) {
      if (is_whole(stmt)) imports.push_back(import(stmt));
    }
    file->imports = keep(imports);
    std::vector<ast::Def*> defs;
    for (MatchaParser::DefContext* context : tree->def()) {
      if (context->NAME() != nullptr) defs.push_back(def(context));
    }
    file->defs = keep(defs);
    if (broken_) file->uncertain_names = doubtful_names(tree);
    return too_deep_ ? nullptr : file;
  }

 private:
  template <typename T>
  std::span<T> keep(const std::vector<T>& items) {
    std::span<const T> kept = arena_.copy(items);
    return {const_cast<T*>(kept.data()), kept.size()};
  }

  SourceLoc loc(const antlr4::Token* token) const {
    return source_.lines.loc(token->getStartIndex(), token->getStopIndex() + 1);
  }
  SourceLoc loc(antlr4::ParserRuleContext* context) const {
    return source_.lines.loc(context->getStart()->getStartIndex(), context->getStop()->getStopIndex() + 1);
  }
  static SourceLoc cover(SourceLoc from, SourceLoc to) {
    if (from.line == to.line && to.column >= from.column) from.length = to.column + to.length - from.column;
    return from;
  }
  std::string_view text(const antlr4::Token* token) const {
    return source_.text.substr(token->getStartIndex(), token->getStopIndex() + 1 - token->getStartIndex());
  }
  std::string_view text(antlr4::tree::TerminalNode* node) const { return text(node->getSymbol()); }

  // Texts with syntax errors

  /// Whether `context`, which is on one logical line, has no syntax error.
  bool is_whole(antlr4::ParserRuleContext* context) const {
    return !broken_ || (intact(context) && !source_.lines_with_errors.contains(context->getStart()->getLine()));
  }

  /// The last logical line of a function.
  static std::size_t last_logical_line(MatchaParser::DefContext* context) {
    const antlr4::Token* stop = context->getStop() == nullptr ? context->getStart() : context->getStop();
    // The token that closes a block counts to the line behind it.
    std::size_t behind = stop->getType() == MatchaParser::DEDENT ? 1 : 0;
    return std::max(context->getStart()->getLine(), stop->getLine() - behind);
  }

  ast::Trouble trouble(MatchaParser::DefContext* context) const {
    if (!broken_) return ast::Trouble::None;
    std::size_t first = context->getStart()->getLine();
    auto is_sound = [&](antlr4::tree::ParseTree* child) { return child == context->suite() || intact(child); };
    bool header = context->exception == nullptr && !source_.lines_with_errors.contains(first) &&
                  std::all_of(context->children.begin(), context->children.end(), is_sound);
    if (!header) return ast::Trouble::Header;
    const std::size_t last = last_logical_line(context);
    auto is_touched = [&](const std::set<std::size_t>& lines) {
      auto line = lines.lower_bound(first);
      return line != lines.end() && *line <= last;
    };
    bool body = is_touched(source_.lines_with_errors) || is_touched(source_.lines_before_errors) || !intact(context);
    return body ? ast::Trouble::Body : ast::Trouble::None;
  }

  /// The names on lines with errors outside every function of the tree.
  std::span<std::string_view> doubtful_names(MatchaParser::ProgramContext* tree) {
    std::set<std::size_t> lines = source_.lines_with_errors;
    for (MatchaParser::DefContext* context : tree->def()) {
      if (context->NAME() == nullptr) continue;
      lines.erase(lines.lower_bound(context->getStart()->getLine()), lines.upper_bound(last_logical_line(context)));
    }
    std::set<std::string_view> names;
    for (const antlr4::Token* token : tokens_.getTokens()) {
      if (token->getType() == MatchaParser::NAME && lines.contains(token->getLine())) names.insert(text(token));
    }
    return keep(std::vector<std::string_view>(names.begin(), names.end()));
  }

  /// A statement on a line with a syntax error: keeps the name that it binds, or that it returns.
  ast::Stmt broken_stmt(MatchaParser::SimpleStmtContext* context) {
    ast::Stmt stmt;
    stmt.kind = ast::Stmt::Kind::Broken;
    stmt.loc = loc(context->getStart());
    stmt.value = make<ast::Expr>(ast::Expr::Kind::Broken, stmt.loc);
    if (context->assignment() != nullptr && context->assignment()->NAME() != nullptr) {
      stmt.kind = ast::Stmt::Kind::Assign;
      stmt.decl = declare(ast::Decl::Kind::Local, context->assignment()->NAME());
      stmt.decl->value = stmt.value;
    } else if (context->returnStmt() != nullptr) {
      stmt.kind = ast::Stmt::Kind::Return;
    }
    return stmt;
  }

  ast::Decl* declare(ast::Decl::Kind kind, antlr4::tree::TerminalNode* name) {
    ast::Decl* decl = arena_.make<ast::Decl>();
    decl->kind = kind;
    decl->loc = loc(name->getSymbol());
    decl->name = text(name);
    decl->id = next_decl_id_++;
    return decl;
  }

  ast::Import import(MatchaParser::ImportStmtContext* context) {
    ast::Import import;
    import.loc = loc(context->FROM()->getSymbol());
    import.module_loc = loc(context->dotted());
    std::string module;
    for (antlr4::tree::TerminalNode* part : context->dotted()->NAME()) {
      module += module.empty() ? "" : ".";
      module += text(part);
    }
    import.module = arena_.copy(std::string_view(module));
    std::vector<ast::ImportName> names;
    for (antlr4::tree::TerminalNode* name : context->NAME()) names.push_back({declare(ast::Decl::Kind::Import, name)});
    import.names = keep(names);
    return import;
  }

  std::span<ast::Param> params(MatchaParser::ParamsContext* context) {
    std::vector<ast::Param> params;
    if (context == nullptr) return {};
    for (MatchaParser::ParamContext* param : context->param()) {
      if (param->NAME() == nullptr) continue;
      ast::Param out;
      out.decl = declare(ast::Decl::Kind::Param, param->NAME());
      bool whole = is_whole(param);
      if (whole && param->type() != nullptr) out.maybe_type = type(param->type());
      if (whole && param->expr() != nullptr) out.maybe_default = expr(param->expr());
      params.push_back(out);
    }
    return keep(params);
  }

  /// `context` has a name.
  ast::Def* def(MatchaParser::DefContext* context) {
    ast::Def* def = arena_.make<ast::Def>();
    def->decl = declare(ast::Decl::Kind::Def, context->NAME());
    def->decl->def = def;
    def->loc = def->decl->loc;
    def->trouble = trouble(context);
    def->params = params(context->params());
    if (context->type() != nullptr && is_whole(context->type())) def->maybe_result = type(context->type());
    if (context->suite() != nullptr) def->body = body(context->suite(), *def);
    def->first_line = loc(context->getStart()).line;
    def->last_line = last_line(context);
    return def;
  }

  std::uint32_t last_line(MatchaParser::DefContext* context) const {
    const antlr4::Token* stop = context->getStop() == nullptr ? context->getStart() : context->getStop();
    std::uint32_t line = loc(stop).line;
    bool before = stop->getType() == MatchaParser::DEDENT && stop->getStartIndex() < source_.text.size();
    return std::max(loc(context->getStart()).line, before ? line - 1 : line);
  }

  std::span<ast::Stmt> body(MatchaParser::SuiteContext* context, ast::Def& def) {
    std::vector<ast::Stmt> body;
    if (context->simpleStmt() != nullptr) body.push_back(simple(context->simpleStmt()));
    for (MatchaParser::StatementContext* stmt : context->statement()) {
      if (stmt->simpleStmt() != nullptr) {
        bool doc = body.empty() && stmt->simpleStmt()->docstring() != nullptr && is_whole(stmt->simpleStmt());
        if (doc) def.doc = word(stmt->simpleStmt()->docstring()->string());
        body.push_back(simple(stmt->simpleStmt()));
        continue;
      }
      if (stmt->def() == nullptr || stmt->def()->NAME() == nullptr) continue;
      ast::Stmt nested;
      nested.kind = ast::Stmt::Kind::Def;
      nested.def = this->def(stmt->def());
      nested.loc = nested.def->loc;
      body.push_back(nested);
    }
    return keep(body);
  }

  ast::Stmt simple(MatchaParser::SimpleStmtContext* context) {
    if (!is_whole(context)) return broken_stmt(context);
    ast::Stmt stmt;
    stmt.loc = loc(context->getStart());
    if (context->assignment() != nullptr) {
      stmt.kind = ast::Stmt::Kind::Assign;
      stmt.decl = declare(ast::Decl::Kind::Local, context->assignment()->NAME());
      stmt.value = expr(context->assignment()->expr());
      stmt.decl->value = stmt.value;
    } else if (context->returnStmt() != nullptr) {
      stmt.kind = ast::Stmt::Kind::Return;
      stmt.value = expr(context->returnStmt()->expr());
    } else {
      stmt.kind = ast::Stmt::Kind::Doc;
    }
    return stmt;
  }

  const ast::TypeExpr* type(MatchaParser::TypeContext* context) {
    ast::TypeExpr* out = arena_.make<ast::TypeExpr>();
    out->loc = loc(context);
    out->name = text(context->getStart());
    std::vector<const ast::TypeExpr*> args;
    for (MatchaParser::TypeContext* arg : context->type()) args.push_back(type(arg));
    out->args = arena_.copy(args);
    if (context->INT() != nullptr) {
      std::uint64_t count = 0;
      bool fits = parse_int(text(context->INT()), count) && count <= std::numeric_limits<std::int32_t>::max();
      if (!fits) range_error(context->INT()->getSymbol());
      out->count = fits ? static_cast<std::int64_t>(count) : 1;
    }
    return out;
  }

  // Expressions

  template <typename T>
  T* make(ast::Expr::Kind kind, SourceLoc loc) {
    T* out = arena_.make<T>();
    out->kind = kind;
    out->loc = loc;
    return out;
  }

  /// Sets the depth of `parent` to at least one more than that of `child`.
  void above(ast::Expr* parent, const ast::Expr* child) {
    parent->depth = std::max(parent->depth, child->depth + 1);
    if (parent->depth <= kMaxExprDepth || too_deep_) return;
    too_deep_ = true;
    source_.diagnostics.error(DiagId::TooDeep, parent->loc,
                              "more than " + std::to_string(kMaxExprDepth) + " operators within one another",
                              "name parts of the expression with `name = …`");
  }

  ast::Expr* expr(MatchaParser::ExprContext* context) {
    if (context->lambda() != nullptr) return lambda(context->lambda());
    ast::Expr* value = disjunction(context->disjunction(0));
    if (context->IF() == nullptr) return value;
    ast::IfExpr* out = make<ast::IfExpr>(ast::Expr::Kind::If, loc(context));
    out->then_value = value;
    out->cond = disjunction(context->disjunction(1));
    out->else_value = expr(context->expr());
    above(out, out->then_value);
    above(out, out->cond);
    above(out, out->else_value);
    return out;
  }

  ast::Expr* lambda(MatchaParser::LambdaContext* context) {
    ast::Lambda* out = make<ast::Lambda>(ast::Expr::Kind::Lambda, loc(context));
    std::vector<ast::Param> params;
    if (context->lambdaParams() != nullptr) {
      for (antlr4::tree::TerminalNode* name : context->lambdaParams()->NAME()) {
        ast::Param param;
        param.decl = declare(ast::Decl::Kind::Param, name);
        params.push_back(param);
      }
    }
    out->params = keep(params);
    out->body = expr(context->expr());
    above(out, out->body);
    return out;
  }

  ast::Expr* binary(ast::BinaryOp op, const antlr4::Token* sign, ast::Expr* left, ast::Expr* right) {
    ast::BinaryExpr* out = make<ast::BinaryExpr>(ast::Expr::Kind::Binary, cover(left->loc, right->loc));
    out->op = op;
    out->op_loc = loc(sign);
    out->left = left;
    out->right = right;
    above(out, left);
    above(out, right);
    return out;
  }

  /// `a + b - c`; `op` gives the operator of a sign.
  template <typename Part, typename Op>
  ast::Expr* chain(antlr4::ParserRuleContext* context, const std::vector<Part*>& parts,
                   ast::Expr* (Builder::*part)(Part*), const Op& op) {
    ast::Expr* out = (this->*part)(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      // Children are operands and signs in turn.
      const antlr4::Token* sign = static_cast<antlr4::tree::TerminalNode*>(context->children[2 * i - 1])->getSymbol();
      out = binary(op(sign->getType()), sign, out, (this->*part)(parts[i]));
    }
    return out;
  }

  ast::Expr* disjunction(MatchaParser::DisjunctionContext* context) {
    return chain(context, context->conjunction(), &Builder::conjunction, [](std::size_t) { return ast::BinaryOp::Or; });
  }

  ast::Expr* conjunction(MatchaParser::ConjunctionContext* context) {
    return chain(context, context->negation(), &Builder::negation, [](std::size_t) { return ast::BinaryOp::And; });
  }

  ast::Expr* unary(ast::UnaryOp op, const antlr4::Token* sign, ast::Expr* operand) {
    ast::UnaryExpr* out = make<ast::UnaryExpr>(ast::Expr::Kind::Unary, cover(loc(sign), operand->loc));
    out->op = op;
    out->operand = operand;
    above(out, operand);
    return out;
  }

  ast::Expr* negation(MatchaParser::NegationContext* context) {
    ast::Expr* out = comparison(context->comparison());
    std::vector<antlr4::tree::TerminalNode*> signs = context->NOT();
    for (std::size_t i = signs.size(); i-- > 0;) out = unary(ast::UnaryOp::Not, signs[i]->getSymbol(), out);
    return out;
  }

  static ast::BinaryOp comparator(const antlr4::Token* sign) {
    switch (sign->getType()) {
      case MatchaParser::EQUAL: return ast::BinaryOp::Eq;
      case MatchaParser::NOT_EQUAL: return ast::BinaryOp::Ne;
      case MatchaParser::LESS: return ast::BinaryOp::Lt;
      case MatchaParser::LESS_EQUAL: return ast::BinaryOp::Le;
      case MatchaParser::GREATER: return ast::BinaryOp::Gt;
      default: return ast::BinaryOp::Ge;
    }
  }

  ast::Expr* comparison(MatchaParser::ComparisonContext* context) {
    std::vector<MatchaParser::ArithmeticContext*> parts = context->arithmetic();
    ast::Expr* first = arithmetic(parts[0]);
    std::vector<MatchaParser::ComparatorContext*> signs = context->comparator();
    if (signs.empty()) return first;
    std::vector<ast::BinaryOp> ops;
    std::vector<SourceLoc> op_locs;
    std::vector<ast::Expr*> operands{first};
    for (std::size_t i = 0; i < signs.size(); ++i) {
      ops.push_back(comparator(signs[i]->getStart()));
      op_locs.push_back(loc(signs[i]->getStart()));
      operands.push_back(arithmetic(parts[i + 1]));
    }
    ast::CompareExpr* out =
        make<ast::CompareExpr>(ast::Expr::Kind::Compare, cover(operands.front()->loc, operands.back()->loc));
    for (const ast::Expr* operand : operands) above(out, operand);
    out->ops = keep(ops);
    out->op_locs = keep(op_locs);
    out->operands = keep(operands);
    return out;
  }

  ast::Expr* arithmetic(MatchaParser::ArithmeticContext* context) {
    return chain(context, context->term(), &Builder::term,
                 [](std::size_t sign) { return sign == MatchaParser::PLUS ? ast::BinaryOp::Add : ast::BinaryOp::Sub; });
  }

  ast::Expr* term(MatchaParser::TermContext* context) {
    return chain(context, context->factor(), &Builder::factor, [](std::size_t sign) {
      return sign == MatchaParser::STAR    ? ast::BinaryOp::Mul
             : sign == MatchaParser::SLASH ? ast::BinaryOp::Div
                                           : ast::BinaryOp::Mod;
    });
  }

  ast::Expr* factor(MatchaParser::FactorContext* context) {
    std::vector<const antlr4::Token*> signs;
    antlr4::tree::ParseTree* operand = context->call();
    for (antlr4::tree::ParseTree* child : context->children) {
      if (child != operand) signs.push_back(static_cast<antlr4::tree::TerminalNode*>(child)->getSymbol());
    }
    negative_ = !signs.empty() && signs.back()->getType() == MatchaParser::MINUS;
    ast::Expr* out = call(context->call());
    for (std::size_t i = signs.size(); i-- > 0;) {
      if (signs[i]->getType() == MatchaParser::PLUS) continue;
      bool literal =
          i + 1 == signs.size() && context->call()->arguments().empty() && context->call()->atom()->INT() != nullptr;
      if (literal) {
        ast::IntExpr* number = static_cast<ast::IntExpr*>(out);
        number->value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(number->value));
        number->loc = cover(loc(signs[i]), number->loc);
      } else {
        out = unary(ast::UnaryOp::Neg, signs[i], out);
      }
    }
    return out;
  }

  ast::Expr* call(MatchaParser::CallContext* context) {
    bool negative = negative_ && context->arguments().empty();
    negative_ = false;
    ast::Expr* out = atom(context->atom(), negative);
    for (MatchaParser::ArgumentsContext* arguments : context->arguments()) {
      ast::CallExpr* call = make<ast::CallExpr>(ast::Expr::Kind::Call, cover(out->loc, loc(arguments)));
      call->callee = out;
      above(call, out);
      std::vector<ast::Arg> args;
      for (MatchaParser::ArgumentContext* argument : arguments->argument()) {
        ast::Arg arg;
        arg.loc = loc(argument);
        if (argument->NAME() != nullptr) {
          arg.name = text(argument->NAME());
          arg.loc = loc(argument->NAME()->getSymbol());
        }
        arg.value = expr(argument->expr());
        above(call, arg.value);
        args.push_back(arg);
      }
      call->args = keep(args);
      out = call;
    }
    return out;
  }

  ast::ListExpr* items(MatchaParser::AtomContext* context, SourceLoc at) {
    ast::ListExpr* list = make<ast::ListExpr>(ast::Expr::Kind::List, at);
    std::vector<ast::Expr*> items;
    for (MatchaParser::ExprContext* item : context->expr()) {
      items.push_back(expr(item));
      above(list, items.back());
    }
    list->items = keep(items);
    return list;
  }

  /// `(a, b)` as `mk_tuple(val=[a, b])`.
  ast::Expr* tuple(MatchaParser::AtomContext* context, SourceLoc at) {
    ast::CallExpr* call = make<ast::CallExpr>(ast::Expr::Kind::Call, at);
    ast::NameExpr* name = make<ast::NameExpr>(ast::Expr::Kind::Name, at);
    name->name = "mk_tuple";
    name->builtin = find_builtin(name->name);
    call->callee = name;
    ast::Arg values{at, "val", items(context, at)};
    above(call, values.value);
    call->args = keep(std::vector<ast::Arg>{values});
    return call;
  }

  ast::Expr* atom(MatchaParser::AtomContext* context, bool negative) {
    SourceLoc at = loc(context);
    if (context->OPEN_PAREN() != nullptr && context->COMMA().empty()) return expr(context->expr(0));
    if (context->OPEN_PAREN() != nullptr) return tuple(context, at);
    if (context->OPEN_BRACKET() != nullptr) return items(context, at);
    if (context->type() != nullptr) {
      ast::TypeNameExpr* name = make<ast::TypeNameExpr>(ast::Expr::Kind::TypeName, at);
      name->type = type(context->type());
      return name;
    }
    if (context->string() != nullptr) {
      ast::LabelExpr* label = make<ast::LabelExpr>(ast::Expr::Kind::Label, at);
      label->word = word(context->string());
      return label;
    }
    const antlr4::Token* token = context->getStart();
    switch (token->getType()) {
      case MatchaParser::NAME: {
        ast::NameExpr* name = make<ast::NameExpr>(ast::Expr::Kind::Name, at);
        name->name = text(token);
        return name;
      }
      case MatchaParser::INT: return integer(token, negative);
      case MatchaParser::FLOAT: return real(token);
      case MatchaParser::NONE: return make<ast::Expr>(ast::Expr::Kind::None, at);
      default: {
        ast::BoolExpr* out = make<ast::BoolExpr>(ast::Expr::Kind::Bool, at);
        out->value = token->getType() == MatchaParser::TRUE;
        return out;
      }
    }
  }

  std::string_view word(MatchaParser::StringContext* context) {
    std::string_view quoted = text(context->getStart());
    std::size_t quotes = context->LONG_STRING() != nullptr ? 3 : 1;
    return quoted.substr(quotes, quoted.size() - 2 * quotes);
  }

  // Numbers

  static std::string without_underscores(std::string_view digits) {
    std::string out;
    for (char c : digits) {
      if (c != '_') out += c;
    }
    return out;
  }

  static bool parse_int(std::string_view token, std::uint64_t& value) {
    std::string digits = without_underscores(token);
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0') {
      char mark = digits[1] | 0x20;
      base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    }
    const char* begin = digits.data() + (base == 10 ? 0 : 2);
    const char* end = digits.data() + digits.size();
    std::from_chars_result result = std::from_chars(begin, end, value, base);
    return result.ec == std::errc() && result.ptr == end;
  }

  void range_error(const antlr4::Token* token) {
    source_.diagnostics.error(DiagId::NumberRange, loc(token), "`" + std::string(text(token)) + "` is out of range",
                              "ints have 64 bits");
  }

  ast::Expr* integer(const antlr4::Token* token, bool negative) {
    ast::IntExpr* out = make<ast::IntExpr>(ast::Expr::Kind::Int, loc(token));
    std::uint64_t value = 0;
    bool fits = parse_int(text(token), value) && value <= (negative ? kIntMin : kIntMin - 1);
    if (!fits) range_error(token);
    out->value = static_cast<std::int64_t>(fits ? value : 0);
    return out;
  }

  ast::Expr* real(const antlr4::Token* token) {
    ast::FloatExpr* out = make<ast::FloatExpr>(ast::Expr::Kind::Float, loc(token));
    std::string digits = without_underscores(text(token));
    std::from_chars_result result = std::from_chars(digits.data(), digits.data() + digits.size(), out->value);
    if (result.ec != std::errc()) {
      source_.diagnostics.error(DiagId::NumberRange, loc(token), "`" + std::string(text(token)) + "` is out of range",
                                "floats have 64 bits");
    }
    return out;
  }

  antlr4::CommonTokenStream& tokens_;
  bool broken_;
  SourceText& source_;
  Arena& arena_;
  std::uint32_t& next_decl_id_;
  bool negative_ = false;  ///< The next call is the operand of a unary minus.
  bool too_deep_ = false;
};

}  // namespace

ast::File* build_ast(MatchaParser::ProgramContext* tree, antlr4::CommonTokenStream& tokens, bool broken,
                     SourceText& source, Arena& arena, std::uint32_t& next_decl_id) {
  return Builder(tokens, broken, source, arena, next_decl_id).file(tree);
}

}  // namespace matcha::frontend::syntax
