#include "ir/parser.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/lexer.h"
#include "ir/match.h"
#include "ir/type_rules.h"

namespace matcha::ir {

namespace {

constexpr int kMaxDepth = 200;

/// Thrown at the first error and caught in `parse`.
struct Failure {};

class Parser {
 public:
  Parser(Context& context, std::uint32_t file, Diagnostics& diagnostics)
      : context_(context),
        builder_(context),
        diagnostics_(diagnostics),
        lexer_(diagnostics.sources().text(file), file) {
    advance();
  }

  Module module() {
    expect_word("module");
    Stage stage = take_choice({"loop", "kernel"}) == 0 ? Stage::Loop : Stage::Kernel;
    std::string name = unescaped(expect(TokenKind::String, "the name of the module in quotes").text);
    std::vector<const Var*> params;
    expect_punct("(");
    if (!at_punct(")")) {
      do {
        Token param = expect(TokenKind::Value, "a parameter");
        expect_punct(":");
        params.push_back(define(param, type()));
      } while (accept_punct(","));
    }
    expect_punct(")");
    std::vector<Assumption> assumptions;
    if (accept_word("assumes")) {
      do assumptions.push_back(assumption());
      while (accept_punct(","));
    }
    const Block* body = block();
    if (token_.kind != TokenKind::End) fail("expected the end of the text");
    Module result = builder_.module(stage, name, params, body);
    result.assumptions = context_.arena().copy(std::span<const Assumption>(assumptions));
    return result;
  }

 private:
  [[noreturn]] void fail(std::string message) { fail_at(token_.loc, std::move(message)); }
  [[noreturn]] void fail_at(SourceLoc loc, std::string message) {
    diagnostics_.error(DiagId::IrSyntax, loc, std::move(message));
    throw Failure{};
  }

  void advance() { token_ = lexer_.next(); }
  bool at_punct(std::string_view text) const { return token_.kind == TokenKind::Punct && token_.text == text; }
  bool at_word(std::string_view text) const { return token_.kind == TokenKind::Word && token_.text == text; }
  bool accept_punct(std::string_view text) {
    bool found = at_punct(text);
    if (found) advance();
    return found;
  }
  bool accept_word(std::string_view text) {
    bool found = at_word(text);
    if (found) advance();
    return found;
  }
  void expect_punct(std::string_view text) {
    if (!accept_punct(text)) fail(fmt::format("expected `{}`", text));
  }
  void expect_word(std::string_view text) {
    if (!accept_word(text)) fail(fmt::format("expected `{}`", text));
  }
  Token expect(TokenKind kind, std::string_view what) {
    if (token_.kind != kind) fail(fmt::format("expected {}", what));
    Token token = token_;
    advance();
    return token;
  }
  std::size_t take_choice(std::initializer_list<std::string_view> words) {
    std::size_t i = 0;
    for (std::string_view word : words) {
      if (accept_word(word)) return i;
      ++i;
    }
    fail(fmt::format("expected one of {}", fmt::join(words, ", ")));
  }

  static std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      bool escape = text[i] == '\\' && i + 1 < text.size();
      if (escape) ++i;
      result += escape && text[i] == 'n' ? '\n' : text[i];
    }
    return result;
  }

  std::uint32_t small_number() {
    Token token = expect(TokenKind::Number, "a number");
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (error != std::errc{} || end != token.text.data() + token.text.size())
      fail_at(token.loc, "expected a small number");
    return value;
  }

  Assumption assumption() {
    for (AssumptionKind kind : kAssumptionKinds) {
      if (!accept_word(keyword(kind))) continue;
      expect_punct("(");
      Assumption result{kind, value()};
      expect_punct(")");
      if (has_limit(kind)) {
        expect_punct("<=");
        result.limit = small_number();
      }
      return result;
    }
    fail("expected an assumption, such as `symmetric(%G)`");
  }

  const Type* type() {
    Depth depth(*this);
    if (accept_word("list")) {
      std::vector<const Type*> columns;
      expect_punct("<");
      columns_into(columns);
      expect_punct(">");
      return context_.list(columns);
    }
    if (accept_word("table")) {
      std::vector<const Type*> columns;
      expect_punct("<");
      columns_into(columns);
      const std::uint32_t keys = static_cast<std::uint32_t>(columns.size());
      expect_punct(";");
      columns_into(columns);
      expect_punct(">");
      return context_.table(columns, keys);
    }
    for (ScalarKind kind : {ScalarKind::Bool, ScalarKind::Vid, ScalarKind::I64, ScalarKind::I128, ScalarKind::F64}) {
      if (accept_word(to_string(kind))) return context_.scalar(kind);
    }
    if (accept_word("bits")) return context_.bits();
    if (accept_word("graph")) return context_.graph();
    fail("expected a type");
  }

