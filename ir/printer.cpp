#include "ir/printer.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "ir/match.h"

namespace matcha::ir {

namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Printer {
 public:
  std::string module(const Module& module) {
    out_ = fmt::format("module {} \"{}\" (", module.stage == Stage::Loop ? "loop" : "kernel", escaped(module.name));
    for (std::size_t i = 0; i < module.params.size(); ++i) {
      if (i != 0) out_ += ", ";
      out_ += define(module.params[i]) + ": " + to_string(*module.params[i]->type);
    }
    out_ += ") ";
    for (std::size_t i = 0; i < module.assumptions.size(); ++i) {
      const Assumption& assumption = module.assumptions[i];
      out_ += fmt::format("{}{}({})", i == 0 ? "assumes " : ", ", keyword(assumption.kind), name(assumption.var));
      if (has_limit(assumption.kind)) out_ += fmt::format(" <= {}", assumption.limit);
    }
    if (!module.assumptions.empty()) out_ += " ";
    block(*module.body);
    out_ += "\n";
    return std::move(out_);
  }

  std::string expr(const Expr& e) {
    switch (e.kind) {
      case Kind::Var: return name(static_cast<const Var*>(&e));
      case Kind::ConstInt: return std::to_string(static_cast<const ConstInt&>(e).value);
      case Kind::ConstFloat: return real(static_cast<const ConstFloat&>(e).value);
      case Kind::ConstBool: return static_cast<const ConstBool&>(e).value ? "true" : "false";
      case Kind::LabelName: return fmt::format("label_name(\"{}\")", escaped(static_cast<const LabelName&>(e).word));
      default: break;
    }
    if (is_infix(e.kind)) return fmt::format("({} {} {})", expr(*e.operands[0]), keyword(e), expr(*e.operands[1]));
    std::string text(keyword(e));
    if (e.kind == Kind::Convert || e.kind == Kind::EdgeInfo || e.kind == Kind::Literal)
      text += "<" + to_string(*e.type) + ">";
    text += match(
        e, [](const At& at) { return fmt::format("<{}>", at.column); },
        [](const Keyed& table) { return fmt::format("<{}, {}>", keyword(table.fold), table.type->keys); },
        // The keyword implies the side; leaves are printed above.
        [](const OneOf<Neighbors, BitRows, CommonNeighbors, Cut> auto&) { return std::string(); },
        [](const OneOf<Var, ConstInt, ConstFloat, ConstBool, LabelName> auto&) { return std::string(); },
        [](const Plain auto&) { return std::string(); });
    text += "(";
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      if (i != 0) text += ", ";
      text += expr(*e.operands[i]);
    }
    return text + ")";
  }

