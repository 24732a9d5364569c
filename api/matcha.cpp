#include "api/matcha.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "api/errors.h"
#include "api/handles.h"
#include "driver/gpu_options.h"
#include "driver/message_log.h"
#include "driver/tables.h"
#include "driver/version.h"
#include "ir/support/diagnostics.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/mtg.h"

/// The functions of matcha.h: nothing is thrown past them.

using matcha::api::call;
using matcha::api::fail;
using matcha::api::take_graph;
using matcha::api::usage;
using matcha::driver::Status;

namespace {

bool take_flag(const std::string& value, bool& flag) {
  flag = value == "true";
  return flag || value == "false";
}

template <typename Number>
bool take_number(const std::string& value, Number least, Number& number) {
  const char* const end = value.data() + value.size();
  Number read{};
  const std::from_chars_result found = std::from_chars(value.data(), end, read);
  const bool fits = found.ec == std::errc() && found.ptr == end && read >= least;
  if (fits) number = read;
  return fits;
}

bool take_timeout(const std::string& value, std::optional<double>& seconds) {
  constexpr double kLongest = 1e9;
  double number = 0;
  if (!take_number(value, 0.0, number) || !std::isfinite(number)) return false;
  seconds = std::min(number, kLongest);
  return true;
}

/// Puts what `text` gives into a buffer of the caller, cut to its room with a zero byte, and gives its whole length;
/// 0 where memory is short.
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

/// A tier that this processor has.
bool take_tier(const std::string& value, std::optional<matcha::runtime::Tier>& tier) {
  const std::optional<matcha::runtime::Tier> named = matcha::runtime::tier_from_name(value);
  const std::vector<matcha::runtime::Tier> supported = matcha::runtime::supported_tiers();
  if (!named || std::find(supported.begin(), supported.end(), *named) == supported.end()) return false;
  tier = named;
  return true;
}

/// `i/n`, i below n.
bool take_share(const std::string& value, matcha::codegen::Share& share) {
  constexpr std::uint64_t kMost = 1'000'000;
  const std::size_t slash = value.find('/');
  matcha::codegen::Share read;
  if (slash == std::string::npos || !take_number<std::uint64_t>(value.substr(0, slash), 0, read.index) ||
      !take_number<std::uint64_t>(value.substr(slash + 1), 1, read.count)) {
    return false;
  }
  if (read.index >= read.count || read.count > kMost) return false;
  share = read;
  return true;
}

/// `17 ann`, or `none ann`: the id of the vertex that a pattern calls so.
bool take_vertex_id(const std::string& value, matcha::driver::PatternOptions& pattern) {
  const std::size_t blank = value.find(' ');
  if (blank == std::string::npos) return false;
  const std::string id = value.substr(0, blank);
  std::int64_t number = 0;
  const bool is_there = take_number<std::int64_t>(id, std::numeric_limits<std::int64_t>::min(), number);
  if (!is_there && id != "none") return false;
  pattern.vertex_ids[value.substr(blank + 1)] = is_there ? std::optional(number) : std::nullopt;
  return true;
}

bool take_limit(const std::string& value, std::optional<std::uint64_t>& limit) {
  std::uint64_t number = 0;
  if (!take_number<std::uint64_t>(value, 0, number)) return false;
  limit = number;
  return true;
}

/// An option that is kept as it is given. `values`: `a|b|c`, or the kind of value in words.
template <typename Value>
struct Option {
  const char* name;
  Value& (*of)(matcha_options& o);
  const char* values = "";
};

const Option<std::string> kTexts[] = {
    {"src", [](matcha_options& o) -> std::string& { return o.table.src; }},
    {"dst", [](matcha_options& o) -> std::string& { return o.table.dst; }},
    {"edge-label", [](matcha_options& o) -> std::string& { return o.table.edge_label; }},
    {"vertices", [](matcha_options& o) -> std::string& { return o.table.vertices; }},
    {"id", [](matcha_options& o) -> std::string& { return o.table.id; }},
    {"label", [](matcha_options& o) -> std::string& { return o.table.label; }},
    {"labels", [](matcha_options& o) -> std::string& { return o.table.labels; }},
    {"graph-sql", [](matcha_options& o) -> std::string& { return o.table.sql; }},
    {"entry", [](matcha_options& o) -> std::string& { return o.program.compile.entry; }},
    {"file", [](matcha_options& o) -> std::string& { return o.program.compile.file; }},
    {"passes", [](matcha_options& o) -> std::string& { return o.program.compile.passes; }},
    {"cache", [](matcha_options& o) -> std::string& { return o.program.code_folder; }},
    {"disable-pass", [](matcha_options& o) -> std::string& { return o.program.compile.disabled.emplace_back(); }},
    {"param", [](matcha_options& o) -> std::string& { return o.program.params.emplace_back(); }},
    {"header", [](matcha_options& o) -> std::string& { return o.table.header; }, "auto|yes|no"},
    {"ids", [](matcha_options& o) -> std::string& { return o.table.ids; }, "auto|text"},
    {"device", [](matcha_options& o) -> std::string& { return o.program.device; }, "auto|cpu|cuda"},
    {"order", [](matcha_options& o) -> std::string& { return o.program.order; }, "auto|id|degree"},
    {"induced", [](matcha_options& o) -> std::string& { return o.program.pattern.induced; }, "edge|vertex"},
    {"per", [](matcha_options& o) -> std::string& { return o.program.pattern.per; }, "vertex|edge"},
    {"match", [](matcha_options& o) -> std::string& { return o.program.pattern.match; }, "iso|homo|edge"},
    {"algorithm", [](matcha_options& o) -> std::string& { return o.program.pattern.algorithm; },
     "auto|extend|join|decompose"},
    {"tier", [](matcha_options& o) -> std::string& { return o.program.tier; }, "auto|interp|native"},
};

const Option<bool> kFlags[] = {
    {"no-literals", [](matcha_options& o) -> bool& { return o.table.no_literals; }},
    {"query", [](matcha_options& o) -> bool& { return o.program.pattern.query; }},
    {"embeddings", [](matcha_options& o) -> bool& { return o.program.pattern.embeddings; }},
    {"unlabelled", [](matcha_options& o) -> bool& { return o.program.pattern.unlabelled; }},
    {"unlabelled-edges", [](matcha_options& o) -> bool& { return o.program.pattern.unlabelled_edges; }},
    {"matches", [](matcha_options& o) -> bool& { return o.program.matches; }},
    {"edge-labels", [](matcha_options& o) -> bool& { return o.edge_labels; }},
    {"keep-loops", [](matcha_options& o) -> bool& { return o.keep_loops; }},
    {"recompute", [](matcha_options& o) -> bool& { return o.recompute; }},
    {"strict", [](matcha_options& o) -> bool& { return o.strict; }},
    {"directed", [](matcha_options& o) -> bool& { return o.directed; }},
};

/// One whose value is read.
struct ReadOption {
  const char* name;
  bool (*set)(matcha_options& o, const std::string& value);
  const char* values;
};

const ReadOption kOthers[] = {
    {"format",
     [](matcha_options& o, const std::string& v) {
       o.table.format = v;
       return matcha::runtime::format_of_option(v).has_value();
     },
     "`auto` or a format of the manual, such as `edges` or `metis`"},
    {"plan",
     [](matcha_options& o, const std::string& v) { return take_number<std::size_t>(v, 1, o.program.pattern.plan); },
     "a whole number from 1 on"},
    {"vertex-id", [](matcha_options& o, const std::string& v) { return take_vertex_id(v, o.program.pattern); },
     "the id of a vertex, or `none`, a blank, and its name"},
    {"threads", [](matcha_options& o, const std::string& v) { return take_number<unsigned>(v, 0, o.threads); },
     "a whole number from 0 on"},
    {"limit", [](matcha_options& o, const std::string& v) { return take_limit(v, o.limit); },
     "a whole number from 0 on"},
    {"share", [](matcha_options& o, const std::string& v) { return take_share(v, o.share); }, "I/N, such as 0/2"},
    {"timeout", [](matcha_options& o, const std::string& v) { return take_timeout(v, o.timeout); },
     "seconds from 0 on"},
    {"simd", [](matcha_options& o, const std::string& v) { return take_tier(v, o.tier); },
     "scalar, avx2, avx512 or avx512-vp2intersect, if the processor has it"},
};

template <typename Rows>
auto find_row(const Rows& rows, const std::string& name) {
  const auto found = std::ranges::find_if(rows, [&name](const auto& row) { return name == row.name; });
  return found == std::end(rows) ? nullptr : &*found;
}

/// What an option of these values takes, for people: `edge` or `vertex`.
std::string one_of(const std::vector<std::string>& words) {
  return words.size() == 1
             ? words.front()
             : fmt::format("`{}` or `{}`", fmt::join(words.begin(), words.end() - 1, "`, `"), words.back());
}

/// Sets an option. For a wrong value it gives the values that are right; nothing for an unknown option.
std::optional<std::string> set_option(matcha_options& o, const std::string& name, const std::string& value) {
  using matcha::driver::words_of;
  if (const auto* const text = find_row(kTexts, name)) {
    const std::vector<std::string> words = words_of(text->values);
    if (*text->values != '\0' && std::ranges::find(words, value) == words.end()) return one_of(words);
    text->of(o) = value;
    return "";
  }
  if (const auto* const flag = find_row(kFlags, name)) {
    return take_flag(value, flag->of(o)) ? "" : "`true` or `false`";
  }
  if (const auto* const other = find_row(kOthers, name)) return other->set(o, value) ? "" : other->values;
  if (const auto* const gpu = find_row(matcha::driver::gpu_options(), name)) {
    return gpu->set(o.program.gpu, value)                          ? ""
           : gpu->takes == matcha::driver::GpuOption::Takes::Words ? one_of(words_of(gpu->shown))
                                                                   : gpu->text;
  }
  return std::nullopt;
}

/// The hint for an option that does not exist.
std::string near_option(const std::string& name) {
  std::vector<std::string> names;
  const auto add = [&names](const auto& rows) {
    for (const auto& row : rows) names.emplace_back(row.name);
  };
  add(kTexts), add(kFlags), add(kOthers), add(matcha::driver::gpu_options());
  const std::string near = matcha::nearest_word(name, names);
  return near.empty() ? near : fmt::format("\n  hint: did you mean `{}`?", near);
}

/// Arrays of the caller's, given back when this is freed.
struct Lent {
  Lent(void (*maybe_release)(void*), void* user) : maybe_release(maybe_release), user(user) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    if (armed && maybe_release != nullptr) maybe_release(user);
  }

