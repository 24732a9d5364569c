#include "api/stream.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "api/columns.h"
#include "api/errors.h"
#include "incremental/inputs.h"
#include "runtime/machine.h"
#include "session/durations.h"

/// Programs on a changing graph.
namespace matcha::api {

namespace {

namespace st = session::stream;
using session::Status;

matcha_result::Value value_of(const st::Number& number) {
  matcha_result::Value out;
  std::visit(
      [&out](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, __int128>) {
          out.integer = value;
          out.real = static_cast<double>(value);
        } else if constexpr (std::is_same_v<T, st::WideNumber>) {
          // Totals are not negative.
          out.wide = value.magnitude;
          out.integer = value.magnitude.int128();
          out.real = value.magnitude.to_double();
        } else if constexpr (std::is_same_v<T, double>) {
          out.kind = MATCHA_FLOAT;
          out.real = value;
        } else if constexpr (std::is_same_v<T, bool>) {
          out.kind = MATCHA_BOOL;
          out.integer = value ? 1 : 0;
        } else if constexpr (std::is_same_v<T, st::VertexNumber>) {
          out.kind = MATCHA_VERTEX;
          out.integer = value.id;
        }
      },
      number);
  return out;
}

/// A column of rows.
Column column_of(const st::RowSet& rows, std::size_t column) {
  Column out;
  const std::uint64_t count = rows.size();
  if (rows.kinds[column] == runtime::ElementKind::Float) {
    out.kind = MATCHA_FLOAT;
    out.floats.resize(count);
    for (std::uint64_t at = 0; at < count; ++at) {
      std::memcpy(&out.floats[at], rows.row(at) + column, sizeof(double));
    }
    return out;
  }
  if (rows.kinds[column] == runtime::ElementKind::Vid) out.kind = MATCHA_VERTEX;
  if (rows.kinds[column] == runtime::ElementKind::Bool) out.kind = MATCHA_BOOL;
  out.ints.reserve(count);
  for (std::uint64_t at = 0; at < count; ++at) out.ints.push_back(static_cast<std::int64_t>(rows.row(at)[column]));
  return out;
}

Found failed(Status status, std::string errors) { return {api::status_of(status), nullptr, std::move(errors)}; }

}  // namespace

matcha_status LiveStream::open(std::span<const matcha_program* const> programs,
                               const std::shared_ptr<session::ResidentGraph>& graph, std::string& errors) {
  std::vector<session::ProgramRequest> requests;
  bool edge_labels = false;
  Status status = Status::Ok;
  for (const matcha_program* program : programs) {
    session::ProgramRequest& request = requests.emplace_back(program->shared->request());
    if (request.interval.within) {
      log_->error(Status::Usage, "`within` is not for streams", "their answers are exact");
      errors = take_log();
      return MATCHA_ERROR_USAGE;
    }
    if (request.device == "auto") request.device = "cpu";
    rows_.push_back(program->shared->facts().gives_list);
    st::ProgramNeeds needs;
    on_reading_thread([&] {
      const runtime::Graph& start = graph->graph();
      status = st::find_needs(request, start.facts().directed, false, &start.universe(), *log_, needs);
    });
    if (status != Status::Ok) break;
    edge_labels = edge_labels || needs.edge_labels;
  }
  const matcha_status opened = status == Status::Ok ? make(requests, graph, edge_labels) : status_of(status);
  errors = take_log();
  return opened;
}

