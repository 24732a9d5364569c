#include "session/outline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/analysis/walk.h"
#include "ir/bind_labels.h"
#include "ir/match.h"
#include "ir/printer.h"

namespace matcha::session {

namespace {

using ir::Kind;

/// Longer phrases are cut, between two characters: shared expressions may unfold into very long ones.
constexpr std::size_t kLongest = 240;
constexpr int kDeepest = 12;

std::string_view on_side(const ir::Expr& e, std::string_view all, std::string_view lower, std::string_view upper) {
  const ir::Side side = ir::side_of(e);
  return side == ir::Side::All ? all : side == ir::Side::Lower ? lower : upper;
}

std::string_view sign(Kind kind) { return ir::keyword(kind); }

/// The effect of a sink, as text for people.
std::string_view sink_words(ir::SinkKind kind) {
  switch (kind) {
    case ir::SinkKind::Sum: return "a sum";
    case ir::SinkKind::Min: return "the smallest";
    case ir::SinkKind::Max: return "the largest";
    case ir::SinkKind::Any: return "whether any";
    case ir::SinkKind::All: return "whether all";
    case ir::SinkKind::List: return "a list";
  }
  return "";
}

/// Names values and puts expressions into words.
class Words {
 public:
  explicit Words(const LabelNames& labels) : labels_(labels) {}

  std::string name(const ir::Var& var) {
    const auto found = names_.find(&var);
    if (found != names_.end()) return found->second;
    const std::string hint = var.hint.empty() ? "x" : std::string(var.hint);
    std::string name = hint;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}{}", hint, i);
    names_.emplace(&var, name);
    return name;
  }

  std::string names(std::span<const ir::Var* const> vars) {
    std::vector<std::string> all;
    for (const ir::Var* var : vars) all.push_back(name(*var));
    return all.size() == 1 ? all[0] : fmt::format("({})", fmt::join(all, ", "));
  }

  std::string phrase(const ir::Expr& expr) {
    std::string text = words(expr, 0);
    if (text.size() > kLongest) {
      std::size_t end = kLongest;
      while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
      text.resize(end);
      text += "…";
    }
    return text;
  }

