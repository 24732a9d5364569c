#include "codegen/cpp/cpp.h"

#include <fmt/format.h>

#include "codegen/c_family/emitter.h"
#include "cpp_texts.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;
using ir::ScalarKind;
using ir::SinkKind;

namespace {

/// In the order in which they build on one another.
constexpr std::string_view kTexts[] = {
    "runtime/common/prelude.h", "runtime/common/atomics.h",        "runtime/common/task_queue.h",
    "runtime/common/group.h",   "runtime/common/launch.h",         "runtime/common/task_walk.h",
    "runtime/common/checked.h", "runtime/common/set_operations.h", "runtime/common/worker.h",
    "codegen/cpp/host.h",       "codegen/cpp/host_run.h",
};

/// The text of a header without what ties it to its place: `#pragma once` and includes of our own files, which are
/// replaced by the files themselves when they are not in `kTexts`.
std::string standalone(std::string_view path) {
  std::string result;
  std::string_view text = cpp_texts::embedded_text(path);
  MATCHA_CHECK(text.data() != nullptr, "an embedded text");
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == "#include \"runtime/common/exact_sum.h\"") {
      result += standalone("runtime/common/exact_sum.h");
    } else if (!line.starts_with("#pragma once") && !line.starts_with("#include \"")) {
      result.append(line).append("\n");
    }
  }
  return result;
}

class ProgramEmitter {
 public:
  ProgramEmitter(const ir::Module& module, Diagnostics& diagnostics)
      : module_(module), diagnostics_(diagnostics), facts_(module), expressions_(facts_, names_) {}

