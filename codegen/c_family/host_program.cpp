#include "codegen/c_family/host_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/c_family/frame.h"
#include "codegen/c_family/prologue.h"
#include "codegen/c_family/schedule.h"
#include "codegen/c_family/text_writer.h"
#include "codegen/host/host_plan.h"
#include "ir/analysis/spine.h"
#include "ir/check.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;
using ir::ScalarKind;
using ir::SinkKind;

namespace {

/// Texts of the host that read and keep the inputs, in the order of their dependencies.
constexpr std::string_view kHostTexts[] = {
    "runtime/common/machine.h",         "codegen/c_family/host/assumed.h",  "codegen/c_family/host/kernels.h",
    "codegen/c_family/host/end_sums.h", "codegen/c_family/host/rounds.h",   "codegen/c_family/host/host.h",
    "codegen/c_family/host/graph.h",    "codegen/c_family/host/slices.h",   "codegen/c_family/host/inputs.h",
    "codegen/c_family/host/result.h",   "codegen/c_family/host/schedule.h", "codegen/c_family/host/sinks.h",
};

class HostEmitter {
 public:
  HostEmitter(const ir::Module& module, const AheadOfTime& about, const Emitted& emitted, Names& names,
              const RegionCall& call, Diagnostics& diagnostics)
      : module_(module),
        about_(about),
        emitted_(emitted),
        names_(names),
        call_(call),
        diagnostics_(diagnostics),
        plan_(module),
        facts_(module),
        expressions_(facts_, names_) {}

  std::optional<std::string> run() {
    expressions_.set_in_region(true);
    std::size_t errors = diagnostics_.error_count();
    out_.line("namespace matcha_program {");
    out_.blank();
    out_.line(fmt::format("inline const std::string kProgram = {};", quoted(about_.program)));
    out_.line(fmt::format("inline const std::string kEntry = {};", quoted(about_.entry)));
    out_.line(fmt::format("inline constexpr u64 kSteal = {};", stealing_name(schedule_of(module_).steal)));
    out_.blank();
    parameters();
    out_.blank();
    steps();
    out_.blank();
    out_.line("}  // namespace matcha_program");
    out_.blank();
    out_.raw(standalone_text("codegen/c_family/host/main.h"));
    if (diagnostics_.error_count() != errors) return std::nullopt;
    return out_.take();
  }

 private:
  std::string member(const ir::Var* var) { return "f." + names_.of(var); }

  static std::string columns(const ir::Type* type) {
    std::string text = Expressions::type(type).substr(5);
    text.pop_back();
    return text;
  }

  /// As a string literal; bytes that are no plain characters are octal, which ends after three digits.
  static std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
      bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
      out += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    return out + '"';
  }

  void steps() {
    out_.open("static void run_program(Host& host, Frame& f, Result& result)");
    out_.line("Shared shared{};");
    out_.line("const Launch launch = host.top_launch(shared);");
    out_.line("TaskState state;");
    out_.line("const Worker w(launch, 0, state);");
    if (about_.tuple_result) out_.line("result.tuple();");
    for (const host::Step& next : plan_.steps) {
      std::visit([&](const auto& s) { step(s); }, next);
      out_.line("host.check(shared);");
    }
    out_.close();
  }

  static std::string column_letters(const ir::Type* type) {
    std::string letters;
    for (const ir::Type* column : type->columns) {
      letters += column->is_scalar(ScalarKind::Vid)   ? 'v'
                 : column->is_scalar(ScalarKind::I64) ? 'i'
                 : column->is_scalar(ScalarKind::F64) ? 'f'
                                                      : 'b';
    }
    return letters;
  }