  void columns_into(std::vector<const Type*>& columns) {
    do columns.push_back(column());
    while (accept_punct(","));
  }

  const Type* column() {
    SourceLoc loc = token_.loc;
    const Type* result = type();
    if (result->is_graph() || result->is_scalar(ScalarKind::I128)) {
      fail_at(loc, fmt::format("a list has no columns of `{}`", to_string(*result)));
    }
    return result;
  }

  const Var* define(const Token& name, const Type* type) {
    std::string_view hint = name.text.substr(0, name.text.find('.'));
    builder_.set_loc({});
    const Var* var = builder_.var(type, hint);
    if (!names_.emplace(std::string(name.text), var).second) {
      fail_at(name.loc, fmt::format("`%{}` is bound already", name.text));
    }
    return var;
  }

  const Var* value() {
    Token token = expect(TokenKind::Value, "a value");
    const auto found = names_.find(std::string(token.text));
    if (found == names_.end()) fail_at(token.loc, fmt::format("`%{}` is not bound", token.text));
    return found->second;
  }

  struct Depth {
    explicit Depth(Parser& parser) : parser(parser) {
      if (++parser.depth_ > kMaxDepth) parser.fail("nested too deeply");
    }
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  const Expr* make(SourceLoc loc, Op op, std::span<const Expr* const> operands, const Type* wanted) {
    std::string why;
    if (result_type(context_, op, operands, wanted, why) == nullptr) {
      fail_at(loc, fmt::format("`{}`: {}", keyword(op), why));
    }
    return builder_.make(op, operands, wanted);
  }

  const Expr* number() {
    Token token = expect(TokenKind::Number, "a number");
    std::string text(token.text);
    if (text.find_first_of(".einf") == std::string::npos) {
      std::int64_t integer = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
      if (error == std::errc{} && end == text.data() + text.size()) return builder_.integer(integer);
    } else {
      char* end = nullptr;
      double real = std::strtod(text.c_str(), &end);
      if (end == text.c_str() + text.size()) return builder_.real(real);
    }
    fail_at(token.loc, fmt::format("`{}` is not a number", text));
  }

  const Expr* infix() {
    expect_punct("(");
    const Expr* left = expr();
    SourceLoc loc = token_.loc;
    std::string op(token_.text);
    Kind kind{};
    if ((token_.kind != TokenKind::Punct && token_.kind != TokenKind::Word) || !infix_kind(op, kind)) {
      fail("expected an infix operator");
    }
    advance();
    const Expr* right = expr();
    expect_punct(")");
    const Expr* operands[] = {left, right};
    return make(loc, kind, operands, nullptr);
  }

  static bool infix_kind(std::string_view op, Kind& kind) {
#define MATCHA_EXPR(Struct, word, arity, First, Last, Group, Traits)
#define MATCHA_INFIX(Struct, word, First, Last, Group, Traits) \
  if (op == word) {                                            \
    kind = Kind::Struct;                                       \
    return true;                                               \
  }
#include "ir/nodes.def"
    return false;
  }

  static std::optional<Op> call_op(std::string_view word) {
#define MATCHA_INFIX(Struct, op, First, Last, Group, Traits)
#define MATCHA_EXPR(Struct, op, arity, First, Last, Group, Traits) \
  if (word == op && arity != 0) return Op(Kind::Struct);
#define MATCHA_SIDED(Struct, all, lower, upper, arity, First, Last, Group, Traits) \
  if (word == all) return Op(Kind::Struct);                                        \
  if (word == lower) return Op(Kind::Struct, Side::Lower);                         \
  if (word == upper) return Op(Kind::Struct, Side::Upper);
#include "ir/nodes.def"
    return std::nullopt;
  }

  const Expr* keyed(SourceLoc loc, Fold fold, std::span<const Expr* const> operands, std::uint32_t keys) {
    std::string why = "it takes one list";
    if (operands.size() != 1 || table_of(context_, fold, operands[0]->type, keys, why) == nullptr)
      fail_at(loc, fmt::format("`keyed`: {}", why));
    return builder_.keyed(fold, operands[0], keys);
  }

  const Expr* at(SourceLoc loc, std::span<const Expr* const> operands, std::uint32_t column) {
    bool fits = operands.size() == 2 && operands[0]->type->is_list() && column < operands[0]->type->columns.size() &&
                operands[1]->type == context_.i64();
    if (!fits) fail_at(loc, "`at` takes a list that has the column and an i64");
    return builder_.at(operands[0], operands[1], column);
  }