 private:
  std::string words(const ir::Expr& expr, int depth) {
    if (depth > kDeepest) return "…";
    const auto operand = [&](std::size_t i) { return words(*expr.operands[i], depth + 1); };
    switch (expr.kind) {
      case Kind::Var: return name(static_cast<const ir::Var&>(expr));
      case Kind::LabelName: return fmt::format("label `{}`", static_cast<const ir::LabelName&>(expr).word);
      case Kind::ConstInt:
      case Kind::ConstFloat:
      case Kind::ConstBool: return ir::print(expr);
      case Kind::Neg: return fmt::format("-{}", operand(0));
      case Kind::Not: return fmt::format("not {}", operand(0));
      case Kind::Convert: return operand(0);
      case Kind::Select: return fmt::format("({} if {} else {})", operand(1), operand(0), operand(2));
      case Kind::Min: return fmt::format("the smaller of {} and {}", operand(0), operand(1));
      case Kind::Max: return fmt::format("the larger of {} and {}", operand(0), operand(1));
      case Kind::AtMost: return fmt::format("{}, at most {}", operand(0), operand(1));
      case Kind::Log: return fmt::format("the logarithm of {}", operand(0));
      case Kind::Sqrt: return fmt::format("the square root of {}", operand(0));
      case Kind::Size: return fmt::format("the size of {}", operand(0));
      case Kind::At: return fmt::format("item {} of {}", operand(1), operand(0));
      case Kind::Contains: return fmt::format("({} is in {})", operand(1), operand(0));
      case Kind::LowerBound: return fmt::format("the number of items below {} in {}", operand(1), operand(0));
      case Kind::Label: return fmt::format("the label of {}", operand(1));
      case Kind::HasEdge: return fmt::format("{} and {} are joined in {}", operand(1), operand(2), operand(0));
      case Kind::MaxDegree: return fmt::format("the maximum degree of {}", operand(0));
      case Kind::CommonNeighbors: {
        const std::string_view side = side_of(expr) == ir::Side::Lower ? "below" : "above";
        const bool all = operand(3) == "0" && operand(4) == "1";
        return fmt::format("{}the neighbors {} {} in {} that pairs of {} share",
                           all ? "" : fmt::format("part {} of {} of ", operand(3), operand(4)), side, operand(2),
                           operand(0), operand(1));
      }
      case Kind::Vertices: return fmt::format("vertices of {}", operand(0));
      case Kind::Edges: return fmt::format("edges of {}", operand(0));
      case Kind::Neighbors:
        return fmt::format("neighbors of {} {}in {}", operand(1), on_side(expr, "", "below it ", "above it "),
                           operand(0));
      case Kind::EdgeInfo: return fmt::format("edge information of {} in {}", operand(1), operand(0));
      case Kind::Intersect: return fmt::format("[{}] ∩ [{}]", operand(0), operand(1));
      case Kind::Diff: return fmt::format("[{}] \\ [{}]", operand(0), operand(1));
      case Kind::Cut: return fmt::format("{} {} {}", operand(0), ir::keyword(expr), operand(1));
      case Kind::Span: return fmt::format("items {} to {} of {}", operand(1), operand(2), operand(0));
      case Kind::Sorted: return fmt::format("{}, sorted", operand(0));
      case Kind::Keyed: {
        const std::string_view fold = keyword(static_cast<const ir::Keyed&>(expr).fold);
        return fmt::format("the {} of {} by {} key{}, as sorted rows", fold, operand(0),
                           expr.type->keys == 1 ? "one" : std::to_string(expr.type->keys),
                           expr.type->keys == 1 ? "" : "s");
      }
      case Kind::Sequence: return fmt::format("the numbers from {} below {}", operand(0), operand(1));
      case Kind::FindRow: return fmt::format("the row of {} by binary search in {}", operand(1), operand(0));
      case Kind::Flatten: return fmt::format("the items of the lists in {}", operand(0));
      case Kind::BitRows:
        return fmt::format("bits of {}neighbors in {} among {}", on_side(expr, "", "lower ", "upper "), operand(0),
                           operand(1));
      case Kind::BitRow: return fmt::format("row {} of {}", operand(1), operand(0));
      case Kind::AllBits: return fmt::format("all of {}", operand(0));
      default: break;
    }
    if (const std::string* word = label_beside(expr)) {
      return fmt::format("({} {} label `{}`)", operand(0), sign(expr.kind), *word);
    }
    if (ir::is_infix(expr.kind)) return fmt::format("({} {} {})", operand(0), sign(expr.kind), operand(1));
    std::vector<std::string> items;
    for (std::size_t i = 0; i < expr.operands.size(); ++i) items.push_back(operand(i));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }

  /// The word that a label is compared with; null if `expr` is nothing like that.
  const std::string* label_beside(const ir::Expr& expr) const {
    if (expr.kind != Kind::Eq && expr.kind != Kind::Ne) return nullptr;
    const ir::ConstInt* code = ir::as<ir::ConstInt>(expr.operands[1]);
    if (code == nullptr) return nullptr;
    if (expr.operands[0]->kind != Kind::Label) return nullptr;
    const auto found = labels_.find(code->value);
    return found == labels_.end() ? nullptr : &found->second;
  }

  const LabelNames& labels_;
  std::unordered_map<const ir::Var*, std::string> names_;
  std::set<std::string> taken_;
};

class Outline {
 public:
  explicit Outline(const LabelNames& labels) : words_(labels) {}

  std::vector<Step> run(const ir::Module& module) {
    for (const ir::Var* param : module.params) words_.name(*param);
    return block(*module.body);
  }

 private:
  std::vector<Step> block(const ir::Block& body) {
    std::vector<Step> steps;
    for (const ir::Stmt* stmt : body.body) statement(*stmt, steps);
    return steps;
  }

  Step collect(const ir::Collect& collect, std::string_view how) {
    std::vector<std::string> sinks;
    for (const ir::Sink& sink : collect.sinks) {
      kinds_[sink.var] = sink.kind;
      sinks.push_back(fmt::format("{} ({})", words_.name(*sink.var), sink_words(sink.kind)));
    }
    const std::string text = fmt::format("{}find {}:", how, fmt::join(sinks, ", "));
    return {StepKind::Find, text, &collect, block(*collect.body)};
  }