  void (*maybe_release)(void*);
  void* user;
  std::atomic<bool> armed = false;
};

/// The item that says how many arcs there are; a negative one makes no graph.
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
  spec.columns = matcha::driver::take_columns(spec.path);
  spec.directed = options.directed;
  spec.edge_info = options.edge_labels || !options.table.edge_label.empty() || spec.columns.size() == 3;
  spec.keep_loops = options.keep_loops;
  options.table.put_into(spec);
  return spec;
}

/// Reads a graph on a thread that can be left alone.
matcha_status read_as_task(const char* path, const matcha_options& options, matcha_graph** graph,
                           matcha_error** error) {
  using matcha::api::Task;
  using matcha::driver::ResidentGraph;
  struct Read {
    std::optional<matcha::runtime::Result<ResidentGraph::Shared>> graph;
    matcha::api::Found failed;
  };
  const auto task = std::make_shared<Task>(options.deadline(), options.maybe_canceller);
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
    matcha::driver::ProgramRequest request;
    if (options != nullptr) request = options->program;
    (is_pattern ? request.pattern.text : request.text) = text;
    if (!is_pattern && matcha::driver::is_module(text)) {
      request.compile.file = text;
      if (request.compile.entry.empty()) {
        return usage(fmt::format("`{}` is a library: the option `entry` says which of its functions", text), error);
      }
      const matcha::driver::MessageLog log;
      const Status read = matcha::driver::read_program(text, nullptr, log, request.text);
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

/// When a wait of so many milliseconds is over; negative: never.
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

const char* matcha_version(void) { return matcha::driver::matcha_version(); }

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
    const std::optional<std::string> takes = set_option(*options, name, value);
    if (!takes) return usage(fmt::format("there is no option `{}`{}", name, near_option(name)), error);
    if (takes->empty()) return MATCHA_OK;
    return usage(fmt::format("`{}` is no value of the option `{}`\n  hint: it takes {}", value, name, *takes), error);
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
  options->maybe_canceller = canceller != nullptr ? canceller->shared : nullptr;
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
    const matcha::driver::MessageLog log;
    if (o.table.check(log) != Status::Ok) return fail(MATCHA_ERROR_USAGE, log.text(), error);
    if (!o.timeout && !o.maybe_canceller) {
      return take_graph(matcha::driver::ResidentGraph::read(spec_of(path, o), nullptr), graph, error);
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
    // Called when the last that reads the arrays is gone, unless they make no graph.
    const auto lent = std::make_shared<Lent>(release, user);
    const std::uint64_t arcs = last_offset(offsets, kind(offset_type), vertices);
    if (targets == nullptr && arcs != 0) return usage("the targets are NULL", error);
    const bool directed = options != nullptr && options->directed;
    const matcha_status status =
        take_graph(matcha::driver::ResidentGraph::from_csr({offsets, vertices + 1, kind(offset_type), 0},
                                                           {targets, arcs, kind(target_type), 0}, directed, lent),
                   graph, error);
    lent->armed = status == MATCHA_OK;
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
    const matcha_options unset;
    const matcha_options& o = options != nullptr ? *options : unset;
    matcha::api::Found found;
    if (o.timeout || o.maybe_canceller) {
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