/// Makes the engine and its programs.
matcha_status LiveStream::make(const std::vector<session::ProgramRequest>& requests,
                               const std::shared_ptr<session::ResidentGraph>& graph, bool edge_labels) {
  const runtime::Graph* const informed = graph->maybe_informed();
  if (edge_labels && (informed == nullptr || informed->facts().info == runtime::InfoKind::Float)) {
    return status_of(log_->error(Status::Usage, "a program reads labels of edges, and the edges of the graph have none",
                                 "give them with the graph; those of its file are read with --edge-labels"));
  }
  const bool sees_loops = edge_labels || std::ranges::any_of(requests, [](const session::ProgramRequest& request) {
                            return !request.pattern.text.empty() && request.pattern.match != "iso";
                          });
  if (sees_loops && graph->has_loops()) {
    return status_of(log_->error(Status::Usage, "the graph has loops, and one that changes has none",
                                 "read it without `keep-loops`"));
  }
  session::ResidentGraph::Shared start = graph;
  const bool is_named = graph->graph().universe().names() != nullptr;
  if ((!edge_labels && informed != nullptr) || is_named) {
    runtime::Result<runtime::Graph> own = edge_labels ? graph->informed_view() : graph->view();
    if (!own) return status_of(log_->error(own.error()));
    // Callers use positions among the names as ids; new vertices get other positions.
    if (is_named) {
      own->share_universe(
          std::make_shared<const runtime::Universe>(runtime::Universe::identity(graph->graph().universe().size())));
    }
    if (edge_labels) {
      runtime::Result<session::ResidentGraph::Shared> made = session::ResidentGraph::from_informed(std::move(*own));
      if (!made) return status_of(log_->error(made.error()));
      start = std::move(*made);
    } else {
      start = session::ResidentGraph::from_graph(std::move(*own));
    }
  }
  engine_ =
      recompute_ ? st::make_recompute(start, log_, on_reading_thread) : st::make_delta(start, log_, on_reading_thread);
  if (engine_ == nullptr) return MATCHA_ERROR_RESOURCE;
  rules_.edge_labels = edge_labels;
  Status status = st::add_empty_word(*engine_, *start);
  for (std::size_t i = 0; status == Status::Ok && i < requests.size(); ++i) {
    st::ProgramOptions wanted;
    wanted.rows = rows_[i];
    status = engine_->add(requests[i], wanted, log_);
  }
  codes_.emplace(std::make_shared<const runtime::LabelDictionary>(engine_->dictionary()));
  return status_of(status);
}

matcha_status LiveStream::open_table(std::span<const char* const> patterns, const matcha_options& options,
                                     std::string& errors) {
  maybe_table_ = std::make_unique<TableLines>();
  st::StreamRequest& request = maybe_table_->request;
  for (const char* const text : patterns) {
    session::ProgramRequest& one = request.programs.emplace_back(options.program);
    one.pattern.text = text;
    one.pattern.name = fmt::format("<pattern {}>", request.programs.size());
    one.pattern.no_files = one.pattern.may_ask_columns = true;
    one.device = "cpu";
    request.names.emplace_back(text);
    rows_.push_back(one.matches);
  }
  request.table = options.table;
  request.directed = options.directed;
  request.updates = "<lines>";
  request.time = options.time;
  request.window = options.window;
  request.temporal = request.of_rows = true;
  request.matches = options.program.matches ? "rows" : "";
  request.device = "cpu";
  request.recompute = recompute_;
  Status status = options.table.check(*log_);
  if (status == Status::Ok && session::seconds_of(request.window) == 0)
    status = log_->error(Status::Usage, "a window has some length", "such as 15m, 1h or 30d");
  if (status == Status::Ok) {
    codegen::RunOptions run;
    run.threads = threads_;
    run.tier = tier_;
    maybe_table_->opening.emplace(
        request, log_, [] { return Status::Ok; }, nullptr, run, on_reading_thread);
    status = maybe_table_->opening->all();
  }
  if (status == Status::Ok) {
    maybe_table_->parts = maybe_table_->opening->take();
    engine_ = std::move(maybe_table_->parts.engine);
    maybe_table_->feed.emplace(maybe_table_->parts.rules,
                               std::make_shared<const runtime::LabelDictionary>(engine_->dictionary()));
  }
  errors = take_log();
  return status_of(status);
}

std::string LiveStream::changes_json(std::size_t program) const {
  const st::VertexNames* const maybe_names = maybe_table_ != nullptr ? maybe_table_->feed->names().get() : nullptr;
  return st::rows_json(answers_[program].changes, engine_->row_names(program), maybe_names);
}

