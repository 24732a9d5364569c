#include "frontend/resolve.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "frontend/builtins.h"

namespace matcha::frontend {
namespace {

struct Reference {
  ast::Def* callee;
  SourceLoc loc;
};

/// Words of Python and of other libraries that users try, with their replacements.
constexpr std::array<std::pair<std::string_view, const char*>, 22> kForeignNames{{
    {"len", "`size(list)` counts items"},
    {"count", "`size(list)` counts items"},
    {"degree", "the degree of a vertex is `size(neighbor(g, v))`"},
    {"map", "`apply(func, list)` walks a list"},
    {"filter", "`apply(func, cond=…, list)` keeps items"},
    {"sorted", "`sort(list)` orders items; `top(n, list)` takes the largest"},
    {"set", "`keys(count_by(list))` has each item once"},
    {"unique", "`keys(count_by(list))` has each item once"},
    {"zip", "`apply(func, list, other)` walks lists in step"},
    {"enumerate", "`apply(func, list, range(size(list)))` numbers the items"},
    {"ln", "`log(x)` is the natural logarithm"},
    {"Counter", "`count_by(list)` counts each item"},
    {"defaultdict", "`sum_by(rows)` adds the values of each key"},
    {"dict", "`sum_by(rows)` makes a table of keys and values"},
    {"group", "`sum_by(rows)` adds the values of each key; `min_by` and `max_by` keep one"},
    {"groupby", "`sum_by(rows)` adds the values of each key; `min_by` and `max_by` keep one"},
    {"reduce", "`sum`, `min`, `max`, `any` and `all` reduce a list, `sum_by` and its kin by key"},
    {"nodes", "`vertices(g)` lists the vertices"},
    {"abs", "write `x if x >= 0 else -x`"},
    {"true", "write `True`"},
    {"false", "write `False`"},
    {"null", "write `None`, or leave the argument out"},
}};

class Resolver {
 public:
  Resolver(Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {}

  void run() {
    for (ast::File* file : program_.files) this->file(*file);
  }

  const std::unordered_map<const ast::Def*, std::vector<Reference>>& references() const { return references_; }

 private:
  using Scope = std::unordered_map<std::string_view, ast::Decl*>;

  void error(DiagId id, SourceLoc loc, std::string message, std::string hint = {}) {
    out_->error(id, loc, std::move(message), std::move(hint));
  }

  /// A function with syntax errors reports no other errors: they could be consequences of those.
  void mute_for(const ast::Def& def) { out_ = def.trouble == ast::Trouble::None ? &diagnostics_ : &muted_; }

  void bind(ast::Decl* decl) {
    auto [entry, fresh] = scopes_.back().try_emplace(decl->name, decl);
    if (fresh) return;
    Diagnostic& d =
        out_->error(DiagId::Rebinding, decl->loc, "`" + std::string(decl->name) + "` is bound already in this scope",
                    "a name is bound once; choose another");
    d.notes.push_back({entry->second->loc, "first bound here"});
    decl->used = true;
  }

  void file(ast::File& file) {
    scopes_.assign(1, {});
    file_ = &file;
    for (ast::Import& import : file.imports) {
      for (ast::ImportName& name : import.names) bind(name.decl);
    }
    for (ast::Def* def : file.defs) {
      mute_for(*def);
      bind(def->decl);
    }
    for (ast::Def* def : file.defs) {
      mute_for(*def);
      top_ = def;
      this->def(*def);
    }
    out_ = &diagnostics_;
    if (file.broken) return;  // The use may be on a line with an error.
    for (ast::Import& import : file.imports) {
      for (ast::ImportName& name : import.names) {
        if (name.decl->def != nullptr) warn_unused(*name.decl);
      }
    }
  }

  void warn_unused(const ast::Decl& decl) {
    if (decl.used || decl.name.front() == '_') return;
    out_->warning(DiagId::UnusedName, decl.loc, "`" + std::string(decl.name) + "` is not used");
  }

  void param_default(const ast::Param& param) {
    if (param.maybe_default == nullptr) return;
    ast::Expr::Kind kind = param.maybe_default->kind;
    if (kind == ast::Expr::Kind::Int || kind == ast::Expr::Kind::Bool) return;
    const ast::Expr* value = param.maybe_default;
    if (kind == ast::Expr::Kind::Unary) value = static_cast<const ast::UnaryExpr*>(value)->operand;
    if (value->kind == ast::Expr::Kind::Float) return;
    error(DiagId::BadDefault, param.maybe_default->loc, "a default value is a number, `True` or `False`");
  }

  void def(ast::Def& def) {
    open_defs_.push_back(&def);
    scopes_.emplace_back();
    bool had_default = false;
    for (ast::Param& param : def.params) {
      param_default(param);
      if (had_default && param.maybe_default == nullptr) {
        error(DiagId::BadDefault, param.decl->loc,
              "`" + std::string(param.decl->name) + "` has no default value, but a parameter before it has");
      }
      had_default = had_default || param.maybe_default != nullptr;
      bind(param.decl);
    }
    later_.emplace_back();
    for (ast::Stmt& stmt : def.body) {
      if (stmt.kind == ast::Stmt::Kind::Assign) later_.back().emplace(stmt.decl->name, stmt.decl);
      if (stmt.kind == ast::Stmt::Kind::Def) later_.back().emplace(stmt.def->decl->name, stmt.def->decl);
    }
    body(def);
    later_.pop_back();
    for (const ast::Stmt& stmt : def.body) {
      if (stmt.kind == ast::Stmt::Kind::Assign) warn_unused(*stmt.decl);
      if (stmt.kind == ast::Stmt::Kind::Def) warn_unused(*stmt.def->decl);
    }
    scopes_.pop_back();
    open_defs_.pop_back();
  }

  void body(ast::Def& def) {
    bool returned = false;
    bool reported = false;
    for (ast::Stmt& stmt : def.body) {
      if (returned && !reported && stmt.kind != ast::Stmt::Kind::Doc) {
        error(DiagId::AfterReturn, stmt.loc, "a statement after `return` never counts");
        reported = true;
      }
      switch (stmt.kind) {
        case ast::Stmt::Kind::Assign:
          expr(stmt.value);
          bind(stmt.decl);
          break;
        case ast::Stmt::Kind::Return:
          expr(stmt.value);
          returned = true;
          break;
        case ast::Stmt::Kind::Def:
          bind(stmt.def->decl);
          this->def(*stmt.def);
          break;
        case ast::Stmt::Kind::Doc:
        case ast::Stmt::Kind::Broken: break;
      }
    }
    if (!returned) {
      error(DiagId::MissingReturn, def.loc, "`" + std::string(def.decl->name) + "` has no `return`");
    }
  }

  void name(ast::NameExpr& name) {
    if (name.builtin >= 0) return;  // The name of a tuple in brackets.
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      auto found = scopes_[i].find(name.name);
      if (found == scopes_[i].end()) continue;
      name.decl = found->second;
      name.decl->used = true;
      if (name.decl->def != nullptr) reference(*name.decl->def, name.loc, i == 0);
      return;
    }
    for (std::size_t i = later_.size(); i-- > 0;) {
      auto found = later_[i].find(name.name);
      if (found == later_[i].end()) continue;
      Diagnostic& d = out_->error(DiagId::UseBeforeBinding, name.loc,
                                  "`" + std::string(name.name) + "` is used before it is bound");
      d.notes.push_back({found->second->loc, "bound here"});
      found->second->used = true;
      return;
    }
    name.builtin = find_builtin(name.name);
    if (name.builtin >= 0 || std::ranges::binary_search(file_->uncertain_names, name.name)) return;
    std::vector<std::string> known;
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      std::set<std::string> sorted;
      for (const auto& [word, decl] : scopes_[i]) sorted.emplace(word);
      known.insert(known.end(), sorted.begin(), sorted.end());
    }
    for (const Builtin& builtin : builtins()) known.emplace_back(builtin.name);
    std::string near = nearest_word(name.name, known);
    std::string hint = near.empty() ? "" : "did you mean `" + near + "`?";
    for (const auto& [word, instead] : kForeignNames) {
      if (word == name.name) hint = instead;
    }
    error(DiagId::UnknownName, name.loc, "`" + std::string(name.name) + "` is not defined", std::move(hint));
  }

