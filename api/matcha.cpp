#include "api/matcha.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "api/errors.h"
#include "api/handles.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/mtg.h"
#include "session/message_log.h"
#include "session/options.h"
#include "session/tables.h"
#include "session/version.h"

/// The functions of matcha.h, which never throw.

using matcha::api::call;
using matcha::api::fail;
using matcha::api::take_graph;
using matcha::api::usage;
using matcha::session::Status;

namespace {

/// Copies the value of `text` into the caller's buffer, cut to its size with a zero byte, and returns its whole length;
/// 0 if memory is short.
template <typename Text>
size_t put_text(char* buffer, size_t room, const Text& text) {
  try {
    const std::string whole = text();
    if (buffer != nullptr && room != 0) buffer[whole.copy(buffer, room - 1)] = '\0';
    return whole.size();
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

/// The structs that options of the library are written to.
matcha::session::OptionTargets targets_of(matcha_options& o) {
  matcha::session::OptionTargets to = matcha::session::targets_of(o.program);
  to.table = &o.table;
  to.directed = &o.directed;
  to.keep_loops = &o.keep_loops;
  to.edge_labels = &o.edge_labels;
  to.limit = &o.limit;
  to.timeout = &o.timeout;
  to.threads = &o.threads;
  to.simd_tier = &o.tier;
  to.share = &o.share;
  to.recompute = &o.recompute;
  to.strict = &o.strict;
  to.time = &o.time;
  to.window = &o.window;
  return to;
}

/// Sets an option. Returns the error; empty on success.
std::optional<std::string> set_option(matcha_options& o, const char* name, const char* value) {
  using matcha::session::Surface;
  const matcha::session::Option* const option = matcha::session::find_option(name, Surface::Library);
  if (option == nullptr) {
    return fmt::format("there is no option `{}`\n  hint: {}", name,
                       matcha::session::hint_for_option(name, Surface::Library));
  }
  if (!matcha::session::is_taken(*option, Surface::Library)) return matcha::session::refusal(*option, name);
  if (option->take(targets_of(o), value)) return std::nullopt;
  return fmt::format("option `{}` does not take `{}`\n  hint: {}", name, value, option->hint_for(value));
}

/// Borrowed arrays of the caller, released by the destructor.
struct BorrowedArrays {
  BorrowedArrays(void (*maybe_release)(void*), void* user) : maybe_release(maybe_release), user(user) {}
  BorrowedArrays(const BorrowedArrays&) = delete;
  BorrowedArrays& operator=(const BorrowedArrays&) = delete;
  ~BorrowedArrays() {
    if (armed && maybe_release != nullptr) maybe_release(user);
  }

  void (*maybe_release)(void*);
  void* user;
  std::atomic<bool> armed = false;
};

/// The number of arcs, which is the last offset; a negative one makes no graph.
std::uint64_t last_offset(const void* offsets, matcha::runtime::IntColumn::Kind kind, std::uint64_t at) {
  using Kind = matcha::runtime::IntColumn::Kind;
  switch (kind) {
    case Kind::Int32: {
      const std::int32_t last = static_cast<const std::int32_t*>(offsets)[at];
      return last < 0 ? 0 : static_cast<std::uint64_t>(last);
    }
    case Kind::Uint32: return static_cast<const std::uint32_t*>(offsets)[at];
    case Kind::Int64:
    case Kind::Uint64: break;
  }
  return static_cast<const std::uint64_t*>(offsets)[at];
}

matcha::runtime::GraphSpec spec_of(const char* path, const matcha_options& options) {
  matcha::runtime::GraphSpec spec;
  spec.name = "G";
  spec.path = path;
  spec.columns = matcha::session::take_columns(spec.path);
  spec.directed = options.directed;
  spec.edge_info = options.edge_labels || !options.table.edge_label.empty() || spec.columns.size() == 3;
  spec.keep_loops = options.keep_loops;
  options.table.put_into(spec);
  return spec;
}

/// Reads a graph on a thread that the caller may abandon.
matcha_status read_as_task(const char* path, const matcha_options& options, matcha_graph** graph,
                           matcha_error** error) {
  using matcha::api::Task;
  using matcha::session::ResidentGraph;
  struct Read {
    std::optional<matcha::runtime::Result<ResidentGraph::Shared>> graph;
    matcha::api::Found failed;
  };
  const auto task = std::make_shared<Task>(options.deadline(), options.maybe_cancel_token);
  const auto read = std::make_shared<Read>();
  Task::start(task, [task = task.get(), read, spec = spec_of(path, options)] {
    read->failed = matcha::api::guarded([&] {
      read->graph = ResidentGraph::read(spec, &task->interrupted());
      return matcha::api::Found();
    });
  });
  task->wait();
  const Task::End end = task->why();
  if (end == Task::End::Cancelled) return MATCHA_CANCELLED;
  if (end == Task::End::TimedOut) return MATCHA_TIMEOUT;
  if (!read->graph) return fail(read->failed.status, read->failed.errors, error);
  return take_graph(std::move(*read->graph), graph, error);
}

matcha_status make_program(const char* text, bool is_pattern, const matcha_options* options, matcha_program** program,
                           matcha_error** error) {
  return call(error, [&] {
    *program = nullptr;
    if (text == nullptr) return usage("the text is NULL", error);
    matcha::session::ProgramRequest request;
    if (options != nullptr) request = options->program;
    (is_pattern ? request.pattern.text : request.text) = text;
    if (!is_pattern && matcha::session::is_module(text)) {
      request.compile.file = text;
      if (request.compile.entry.empty()) {
        return usage(fmt::format("`{}` is a library: the option `entry` says which of its functions", text), error);
      }
      const matcha::session::MessageLog log;
      const Status read = matcha::session::read_program(text, nullptr, log, request.text);
      if (read != Status::Ok) return fail(matcha::api::status_of(read), log.text(), error);
    }
    if (is_pattern && *text == '\0') return usage("there is no pattern", error);
    if (matcha::api::after_fork()) {
      return fail(MATCHA_ERROR_RUN, "error: after a fork only the parent process may compile programs\n", error);
    }
    if (is_pattern || request.compile.file.empty()) request.compile.file = is_pattern ? "<pattern>" : "<program>";
    std::string errors;
    Status status = Status::Ok;
    matcha::api::ProgramFacts facts;
    matcha::api::on_reading_thread([&] {
      if (is_pattern && request.pattern.query) matcha::api::take_query(request, facts);
      status = matcha::api::check(request, errors, facts);
    });
    if (status != Status::Ok) return fail(matcha::api::status_of(status), errors, error);
    *program = new matcha_program{std::make_shared<matcha::api::SharedProgram>(std::move(request), std::move(facts))};
    return MATCHA_OK;
  });
}

matcha_status start(matcha_program* program, matcha_graph* graph, const matcha_options* options, bool gives_rows,
                    matcha_run** run, matcha_error** error) {
  return call(error, [&] {
    *run = nullptr;
    if (program == nullptr || graph == nullptr) return usage("the program or the graph is NULL", error);
    if (program->shared->facts().maybe_statement != nullptr) return usage(matcha::api::kStatement, error);
    if (gives_rows && !program->shared->facts().gives_list) {
      return usage("the result is no list, and only a list has rows\n  hint: `matches` makes a pattern list them",
                   error);
    }
    const matcha_options unset;
    auto made = std::make_unique<matcha_run>();
    *made = matcha::api::start(*program, *graph, options != nullptr ? *options : unset, gives_rows);
    *run = made.release();
    return MATCHA_OK;
  });
}

/// The end of a wait of `milliseconds`; negative: never.
std::optional<matcha::api::Clock::time_point> end_of_wait(int64_t milliseconds) {
  constexpr int64_t kLongest = 1'000'000'000;
  if (milliseconds < 0) return std::nullopt;
  return matcha::api::Clock::now() + std::chrono::milliseconds(std::min(milliseconds, kLongest));
}

matcha_status give(matcha::api::Found found, matcha_result** result, matcha_error** error) {
  *result = found.result.release();
  return found.errors.empty() ? found.status : fail(found.status, std::move(found.errors), error);
}

}  // namespace

const char* matcha_version(void) { return matcha::session::matcha_version(); }

const char* matcha_error_text(const matcha_error* error) { return error->text.c_str(); }
void matcha_error_free(matcha_error* error) { delete error; }

matcha_options* matcha_options_new(void) {
  try {
    return new matcha_options;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

matcha_status matcha_options_set(matcha_options* options, const char* name, const char* value, matcha_error** error) {
  return call(error, [&] {
    if (options == nullptr || name == nullptr || value == nullptr) return usage("an argument is NULL", error);
    const std::optional<std::string> wrong = set_option(*options, name, value);
    return wrong ? usage(*wrong, error) : MATCHA_OK;
  });
}

matcha_canceller* matcha_canceller_new(void) {
  try {
    return new matcha_canceller;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void matcha_canceller_cancel(matcha_canceller* canceller) { canceller->shared->requested = true; }
void matcha_canceller_free(matcha_canceller* canceller) { delete canceller; }

void matcha_options_set_canceller(matcha_options* options, const matcha_canceller* canceller) {
  options->maybe_cancel_token = canceller != nullptr ? canceller->shared : nullptr;
}

void matcha_options_free(matcha_options* options) { delete options; }

matcha_status matcha_graph_read(const char* path, const matcha_options* options, matcha_graph** graph,
                                matcha_error** error) {
  return call(error, [&] {
    *graph = nullptr;
    if (path == nullptr) return usage("the path is NULL", error);
    const matcha_options unset;
    const matcha_options& o = options != nullptr ? *options : unset;
    if (o.keep_loops && !o.directed && !matcha::runtime::is_mtg_file(path)) {
      return usage("`keep-loops` needs `directed`", error);
    }
    if ((*path == '\0') == o.table.sql.empty()) return usage("there is to be one graph: a path, or `graph-sql`", error);
    const matcha::session::MessageLog log;
    if (o.table.check(log) != Status::Ok) return fail(MATCHA_ERROR_USAGE, log.text(), error);
    if (!o.timeout && !o.maybe_cancel_token) {
      return take_graph(matcha::session::ResidentGraph::read(spec_of(path, o), nullptr), graph, error);
    }
    return read_as_task(path, o, graph, error);
  });
}

matcha_status matcha_graph_from_csr(uint64_t vertices, const void* offsets, matcha_type offset_type,
                                    const void* targets, matcha_type target_type, void (*release)(void*), void* user,
                                    const matcha_options* options, matcha_graph** graph, matcha_error** error) {
  return call(error, [&] {
    *graph = nullptr;
    using Kind = matcha::runtime::IntColumn::Kind;
    const auto kind = [](matcha_type type) { return static_cast<Kind>(static_cast<int>(type) - MATCHA_INT32); };
    const auto known = [](matcha_type type) { return type >= MATCHA_INT32 && type <= MATCHA_UINT64; };
    if (!known(offset_type) || !known(target_type)) return usage("there is no such type of items", error);
    if (offsets == nullptr || vertices == UINT64_MAX) return usage("the offsets are NULL or too many", error);
    // Runs when the last reader of the arrays is destroyed, unless no graph was made.
    const auto borrowed = std::make_shared<BorrowedArrays>(release, user);
    const std::uint64_t arcs = last_offset(offsets, kind(offset_type), vertices);
    if (targets == nullptr && arcs != 0) return usage("the targets are NULL", error);
    const bool directed = options != nullptr && options->directed;
    const matcha_status status =
        take_graph(matcha::session::ResidentGraph::from_csr({offsets, vertices + 1, kind(offset_type), 0},
                                                            {targets, arcs, kind(target_type), 0}, directed, borrowed),
                   graph, error);
    borrowed->armed = status == MATCHA_OK;
    return status;
  });
}

uint64_t matcha_graph_vertices(const matcha_graph* graph) { return graph->graph->graph().vertex_count(); }
uint64_t matcha_graph_edges(const matcha_graph* graph) { return graph->graph->graph().edge_count(); }

matcha_kind matcha_graph_id_kind(const matcha_graph* graph) {
  return graph->graph->graph().universe().names() != nullptr ? MATCHA_NAME : MATCHA_VERTEX;
}

size_t matcha_graph_name(const matcha_graph* graph, int64_t vertex, char* buffer, size_t room) {
  return put_text(buffer, room, [&] {
    const matcha::runtime::Universe& universe = graph->graph->graph().universe();
    const std::optional<std::uint32_t> rank = universe.rank(vertex);
    return rank ? universe.id_text(*rank) : std::string();
  });
}

size_t matcha_graph_label(const matcha_graph* graph, int64_t label, char* buffer, size_t room) {
  return put_text(buffer, room, [&] {
    const matcha::runtime::LabelDictionary& dictionary = graph->graph->graph().dictionary();
    // Word i has the code -1 - i; without words, labels below 0 are numbers.
    const bool is_number = label != matcha::runtime::kNoLabel && (label >= 0 || dictionary.empty());
    const bool is_there = is_number || ~static_cast<std::uint64_t>(label) < dictionary.words().size();
    return is_there ? dictionary.name(label) : std::string();
  });
}

matcha_status matcha_graph_release(matcha_graph* graph, const char* device, matcha_error** error) {
  return call(error, [&] {
    if (graph == nullptr || device == nullptr) return usage("the graph or the device is NULL", error);
    if (std::strcmp(device, "cuda") != 0) return usage(fmt::format("there is no device `{}`", device), error);
    graph->graph->device_copies().release();
    for (const auto& other : graph->graph->others()) other.graph->device_copies().release();
    return MATCHA_OK;
  });
}

void matcha_graph_free(matcha_graph* graph) { delete graph; }

matcha_status matcha_program_compile(const char* text, const matcha_options* options, matcha_program** program,
                                     matcha_error** error) {
  return make_program(text, false, options, program, error);
}

matcha_status matcha_program_pattern(const char* pattern, const matcha_options* options, matcha_program** program,
                                     matcha_error** error) {
  return make_program(pattern, true, options, program, error);
}

void matcha_program_free(matcha_program* program) { delete program; }

matcha_status matcha_run_now(matcha_program* program, matcha_graph* graph, const matcha_options* options,
                             matcha_result** result, matcha_error** error) {
  return call(error, [&] {
    *result = nullptr;
    if (program == nullptr || graph == nullptr) return usage("the program or the graph is NULL", error);
    if (program->shared->facts().maybe_statement != nullptr) return usage(matcha::api::kStatement, error);
    const matcha_options unset;
    const matcha_options& o = options != nullptr ? *options : unset;
    matcha::api::Found found;
    if (o.timeout || o.maybe_cancel_token) {
      matcha_run run = matcha::api::start(*program, *graph, o, false);
      found = matcha::api::finish(run);
    } else {
      found = matcha::api::run(*program->shared, graph->graph, o, {});
    }
    return give(std::move(found), result, error);
  });
}

matcha_status matcha_start(matcha_program* program, matcha_graph* graph, const matcha_options* options,
                           matcha_run** run, matcha_error** error) {
  return start(program, graph, options, false, run, error);
}

matcha_status matcha_start_rows(matcha_program* program, matcha_graph* graph, const matcha_options* options,
                                matcha_run** run, matcha_error** error) {
  return start(program, graph, options, true, run, error);
}

int matcha_wait(matcha_run* run, int64_t milliseconds) { return run->task->wait(end_of_wait(milliseconds)) ? 1 : 0; }

int matcha_next_rows(matcha_run* run, matcha_rows** rows, int64_t milliseconds) {
  bool more = false;
  *rows = matcha::api::next_rows(*run, end_of_wait(milliseconds), more).release();
  return *rows != nullptr ? 1 : more ? 0 : -1;
}

void matcha_progress(const matcha_run* run, uint64_t* done, uint64_t* total) {
  const auto [now_done, now_total] = run->progress->now();
  if (done != nullptr) *done = now_done;
  if (total != nullptr) *total = now_total;
}

void matcha_cancel(matcha_run* run) { run->task->cancel(); }

matcha_status matcha_finish(matcha_run* run, matcha_result** result, matcha_error** error) {
  return call(error, [&] {
    *result = nullptr;
    if (run == nullptr) return usage("the run is NULL", error);
    return give(matcha::api::finish(*run), result, error);
  });
}

void matcha_run_free(matcha_run* run) {
  if (run == nullptr) return;
  run->task->cancel();
  run->task->wait();
  delete run;
}