/// The log since the last call.
std::string LiveStream::take_log() {
  std::string text = log_->text().substr(reported_);
  reported_ = log_->text().size();
  return text;
}

bool LiveStream::enter(std::string& why) {
  State idle = State::Idle;
  if (state_.compare_exchange_strong(idle, State::Busy)) return true;
  why = idle == State::Busy ? "the stream is at work: its calls come one at a time"
                            : "the stream has ended with a batch that failed or was stopped\n  hint: open another one";
  return false;
}

void LiveStream::put(std::vector<st::Update> updates) {
  put_ += updates.size();
  if (updates_.empty()) {
    updates_ = std::move(updates);
  } else {
    updates_.insert(updates_.end(), updates.begin(), updates.end());
  }
}

/// The lines of a table. One with an error ends the stream, as those before it are taken.
bool LiveStream::put_rows(std::string_view text, std::string& error) {
  TableLines& table = *maybe_table_;
  for (; !text.empty(); text.remove_prefix(std::min(text.find('\n') + 1, text.size()))) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool was_named = table.feed->names() != nullptr;
    const st::LineKind kind = table.feed->push(line, ++table.lines, error);
    if (kind == st::LineKind::Error) {
      const std::size_t hint = error.find(st::kHintBreak);
      const std::string why = error.substr(0, hint);
      error = fmt::format("<lines>:{}: error: {}\n{}", table.lines, why,
                          hint == std::string::npos ? "" : error.substr(hint + 1) + "\n");
    } else if (!was_named && table.feed->names() != nullptr && table.parts.check_text_ids() != Status::Ok) {
      error = take_log();
    }
    table.has_failed = !error.empty();
    if (table.has_failed) return false;
    put_ += kind == st::LineKind::Update ? 1 : 0;
    if (text.find('\n') == std::string_view::npos) break;
  }
  return true;
}