  std::string yield(const ir::Yield& yield) {
    std::vector<std::string> values;
    for (const ir::Expr* value : yield.values) values.push_back(words_.phrase(*value));
    const bool adds = kinds_[yield.sink] == ir::SinkKind::Sum;
    return fmt::format("{} {} to {}", adds ? "add" : "give", fmt::join(values, ", "), words_.name(*yield.sink));
  }

  Step loop(const ir::For& loop) {
    std::vector<std::string> lists;
    for (const ir::Expr* list : loop.lists) lists.push_back(words_.phrase(*list));
    const std::string index = loop.maybe_index == nullptr ? "" : fmt::format(" at {}", words_.name(*loop.maybe_index));
    const std::string text =
        fmt::format("for each {}{} in {}", words_.names(loop.vars), index, fmt::join(lists, ", in step with "));
    return {StepKind::Loop, text, &loop, block(*loop.body)};
  }

  void statement(const ir::Stmt& stmt, std::vector<Step>& out) {
    const auto plain = [&](StepKind kind, std::string text) { out.push_back({kind, std::move(text), &stmt}); };
    ir::match(
        stmt,
        [&](const ir::Block& s) {
          for (Step& step : block(s)) out.push_back(std::move(step));
        },
        [&](const ir::Let& s) {
          const std::string value = words_.phrase(*s.value);
          plain(StepKind::Value, fmt::format("{} is {}", words_.name(*s.var), value));
        },
        [&](const ir::For& s) { out.push_back(loop(s)); },
        [&](const ir::If& s) {
          const std::string text = fmt::format("if {}", words_.phrase(*s.cond));
          out.push_back({StepKind::If, text, &s, block(*s.then_body)});
          if (s.maybe_else != nullptr) out.push_back({StepKind::Else, "else", &s, block(*s.maybe_else)});
        },
        [&](const ir::Collect& s) { out.push_back(collect(s, "")); },
        [&](const ir::Yield& s) { plain(StepKind::Give, yield(s)); },
        [&](const ir::BuildGraph& s) {
          const std::string edges = words_.phrase(*s.edges);
          const bool by_info = s.order == ir::RowOrder::Info;
          plain(StepKind::Graph, fmt::format("build graph {} from {}, {}indexed by {}", words_.name(*s.var), edges,
                                             by_info ? "the edges of a vertex by their information, " : "",
                                             s.index == ir::GraphIndex::Csr ? "an array" : "a hash table"));
        },
        [&](const ir::Repeat& s) {
          std::vector<std::string> starts;
          for (std::size_t i = 0; i < s.vars.size(); ++i) {
            const std::string start = words_.phrase(*s.starts[i]);
            starts.push_back(fmt::format("{} from {}", words_.name(*s.vars[i]), start));
          }
          const std::string times = words_.phrase(*s.times);
          plain(StepKind::Value, fmt::format("up to {} rounds of {}:", times, fmt::join(starts, ", ")));
        },
        [&](const ir::Again& s) {
          std::vector<std::string> values;
          for (const ir::Expr* value : s.values) values.push_back(words_.phrase(*value));
          plain(StepKind::Value, fmt::format("the next round has {}{}", fmt::join(values, ", "),
                                             s.until_equal ? ", until nothing changes" : ""));
        },
        [&](const ir::Return& s) {
          std::vector<std::string> values;
          for (const ir::Expr* value : s.values) values.push_back(words_.phrase(*value));
          plain(StepKind::Result, fmt::format("the result is {}", fmt::join(values, ", ")));
        },
        [&](const ir::Region& s) {
          out.push_back(collect(*s.collect, s.schedule.parallel ? "in parallel, " : "on one thread, "));
        },
        [&](const ir::Store& s) {
          const std::string value = words_.phrase(*s.value);
          const std::string_view kept = s.var->type->is_list() ? ", stored" : ", by counters";
          plain(StepKind::Set, fmt::format("{} is {}{}", words_.name(*s.var), value, kept));
        });
  }

