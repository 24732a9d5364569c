#include "incremental/stream/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>
#include <utility>

#include "incremental/inputs.h"
#include "session/durations.h"
#include "session/matches.h"
#include "session/values.h"

namespace matcha::session::stream {

namespace {

/// The hint when an output or the log is not as the state knows it.
constexpr std::string_view kPutBack =
    "put the file back as it was; or begin again from the first update, with another folder for `--state`";

double ms_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

StreamRun::StreamRun(const StreamRequest& request, const Reporter& reporter, Verdict verdict, StreamParts parts)
    : request_(request),
      reporter_(reporter),
      verdict_(std::move(verdict)),
      parts_(std::move(parts)),
      engine_(*parts_.engine),
      feed_(parts_.rules, std::make_shared<const runtime::LabelDictionary>(engine_.dictionary())),
      input_name_(parts_.updates == "-" ? "<stdin>" : parts_.updates) {}

Status StreamRun::all() {
  Status status = goes_on() ? go_on() : begin();
  if (status == Status::Ok) status = open_input();
  start_ = Clock::now();
  while (status == Status::Ok && !ended_) {
    status = gather();
    if (status == Status::Ok && (feed_.batch().taken != 0 || feed_.batch().late != 0)) status = finish_batch();
    if (answers_->closed_by_reader()) break;
  }
  // Requests before a wrong line are answered, too.
  const Status settled = settle(status == Status::Ok || status == Status::Input);
  return summarize(status == Status::Ok ? settled : status);
}

/// How a batch is run. Processes that share its edges must come to the same steps, however long each takes.
ApplyOptions StreamRun::how(bool quiet) const {
  ApplyOptions options{parts_.run, quiet};
  options.maybe_partners = parts_.partners.get();
  if (parts_.partners == nullptr) return options;
  options.strategy = BatchStrategy::EdgeByEdge;
  options.shares_always = true;
  return options;
}

Status StreamRun::open() {
  const auto open_one = [&](const std::string& path, std::optional<StreamOutput>& output) {
    runtime::Result<StreamOutput> opened = StreamOutput::open(path, goes_on());
    if (!opened) return reporter_.error(opened.error());
    output.emplace(std::move(*opened));
    return Status::Ok;
  };
  // Rows have standard output for themselves.
  const bool only_rows = request_.matches == "-" && request_.out == "-";
  const Status status = open_one(only_rows ? "/dev/null" : request_.out, answers_);
  return status != Status::Ok || request_.matches.empty() ? status : open_one(request_.matches, rows_);
}

Status StreamRun::open_input() {
  runtime::Result<std::unique_ptr<runtime::ByteStream>> bytes = runtime::ByteStream::open(parts_.updates);
  if (!bytes) return reporter_.error(bytes.error());
  if ((*bytes)->may_repeat() && offset_ != 0) {
    const runtime::Status skipped = (*bytes)->skip(offset_ - 1);
    if (!skipped) return reporter_.error(skipped.error());
    constexpr int kWaitMs = 1000;
    char last = 0;
    const runtime::Result<runtime::ByteStream::ReadResult> got = (*bytes)->read(&last, 1, kWaitMs);
    if (!got) return reporter_.error(got.error());
    if (const runtime::Status more = (*bytes)->skip(got->bytes == 0 ? 1 : 0); !more)
      return reporter_.error(more.error());
    is_cut_ = last != '\n';
  } else if (offset_ != 0) {
    reporter_.note(fmt::format("the input goes on after line {}, byte {}, of what was read before", line_, offset_));
  }
  may_be_quiet_ = !(*bytes)->may_repeat();
  input_.emplace(std::move(*bytes), offset_);
  return Status::Ok;
}

/// The first graph, and the facts about it.
Status StreamRun::begin() {
  if (parts_.state) {
    if (const Status status = write_checkpoint(); status != Status::Ok) return status;
  }
  return first_answer();
}

Status StreamRun::first_answer() {
  if (request_.no_total && !rows_) return Status::Ok;
  std::vector<Answer> answers;
  const Stopwatch watch;
  if (const Status status = engine_.start(how(false), answers); status != Status::Ok) return status;
  BatchFacts facts;
  return request_.no_total ? Status::Ok : write_answers(facts, answers);
}

/// After a restart: what the log has is done again, and answered where the answer was not written. All is checked
/// before anything is written.
Status StreamRun::go_on() {
  StateFolder& state = *parts_.state;
  runtime::Result<nlohmann::json> facts = state.read_facts();
  if (!facts) return reporter_.error(facts.error());
  batch_ = answered_ = facts->at("batch").get<std::uint64_t>();
  offset_ = facts->at("offset").get<std::uint64_t>();
  line_ = facts->at("line").get<std::uint64_t>();
  feed_.restore(facts->at("feed"));
  checkpoint_bytes_ = engine_.present().edge_count() * 8;
  Heard heard;
  Status status = read_heard(*facts, heard);
  if (status != Status::Ok) return status;
  runtime::Result<std::vector<LogRecord>> log = state.read_log();
  if (!log) return reporter_.error(log.error());
  status = check_log(log->empty() ? batch_ : log->back().batch, heard);
  if (status == Status::Ok) status = cut_outputs(*facts, heard);
  if (status == Status::Ok && batch_ == 0 && !heard.batch) status = first_answer();
  if (status != Status::Ok) return status;
  for (const LogRecord& record : *log) {
    status = replay(record, heard.batch && record.batch <= *heard.batch);
    if (status != Status::Ok) return status;
  }
  since_checkpoint_ = log->size();
  reporter_.note(fmt::format("goes on after batch {}, line {} of the input", batch_, line_));
  return Status::Ok;
}

/// The answers that are in the file: those of all batches, one after the other. At the checkpoint there were as many
/// bytes of them, and of rows, as it says.
Status StreamRun::read_heard(const nlohmann::json& facts, Heard& heard) const {
  std::uint64_t batch = 0, lines = 0, bytes = 0;
  const auto take = [&](std::string_view line) {
    const std::optional<std::uint64_t> of = batch_of_line(line);
    const bool is_first = bytes == 0 && of && *of <= 1;
    const bool follows = of && (*of == batch ? lines < engine_.size() : *of == batch + 1 && lines == engine_.size());
    if (!is_first && !follows) return false;
    lines = is_first || *of != batch ? 1 : lines + 1;
    batch = *of;
    bytes += line.size() + 1;
    if (lines == engine_.size()) heard = {batch, bytes};
    return true;
  };
  for (const auto& [name, output] : {std::pair{"out", &answers_}, std::pair{"matches", &rows_}}) {
    if (!*output || !(*output)->is_file()) continue;
    const bool is_rows = output == &rows_;
    const runtime::Result<std::uint64_t> found = is_rows ? (*output)->size() : (*output)->walk(take);
    if (!found) return reporter_.error(found.error());
    // Folders of versions before do not say it.
    const std::uint64_t stored = facts.value(fmt::format("{}-bytes", name), std::uint64_t{0});
    if (*found >= stored) continue;
    return reporter_.error(
        Status::Input,
        fmt::format("`--{}` was shortened or changed: of the {} bytes that it had after batch {}, {} are there", name,
                    stored, batch_, *found),
        kPutBack);
  }
  return Status::Ok;
}

/// A batch is in the log before anybody hears of it. `last`: the last one there.
Status StreamRun::check_log(std::uint64_t last, Heard& heard) const {
  if (!answers_->is_file()) {
    // What a pipe got is not known: the last batch is answered once more.
    if (last != 0) heard.batch = last - 1;
    return Status::Ok;
  }
  if (!heard.batch || *heard.batch <= last) return Status::Ok;
  return reporter_.error(Status::Input,
                         fmt::format("the log of `{}` was lost or cut: it ends with batch {}, and `--out` has answers "
                                     "until batch {}",
                                     request_.state, last, *heard.batch),
                         kPutBack);
}

/// Cuts off the answers that are written again. Rows do not say whether those of their last batch are all there, so
/// with a file of them all batches since the checkpoint are answered again.
Status StreamRun::cut_outputs(const nlohmann::json& facts, Heard& heard) {
  const bool has_bytes = facts.contains("out-bytes") || !answers_->is_file();
  runtime::Status done = runtime::Done{};
  if (rows_ && rows_->is_file() && answers_->is_file() && facts.contains("matches-bytes") && has_bytes) {
    heard = {std::nullopt, facts.at("out-bytes").get<std::uint64_t>()};
    if (heard.bytes != 0 || batch_ != 0) heard.batch = batch_;
    done = rows_->cut(facts.at("matches-bytes").get<std::uint64_t>());
  } else if (rows_ && rows_->is_file()) {
    const runtime::Result<std::uint64_t> kept = rows_->walk([&](std::string_view line) {
      std::uint64_t of = 0;
      if (line.starts_with('{')) {
        of = batch_of_line(line).value_or(0);
      } else {
        std::from_chars(line.data(), line.data() + line.size(), of);
      }
      return heard.batch && of <= *heard.batch;
    });
    done = kept ? rows_->cut(*kept) : runtime::Status(kept.error());
  }
  if (done && answers_->is_file()) done = answers_->cut(heard.bytes);
  return done ? Status::Ok : reporter_.error(done.error());
}

Status StreamRun::replay(const LogRecord& record, bool quiet) {
  std::string_view lines = record.lines;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    std::string error;
    LineKind kind = LineKind::Error;
    if (end != std::string_view::npos) {
      if (const Status pushed = push(lines.substr(0, end), kind, error); pushed != Status::Ok) return pushed;
    }
    if (kind == LineKind::Error) {
      return reporter_.error(Status::Input, "the log does not fit this stream: " + error);
    }
    lines.remove_prefix(end + 1);
  }
  if (record.flushed) feed_.flush();
  for (std::uint64_t i = 0; i < record.taken; ++i) {
    if (feed_.is_exhausted())
      return reporter_.error(Status::Input, "the log does not fit this stream: updates are missing");
    feed_.take();
  }
  offset_ = record.offset;
  RawBatch raw = feed_.end_batch();
  NetBatch batch;
  BatchFacts facts;
  batch_ = record.batch;
  Status status = net(raw, batch, facts);
  if (status == Status::Ok) status = answer(batch, facts, quiet);
  if (status == Status::Ok) answered_ = batch_;
  return status;
}

std::optional<StreamRun::Clock::time_point> StreamRun::batch_deadline() const {
  if (feed_.batch().lines == 0) return std::nullopt;
  if (!request_.every.empty() && !arrivals_.empty()) {
    return arrivals_.front().first + std::chrono::milliseconds(*milliseconds_of(request_.every));
  }
  const bool ends_otherwise = request_.batch || request_.each || request_.blank || parts_.rules.slide;
  return ends_otherwise ? std::nullopt : std::optional(Clock::now());
}

Status StreamRun::push(std::string_view line, LineKind& kind, std::string& error) {
  const bool was_named = feed_.names() != nullptr;
  kind = feed_.push(line, ++line_, error);
  return was_named || feed_.names() == nullptr ? Status::Ok : parts_.check_text_ids();
}

Status StreamRun::take_line(const StreamInput::Line& line) {
  if (std::exchange(is_cut_, false) && (line.text.empty() || line.text == "\r")) {
    offset_ = line.offset;
    return Status::Ok;
  }
  std::string error;
  LineKind kind = LineKind::Blank;
  if (const Status pushed = push(line.text, kind, error); pushed != Status::Ok) return pushed;
  if (kind == LineKind::Error) return line_error(line_, std::move(error));
  offset_ = line.offset;
  if (parts_.state) lines_.append(line.text).push_back('\n');
  blank_ = kind == LineKind::Blank;
  if (kind != LineKind::Update) return Status::Ok;
  if (arrivals_.empty() || arrivals_.back().first != line.came) {
    arrivals_.emplace_back(line.came, 1);
  } else {
    ++arrivals_.back().second;
  }
  return Status::Ok;
}

Status StreamRun::gather() {
  constexpr std::uint64_t kMostLines = 1'000'000;
  constexpr std::chrono::milliseconds kLook{20};
  constexpr unsigned kLinesOfLook = 64;
  unsigned looks = 0;
  const std::uint64_t most = request_.each ? 1 : request_.batch.value_or(kMostLines);
  // Only `--auto` and `--every` are cut where they need not be.
  const bool has_most = request_.each || request_.batch || (!request_.blank && !parts_.rules.slide);
  for (;;) {
    while (feed_.has_next()) {
      feed_.take();
      if (has_most && feed_.batch().lines >= most) return Status::Ok;
    }
    if (feed_.begins_slide()) return Status::Ok;
    if (looks == 0 && verdict_() != Status::Ok) return verdict_();
    looks = (looks + 1) % kLinesOfLook;
    if (ended_ || flushed_) {
      if (!std::exchange(flushed_, true)) {
        ended_ = false;
        feed_.flush();
        continue;
      }
      ended_ = true;
      return Status::Ok;
    }
    // The stream waits for no more input while answers are owed.
    const bool hurries = may_be_quiet_ && !owed_.empty();
    std::optional<Clock::time_point> deadline;
    StreamInput::Line line;
    StreamInput::Found found = StreamInput::Found::Line;
    // Only who may have to wait looks at the clock.
    if (!input_->next_at_hand(line)) {
      looks = 0;
      deadline = batch_deadline();
      const Clock::time_point look = Clock::now() + (hurries ? std::chrono::milliseconds(0) : kLook);
      found = input_->next(std::min(deadline.value_or(look), look), line);
    }
    switch (found) {
      case StreamInput::Found::Line: {
        if (const Status status = take_line(line); status != Status::Ok) return status;
        if (blank_ && request_.blank && feed_.batch().taken != 0) return Status::Ok;
        break;
      }
      case StreamInput::Found::Nothing: {
        if (const Status status = hurries ? settle(true) : Status::Ok; status != Status::Ok) return status;
        if (deadline && Clock::now() >= *deadline) return Status::Ok;
        break;
      }
      case StreamInput::Found::TooLong: return line_error(line_ + 1, "a line is longer than 1 MiB");
      case StreamInput::Found::Failed: return reporter_.error(input_->error());
      case StreamInput::Found::End: ended_ = true; break;
    }
  }
}

Status StreamRun::line_error(std::uint64_t line, std::string message) const {
  runtime::Error error;
  error.kind = runtime::ErrorKind::Input;
  error.file = input_name_;
  error.line = line;
  const std::size_t hint = message.find(kHintBreak);
  if (hint != std::string::npos) error.hint = message.substr(hint + kHintBreak.size());
  error.message = message.substr(0, hint);
  return reporter_.error(error);
}

/// The rows of a table that a batch brings and takes, as they came; those that do both are in neither number.
void StreamRun::net_rows(const RawBatch& raw, const LedgerRows& rows, NetBatch& batch, BatchFacts& facts) const {
  for (const Update& update : raw.updates) {
    if (update.kind == UpdateKind::InsertEdge) {
      batch.rows.push_back(update.line);
    } else {
      ++batch.rows_left;
    }
  }
  facts.deleted = std::min(batch.rows_left, rows.size());
  facts.inserted = batch.rows.size() - (batch.rows_left - facts.deleted);
  facts.are_dates = rows.has_dates();
}

Status StreamRun::net(RawBatch& raw, NetBatch& batch, BatchFacts& facts) {
  facts.batch = batch_;
  facts.updates = raw.lines;
  facts.late = raw.late;
  facts.first_time = raw.first_time;
  facts.last_time = raw.last_time;
  facts.offset = offset_;
  if (const LedgerRows* const maybe_rows = parts_.rules.lines.maybe_rows.get(); maybe_rows != nullptr) {
    net_rows(raw, *maybe_rows, batch, facts);
    return Status::Ok;
  }
  const Status status = learn_words(engine_, feed_.codes(), raw.updates, input_name_, reporter_);
  if (status != Status::Ok) return status;
  Netting netting(engine_.present(), vertex_rules(engine_, parts_.rules.width.has_value()));
  netting.expect(raw.updates);
  std::string why;
  for (const Update& update : raw.updates) {
    if (netting.add(update, request_.strict ? &why : nullptr) || update.line == 0) continue;
    ++facts.noops;
    if (request_.strict) return line_error(update.line, "the update changes nothing: " + why);
  }
  batch = netting.take();
  facts.inserted = batch.inserted.size();
  facts.deleted = batch.deleted.size();
  return Status::Ok;
}

Status StreamRun::log_batch(const RawBatch& raw) {
  if (!parts_.state) return Status::Ok;
  LogRecord record{batch_, raw.taken, offset_, line_, flushed_, std::exchange(lines_, {})};
  const runtime::Status logged = parts_.state->append(record);
  return logged ? Status::Ok : reporter_.error(logged.error());
}

Status StreamRun::finish_batch() {
  const Clock::time_point began = Clock::now();
  RawBatch raw = feed_.end_batch();
  NetBatch batch;
  BatchFacts facts;
  ++batch_;
  Status status = net(raw, batch, facts);
  if (status == Status::Ok) status = log_batch(raw);
  if (status != Status::Ok) return status;
  if (!arrivals_.empty()) facts.wait_ms = ms_of(began - arrivals_.front().first);
  bool is_delayed = false;
  status = engine_.apply_delayed(batch, how(false), is_delayed);
  if (is_delayed) owed_.push_back({facts, std::exchange(arrivals_, {})});
  if (status == Status::Ok) status = settle(!is_delayed);
  if (status == Status::Ok && !is_delayed) {
    status = answer(batch, facts, false);
    if (status == Status::Ok) count(facts, std::exchange(arrivals_, {}));
  }
  if (status != Status::Ok) return status;
  ++since_checkpoint_;
  return wants_checkpoint() ? write_checkpoint() : Status::Ok;
}

/// Writes answers that were owed: all of them, or those that are there.
Status StreamRun::settle(bool all) {
  if (owed_.empty()) return Status::Ok;
  std::vector<Engine::DelayedAnswers> found;
  const Status status = engine_.settle(all, found);
  for (const Engine::DelayedAnswers& late : found) {
    Owed owed = std::move(owed_.front());
    owed_.pop_front();
    owed.facts.apply_ms = late.apply_ms;
    if (const Status written = write_answers(owed.facts, late.answers); written != Status::Ok) return written;
    count(owed.facts, owed.arrivals);
  }
  return status;
}

/// An answer is out.
void StreamRun::count(const BatchFacts& facts, const Arrivals& arrivals) {
  const Clock::time_point done = Clock::now();
  for (const auto& [came, lines] : arrivals) latencies_.add(ms_of(done - came), lines);
  updates_ += facts.updates;
  noops_ += facts.noops;
  late_ += facts.late;
}

Status StreamRun::answer(const NetBatch& batch, BatchFacts& facts, bool quiet) {
  std::vector<Answer> answers;
  const Stopwatch watch;
  const Status status = engine_.apply(batch, how(quiet), answers);
  if (status != Status::Ok || quiet) return status;
  facts.apply_ms = watch.ms();
  for (const Answer& answer : answers) facts.apply_ms -= answer.match_ms;
  return write_answers(facts, answers);
}

std::string StreamRun::rows_text(std::uint64_t batch, const RowChanges& changes) const {
  std::string text;
  const RowFormat& format = *request_.row_format;
  const bool json = format.kind == RowFormat::Kind::Ndjson;
  const std::size_t width = changes.rows.kinds.size();
  // In order, so that a stream that goes on writes what one that was not stopped does.
  std::vector<std::uint64_t> order(changes.signs.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::sort(order, [&](std::uint64_t a, std::uint64_t b) {
    return is_row_before(changes.rows.row(a), changes.rows.row(b), changes.rows.kinds);
  });
  for (const std::uint64_t at : order) {
    const std::uint64_t* const row = changes.rows.row(at);
    const char sign = changes.signs[at] > 0 ? '+' : '-';
    text += json ? fmt::format("{{\"batch\":{},\"change\":\"{}\",\"row\":[", batch, sign)
                 : fmt::format("{}{}{}", batch, format.separator, sign);
    for (std::size_t column = 0; column < width; ++column) {
      if (!json || column != 0) text += json ? ',' : format.separator;
      switch (changes.rows.kinds[column]) {
        case runtime::ElementKind::Float: {
          double value = 0;
          std::memcpy(&value, row + column, sizeof(value));
          append_float(text, value, json ? Style::Json : Style::Text);
          break;
        }
        case runtime::ElementKind::Bool: text += row[column] != 0 ? "true" : "false"; break;
        case runtime::ElementKind::Vid:
          if (feed_.names() != nullptr) {
            append_name(text, feed_.names()->name(static_cast<std::int64_t>(row[column])),
                        json ? Style::Json : Style::Text, format.separator);
          } else {
            text += std::to_string(static_cast<std::int64_t>(row[column]));
          }
          break;
        case runtime::ElementKind::Int: {
          const auto id = changes.edge_ids.find(row[column]);
          if (id == changes.edge_ids.end()) {
            text += std::to_string(static_cast<std::int64_t>(row[column]));
          } else if (ledger::plain_int(id->second)) {
            text += id->second;
          } else {
            append_name(text, id->second, json ? Style::Json : Style::Text, format.separator);
          }
          break;
        }
      }
    }
    text += json ? "]}\n" : "\n";
  }
  return text;
}

Status StreamRun::write_answers(const BatchFacts& facts, const std::vector<Answer>& answers) {
  if (rows_) {
    const runtime::Status written = rows_->write(rows_text(facts.batch, answers.front().changes));
    if (!written) return reporter_.error(written.error());
  }
  std::string text;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string name = answers.size() > 1 ? request_.names[i] : "";
    Answer shown = answers[i];
    shown.changes = {};
    for (Number& number : shown.total) {
      const auto* const vertex = std::get_if<VertexNumber>(&number);
      if (vertex != nullptr && feed_.names() != nullptr) number = feed_.names()->name(vertex->id);
    }
    if (request_.no_total) shown.total.clear();
    const bool is_first = facts.batch == (request_.no_total ? 1 : 0);
    text += request_.json ? answer_json(facts, shown, name, is_first ? &engine_.decision(i) : nullptr)
                          : answer_line(facts, shown, name);
  }
  const runtime::Status written = answers_->write(text);
  if (!written) return reporter_.error(written.error());
  answered_ = facts.batch;
  return Status::Ok;
}

bool StreamRun::wants_checkpoint() const {
  constexpr std::uint64_t kLeastBytes = std::uint64_t{16} << 20;
  if (!parts_.state) return false;
  if (request_.checkpoint) return since_checkpoint_ >= *request_.checkpoint;
  return parts_.state->log_bytes() > std::max(kLeastBytes, checkpoint_bytes_);
}

Status StreamRun::write_checkpoint() {
  if (const Status settled = settle(true); settled != Status::Ok) return settled;
  // An answer that only a checkpoint knows of must be where it belongs.
  for (std::optional<StreamOutput>* output : {&answers_, &rows_}) {
    if (!*output || batch_ == 0) continue;
    const runtime::Status synced = (*output)->sync();
    if (!synced) return reporter_.error(synced.error());
  }
  runtime::Result<session::ResidentGraph::Shared> graph = engine_.graph();
  if (!graph) return reporter_.error(graph.error());
  nlohmann::json facts = {
      {"settings", parts_.settings}, {"batch", batch_}, {"offset", offset_}, {"line", line_}, {"feed", feed_.saved()}};
  for (const auto& [name, output] : {std::pair{"out-bytes", &answers_}, std::pair{"matches-bytes", &rows_}}) {
    if (!*output || !(*output)->is_file()) continue;
    const runtime::Result<std::uint64_t> bytes = (*output)->size();
    if (!bytes) return reporter_.error(bytes.error());
    facts[name] = *bytes;
  }
  if (feed_.names() != nullptr) facts["names"] = feed_.names()->saved();
  const runtime::Status written = parts_.state->write(batch_, **graph, facts);
  if (!written) return reporter_.error(written.error());
  since_checkpoint_ = 0;
  checkpoint_bytes_ = engine_.present().edge_count() * 8;
  return Status::Ok;
}

/// Says how it went, be it whole or stopped.
Status StreamRun::summarize(Status status) {
  const bool stopped = status == Status::Timeout || status == Status::Interrupted || status == Status::Terminated;
  if (status != Status::Ok && !stopped) return status;
  // What stopped a batch is what stopped the session.
  if (stopped && verdict_() != Status::Ok) status = verdict_();
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(updates_) / seconds : 0;
  if (stopped) reporter_.note(fmt::format("{} after batch {}", stopped_by(status), answered_));
  const auto ms = [&](double part) { return fmt::format("{:.3g}", latencies_.quantile(part)); };
  reporter_.note(
      fmt::format("{} update{} in {} batch{}{}{}, {:.3g} a second; latency in ms: p50 {}, p99 {}, p99.9 {}, "
                  "max {:.3g}",
                  updates_, updates_ == 1 ? "" : "s", answered_, answered_ == 1 ? "" : "es",
                  noops_ != 0 ? fmt::format(", {} changed nothing", noops_) : "",
                  late_ != 0 ? fmt::format(", {} more were late", late_) : "", rate, ms(0.5), ms(0.99), ms(0.999),
                  latencies_.most()));
  if (!request_.json || parts_.state) return status;
  const nlohmann::ordered_json end = {{"schema", "matcha.stream/1"},
                                      {"end", true},
                                      {"batches", answered_},
                                      {"updates", updates_},
                                      {"noops", noops_},
                                      {"late", late_},
                                      {"stopped", stopped},
                                      {"updates_per_s", rounded(rate)},
                                      {"latency_ms",
                                       {{"p50", rounded(latencies_.quantile(0.5))},
                                        {"p99", rounded(latencies_.quantile(0.99))},
                                        {"p99.9", rounded(latencies_.quantile(0.999))},
                                        {"max", rounded(latencies_.most())}}}};
  const runtime::Status written = answers_->write(end.dump() + "\n");
  return written ? status : reporter_.error(written.error());
}

}  // namespace matcha::session::stream