bool LiveStream::put_lines(std::string_view text, std::string& error) {
  if (maybe_table_ != nullptr) return put_rows(text, error);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<st::Update> updates;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    st::Update update;
    switch (st::read_update(text.substr(0, end), rules_, *codes_, update, error)) {
      case st::LineKind::Error: error = fmt::format("<updates>:{}: error: {}\n", number, error); return false;
      case st::LineKind::Update: updates.push_back(update); break;
      case st::LineKind::Comment:
      case st::LineKind::Blank: break;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  put(std::move(updates));
  return true;
}

/// Computes the net effect of the updates.
Status LiveStream::net(st::NetBatch& batch, st::BatchFacts& facts, bool& usable) {
  usable = false;
  if (maybe_table_ != nullptr) {
    TableLines& table = *maybe_table_;
    while (!table.feed->is_exhausted()) table.feed->take();
    const st::RawBatch raw = table.feed->end_batch();
    facts.updates = raw.lines;
    facts.late = raw.late;
    facts.first_time = raw.first_time;
    facts.last_time = raw.last_time;
    batch = st::net_rows(*engine_, raw.updates, *table.parts.rules.lines.maybe_rows, table.parts.maybe_pairs,
                         table.parts.rules.width.has_value(), facts);
    return Status::Ok;
  }
  std::vector<st::Update> updates = std::exchange(updates_, {});
  if (const Status learnt = st::learn_words(*engine_, *codes_, updates, "", *log_); learnt != Status::Ok) return learnt;
  st::Netting netting(engine_->present(), st::vertex_rules(*engine_, false));
  facts.updates = updates.size();
  // As many threads as the stream has look updates up.
  runtime::allow_threads(threads_);
  tbb::task_arena arena(threads_ == 0 ? tbb::task_arena::automatic : static_cast<int>(threads_));
  arena.execute([&] { netting.expect(updates); });
  std::string why;
  for (std::size_t at = 0; at < updates.size(); ++at) {
    if (netting.add(updates[at], strict_ ? &why : nullptr)) continue;
    ++facts.noops;
    if (!strict_) continue;
    usable = true;
    return log_->error(Status::Input, fmt::format("update {} of the batch changes nothing: {}", at + 1, why),
                       "the batch is dropped");
  }
  arena.execute([&] { batch = netting.take(); });
  facts.inserted = batch.inserted.size();
  facts.deleted = batch.deleted.size();
  return Status::Ok;
}

Found LiveStream::apply(const Task& task, bool& usable) {
  using Ms = std::chrono::duration<double, std::milli>;
  st::ApplyOptions options;
  options.run.kernel_times = false;
  options.run.stop_request = &task.stop();
  options.run.deadline = task.deadline();
  options.run.threads = threads_;
  options.run.tier = tier_;
  usable = false;
  const bool is_first = batches_ == 0 && answers_.empty() && put_ == 0;
  st::NetBatch batch;
  st::BatchFacts facts;
  Status status = net(batch, facts, usable);
  if (status != Status::Ok) return failed(status, take_log());
  const Clock::time_point began = Clock::now();
  std::vector<st::Answer> answers;
  status = is_first ? engine_->start(options, answers) : engine_->apply(batch, options, answers);
  if (status != Status::Ok) return failed(status, take_log());
  usable = true;
  if (!is_first) ++batches_;
  facts_ = facts;
  facts_.batch = batches_;
  facts_.apply_ms = Ms(Clock::now() - began).count();
  answers_ = std::move(answers);
  Found found;
  found.result = std::make_unique<matcha_result>();
  for (const st::Answer& answer : answers_) {
    facts_.apply_ms -= answer.match_ms;
    for (const st::Number& number : answer.total) found.result->values.push_back(value_of(number));
  }
  return found;
}

namespace {

/// Runs a call that must not overlap with a batch and keeps the stream usable.
template <typename Work>
matcha_status entered(matcha_stream* stream, matcha_error** error, Work work) {
  return call(error, [&] {
    if (stream == nullptr) return usage("the stream is NULL", error);
    std::string why;
    if (!stream->shared->enter(why)) return fail(MATCHA_ERROR_RUN, "error: " + why + "\n", error);
    struct Leave {
      LiveStream& shared;
      ~Leave() { shared.leave(true); }
    } leave{*stream->shared};
    return work(*stream->shared);
  });
}

constexpr const char* kNoRows =
    "the result is no list, and only a list has rows\n  hint: `matches` makes a pattern list them";

/// Puts the result of `work` for the answer of a program into `out`. `what`: the noun for `out` in the error that it is
/// NULL. `of_rows`: the answer has to have rows.
template <typename Out, typename Work>
matcha_status of_answer(matcha_stream* stream, size_t program, Out** out, const char* what, bool of_rows,
                        matcha_error** error, Work work) {
  if (out != nullptr) *out = nullptr;
  return entered(stream, error, [&](LiveStream& shared) {
    const st::Answer* const answer = shared.maybe_answer(program);
    if (out == nullptr) return usage(fmt::format("the {} NULL", what), error);
    if (program >= shared.size()) return usage(fmt::format("the stream has {} programs", shared.size()), error);
    if (answer == nullptr) return usage("there is no answer yet", error);
    if (of_rows && !shared.gives_rows(program)) return usage(kNoRows, error);
    *out = work(shared, *answer);
    return MATCHA_OK;
  });
}

/// Opens a stream. `open(made, options, errors)` reads the programs.
template <typename Open>
matcha_status opened(const matcha_options* maybe_options, matcha_stream** stream, matcha_error** error, Open open) {
  if (after_fork()) return fail(MATCHA_ERROR_RUN, kAfterFork, error);
  const matcha_options unset;
  const matcha_options& options = maybe_options != nullptr ? *maybe_options : unset;
  auto made = std::make_unique<matcha_stream>();
  made->shared = std::make_shared<LiveStream>(options);
  std::string errors;
  const matcha_status status = open(*made->shared, options, errors);
  if (status != MATCHA_OK) return fail(status, std::move(errors), error);
  *stream = made.release();
  return MATCHA_OK;
}

matcha_status put_columns(LiveStream& stream, std::uint32_t kind, const matcha_column& first,
                          const matcha_column* maybe_second, size_t count, matcha_error** error) {
  const bool of_edges = kind == MATCHA_ADD_EDGE || kind == MATCHA_REMOVE_EDGE;
  if (!of_edges && kind != MATCHA_ADD_VERTEX && kind != MATCHA_REMOVE_VERTEX) {
    return usage("there is no such kind of update", error);
  }
  const bool has_second = maybe_second != nullptr && maybe_second->items != nullptr && kind != MATCHA_REMOVE_VERTEX;
  std::string problem = column_problem(first, count, of_edges ? "first ends" : "vertices");
  if (problem.empty() && of_edges && !has_second && count != 0) problem = "the second ends are NULL";
  if (problem.empty() && has_second)
    problem = column_problem(*maybe_second, count, of_edges ? "second ends" : "labels");
  if (problem.empty() && stream.is_of_table()) problem = "the stream is of the lines of a table";
  if (!problem.empty()) return usage(problem, error);
  if (kind == MATCHA_ADD_EDGE && count != 0 && stream.has_edge_labels()) {
    return usage("an inserted edge needs a label, as in a line `+ 1 2 LABEL`: a program reads labels of edges", error);
  }
  std::vector<st::Update> updates(count);
  uint64_t too_large = count;
  const auto read = [&](const matcha_column& column, int64_t st::Update::*field) {
    runtime::with_items(ints_of(column, count), [&](const auto& items) {
      for (size_t at = 0; at < count; ++at) {
        const auto item = items[at];
        if constexpr (std::is_same_v<std::decay_t<decltype(item)>, uint64_t>) {
          if (item > INT64_MAX) too_large = std::min<uint64_t>(too_large, at);
        }
        updates[at].*field = static_cast<int64_t>(item);
      }
    });
  };
  if (count != 0) read(first, &st::Update::u);
  if (count != 0 && has_second) read(*maybe_second, of_edges ? &st::Update::v : &st::Update::label);
  if (too_large != count) {
    return fail(MATCHA_ERROR_INPUT, fmt::format("error: item {} is beyond 63 bits\n", too_large), error);
  }
  constexpr st::UpdateKind kKinds[] = {st::UpdateKind::InsertEdge, st::UpdateKind::DeleteEdge,
                                       st::UpdateKind::SetVertex, st::UpdateKind::DeleteVertex};
  for (size_t at = 0; at < count; ++at) {
    st::Update& update = updates[at];
    update.kind = kKinds[kind - MATCHA_ADD_EDGE];
    update.has_label = !of_edges && has_second && update.label != runtime::kNoLabel;
    if (update.has_label && update.label < 0) {
      return fail(MATCHA_ERROR_INPUT, fmt::format("error: item {}: labels are numbers from 0\n", at), error);
    }
  }
  stream.put(std::move(updates));
  return MATCHA_OK;
}

}  // namespace

}  // namespace matcha::api