 private:
  static std::string real(double value) {
    if (std::isnan(value)) return "nan";
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".einf") == std::string::npos ? text + ".0" : text;
  }

  static std::string escaped(std::string_view word) {
    std::string text;
    for (char c : word) {
      if (c == '"' || c == '\\' || c == '\n') text += '\\';
      text += c == '\n' ? 'n' : c;
    }
    return text;
  }

  std::string define(const Var* var) {
    std::string hint;
    for (char c : var->hint) {
      if (is_name_char(c)) hint += c;
    }
    if (hint.empty()) hint = "t";
    int count = ++uses_of_hint_[hint];
    std::string text = count == 1 ? "%" + hint : fmt::format("%{}.{}", hint, count);
    names_[var] = text;
    return text;
  }

  std::string name(const Var* var) {
    const auto found = names_.find(var);
    if (found != names_.end()) return found->second;
    return fmt::format("%{}{}", var->hint.empty() ? "t" : var->hint, names_.empty() ? "" : ".undefined");
  }

  void line(const std::string& text) {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * 2, ' ');
    out_ += text;
  }

  void block(const Block& b) {
    out_ += "{";
    ++indent_;
    for (const Stmt* s : b.body) stmt(*s);
    --indent_;
    line("}");
  }

  std::string list(std::span<const Expr* const> items) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) text += (i != 0 ? ", " : "") + expr(*items[i]);
    return text;
  }

  std::string defined(std::span<const Var* const> vars) {
    std::string text;
    for (std::size_t i = 0; i < vars.size(); ++i) text += (i != 0 ? ", " : "") + define(vars[i]);
    return text;
  }

  void loop(const For& s) {
    std::string lists = list(s.lists);
    std::string vars = defined(s.vars);
    std::string index = s.maybe_index != nullptr ? " at " + define(s.maybe_index) : "";
    const std::string mode = s.mode != LaneMode::Together ? fmt::format("by {} ", keyword(s.mode)) : "";
    line(fmt::format("for {}{} in {} {}", vars, index, lists, mode));
    block(*s.body);
  }

  void collect(const Collect& s) {
    std::string sinks;
    for (std::size_t i = 0; i < s.sinks.size(); ++i) {
      const Sink& sink = s.sinks[i];
      sinks += fmt::format("{}{}: {} {}", i != 0 ? ", " : "", define(sink.var), keyword(sink.kind),
                           to_string(*sink.var->type));
      if (sink.maybe_buffer != nullptr) sinks += " in " + name(sink.maybe_buffer);
    }
    line(fmt::format("collect {} ", sinks));
    block(*s.body);
  }

  void branch(const If& s) {
    line(fmt::format("if {} ", expr(*s.cond)));
    block(*s.then_body);
    if (s.maybe_else != nullptr) {
      out_ += " else ";
      block(*s.maybe_else);
    }
  }

  void build(const BuildGraph& s) {
    std::string edges = expr(*s.edges);
    std::string labels = s.maybe_labels != nullptr ? ", labels " + expr(*s.maybe_labels) : "";
    std::string info = s.maybe_info != nullptr ? ", info " + expr(*s.maybe_info) : "";
    std::string index = s.index == GraphIndex::Csr ? "csr" : "hash";
    std::string order = s.order == RowOrder::Info ? " by info" : "";
    line(fmt::format("build_graph {} = {}({}{}{}){}", define(s.var), index, edges, labels, info, order));
  }

  void region(const Region& s) {
    const Schedule& how = s.schedule;
    const Schedule usual;
    std::string rest;
    if (how.steal != usual.steal) rest += fmt::format(", steal={}", keyword(how.steal));
    if (how.stack != usual.stack) rest += fmt::format(", stack={}", keyword(how.stack));
    if (how.shared_rows != usual.shared_rows) rest += fmt::format(", shared_rows={}", how.shared_rows);
    line(fmt::format("region ({}, split={}, group={}{}) {{", how.parallel ? "parallel" : "sequential", how.split,
                     how.group, rest));
    ++indent_;
    for (const Buffer& buffer : s.buffers) {
      std::string capacity = expr(*buffer.capacity);
      line(fmt::format("buffer {}: {}[{}]{}", define(buffer.var), to_string(*buffer.var->type), capacity,
                       buffer.counters ? " counters" : ""));
    }
    collect(*s.collect);
    --indent_;
    line("}");
  }

  void stmt(const Stmt& s) {
    match(
        s,
        [&](const Block& b) {
          line("");
          block(b);
        },
        [&](const Let& let) {
          std::string value = expr(*let.value);
          line(fmt::format("let {} = {}", define(let.var), value));
        },
        [&](const Store& store) {
          std::string value = expr(*store.value);
          line(fmt::format("store {} in {} = {}", define(store.var), name(store.buffer), value));
        },
        [&](const For& f) { loop(f); }, [&](const If& i) { branch(i); }, [&](const Collect& c) { collect(c); },
        [&](const Yield& y) {
          line(fmt::format("yield {}{}, {}", y.batched ? "batched " : "", name(y.sink), list(y.values)));
        },
        [&](const BuildGraph& b) { build(b); }, [&](const Region& r) { region(r); },
        [&](const Repeat& r) {
          const std::string starts = list(r.starts);
          const std::string times = expr(*r.times);
          line(fmt::format("repeat {} = {} times {}", defined(r.vars), starts, times));
        },
        [&](const Again& a) {
          const std::string values = list(a.values);
          line(fmt::format("again {}{} = {}", a.until_equal ? "until_equal " : "", defined(a.vars), values));
        },
        [&](const Return& r) { line("return " + list(r.values)); });
  }

  std::string out_;
  int indent_ = 0;
  std::unordered_map<const Var*, std::string> names_;
  std::unordered_map<std::string, int> uses_of_hint_;
};

}  // namespace

std::string print(const Module& module) { return Printer().module(module); }
std::string print(const Expr& expr) { return Printer().expr(expr); }

}  // namespace matcha::ir