  void reference(ast::Def& def, SourceLoc loc, bool top_level) {
    if (top_level) {
      references_[top_].push_back({&def, loc});
      return;
    }
    bool open = std::find(open_defs_.begin(), open_defs_.end(), &def) != open_defs_.end();
    if (!open || def.recursive) return;
    def.recursive = true;
    error(DiagId::Recursion, loc, "`" + std::string(def.decl->name) + "` calls itself",
          "there is no recursion; iterate with `apply`");
  }

  void expr(ast::Expr* expr) {
    switch (expr->kind) {
      case ast::Expr::Kind::Name: return name(*static_cast<ast::NameExpr*>(expr));
      case ast::Expr::Kind::List:
        for (ast::Expr* item : static_cast<ast::ListExpr*>(expr)->items) this->expr(item);
        return;
      case ast::Expr::Kind::Unary: return this->expr(static_cast<ast::UnaryExpr*>(expr)->operand);
      case ast::Expr::Kind::Binary:
        this->expr(static_cast<ast::BinaryExpr*>(expr)->left);
        return this->expr(static_cast<ast::BinaryExpr*>(expr)->right);
      case ast::Expr::Kind::Compare:
        for (ast::Expr* operand : static_cast<ast::CompareExpr*>(expr)->operands) this->expr(operand);
        return;
      case ast::Expr::Kind::If: {
        ast::IfExpr* choice = static_cast<ast::IfExpr*>(expr);
        this->expr(choice->then_value);
        this->expr(choice->cond);
        return this->expr(choice->else_value);
      }
      case ast::Expr::Kind::Lambda: {
        ast::Lambda* lambda = static_cast<ast::Lambda*>(expr);
        scopes_.emplace_back();
        for (ast::Param& param : lambda->params) bind(param.decl);
        this->expr(lambda->body);
        scopes_.pop_back();
        return;
      }
      case ast::Expr::Kind::Call: {
        ast::CallExpr* call = static_cast<ast::CallExpr*>(expr);
        this->expr(call->callee);
        for (ast::Arg& arg : call->args) this->expr(arg.value);
        return;
      }
      case ast::Expr::Kind::Int:
      case ast::Expr::Kind::Float:
      case ast::Expr::Kind::Bool:
      case ast::Expr::Kind::None:
      case ast::Expr::Kind::Label:
      case ast::Expr::Kind::TypeName:
      case ast::Expr::Kind::Broken: return;
    }
  }