  const Expr* call() {
    Token head = token_;
    advance();
    if (head.text == "true" || head.text == "false") return builder_.boolean(head.text == "true");
    if (head.text == "inf" || head.text == "nan")
      return builder_.real(std::strtod(std::string(head.text).c_str(), nullptr));
    if (head.text == "label_name") {
      expect_punct("(");
      std::string word = unescaped(expect(TokenKind::String, "a label in quotes").text);
      expect_punct(")");
      return builder_.label_name(word);
    }
    const std::optional<Op> op = call_op(head.text);
    if (!op) fail_at(head.loc, fmt::format("`{}` is not an operator", head.text));
    const Type* wanted = nullptr;
    std::uint32_t column = 0;  // Of a table: its keys.
    Fold fold = Fold::Sum;
    if (accept_punct("<")) {
      if (op->kind == Kind::Keyed) {
        fold = static_cast<Fold>(take_choice({"sum", "min", "max"}));
        expect_punct(",");
      }
      if (op->kind == Kind::At || op->kind == Kind::Keyed) {
        column = small_number();
      } else {
        wanted = type();
      }
      expect_punct(">");
    }
    std::vector<const Expr*> operands;
    expect_punct("(");
    if (!at_punct(")")) {
      do operands.push_back(expr());
      while (accept_punct(","));
    }
    expect_punct(")");
    if (op->kind == Kind::Keyed) return keyed(head.loc, fold, operands, column);
    return op->kind == Kind::At ? at(head.loc, operands, column) : make(head.loc, *op, operands, wanted);
  }

  const Expr* expr() {
    Depth depth(*this);
    builder_.set_loc({});
    if (token_.kind == TokenKind::Value) return value();
    if (token_.kind == TokenKind::Number) return number();
    if (token_.kind == TokenKind::Word) return call();
    if (at_punct("(")) return infix();
    fail("expected an expression");
  }

  std::vector<const Expr*> exprs() {
    std::vector<const Expr*> items;
    do items.push_back(expr());
    while (accept_punct(","));
    return items;
  }

  const Block* block() {
    Depth depth(*this);
    expect_punct("{");
    std::vector<const Stmt*> body;
    while (!at_punct("}")) body.push_back(stmt());
    advance();
    return builder_.block(body);
  }

  const Stmt* stmt() {
    const SourceLoc loc = token_.loc;
    if (at_punct("{")) return block();
    if (accept_word("let")) {
      Token name = expect(TokenKind::Value, "a value");
      expect_punct("=");
      const Expr* e = expr();
      return builder_.let(define(name, e->type), e);
    }
    if (accept_word("store")) return store();
    if (accept_word("for")) return loop();
    if (accept_word("if")) return branch();
    if (at_word("collect")) return collect();
    if (accept_word("yield")) {
      bool batched = accept_word("batched");
      const Var* sink = value();
      expect_punct(",");
      return builder_.yield(sink, exprs(), batched);
    }
    if (accept_word("build_graph")) return build();
    if (accept_word("region")) return region(loc);
    if (accept_word("repeat")) return repeat();
    if (accept_word("again")) return again();
    if (accept_word("return")) return placed(loc, [&, values = exprs()] { return builder_.ret(values); });
    fail("expected a statement");
  }

  /// The result of `make`, with the place `loc`.
  template <typename F>
  const Stmt* placed(SourceLoc loc, F make) {
    builder_.set_loc(loc);
    const Stmt* made = make();
    builder_.set_loc({});
    return made;
  }

  /// `%a, %b = e, f`: the values, and new names for them.
  std::vector<const Var*> bindings(std::vector<const Expr*>& values) {
    std::vector<Token> names;
    SourceLoc loc = token_.loc;
    do names.push_back(expect(TokenKind::Value, "a value"));
    while (accept_punct(","));
    expect_punct("=");
    values = exprs();
    if (names.size() != values.size()) fail_at(loc, "one name a value");
    std::vector<const Var*> vars;
    for (std::size_t i = 0; i < names.size(); ++i) vars.push_back(define(names[i], values[i]->type));
    return vars;
  }

  const Stmt* repeat() {
    std::vector<const Expr*> starts;
    const std::vector<const Var*> vars = bindings(starts);
    expect_word("times");
    return builder_.repeat(vars, starts, expr());
  }

  const Stmt* again() {
    const bool until_equal = accept_word("until_equal");
    std::vector<const Expr*> values;
    const std::vector<const Var*> vars = bindings(values);
    return builder_.again(vars, values, until_equal);
  }

  const Stmt* store() {
    Token name = expect(TokenKind::Value, "a value");
    expect_word("in");
    const Var* buffer = value();
    expect_punct("=");
    const Expr* e = expr();
    return builder_.store(define(name, e->type), buffer, e);
  }

