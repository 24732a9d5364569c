#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/errors.h"
#include "api/handles.h"
#include "frontend/asg.h"
#include "frontend/ast.h"
#include "ir/printer.h"
#include "question/query/query.h"
#include "session/doctor.h"
#include "session/explanation.h"
#include "session/message_log.h"
#include "session/pictures/draw_pattern.h"
#include "session/query/answer.h"
#include "session/query_request.h"
#include "session/targets.h"

/// Facts about programs and about the machine.

namespace matcha::api {

namespace {

using session::Compilation;
using session::Status;

std::string doc_of(const frontend::Program& program) {
  const std::string_view entry = program.entry != nullptr ? program.entry->doc : std::string_view();
  return std::string(entry.empty() && program.main != nullptr ? program.main->doc : entry);
}

/// Columns of the lists that the program takes.
std::map<std::string, std::vector<matcha_kind>, std::less<>> lists_of(const Compilation& compilation) {
  std::map<std::string, std::vector<matcha_kind>, std::less<>> lists;
  for (std::size_t at = 0; at < compilation.graph().params.size(); ++at) {
    const frontend::asg::Param& param = compilation.graph().params[at];
    if (!param.type->is_list()) continue;
    std::vector<matcha_kind>& columns = lists[param.name];
    for (const ir::Type* column : compilation.loop().params[at]->type->columns) {
      columns.push_back(column->is_scalar(ir::ScalarKind::Vid)    ? MATCHA_VERTEX
                        : column->is_scalar(ir::ScalarKind::F64)  ? MATCHA_FLOAT
                        : column->is_scalar(ir::ScalarKind::Bool) ? MATCHA_BOOL
                                                                  : MATCHA_INT);
    }
  }
  return lists;
}

/// Runs the compiler up to the stage. `known`: receives false if there is no such stage.
Status stage_of(Compilation& compilation, const std::string& stage, std::string& text, bool& known) {
  if (stage == "source") {
    text = compilation.text();
    return Status::Ok;
  }
  Status status = compilation.check();
  if (status != Status::Ok) return status;
  if (stage == "ast") {
    text = frontend::print_ast(compilation.program());
    return status;
  }
  if (stage == "asg") {
    text = frontend::asg::print(compilation.graph());
    return status;
  }
  status = compilation.lower();
  if (status != Status::Ok) return status;
  if (stage == "ir") {
    text = ir::print(compilation.loop());
    return status;
  }
  const session::Target* const text_of = session::target_of_text(stage);
  known = stage == "kernel" || (text_of != nullptr && stage != "ptx");
  if (!known) return status;
  const session::Target& target = text_of != nullptr ? *text_of : session::target_named("llvm");
  session::TargetSettings settings;
  if (target.ahead_of_time) settings.about = compilation.ahead_of_time();
  compilation.set_target(target.info(settings));
  status = compilation.run_passes(target.pipeline, passes::LabelWords{}, {});
  if (status != Status::Ok) return status;
  if (text_of != nullptr) return compilation.emit(*target.make(settings), text);
  text = ir::print(compilation.pipeline().module);
  return status;
}

/// The text of a program or a pattern at a stage.
Status emit(const session::ProgramRequest& request, const std::string& stage, std::string& text, bool& known,
            std::string& errors) {
  const session::MessageLog log;
  Status status = Status::Ok;
  Compilation compilation(request.compile, log);
  session::PatternSource pattern(request.pattern, log);
  if (request.pattern.text.empty()) {
    compilation.take(request.text);
  } else {
    status = pattern.read();
    if (status == Status::Ok && stage == "svg") {
      text = session::pattern_svg(pattern.set().patterns);
      return status;
    }
    if (status == Status::Ok) status = pattern.write(request.matches, pattern::typical_graph());
    if (status == Status::Ok) compilation.take(pattern.program().text);
  }
  if (status == Status::Ok) status = stage_of(compilation, stage, text, known);
  errors = log.text();
  return status;
}

/// Explains a program on a thread that the caller may abandon.
matcha_status explain_as_task(const std::shared_ptr<SharedProgram>& program,
                              const std::shared_ptr<session::ResidentGraph>& graph, const matcha_options& options,
                              std::string& json, std::string& errors) {
  struct Explained {
    std::string json;
    Found found;
  };
  const auto task = std::make_shared<Task>(options.deadline(), options.maybe_cancel_token);
  const auto explained = std::make_shared<Explained>();
  Task::start(task, [task = task.get(), explained, program, graph, threads = options.threads] {
    explained->found = guarded(*task, [&] {
      Found out;
      session::ExplainRun how;
      how.threads = threads;
      how.maybe_stop = &task->stop();
      how.deadline = task->deadline();
      session::Explanation found;
      out.status =
          status_of(session::Prepared::explain(program->request(), graph, on_reading_thread, how, out.errors, found));
      explained->json = session::plan_json(found).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      return out;
    });
  });
  task->wait();
  const Task::End end = task->end();
  if (end == Task::End::Cancelled || task->why() == Task::End::Cancelled) return MATCHA_CANCELLED;
  if (end == Task::End::TimedOut) return MATCHA_TIMEOUT;
  json = std::move(explained->json);
  errors = std::move(explained->found.errors);
  return explained->found.status;
}

}  // namespace

char* copy_of(const std::string& text) {
  char* const made = new char[text.size() + 1];
  std::memcpy(made, text.c_str(), text.size() + 1);
  return made;
}

void take_query(session::ProgramRequest& request, ProgramFacts& facts) {
  const std::optional<query::Query> query = session::take_query(request);
  if (!query) return;
  using query::Answer;
  nlohmann::ordered_json summary;
  summary["answer"] = query->answer == Answer::Count ? "count" : query->answer == Answer::Rows ? "rows" : "exists";
  if (query->maybe_statement != nullptr) {
    facts.maybe_statement = query->maybe_statement;
    summary["answer"] = session::statement::is_count(*query->maybe_statement) ? "count" : "rows";
    summary["statement"] = true;
    facts.query = summary.dump();
    return;
  }
  if (query->limit) summary["limit"] = *query->limit;
  const std::vector<bool> are_labels = session::label_columns(*query);
  for (std::size_t c = 0; c < are_labels.size(); ++c) {
    if (are_labels[c]) summary["labels"].push_back(query->headings[c]);
  }
  facts.query = summary.dump();
}

Status check(const session::ProgramRequest& request, std::string& errors, ProgramFacts& facts) {
  const session::MessageLog log;
  Status status = Status::Ok;
  if (facts.maybe_statement != nullptr) {
    facts.signature = session::statement::kMeaningInMemory;
    facts.names = session::statement::names_of(*facts.maybe_statement);
    facts.vertices = "[]";
    status = session::statement::InMemory(request, *facts.maybe_statement).check(log);
  } else if (request.pattern.text.empty()) {
    Compilation compilation(request.compile, log);
    compilation.take(request.text);
    status = compilation.check();
    if (status == Status::Ok) status = compilation.lower();
    if (status == Status::Ok) {
      facts.gives_list = compilation.graph().result->type->is_list();
      facts.signature = to_string(compilation.signature());
      facts.doc = doc_of(compilation.program());
      if (!facts.gives_list) facts.names = compilation.row_names();
      facts.lists = lists_of(compilation);
    }
  } else {
    session::PatternSource pattern(request.pattern, log);
    status = pattern.read();
    facts.gives_list = request.matches;
    if (status == Status::Ok) {
      facts.signature = pattern.semantics(request.matches);
      facts.names = request.matches || !request.pattern.per.empty() ? pattern.vertex_names() : pattern.count_names();
      nlohmann::ordered_json named = nlohmann::ordered_json::array();
      for (const pattern::ConstantUse& use : pattern.set().constants) {
        const bool quoted = use.literal.front() == '\'';
        named.push_back(quoted ? use.literal.substr(1, use.literal.size() - 2) : use.literal);
      }
      facts.vertices = named.dump();
      if (!pattern.variables().empty()) facts.are_labels = pattern.label_columns();
      for (const pattern::Pattern& one : pattern.set().patterns) facts.edges.push_back(to_text(one));
    }
  }
  errors = log.text();
  return status;
}

}  // namespace matcha::api