  Program& program_;
  Diagnostics& diagnostics_;
  Diagnostics muted_{diagnostics_.sources()};  ///< Errors that are not reported.
  Diagnostics* out_ = &diagnostics_;           ///< One of the two.
  const ast::File* file_ = nullptr;
  std::vector<Scope> scopes_;
  std::vector<Scope> later_;  ///< Names bound in the bodies of the open functions, already or later.
  std::vector<ast::Def*> open_defs_;
  const ast::Def* top_ = nullptr;
  std::unordered_map<const ast::Def*, std::vector<Reference>> references_;
};

/// Depth-first order of the top-level functions, with an explicit stack: chains of calls may be long.
class CallOrder {
 public:
  CallOrder(const std::unordered_map<const ast::Def*, std::vector<Reference>>& references, Diagnostics& diagnostics)
      : references_(references), diagnostics_(diagnostics) {}

  void visit(ast::Def* root) {
    if (state_[root] != State::New) return;
    push(root);
    while (!stack_.empty()) {
      ast::Def* def = stack_.back().def;
      const std::vector<Reference>& calls = calls_of(def);
      if (stack_.back().next == calls.size()) {
        state_[def] = State::Done;
        order_.push_back(def);
        stack_.pop_back();
        continue;
      }
      const Reference& call = calls[stack_.back().next++];
      State state = state_[call.callee];
      if (state == State::Open) report(call);
      if (state == State::New) push(call.callee);
    }
  }

  std::vector<ast::Def*> take() { return std::move(order_); }

 private:
  enum class State { New, Open, Done };
  struct Frame {
    ast::Def* def;
    std::size_t next;
  };

  const std::vector<Reference>& calls_of(const ast::Def* def) const {
    static const std::vector<Reference> kNone;
    auto found = references_.find(def);
    return found == references_.end() ? kNone : found->second;
  }

  void push(ast::Def* def) {
    state_[def] = State::Open;
    stack_.push_back({def, 0});
  }

  void report(const Reference& call) {
    std::string path;
    std::size_t at = stack_.size();
    while (at > 0 && stack_[at - 1].def != call.callee) --at;
    bool known = true;
    bool broken = false;
    for (std::size_t i = at - 1; i < stack_.size(); ++i) {
      known = known && stack_[i].def->recursive;
      broken = broken || stack_[i].def->trouble != ast::Trouble::None;
      stack_[i].def->recursive = true;
      if (i >= at) path += (path.empty() ? " through `" : ", `") + std::string(stack_[i].def->decl->name) + "`";
    }
    if (known || broken) return;
    diagnostics_.error(DiagId::Recursion, call.loc,
                       "`" + std::string(call.callee->decl->name) + "` calls itself" + path,
                       "there is no recursion; iterate with `apply`");
  }

  const std::unordered_map<const ast::Def*, std::vector<Reference>>& references_;
  Diagnostics& diagnostics_;
  std::unordered_map<const ast::Def*, State> state_;
  std::vector<Frame> stack_;
  std::vector<ast::Def*> order_;
};

ast::Def* pick_entry(const ast::File& file, const std::string& wanted) {
  for (ast::Def* def : file.defs) {
    if (def->decl->name == (wanted.empty() ? "main" : wanted)) return def;
  }
  return wanted.empty() && !file.defs.empty() ? file.defs.back() : nullptr;
}

}  // namespace

std::vector<ast::Def*> resolve(Program& program, const Options& options, Diagnostics& diagnostics) {
  Resolver resolver(program, diagnostics);
  resolver.run();
  program.entry = pick_entry(*program.main, options.entry);
  if (program.entry == nullptr && !program.main->broken) {
    std::vector<std::string> known;
    for (const ast::Def* def : program.main->defs) known.emplace_back(def->decl->name);
    std::string near = nearest_word(options.entry, known);
    SourceLoc start{program.main->file, 1, 1, 1};
    diagnostics.error(DiagId::NoEntry, start,
                      options.entry.empty() ? "the program has no function"
                                            : "the program has no function `" + options.entry + "` to start from",
                      near.empty() ? "" : "did you mean `" + near + "`?");
  }
  CallOrder order(resolver.references(), diagnostics);
  for (ast::File* file : program.files) {
    for (ast::Def* def : file->defs) order.visit(def);
  }
  return order.take();
}

}  // namespace matcha::frontend