matcha_status matcha_stream_open(const matcha_program* const* programs, size_t count, const matcha_graph* graph,
                                 const matcha_options* options, matcha_stream** stream, matcha_error** error) {
  using namespace matcha::api;
  return call(error, [&] {
    *stream = nullptr;
    if (programs == nullptr || count == 0) return usage("there are no programs", error);
    if (graph == nullptr) return usage("the graph is NULL", error);
    const std::span<const matcha_program* const> given(programs, count);
    for (const matcha_program* program : given) {
      if (program == nullptr) return usage("a program is NULL", error);
    }
    return opened(options, stream, error, [&](LiveStream& made, const matcha_options&, std::string& errors) {
      return made.open(given, graph->graph, errors);
    });
  });
}

matcha_status matcha_stream_open_table(const char* const* patterns, size_t count, const matcha_options* options,
                                       matcha_stream** stream, matcha_error** error) {
  using namespace matcha::api;
  return call(error, [&] {
    *stream = nullptr;
    if (patterns == nullptr || count == 0) return usage("there are no patterns", error);
    const std::span<const char* const> given(patterns, count);
    for (const char* const pattern : given) {
      if (pattern == nullptr || *pattern == '\0') return usage("there is no pattern", error);
    }
    return opened(options, stream, error, [&](LiveStream& made, const matcha_options& chosen, std::string& errors) {
      return made.open_table(given, chosen, errors);
    });
  });
}