  Words words_;
  std::unordered_map<const ir::Var*, ir::SinkKind> kinds_;
};

void add_lines(const std::vector<Step>& steps, int indent, std::string& out) {
  for (const Step& step : steps) {
    out += fmt::format("{:{}}{}\n", "", indent * 2, step.text);
    add_lines(step.steps, indent + 1, out);
  }
}

/// The value of a capacity where the graphs tell it.
std::optional<std::int64_t> evaluate(const ir::Expr& expr, const std::map<std::string, const runtime::Graph*>& graphs) {
  const auto graph = [&](const ir::Expr& of) -> const runtime::Graph* {
    const ir::Var* var = ir::as<ir::Var>(&of);
    const auto found = var == nullptr ? graphs.end() : graphs.find(std::string(var->hint));
    return found == graphs.end() ? nullptr : found->second;
  };
  switch (expr.kind) {
    case Kind::ConstInt: return static_cast<const ir::ConstInt&>(expr).value;
    case Kind::MaxDegree: {
      const runtime::Graph* of = graph(*expr.operands[0]);
      if (of == nullptr) return std::nullopt;
      return static_cast<std::int64_t>(of->view().max_degree);
    }
    case Kind::Size: {
      const ir::Expr& list = *expr.operands[0];
      const runtime::Graph* of = list.operands.empty() ? nullptr : graph(*list.operands[0]);
      if (of == nullptr) return std::nullopt;
      if (list.kind == Kind::Vertices) return static_cast<std::int64_t>(of->vertex_count());
      if (list.kind == Kind::Edges) return static_cast<std::int64_t>(of->view().arc_count);
      return std::nullopt;
    }
    case Kind::Add:
    case Kind::Mul:
    case Kind::Min:
    case Kind::Max: {
      const std::optional<std::int64_t> a = evaluate(*expr.operands[0], graphs);
      const std::optional<std::int64_t> b = evaluate(*expr.operands[1], graphs);
      if (!a || !b) return std::nullopt;
      if (expr.kind == Kind::Min) return std::min(*a, *b);
      if (expr.kind == Kind::Max) return std::max(*a, *b);
      std::int64_t value = 0;
      const bool overflow =
          expr.kind == Kind::Add ? __builtin_add_overflow(*a, *b, &value) : __builtin_mul_overflow(*a, *b, &value);
      return overflow ? std::nullopt : std::optional<std::int64_t>(value);
    }
    default: return std::nullopt;
  }
}

std::uint64_t scalar_bytes(const ir::Type& type) {
  switch (type.scalar) {
    case ir::ScalarKind::Bool: return 1;
    case ir::ScalarKind::Vid: return 4;
    case ir::ScalarKind::I128: return 16;
    case ir::ScalarKind::I64:
    case ir::ScalarKind::F64: break;
  }
  return 8;
}

}  // namespace

LabelNames label_names(const ir::Module& module,
                       const std::function<std::optional<std::int64_t>(std::string_view)>& code) {
  LabelNames names;
  std::int64_t next = 0;
  for (const std::string_view word : ir::label_words(module)) {
    --next;
    names.emplace(code ? code(word).value_or(next) : next, word);
  }
  return names;
}

std::vector<Step> steps_of(const ir::Module& module, const LabelNames& labels) { return Outline(labels).run(module); }

std::string outline(const std::vector<Step>& steps) {
  std::string out;
  add_lines(steps, 0, out);
  return out;
}

std::vector<PlannedBuffer> memory_plan(const ir::Module& module,
                                       const std::map<std::string, const runtime::Graph*>& graphs) {
  std::vector<PlannedBuffer> plan;
  const LabelNames no_labels;
  Words words(no_labels);
  for (const ir::Var* param : module.params) words.name(*param);
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    const ir::Region* region = ir::as<ir::Region>(&stmt);
    if (region == nullptr) return;
    for (const ir::Buffer& buffer : region->buffers) {
      PlannedBuffer planned;
      planned.name = words.name(*buffer.var);
      planned.capacity = words.phrase(*buffer.capacity);
      for (const ir::Type* column : buffer.var->type->columns) planned.item_bytes += scalar_bytes(*column);
      planned.items = evaluate(*buffer.capacity, graphs);
      plan.push_back(std::move(planned));
    }
  });
  return plan;
}

}  // namespace matcha::session
