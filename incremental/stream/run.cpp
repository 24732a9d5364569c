#include "incremental/stream/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "incremental/inputs.h"
#include "session/durations.h"

namespace matcha::session::stream {

namespace {

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
  Status status = parts_.table ? take_table() : Status::Ok;
  if (status == Status::Ok && parts_.state) status = write_checkpoint();
  return status == Status::Ok ? first_answer() : status;
}

/// The lines of the table at the start are in the window, as if they were those of the batch of the first answer.
Status StreamRun::take_table() {
  runtime::Result<std::unique_ptr<runtime::ByteStream>> bytes = runtime::ByteStream::open(parts_.table->path);
  if (!bytes) return reporter_.error(bytes.error());
  constexpr std::chrono::milliseconds kLook{20};
  std::swap(input_name_, parts_.table->path);
  feed_.begin_file(parts_.table->columns);
  StreamInput input(std::move(*bytes), 0);
  StreamInput::Line line;
  Status status = Status::Ok;
  for (StreamInput::Found found = StreamInput::Found::Nothing; found != StreamInput::Found::End;) {
    if (!input.next_buffered(line)) {
      if (verdict_() != Status::Ok) return verdict_();
      found = input.next(Clock::now() + kLook, line);
    } else {
      found = StreamInput::Found::Line;
    }
    if (found == StreamInput::Found::TooLong) return line_error(line_ + 1, "a line is longer than 1 MiB");
    if (found == StreamInput::Found::Failed) return reporter_.error(input.error());
    if (found != StreamInput::Found::Line) continue;
    std::string error;
    LineKind kind = LineKind::Blank;
    status = push(line.text, kind, error);
    if (status == Status::Ok && kind == LineKind::Error) status = line_error(line_, std::move(error));
    if (status != Status::Ok) return status;
    while (!feed_.is_exhausted()) feed_.take();
  }
  RawBatch raw = feed_.end_batch();
  reporter_.note(fmt::format("{}: {} line{}{}", input_name_, raw.lines, raw.lines == 1 ? "" : "s",
                             raw.late == 0 ? "" : fmt::format(", {} more were late", raw.late)));
  std::swap(input_name_, parts_.table->path);
  feed_.begin_file(parts_.rules.columns);
  line_ = 0;
  NetBatch batch;
  BatchFacts facts;
  std::vector<Answer> none;
  status = net(raw, batch, facts);
  return status == Status::Ok ? engine_.apply(batch, how(true), none) : status;
}

Status StreamRun::first_answer() {
  if (request_.no_total && !rows_) return Status::Ok;
  std::vector<Answer> answers;
  const Stopwatch watch;
  if (const Status status = engine_.start(how(false), answers); status != Status::Ok) return status;
  BatchFacts facts;
  return request_.no_total ? Status::Ok : write_answers(facts, answers);
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
  if (arrivals_.empty() || arrivals_.back().first != line.arrived) {
    arrivals_.emplace_back(line.arrived, 1);
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
    // While answers are pending, the stream does not wait for input.
    const bool hurries = may_be_quiet_ && !pending_.empty();
    std::optional<Clock::time_point> deadline;
    StreamInput::Line line;
    StreamInput::Found found = StreamInput::Found::Line;
    // The clock is read only if the stream may have to wait.
    if (!input_->next_buffered(line)) {
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

Status StreamRun::net(RawBatch& raw, NetBatch& batch, BatchFacts& facts) {
  facts.batch = batch_;
  facts.updates = raw.lines;
  facts.late = raw.late;
  facts.first_time = raw.first_time;
  facts.last_time = raw.last_time;
  facts.offset = offset_;
  if (const LedgerRows* const maybe_rows = parts_.rules.lines.maybe_rows.get(); maybe_rows != nullptr) {
    batch = net_rows(engine_, raw.updates, *maybe_rows, parts_.maybe_pairs, parts_.rules.width.has_value(), facts);
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
  if (is_delayed) pending_.push_back({facts, std::exchange(arrivals_, {})});
  if (status == Status::Ok) status = settle(!is_delayed);
  if (status == Status::Ok && !is_delayed) {
    status = answer(batch, facts, false);
    if (status == Status::Ok) count(facts, std::exchange(arrivals_, {}));
  }
  if (status != Status::Ok) return status;
  ++since_checkpoint_;
  return wants_checkpoint() ? write_checkpoint() : Status::Ok;
}

/// Writes the answers of pending batches: waits for all of them, or takes those that are ready.
Status StreamRun::settle(bool all) {
  if (pending_.empty()) return Status::Ok;
  std::vector<Engine::DelayedAnswers> found;
  const Status status = engine_.settle(all, found);
  for (const Engine::DelayedAnswers& late : found) {
    PendingBatch pending = std::move(pending_.front());
    pending_.pop_front();
    pending.facts.apply_ms = late.apply_ms;
    if (const Status written = write_answers(pending.facts, late.answers); written != Status::Ok) return written;
    count(pending.facts, pending.arrivals);
  }
  return status;
}

/// An answer is out.
void StreamRun::count(const BatchFacts& facts, const Arrivals& arrivals) {
  const Clock::time_point done = Clock::now();
  for (const auto& [arrived, lines] : arrivals) latencies_.add(ms_of(done - arrived), lines);
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

Status StreamRun::write_answers(const BatchFacts& facts, const std::vector<Answer>& answers) {
  if (rows_) {
    const runtime::Status written =
        rows_->write(rows_text(facts.batch, answers.front().changes, *request_.row_format, feed_.names().get()));
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

/// Says how it went, be it whole or stopped.
Status StreamRun::summarize(Status status) {
  const bool stopped = status == Status::Timeout || status == Status::Interrupted || status == Status::Terminated;
  if (status != Status::Ok && !stopped) return status;
  // The stop of a batch is that of the session.
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