const char* matcha_program_signature(const matcha_program* program) {
  return program->shared->facts().signature.c_str();
}

const char* matcha_program_doc(const matcha_program* program) { return program->shared->facts().doc.c_str(); }

size_t matcha_program_name_count(const matcha_program* program) { return program->shared->facts().names.size(); }

const char* matcha_program_name(const matcha_program* program, size_t at) {
  const std::vector<std::string>& names = program->shared->facts().names;
  return at < names.size() ? names[at].c_str() : nullptr;
}

const char* matcha_program_edges(const matcha_program* program, size_t at) {
  const std::vector<std::string>& edges = program->shared->facts().edges;
  return at < edges.size() ? edges[at].c_str() : nullptr;
}

int matcha_program_list_kind(const matcha_program* program, const char* name, size_t column) {
  const auto& lists = program->shared->facts().lists;
  const auto found = lists.find(std::string_view(name));
  return found != lists.end() && column < found->second.size() ? found->second[column] : 0;
}

matcha_status matcha_program_emit(const matcha_program* program, const char* stage, char** text, matcha_error** error) {
  using namespace matcha::api;
  return call(error, [&] {
    *text = nullptr;
    if (program == nullptr || stage == nullptr) return usage("the program or the stage is NULL", error);
    if (after_fork()) {
      return fail(MATCHA_ERROR_RUN, "error: after a fork only the parent process may compile programs\n", error);
    }
    if (std::string_view(stage) == "vertices") {
      const std::string& vertices = program->shared->facts().vertices;
      if (vertices.empty()) return usage("the program is no pattern", error);
      *text = copy_of(vertices);
      return MATCHA_OK;
    }
    if (std::string_view(stage) == "query") {
      const std::string& query = program->shared->facts().query;
      if (query.empty()) return usage("the program is no query", error);
      *text = copy_of(query);
      return MATCHA_OK;
    }
    std::string found, errors;
    bool known = true;
    matcha::session::Status status = matcha::session::Status::Ok;
    on_reading_thread([&] { status = emit(program->shared->request(), stage, found, known, errors); });
    if (!known) {
      return usage(
          fmt::format("there is no stage `{}`\n  hint: source, ast, asg, ir, kernel, llvm, cpp, cuda, svg", stage),
          error);
    }
    if (status != matcha::session::Status::Ok) return fail(status_of(status), errors, error);
    *text = copy_of(found);
    return MATCHA_OK;
  });
}

matcha_status matcha_explain(matcha_program* program, matcha_graph* graph, const matcha_options* options, char** json,
                             matcha_error** error) {
  using namespace matcha::api;
  return call(error, [&] {
    *json = nullptr;
    if (program == nullptr || graph == nullptr) return usage("the program or the graph is NULL", error);
    if (program->shared->facts().maybe_statement != nullptr) return usage(kStatement, error);
    if (after_fork()) return fail(MATCHA_ERROR_RUN, kAfterFork, error);
    const matcha_options unset;
    std::string found, errors;
    const matcha_status status =
        explain_as_task(program->shared, graph->graph, options != nullptr ? *options : unset, found, errors);
    if (status != MATCHA_OK) return errors.empty() ? status : fail(status, errors, error);
    *json = copy_of(found);
    return MATCHA_OK;
  });
}

matcha_status matcha_doctor(char** json, matcha_error** error) {
  return matcha::api::call(error, [&] {
    *json = nullptr;
    *json = matcha::api::copy_of(
        matcha::session::doctor_facts({}).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return MATCHA_OK;
  });
}

void matcha_text_free(char* text) { delete[] text; }