  static std::string constant(const AheadOfTime::Scalar& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const double* number = std::get_if<double>(&value)) return fmt::format("{:a}", *number);
    return fmt::format("i64({}ull)", static_cast<std::uint64_t>(std::get<std::int64_t>(value)));
  }

  bool reads_edge_info() const {
    return std::ranges::any_of(plan_.graphs, [](const auto& read) { return read.second.edge_info != nullptr; });
  }

  /// The assumptions of the module, as the last argument of `bind`.
  std::string assumed() const {
    std::string list = about_.needs_arcs ? "{Assumed::Arcs, 0, \"directed\", \"it has arcs\"}" : "";
    if (about_.needs_symmetry) {
      constexpr ir::AssumptionKind kBoth = ir::AssumptionKind::Symmetric;
      list += fmt::format("{}{{Assumed::{}, 0, \"{}\", \"{}\"}}", list.empty() ? "" : ", ", kind_name(kBoth),
                          ir::property(kBoth, 0), ir::meaning(kBoth, 0));
    }
    for (const ir::Assumption& assumption : module_.assumptions) {
      ir::Assumption each = assumption;
      // A slice by label is as simple as its arcs; it inherits the other properties of its graph.
      const auto place = std::ranges::find(module_.params, each.var) - module_.params.begin();
      const bool of_slice = static_cast<std::size_t>(place) >= about_.defaults.size();
      if (of_slice && each.kind == ir::AssumptionKind::Simple) each.kind = ir::AssumptionKind::LoopFree;
      list += fmt::format("{}{{Assumed::{}, {}, \"{}\", \"{}\"}}", list.empty() ? "" : ", ", kind_name(each.kind),
                          each.limit, ir::property(each.kind, each.limit), ir::meaning(each.kind, each.limit));
    }
    return list;
  }

  static std::string_view kind_name(ir::AssumptionKind kind) {
    switch (kind) {
      case ir::AssumptionKind::Symmetric: return "Symmetric";
      case ir::AssumptionKind::LoopFree: return "LoopFree";
      case ir::AssumptionKind::Simple: return "Simple";
      case ir::AssumptionKind::Labelled: return "Labelled";
      case ir::AssumptionKind::Degree: return "Degree";
      case ir::AssumptionKind::LowerDegree: return "LowerDegree";
      case ir::AssumptionKind::UpperDegree: return "UpperDegree";
    }
    MATCHA_UNREACHABLE("a kind of assumption");
  }

  std::string slice(const AheadOfTime::Slice& s) {
    std::string label;
    if (const std::int64_t* number = std::get_if<std::int64_t>(&s.label))
      label = constant(AheadOfTime::Scalar(*number));
    if (const std::string* word = std::get_if<std::string>(&s.label))
      label = fmt::format("host.label({})", quoted(*word));
    if (s.label_param) label = member(module_.params[*s.label_param]);
    if (label.empty()) return "host.backwards()";
    return fmt::format("host.slice({}, {})", label, s.backwards);
  }

  void parameters() {
    out_.open("static void bind_parameters(Host& host, Frame& f)");
    const ir::Var* graph = nullptr;
    std::string lists;
    const std::size_t first_slice = module_.params.size() - about_.label_words.size() - about_.slices.size();
    for (const ir::Var* param : module_.params.first(first_slice)) {
      if (param->type->is_list()) {
        lists += fmt::format("{}{{{}, \"{}\"}}", lists.empty() ? "" : ", ", quoted(param->hint),
                             column_letters(param->type));
      }
      if (!param->type->is_graph()) continue;
      if (graph != nullptr) {
        diagnostics_.error(
            DiagId::AheadOfTimeParam, param->loc,
            fmt::format("`{}` is a second graph, and a program that is compiled ahead of time takes one", param->hint),
            fmt::format("the first is `{}`; take a list of edges and use `mk_graph`", graph->hint));
      }
      graph = param;
    }
    out_.line(fmt::format("host.bind({}, {{{}}}, {{{}}});", graph == nullptr ? "\"\"" : quoted(graph->hint), lists,
                          assumed()));
    std::size_t own = module_.params.size() - about_.label_words.size();
    for (std::size_t i = 0; i < module_.params.size(); ++i) {
      const ir::Var* param = module_.params[i];
      std::string name = quoted(param->hint);
      std::string value = "host.graph()";
      if (i < own && i >= first_slice) {
        value = slice(about_.slices[i - first_slice]);
      } else if (i >= own) {
        value = fmt::format("host.label({})", quoted(about_.label_words[i - own]));
      } else if (param->type->is_list()) {
        value = fmt::format("host.input<{}>({})", columns(param->type), name);
      } else if (param->type->is_scalar()) {
        std::string type = Expressions::type(param->type);
        bool optional = i < about_.defaults.size() && about_.defaults[i].has_value();
        value = fmt::format("host.parameter<{}>({}{})", type, name,
                            optional ? fmt::format(", {}({})", type, constant(*about_.defaults[i])) : "");
      }
      out_.line(fmt::format("{} = {};", member(param), value));
    }
    out_.line("host.end_parameters();");
    out_.close();
  }

  void step(const ir::Let* s) { let(*s); }
  void step(const ir::BuildGraph* s) { build(*s); }
  void step(const host::RegionStep& s) { region(s); }
  void step(const ir::Repeat* s) { repeat(*s); }
  void step(const ir::Again* s) { again(*s); }
  void step(const ir::Return* s) { results(*s); }

  void let(const ir::Let& s) {
    const bool range = s.value->kind == Kind::Sequence;
    bool set = ir::walks(s.value->kind) || range;
    std::string value;
    if (set) {
      std::string first = expressions_.text(s.value->operands[0], Precedence::Primary);
      std::string size = range ? fmt::format("range_size({}, {})", first, expressions_.text(s.value->operands[1]))
                               : fmt::format("{}.size", first);
      value = expressions_.set_operation(s.value, fmt::format("host.room<{}>({})", columns(s.var->type), size));
    } else {
      value = expressions_.text(s.value);
      if (s.var->type->is_list()) value = fmt::format("host.list({})", value);
    }
    out_.line(fmt::format("{} = {};", member(s.var), value));
  }

  std::string round_value(const ir::Expr& value) {
    const std::string text = expressions_.text(&value);
    return value.type->is_list() ? fmt::format("host.list({})", text) : text;
  }

  /// The values of a round. Lists are kept until the end of the program.
  void repeat(const ir::Repeat& s) {
    repeat_ = &s;
    for (std::size_t i = 0; i < s.vars.size(); ++i)
      out_.line(fmt::format("{} = {};", member(s.vars[i]), round_value(*s.starts[i])));
    out_.open(fmt::format("for (i64 round = 1, rounds = {};; ++round)", expressions_.text(s.times)));
  }

  void again(const ir::Again& s) {
    std::string same;
    for (std::size_t i = 0; i < s.vars.size(); ++i) {
      out_.line(
          fmt::format("const {} next_{} = {};", Expressions::type(s.vars[i]->type), i, round_value(*s.values[i])));
      same += fmt::format("{}same_bits({}, next_{})", same.empty() ? "" : " && ", member(repeat_->vars[i]), i);
    }
    out_.line(fmt::format("const bool last = {};", s.until_equal ? same : "round >= rounds"));
    out_.line(fmt::format("if (!last && round >= rounds) w.trap(kNoFixedPoint, {}, {});", s.loc.line, s.loc.column));
    out_.line("host.check(shared);");
    for (std::size_t i = 0; i < s.vars.size(); ++i) {
      const std::string state = member(repeat_->vars[i]);
      if (s.until_equal) out_.line(fmt::format("{} = next_{};", member(s.vars[i]), i));
      if (!s.until_equal) out_.line(fmt::format("{} = rounds < 1 ? {} : next_{};", member(s.vars[i]), state, i));
      out_.line(fmt::format("{} = next_{};", state, i));
    }
    out_.line("if (last) break;");
    out_.close();
  }

  void build(const ir::BuildGraph& s) {
    std::string labels = s.maybe_labels != nullptr ? expressions_.text(s.maybe_labels) : "List<u32, i64>{}";
    std::string info = "nullptr";
    if (s.maybe_info != nullptr) {
      std::string list = expressions_.text(s.maybe_info);
      out_.line(fmt::format("w.same_length({}.size, {}.size, {}, {});", expressions_.text(s.edges), list, s.loc.line,
                            s.loc.column));
      info = fmt::format("host.words({})", list);
    }
    out_.line(fmt::format("{} = host.build_graph({}, {}, {}, host.graph(){});", member(s.var),
                          expressions_.text(s.edges), info, labels, s.order == ir::RowOrder::Info ? ", true" : ""));
  }

  /// The value that the frame gets from sink `i` of a region's values `v`.
  std::string sink_value(const ir::Sink& sink, std::size_t i, const ir::Stmt& place) {
    std::string type = Expressions::type(sink.var->type);
    std::string at = fmt::format("{}, {}", place.loc.line, place.loc.column);
    switch (sink.kind) {
      case SinkKind::Sum:
        if (sink.var->type->is_scalar(ScalarKind::F64)) return fmt::format("float_of(v, {})", i);
        if (sink.var->type->is_scalar(ScalarKind::I128)) return fmt::format("sum_of(v, {})", i);
        return fmt::format("w.narrow(sum_of(v, {}), {})", i, at);
      case SinkKind::Min:
      case SinkKind::Max: return fmt::format("best_of<{}>(v, {})", accumulator_type(sink), i);
      case SinkKind::Any:
      case SinkKind::All: return fmt::format("v.slots[{}].low != 0", i);
      case SinkKind::List: break;
    }
    std::string size = fmt::format("v.rows[{}][0].size()", i);
    std::string text;
    for (std::size_t column = sink.var->type->columns.size(); column-- > 0;) {
      std::string item = Expressions::type(sink.var->type->columns[column]);
      text = fmt::format("{{column_of<{}>(host, v, {}, {}), {}{}}}", item, i, column, size,
                         text.empty() ? "" : ", " + text);
    }
    return type + text;
  }

  void region(const host::RegionStep& planned) {
    const ir::Region& s = *planned.region;
    const EmittedRegion& entry = emitted_.regions[next_region_++];
    out_.line("{");
    out_.line("  RegionPlan plan{};");
    out_.line(fmt::format("  plan.parallel = {};", entry.outer != nullptr));
    out_.line(fmt::format("  plan.positions = {};", positions(entry)));
    out_.line(fmt::format("  plan.split = {};", s.schedule.split));
    if (entry.dealt_graph != nullptr)
      out_.line(fmt::format("  plan.dealt_graph = &{};", expressions_.text(entry.dealt_graph, Precedence::Primary)));
    if (entry.lanes_level < ir::kSpineLevels) out_.line(fmt::format("  plan.lanes_level = {};", entry.lanes_level));
    if (entry.light_arcs) out_.line("  plan.light_arcs = true;");
    if (s.schedule.stack == ir::Stack::Paged) out_.line("  plan.paged = true;");
    for (std::size_t i = 0; i < planned.sinks.size(); ++i) {
      out_.line(fmt::format("  plan.sinks.push_back({{SinkForm::{}, {}}});", host::name(planned.sinks[i]),
                            s.collect->sinks[i].var->type->columns.size()));
    }
    for (const host::BufferPlan& buffer : planned.buffers) out_.line("  " + buffer_needs(buffer));
    if (s.schedule.shared_rows != 0) {
      out_.line(fmt::format("  plan.shared_rows = {};", s.schedule.shared_rows));
      out_.line(fmt::format("  plan.bit_loops = {};", entry.bit_loops));
    }
    for (const ir::Buffer& buffer : s.buffers) {
      if (s.schedule.shared_rows == 0 || !buffer.var->type->is_bit_rows()) continue;
      out_.line(fmt::format("  plan.row_items = larger(plan.row_items, u64({}));", expressions_.text(buffer.capacity)));
    }
    for (const std::string& line : call_(entry, names_)) out_.line("  " + line);
    for (std::size_t i = 0; i < s.collect->sinks.size(); ++i) {
      const ir::Sink& sink = s.collect->sinks[i];
      out_.line(fmt::format("  {} = {};", member(sink.var), sink_value(sink, i, s)));
    }
    out_.line("}");
  }

  /// The memory needs of a buffer, as an expression of the emitted program.
  std::string buffer_needs(const host::BufferPlan& plan) {
    if (plan.form == host::BufferForm::Counters)
      return "plan.buffers.push_back({host.graph().universe, sizeof(u32), true, true});";
    std::string items = fmt::format("u64({})", expressions_.text(plan.buffer->capacity));
    if (plan.form == host::BufferForm::Bits) items = fmt::format("words_for({})", items);
    if (plan.form == host::BufferForm::BitRows) items = fmt::format("row_words({})", items);
    const ir::Type& type = plan.type();
    const bool column = plan.form == host::BufferForm::Items && type.columns.size() == 1;
    const std::string bytes =
        column ? fmt::format("sizeof({})", Expressions::type(type.columns[0])) : std::to_string(plan.item_bytes);
    return fmt::format("plan.buffers.push_back({{{}, {}, {}}});", items, bytes, plan.form != host::BufferForm::Items);
  }

  std::string positions(const EmittedRegion& entry) {
    if (entry.outer == nullptr) return "1";
    if (entry.arcs_graph != nullptr)
      return fmt::format("{}.arc_count", expressions_.text(entry.arcs_graph, Precedence::Primary));
    std::string size = fmt::format("u64({}.size)", expressions_.text(entry.outer->lists[0], Precedence::Primary));
    for (std::size_t i = 1; i < entry.outer->lists.size(); ++i) {
      size = fmt::format("w.same_length({}, u64({}.size), {}, {})", size,
                         expressions_.text(entry.outer->lists[i], Precedence::Primary), entry.outer->loc.line,
                         entry.outer->loc.column);
    }
    return size;
  }

  void results(const ir::Return& s) {
    for (const ir::Expr* value : s.values) {
      std::string text = expressions_.text(value);
      out_.line(value->type->is_list() ? fmt::format("result.list(w, host.list({}));", text)
                                       : fmt::format("result.value(w, {}({}));", Expressions::type(value->type), text));
    }
  }

  const ir::Module& module_;
  const AheadOfTime& about_;
  const Emitted& emitted_;
  Names& names_;
  const RegionCall& call_;
  Diagnostics& diagnostics_;
  host::Plan plan_;
  ir::Facts facts_;
  Expressions expressions_;
  TextWriter out_;
  const ir::Repeat* repeat_ = nullptr;  ///< The open one.
  std::size_t next_region_ = 0;
};

}  // namespace

std::string host_prologue(std::initializer_list<std::string_view> runners) {
  std::string result = worker_prologue();
  for (std::string_view path : kHostTexts) result += standalone_text(path);
  for (std::string_view path : runners) result += standalone_text(path);
  return result;
}

std::optional<std::string> emit_host(const ir::Module& module, const AheadOfTime& about, const Emitted& emitted,
                                     Names& names, const RegionCall& call, Diagnostics& diagnostics) {
  return HostEmitter(module, about, emitted, names, call, diagnostics).run();
}

std::string program_line(const AheadOfTime& about, std::string_view emit) {
  std::string file = about.program;
  std::replace(file.begin(), file.end(), '\n', ' ');
  return fmt::format("// {} of {}, made by `matcha build --emit={}`.", about.entry, file, emit);
}

}  // namespace matcha::codegen