  const Stmt* loop() {
    std::vector<Token> names;
    do names.push_back(expect(TokenKind::Value, "a loop variable"));
    while (accept_punct(","));
    std::optional<Token> index;
    if (accept_word("at")) index = expect(TokenKind::Value, "a position variable");
    SourceLoc loc = token_.loc;
    expect_word("in");
    std::vector<const Expr*> lists = exprs();
    std::vector<const Type*> columns;
    for (const Expr* list : lists) {
      if (!list->type->is_list()) fail_at(loc, "`for` walks lists");
      columns.insert(columns.end(), list->type->columns.begin(), list->type->columns.end());
    }
    if (columns.size() != names.size()) {
      fail_at(loc, fmt::format("{} loop variables for {} columns", names.size(), columns.size()));
    }
    std::vector<const Var*> vars;
    for (std::size_t i = 0; i < names.size(); ++i) vars.push_back(define(names[i], columns[i]));
    const Var* maybe_index = index ? define(*index, context_.i64()) : nullptr;
    LaneMode mode = LaneMode::Together;
    if (accept_word("by")) mode = static_cast<LaneMode>(take_choice({"together", "items", "pairs", "arcs"}));
    const Block* body = block();
    return builder_.loop(vars, lists, maybe_index, body, mode);
  }

  const Stmt* branch() {
    SourceLoc loc = token_.loc;
    const Expr* cond = expr();
    if (cond->type != context_.boolean()) fail_at(loc, "`if` takes a bool");
    const Block* then_body = block();
    const Block* else_body = accept_word("else") ? block() : nullptr;
    return builder_.branch(cond, then_body, else_body);
  }

  const Stmt* collect() {
    expect_word("collect");
    std::vector<Sink> sinks;
    do {
      Token name = expect(TokenKind::Value, "a sink");
      expect_punct(":");
      SinkKind kind = static_cast<SinkKind>(take_choice({"sum", "min", "max", "any", "all", "list"}));
      const Type* sink_type = type();
      const Var* buffer = accept_word("in") ? value() : nullptr;
      sinks.push_back(Sink{define(name, sink_type), kind, buffer});
    } while (accept_punct(","));
    const Block* body = block();
    return builder_.collect(sinks, body);
  }

  const Stmt* build() {
    Token name = expect(TokenKind::Value, "a graph");
    expect_punct("=");
    GraphIndex index = take_choice({"csr", "hash"}) == 0 ? GraphIndex::Csr : GraphIndex::Hash;
    expect_punct("(");
    const Expr* edges = expr();
    const Expr* labels = nullptr;
    const Expr* info = nullptr;
    while (accept_punct(",")) {
      const Expr*& part = take_choice({"labels", "info"}) == 0 ? labels : info;
      part = expr();
    }
    expect_punct(")");
    RowOrder order = RowOrder::Target;
    if (accept_word("by")) order = take_choice({"target", "info"}) == 0 ? RowOrder::Target : RowOrder::Info;
    return builder_.build_graph(define(name, context_.graph()), edges, labels, info, index, order);
  }

  const Stmt* region(SourceLoc loc) {
    Schedule schedule;
    expect_punct("(");
    schedule.parallel = take_choice({"parallel", "sequential"}) == 0;
    while (accept_punct(",")) {
      const std::size_t part = take_choice({"split", "group", "steal", "stack", "shared_rows"});
      expect_punct("=");
      switch (part) {
        case 0: schedule.split = small_number(); break;
        case 1: schedule.group = small_number(); break;
        case 2:
          schedule.steal = static_cast<Stealing>(take_choice({"give", "none", "half", "timeout", "kernel"}));
          break;
        case 3: schedule.stack = static_cast<Stack>(take_choice({"array", "paged"})); break;
        default: schedule.shared_rows = small_number();
      }
    }
    expect_punct(")");
    expect_punct("{");
    std::vector<Buffer> buffers;
    while (accept_word("buffer")) {
      Token name = expect(TokenKind::Value, "a buffer");
      expect_punct(":");
      const Type* buffer_type = type();
      expect_punct("[");
      const Expr* capacity = expr();
      expect_punct("]");
      buffers.push_back(Buffer{define(name, buffer_type), capacity, accept_word("counters")});
    }
    const Collect* body = static_cast<const Collect*>(collect());
    expect_punct("}");
    return placed(loc, [&] { return builder_.region(schedule, buffers, body); });
  }

  Context& context_;
  Builder builder_;
  Diagnostics& diagnostics_;
  Lexer lexer_;
  Token token_;
  std::unordered_map<std::string, const Var*> names_;
  int depth_ = 0;
};

}  // namespace

std::optional<Module> parse(Context& context, std::uint32_t file, Diagnostics& diagnostics) {
  try {
    return Parser(context, file, diagnostics).module();
  } catch (const Failure&) {
    return std::nullopt;
  }
}

}  // namespace matcha::ir