  std::optional<std::string> run() {
    emitted_ = emit_workers(module_, Spelling{"static"}, names_);
    expressions_.set_in_region(true);
    std::size_t errors = diagnostics_.error_count();
    out_.line(fmt::format("// {}: made by `matcha build --emit=cpp`.", module_.name));
    out_.line("//   g++ -O3 -std=c++20 -pthread THIS.cpp -o program && ./program GRAPH.mtg");
    for (std::string_view text : kTexts) out_.raw(standalone(text));
    out_.blank();
    out_.line("namespace matcha_program {");
    out_.blank();
    out_.raw(emitted_.text);
    out_.blank();
    steps();
    out_.blank();
    out_.line("}  // namespace matcha_program");
    out_.blank();
    out_.raw(standalone("codegen/cpp/main.h"));
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

  void steps() {
    out_.open("static void run_program(Host& host, Result& result)");
    out_.line("Frame f{};");
    out_.line("Graph graph{};");
    out_.line("Shared shared{};");
    parameters();
    out_.line("const Launch launch = host.top_launch(shared);");
    out_.line("const Worker w(launch, 0);");
    for (const ir::Stmt* stmt : module_.body->body) {
      ir::match(
          *stmt, [&](const ir::Let& s) { let(s); }, [&](const ir::BuildGraph& s) { build(s); },
          [&](const ir::Region& s) { region(s); }, [&](const ir::Return& s) { results(s); },
          [](const ir::Stmt&) { MATCHA_UNREACHABLE("a step of stage kernel"); });
      if (stmt->kind != Kind::Return) out_.line("host.check(shared);");
    }
    out_.close();
  }

  void parameters() {
    const ir::Var* bound = nullptr;
    for (const ir::Var* param : module_.params) {
      bool edges = param->type->is_list() && param->type->columns.size() == 2 &&
                   param->type->columns[0]->is_scalar(ScalarKind::Vid) &&
                   param->type->columns[1]->is_scalar(ScalarKind::Vid);
      if (param->type->is_scalar()) {
        out_.line(fmt::format("{} = host.parameter<{}>(\"{}\");", member(param), Expressions::type(param->type),
                              param->hint));
      } else if ((param->type->is_graph() || edges) && bound == nullptr) {
        bound = param;
        out_.line("graph = host.map_graph(host.settings().graph);");
        out_.line("host.use_ids(graph);");
        out_.line(fmt::format("{} = {};", member(param), edges ? "edges(graph)" : "graph"));
      } else {
        diagnostics_.error(
            DiagId::AheadOfTimeParam, param->loc,
            fmt::format("parameter `{}` cannot be bound by a program that is compiled ahead of time", param->hint),
            "such a program takes one graph or edge list, and scalars");
      }
    }
  }

  void let(const ir::Let& s) {
    bool set = s.value->kind == Kind::Intersect || s.value->kind == Kind::Diff || s.value->kind == Kind::Sorted;
    std::string value;
    if (set) {
      std::string size = fmt::format("{}.size", expressions_.text(s.value->operands[0], Precedence::Primary));
      value = expressions_.set_operation(s.value, fmt::format("host.room<{}>({})", columns(s.var->type), size));
    } else {
      value = expressions_.text(s.value);
      if (s.var->type->is_list()) value = fmt::format("host.list({})", value);
    }
    out_.line(fmt::format("{} = {};", member(s.var), value));
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
    out_.line(fmt::format("{} = host.build_graph({}, {}, {}, graph);", member(s.var), expressions_.text(s.edges), info,
                          labels));
  }

  static std::string form(const ir::Sink& sink) {
    bool real = sink.var->type->is_scalar(ScalarKind::F64);
    switch (sink.kind) {
      case SinkKind::Sum: return real ? "SumFloat" : "SumInt";
      case SinkKind::Min: return real ? "MinFloat" : "MinInt";
      case SinkKind::Max: return real ? "MaxFloat" : "MaxInt";
      case SinkKind::Any: return "Any";
      case SinkKind::All: return "All";
      case SinkKind::List: return "Rows";
    }
    MATCHA_UNREACHABLE("a sink kind");
  }

  /// What the frame gets from sink `i` of a region's values `v`.
  std::string sink_value(const ir::Sink& sink, std::size_t i, const ir::Stmt& place) {
    std::string type = Expressions::type(sink.var->type);
    std::string at = fmt::format("{}, {}", place.loc.line, place.loc.column);
    switch (sink.kind) {
      case SinkKind::Sum:
        if (sink.var->type->is_scalar(ScalarKind::F64)) return fmt::format("float_of(v, {})", i);
        if (sink.var->type->is_scalar(ScalarKind::I128)) return fmt::format("sum_of(v, {})", i);
        return fmt::format("w.narrow(sum_of(v, {}), {})", i, at);
      case SinkKind::Min:
      case SinkKind::Max: return fmt::format("w.best(best_of<{}>(v, {}), {})", type, i, at);
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

  void region(const ir::Region& s) {
    const EmittedRegion& entry = emitted_.regions[next_region_++];
    out_.line("{");
    out_.line("  RegionPlan plan{};");
    out_.line(fmt::format("  plan.positions = {};", positions(entry)));
    out_.line(fmt::format("  plan.split = {};", s.schedule.split + 1));
    for (const ir::Sink& sink : s.collect->sinks) {
      out_.line(
          fmt::format("  plan.sinks.push_back({{SinkForm::{}, {}}});", form(sink), sink.var->type->columns.size()));
    }
    for (const ir::Buffer& buffer : s.buffers) {
      out_.line(fmt::format("  plan.buffers.push_back({{u64({}), sizeof({})}});", expressions_.text(buffer.capacity),
                            columns(buffer.var->type)));
    }
    out_.line(
        fmt::format("  const RegionValues v = host.run_region(plan, [&](Worker& worker, const Task& task) {{ {}(f, "
                    "worker, task); }});",
                    entry.function));
    for (std::size_t i = 0; i < s.collect->sinks.size(); ++i) {
      const ir::Sink& sink = s.collect->sinks[i];
      out_.line(fmt::format("  {} = {};", member(sink.var), sink_value(sink, i, s)));
    }
    out_.line("}");
  }

  std::string positions(const EmittedRegion& entry) {
    if (entry.outer == nullptr) return "1";
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
      if (value->type->is_list()) {
        out_.line(fmt::format("result.list(texts_of(w, host.list({})));", text));
      } else if (value->type->is_scalar(ScalarKind::Vid)) {
        out_.line(fmt::format("result.value(text_of(w.original_id({})));", text));
      } else {
        out_.line(fmt::format("result.value(text_of({}));", text));
      }
    }
    out_.line("host.check(shared);");
  }

  const ir::Module& module_;
  Diagnostics& diagnostics_;
  ir::Facts facts_;
  Names names_;
  Expressions expressions_;
  TextWriter out_;
  Emitted emitted_;
  std::size_t next_region_ = 0;
};

}  // namespace

std::optional<std::string> emit_cpp(const ir::Module& module, Diagnostics& diagnostics) {
  return ProgramEmitter(module, diagnostics).run();
}

}  // namespace matcha::codegen