matcha_status matcha_stream_put(matcha_stream* stream, matcha_update kind, const matcha_column* first,
                                const matcha_column* second, size_t count, matcha_error** error) {
  using namespace matcha::api;
  // Callers in C may pass any number, which may not be a value of the enum.
  std::uint32_t number = 0;
  static_assert(sizeof(number) == sizeof(kind));
  std::memcpy(&number, &kind, sizeof(number));
  return entered(stream, error, [&](LiveStream& shared) {
    if (first == nullptr) return usage("the column is NULL", error);
    return put_columns(shared, number, *first, second, count, error);
  });
}

matcha_status matcha_stream_put_lines(matcha_stream* stream, const char* text, size_t bytes, matcha_error** error) {
  using namespace matcha::api;
  return entered(stream, error, [&](LiveStream& shared) {
    if (text == nullptr && bytes != 0) return usage("the text is NULL", error);
    std::string problem;
    if (shared.put_lines(std::string_view(text, bytes), problem)) return MATCHA_OK;
    return fail(MATCHA_ERROR_INPUT, problem, error);
  });
}

matcha_status matcha_stream_apply(matcha_stream* stream, const matcha_options* options, matcha_run** run,
                                  matcha_error** error) {
  using namespace matcha::api;
  return call(error, [&] {
    *run = nullptr;
    if (stream == nullptr) return usage("the stream is NULL", error);
    if (after_fork()) return fail(MATCHA_ERROR_RUN, kAfterFork, error);
    const matcha_options unset;
    const matcha_options& o = options != nullptr ? *options : unset;
    auto made = std::make_unique<matcha_run>();
    made->task = std::make_shared<Task>(o.deadline(), o.maybe_cancel_token);
    made->found = std::make_shared<Found>();
    made->progress = std::make_shared<Progress>();
    std::string why;
    if (!stream->shared->enter(why)) return fail(MATCHA_ERROR_RUN, "error: " + why + "\n", error);
    try {
      Task::start(made->task, [task = made->task.get(), found = made->found, shared = stream->shared] {
        bool usable = false;
        *found = guarded(*task, [&] { return shared->apply(*task, usable); });
        shared->leave(usable);
      });
    } catch (...) {
      stream->shared->leave(true);
      throw;
    }
    *run = made.release();
    return MATCHA_OK;
  });
}

matcha_status matcha_stream_answer(matcha_stream* stream, size_t program, char** json, matcha_error** error) {
  using namespace matcha::api;
  return of_answer(stream, program, json, "text is", false, error, [](const LiveStream& shared, const auto& answer) {
    return copy_of(matcha::session::stream::answer_json(shared.facts(), answer, ""));
  });
}

matcha_status matcha_stream_changes(matcha_stream* stream, size_t program, matcha_rows** rows, matcha_error** error) {
  using namespace matcha::api;
  return of_answer(stream, program, rows, "rows are", true, error, [](const LiveStream&, const auto& answer) {
    const matcha::session::stream::RowChanges& changes = answer.changes;
    auto made = std::make_unique<matcha_rows>();
    made->count = changes.signs.size();
    for (std::size_t column = 0; column < changes.rows.kinds.size(); ++column) {
      made->columns.push_back(column_of(changes.rows, column));
    }
    Column& signs = made->columns.emplace_back();
    signs.ints.assign(changes.signs.begin(), changes.signs.end());
    return made.release();
  });
}

matcha_status matcha_stream_changes_json(matcha_stream* stream, size_t program, char** json, matcha_error** error) {
  using namespace matcha::api;
  return of_answer(stream, program, json, "text is", true, error,
                   [&](const LiveStream& shared, const auto&) { return copy_of(shared.changes_json(program)); });
}

void matcha_stream_free(matcha_stream* stream) { delete stream; }
